//! What changed between two versions of an entry or a tool, by what a model and its calls notice.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::facets::kept_tools::ToolChange;
use crate::{
    engine::drift::{self, Change, Judgement, Severity, differ},
    model::tool::Function,
    schema::{equal::values_equal, ordering::PutInOrder, pointer::Pointer},
};

/// Severities of changes, the worst first.
pub const SEVERITIES: [&str; 4] = [BREAKING, BEHAVIOUR, WORDING, COMPATIBLE];
/// Calls, or readers of answers, may fail.
pub(super) const BREAKING: &str = "breaking";
/// Something else happens than before.
pub(super) const BEHAVIOUR: &str = "behaviour";
/// A model reads another text.
pub(super) const WORDING: &str = "wording";
pub(super) const COMPATIBLE: &str = "compatible";

/// The name that a model sees; the tool itself is named by its key, which stays.
const SEEN_AS: &str = "seen-as";

/// Sorts changes, the worst first.
pub fn sort_changes(changes: &mut [ToolChange]) {
    changes.order_by_key(rank);
}

/// Less is worse.
#[must_use]
pub(super) fn rank(change: &ToolChange) -> Option<usize> {
    SEVERITIES.iter().position(|one| *one == change.severity)
}

/// A change of a whole entry.
#[must_use]
pub(super) fn whole_change(severity: &'static str, entry: &str, id: &'static str) -> ToolChange {
    let (tool, at) = (entry.to_owned(), String::new());
    ToolChange { severity, tool, id, at, before: None, after: None }
}

/// A tool as a model gets it, to be compared with another of the same entry.
#[must_use]
pub(super) fn seen_tool(entry: &str, function: &Function, output: Option<&Value>) -> Value {
    let mut seen = json!({
        "name": entry,
        SEEN_AS: function.name,
        "description": function.description,
        "inputSchema": function.parameters,
    });
    if let Some(schema) = output {
        seen["outputSchema"] = schema.clone();
    }
    seen
}

/// What differs between two tools as a model gets them.
#[must_use]
pub(super) fn compare_seen(entry: &str, old: &Value, new: &Value) -> Vec<ToolChange> {
    let (one, other) = (std::slice::from_ref(old), std::slice::from_ref(new));
    let changes = drift::compare_lists(one, other, Judgement::Decided, |_, _, _| {});
    let mut changes: Vec<ToolChange> =
        changes.iter().map(|change| describe(entry, change, old, new)).collect();
    let name = |tool: &Value| tool.get(SEEN_AS).and_then(Value::as_str).map(str::to_owned);
    let (before, after) = (name(old), name(new));
    if before != after {
        let at = "/name".to_owned();
        changes.push(ToolChange {
            at,
            before,
            after,
            ..whole_change(BREAKING, entry, "name.changed")
        });
    }
    changes
}

/// A change with what is at its place on either side.
#[must_use]
pub(super) fn describe(entry: &str, change: &Change, old: &Value, new: &Value) -> ToolChange {
    ToolChange {
        at: change.at.to_string(),
        before: drift::value_at(old, &change.at).as_ref().map(value_text),
        after: drift::value_at(new, &change.at).as_ref().map(value_text),
        ..whole_change(severity_of(change), entry, change.id)
    }
}

/// An entry that is not what it was.
pub(super) struct EntryPair<'p> {
    /// What it is called: `tool/joke`.
    pub name: &'p str,
    pub old: &'p Value,
    pub new: &'p Value,
    /// The tool that an entry of that value makes, by [`seen_tool`]; `None` where it makes none.
    pub tool_of: &'p dyn Fn(&Value) -> Option<Value>,
}

impl EntryPair<'_> {
    /// What differs; `own_changes` is that of entries that are the tool as its readers get it.
    #[must_use]
    pub fn compare(&self, own_changes: Option<Vec<Change>>) -> Vec<ToolChange> {
        let tools = (self.tool_of)(self.old).zip((self.tool_of)(self.new));
        let Some((before, after)) = tools else { return self.compare_members(None) };
        if let Some(changes) = own_changes {
            let describe = |change| describe(self.name, change, self.old, self.new);
            return changes.iter().map(describe).collect();
        }
        let mut changes = compare_seen(self.name, &before, &after);
        changes.extend(self.compare_members(Some(&before)));
        changes
    }

    /// Members of the entry that differ; not those by which the tool differs that a model gets.
    #[must_use]
    pub fn compare_members(&self, seen: Option<&Value>) -> Vec<ToolChange> {
        let change = |at: &Pointer| ToolChange {
            at: at.to_string(),
            before: at.get(self.old).map(value_text),
            after: at.get(self.new).map(value_text),
            ..whole_change(BEHAVIOUR, self.name, "entry.changed")
        };
        let (Value::Object(old), Value::Object(new)) = (self.old, self.new) else {
            return match values_equal(self.old, self.new) {
                true => Vec::new(),
                false => vec![change(&Pointer::root())],
            };
        };
        let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let mut changes = Vec::new();
        for key in keys.into_iter().filter(|key| differ(old.get(*key), new.get(*key))) {
            let mut mixed = old.clone();
            match new.get(key) {
                Some(value) => drop(mixed.insert(key.clone(), value.clone())),
                None => drop(mixed.remove(key)),
            }
            let is_seen = seen.is_some_and(|seen| {
                (self.tool_of)(&Value::Object(mixed)).is_none_or(|tool| !values_equal(&tool, seen))
            });
            if !is_seen {
                changes.push(change(&Pointer::root().child(key)));
            }
        }
        changes
    }
}

fn severity_of(change: &Change) -> &'static str {
    match change.severity {
        // What can't be decided is taken for the worst.
        Severity::Breaking | Severity::Unclear => BREAKING,
        Severity::Trust if change.id == "text.changed" => WORDING,
        Severity::Trust => BEHAVIOUR,
        Severity::Compatible => COMPATIBLE,
    }
}

#[must_use]
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => format!("{other:#}"),
    }
}
