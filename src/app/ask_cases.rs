//! Ask cases of the workspace: where their recorded runs are, and in which context they are asked.

use super::{documents::Document, state::State};
use crate::{
    engine::{
        agent_loop::recording::RecordedRuns,
        case::{
            ask::AskCase,
            read::{AnyCase, read_any_case},
        },
    },
    model::{context::Context, entry::FileId, settings::SETTINGS},
    systems::settings::parse_settings,
};

/// The ask case that a file holds; `None` where it is none, the issue in words where it is a broken
/// one.
#[must_use]
pub(crate) fn read_ask_case(document: &Document) -> Option<Result<AskCase, String>> {
    let source = document.source.as_ref().ok().filter(|_| !document.gone)?;
    match read_any_case(source, false)? {
        Ok(AnyCase::Ask(case)) => Some(Ok(*case)),
        Err(issue) if AskCase::is_one(source.value(0)?) => Some(Err(issue.to_string())),
        _ => None,
    }
}

/// The file with the recorded runs of a case: the one that it names, else one below `recorded`.
#[must_use]
pub(crate) fn recorded_file(case: &FileId, named: Option<&str>) -> FileId {
    let name = case.as_str();
    let (folder, file) = name.rsplit_once('/').map_or(("", name), |(folder, file)| (folder, file));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let file = named.map_or_else(|| format!("recorded/{stem}.json"), str::to_owned);
    FileId::new(if folder.is_empty() { file } else { format!("{folder}/{file}") })
}

/// The recorded runs of a case.
///
/// # Errors
/// In words: there are none.
pub(crate) fn recorded_runs(
    state: &State,
    file: &FileId,
    case: &AskCase,
) -> Result<RecordedRuns, String> {
    let recorded = recorded_file(file, case.recorded.as_deref());
    let document = state.documents.present(&recorded);
    let source = document.and_then(|document| document.source.as_ref().ok());
    let value = source.and_then(|source| source.value(0));
    value.and_then(|value| RecordedRuns::from_json(value)).ok_or_else(|| {
        format!(
            "no run is recorded in {recorded}: `toolcrib test --model NAME --record` records some"
        )
    })
}

/// The context that cases are asked in where they say none: that of the settings.
#[must_use]
pub(crate) fn workspace_context(state: &State) -> Context {
    let document = state.documents.present(&FileId::new(SETTINGS));
    let text = document.map_or("", |document| document.text.whole_text());
    parse_settings(text).0.context
}
