//! Keeping the tools of a server in the workspace, and what changed of them since.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    drift, entries, fault::Fault, kept::KeptList, keys, settings, tool_findings::tool_findings,
    version::Era,
};
use crate::{
    engine::drift::{Change, value_at},
    model::{
        connection::Connection,
        entry::{Entry, EntryKind, FileId},
    },
    schema::ordering::PutInOrder,
    systems::facets::kept_tools::{Drift, KeptTools, ListedTools, SOURCES, ToolChange},
};

pub struct McpKeptTools;

impl KeptTools for McpKeptTools {
    fn is_at(&self, connection: &Connection) -> bool {
        settings::is_at(connection)
    }

    fn path(&self, server: &str) -> String {
        KeptList::path(server)
    }

    fn is_kept(&self, entry: &Entry) -> bool {
        entry.system == keys::SYSTEM
            && KeptList::path(entries::server_of(entry)) == entry.id.file().as_str()
    }

    fn sources(&self, list: &Entry) -> Vec<FileId> {
        let is_list = list.system == keys::SYSTEM
            && list.kind == EntryKind::Server
            && !entries::is_setting(list);
        let sources = list.value.get(SOURCES).filter(|_| is_list).and_then(Value::as_array);
        sources.into_iter().flatten().filter_map(Value::as_str).map(FileId::new).collect()
    }

    fn print(&self, listed: &ListedTools) -> String {
        to_list(listed).print()
    }

    fn find_faults(&self, listed: &ListedTools) -> Vec<String> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        listed.tools.iter().for_each(|tool| *counts.entry(name_of(tool)).or_default() += 1);
        let faults = listed.tools.iter().flat_map(|tool| {
            let name = name_of(tool);
            // Of the other names only the same one matters.
            let same: &[&str] = if counts[name] > 1 { &[name] } else { &[] };
            let faults = tool_findings(tool, &listed.version, same).into_iter();
            faults.map(move |Fault { id, at, words }| {
                let at = if at.is_root() { String::new() } else { format!(" at {at}") };
                format!("{name}: {id}{at}: {words}")
            })
        });
        faults.collect()
    }

    fn compare(&self, kept: &str, listed: &ListedTools) -> Option<Drift> {
        let kept = parse_list(kept)?;
        let mut changes = drift::compare_lists(&kept.tools, &listed.tools);
        changes.order_by_key(|change| change.severity);
        let changes = changes.into_iter().map(|change| describe(change, &kept.tools, listed));
        Some(Drift {
            changes: changes.collect(),
            older_version: Some(kept.version).filter(|version| *version != listed.version),
        })
    }

    fn accept_tools(&self, kept: &str, listed: &ListedTools, names: &[&str]) -> Option<String> {
        let kept = parse_list(kept)?;
        let is_accepted = |tool: &Value| names.contains(&name_of(tool));
        // Those that are accepted take their place in the order of the server.
        let mut tools: Vec<Value> = Vec::new();
        let mut rest: Vec<&Value> = kept.tools.iter().filter(|tool| !is_accepted(tool)).collect();
        for tool in &listed.tools {
            if is_accepted(tool) {
                tools.push(tool.clone());
            } else if let Some(row) = rest.iter().position(|one| name_of(one) == name_of(tool)) {
                tools.push(rest.remove(row).clone());
            }
        }
        tools.extend(rest.into_iter().cloned());
        Some(KeptList { tools, ..to_list(listed) }.print())
    }
}

fn parse_list(text: &str) -> Option<KeptList> {
    KeptList::from_value(&serde_json::from_str(text).ok()?)
}

fn to_list(listed: &ListedTools) -> KeptList {
    KeptList {
        server: listed.server.clone(),
        era: Era::from_version(&listed.version),
        version: listed.version.clone(),
        time: listed.time.clone(),
        tools: listed.tools.clone(),
    }
}

fn name_of(tool: &Value) -> &str {
    tool.get("name").and_then(Value::as_str).unwrap_or_default()
}

fn describe(change: Change, kept: &[Value], listed: &ListedTools) -> ToolChange {
    let find = |tools: &[Value]| {
        let tool = tools.iter().find(|tool| name_of(tool) == change.tool)?;
        Some(match value_at(tool, &change.at)? {
            Value::String(text) => text,
            other => format!("{other:#}"),
        })
    };
    ToolChange {
        severity: change.severity.as_str(),
        before: find(kept),
        after: find(&listed.tools),
        tool: change.tool,
        id: change.id,
        at: change.at.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn listed(version: &str, tools: &Value) -> ListedTools {
        ListedTools {
            server: "files".into(),
            version: version.into(),
            time: "2026-11-23T10:00:00Z".into(),
            tools: tools.as_array().cloned().unwrap_or_default(),
        }
    }

    fn old() -> ListedTools {
        listed("2025-11-25", &json!([{"name": "a", "description": "Old"}, {"name": "b"}]))
    }

    fn new() -> ListedTools {
        let tools = json!([{"name": "c"}, {"name": "a", "description": "New"}]);
        listed("2026-07-28", &tools)
    }

    #[test]
    fn what_changed_comes_with_both_texts_and_the_worst_first() {
        let drift = McpKeptTools.compare(&McpKeptTools.print(&old()), &new()).unwrap();
        let told: Vec<_> =
            drift.changes.iter().map(|change| (change.severity, change.id)).collect();
        assert_eq!(
            told,
            [("breaking", "tool.removed"), ("trust", "text.changed"), ("compatible", "tool.added")]
        );
        let text = &drift.changes[1];
        assert_eq!((text.before.as_deref(), text.after.as_deref()), (Some("Old"), Some("New")));
        assert_eq!(drift.older_version.as_deref(), Some("2025-11-25"));
        let same = McpKeptTools.compare(&McpKeptTools.print(&new()), &new()).unwrap();
        assert!(same.is_none(), "{same:?}");
        assert_eq!(McpKeptTools.compare("{}", &new()), None);
    }

    #[test]
    fn accepted_tools_alone_are_kept_as_they_are_now() {
        let kept = McpKeptTools.print(&old());
        let accept = |names: &[&str]| {
            let text = McpKeptTools.accept_tools(&kept, &new(), names).unwrap();
            parse_list(&text).unwrap().tools
        };
        assert_eq!(
            accept(&["a"]),
            [json!({"name": "a", "description": "New"}), json!({"name": "b"})]
        );
        assert_eq!(
            accept(&["b", "c"]),
            [json!({"name": "c"}), json!({"name": "a", "description": "Old"})]
        );
        assert_eq!(accept(&["a", "b", "c"]), new().tools);
    }

    #[test]
    fn faults_of_tools_begin_with_their_names() {
        let bare = json!({"name": "a", "inputSchema": {"type": "object"}});
        let listed = listed("2025-11-25", &json!([bare, {"name": "a", "description": "A"}]));
        let faults = McpKeptTools.find_faults(&listed);
        let has = |start: &str| faults.iter().any(|fault| fault.starts_with(start));
        assert!(has("a: tool.no-description") && has("a: input.missing"), "{faults:?}");
        assert!(has("a: tool.name-duplicate"), "{faults:?}");
    }
}
