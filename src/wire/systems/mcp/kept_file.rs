//! What a workspace keeps of a server, and what of it is no longer so.

use std::{collections::BTreeMap, path::Path};

use serde_json::Value;

use crate::{
    engine::{drift::Severity, mask::Mask},
    model::shown::{shell_word, visible_text},
    systems::mcp::{
        deployed::{self, McpDeployment},
        drift,
        kept::KeptList,
    },
    wire::plain_file,
};

/// So many tools are named of each severity.
const NAMED: usize = 3;

/// The list that the workspace keeps of the server of that name; `None` where it keeps none.
#[must_use]
pub(crate) fn read_list(root: &Path, server: &str) -> Option<KeptList> {
    let text = plain_file::read_text(&root.join(KeptList::path(server)))?;
    KeptList::from_value(&serde_json::from_str(&text).ok()?)
}

/// What changed since the list was kept, and since it was locked, in a line; `None` where nothing
/// did. The mask knows the secrets that were used to get there.
#[must_use]
pub(crate) fn describe_changes(
    root: Option<&Path>,
    server: &str,
    kept: Option<&KeptList>,
    tools: &[Value],
    mask: &Mask,
) -> Option<String> {
    let of_list = kept.and_then(|kept| describe_drift(kept, tools));
    let of_lock = root.and_then(|root| locked_drift(root, server, tools, mask));
    let words: Vec<String> = of_list.into_iter().chain(of_lock).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// What changed since the list was kept, in a line with the worst first; `None` where nothing did.
#[must_use]
fn describe_drift(kept: &KeptList, tools: &[Value]) -> Option<String> {
    let mut changed: BTreeMap<Severity, Vec<String>> = BTreeMap::new();
    for change in drift::compare_lists(&kept.tools, tools) {
        changed.entry(change.severity).or_default().push(change.tool);
    }
    let told: Vec<String> = changed
        .into_iter()
        .map(|(severity, mut tools)| {
            let count = tools.len();
            tools.dedup();
            let more = if tools.len() > NAMED { ", …" } else { "" };
            tools.truncate(NAMED);
            format!("{count} {} ({}{more})", severity.as_str(), visible_text(&tools.join(", ")))
        })
        .collect();
    let name = visible_text(&kept.server);
    let name = shell_word(&name);
    (!told.is_empty()).then(|| {
        format!(
            "its tools differ from the saved list: {}; `toolcrib mcp keep {name}` shows what \
            changed",
            told.join(", ")
        )
    })
}

/// What changed since the tools of the server of that name were locked, in a line; `None` where
/// nothing did, or they are not locked.
#[must_use]
fn locked_drift(root: &Path, server: &str, tools: &[Value], mask: &Mask) -> Option<String> {
    let items: Vec<_> = tools.iter().map(|tool| deployed::item(server, tool)).collect();
    crate::wire::locked::describe_drift(root, server, &McpDeployment, &items, mask)
}
