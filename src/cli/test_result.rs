//! What a case made of a call, kept with the call in the history.

use std::{fs, path::Path, sync::Arc};

use super::{data_files::find_workspace_root, report_paths::typed_path};
use crate::{
    engine::{
        case::{result::case_result, verdict::Verdict},
        mask::Mask,
    },
    model::{
        call::{Event, EventKind},
        entry::FileId,
    },
    store::history::History,
};

/// Keeps it with the call of that id and those arguments. A case counts although it can't be kept.
pub(super) fn keep_result(
    history: Option<&Arc<History>>,
    (call, arguments): (&str, &str),
    case: &Path,
    verdict: &Verdict,
) {
    let Some(history) = history else { return };
    // The verdict has no secrets already.
    let result = case_result(verdict, file_of(case), &Mask::default());
    let kind = EventKind::Stage(result.to_stage());
    drop(history.add_event(call, arguments, &Event { at_ms: verdict.answer.took_ms, kind }));
}

/// The file as its workspace names it.
fn file_of(case: &Path) -> FileId {
    let below = || {
        let path = fs::canonicalize(case).ok()?;
        let below = path.strip_prefix(find_workspace_root(case)?).ok()?.to_owned();
        let parts: Option<Vec<&str>> = below.iter().map(|part| part.to_str()).collect();
        Some(parts?.join("/"))
    };
    FileId::new(below().unwrap_or_else(|| typed_path(case)))
}
