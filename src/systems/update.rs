//! Brings tools that are there up to what a source says of them now, and leaves the rest of their
//! entries as it is: what both versions would be written as says what differs.

use serde_json::Value;

use super::{
    comparison::{SideTool, compare_tools},
    convert::catalog_of,
    facets::{kept_tools::ToolChange, portable::KeyedTool},
    table::by_id,
    target::Target,
};
use crate::{
    engine::portable::{
        baggage::Baggage,
        fate::{Fate, FateKind},
        formats::{PARAMETER_MEMBERS, add_members, find_list, read_document},
        tool::{PortableTool, short_text},
        update::take_in,
    },
    model::{context::Mode, entry::Entry},
    schema::{equal::values_equal, ordering::PutInOrder},
};

/// The member that holds a function in OpenAI's form for chats.
const FUNCTION: &str = "function";

/// A tool that is there.
#[derive(Debug)]
pub struct ToolThere {
    pub tool: SideTool,
    /// What its file says of it.
    pub value: Value,
}

/// A tool as its source says it.
#[derive(Clone, Copy)]
pub struct NewVersion<'v> {
    pub packed: &'v Baggage,
    /// As the target would have it.
    pub keyed: &'v KeyedTool,
    /// Whether its source says of any tool what it answers, so that one without that has none.
    pub says_answers: bool,
    /// Whether it is known by its key, so that the name there is its user's own.
    pub is_by_key: bool,
}

/// A tool that is there, as it is afterwards.
#[derive(Debug)]
pub struct UpdatedTool {
    pub value: Value,
    /// What changes, the worst first.
    pub changes: Vec<ToolChange>,
}

/// A tool that is there as it is once it says what the new version says.
#[must_use]
pub fn update_tool(
    target: Target,
    there: &ToolThere,
    version: NewVersion<'_>,
    mode: Mode,
) -> UpdatedTool {
    let unchanged = || UpdatedTool { value: there.value.clone(), changes: Vec::new() };
    let wanted = wanted_tool(&there.tool.tool, version);
    let (before, after) = match &version.keyed.entry {
        Some(entry) => (own_before(target, there, entry), Some(entry.clone())),
        None => {
            let own = version.packed.own_for(target.word()).map(|own| &own.value);
            let after = write_one(target, there, &wanted).map(|mut after| {
                if let (Target::Format(_), Some(own)) = (target, own) {
                    add_members(&mut after, own);
                }
                in_form_of(&there.value, after)
            });
            let before = write_one(target, there, &there.tool.tool);
            (before.map(|before| in_form_of(&there.value, before)), after)
        }
    };
    let (Some(before), Some(after)) = (before, after) else { return unchanged() };
    if values_equal(&before, &after) && wanted.gate() == there.tool.tool.gate() {
        return unchanged();
    }
    let before = with_own_spelling(&there.value, &before, &after);
    let value = take_in(&there.value, &before, &after);
    let Some(now) = read_again(there, &value, &wanted, mode) else { return unchanged() };
    // What is written must be noticed by somebody, or it would only be in the way.
    let is_idle = now.tool == there.tool.tool && version.keyed.entry.is_none();
    if is_idle {
        return unchanged();
    }
    UpdatedTool { changes: compare_tools(&there.tool, &now, mode), value }
}

/// What becomes of the fields of a new version where its tool is updated: as where it is new, but
/// for what its entry there doesn't take.
#[must_use]
pub fn update_fates(
    there: &ToolThere,
    value: &Value,
    version: NewVersion<'_>,
    fates: &[Fate],
    mode: Mode,
) -> Vec<Fate> {
    let wanted = wanted_tool(&there.tool.tool, version);
    let now = read_again(there, value, &wanted, mode);
    let fields = now.map(|now| now.tool.fields()).unwrap_or_default();
    let is_met = |fate: &Fate| {
        let own = wanted.fields().into_iter().find(|(name, _)| *name == fate.field);
        let met = fields.iter().find(|(name, _)| *name == fate.field);
        own.is_none_or(|(_, own)| met.is_some_and(|(_, met)| values_equal(&own, met)))
    };
    let said = fates.iter().filter(|fate| fate.kind != FateKind::Assumed);
    let mut fates: Vec<Fate> = said
        .map(|fate| match fate.kind {
            FateKind::Carried if !is_met(fate) => {
                let met = fields.iter().find(|(name, _)| *name == fate.field);
                let words = met.map_or_else(String::new, |(_, value)| short_text(value));
                Fate::new(FateKind::Changed, fate.field.clone(), words)
            }
            _ => fate.clone(),
        })
        .collect();
    fates.order_by_key(|fate| fate.kind);
    fates
}

/// The new version with what its source doesn't say.
fn wanted_tool(there: &PortableTool, version: NewVersion<'_>) -> PortableTool {
    let source = &version.keyed.tool;
    let output = source.output.clone();
    let keeps_name = version.is_by_key && version.keyed.entry.is_none();
    PortableTool {
        name: if keeps_name { there.name.clone() } else { source.name.clone() },
        output: output.or_else(|| there.output.clone().filter(|_| !version.says_answers)),
        strict: source.strict.or(there.strict),
        groups: source.groups.clone().or_else(|| there.groups.clone()),
        states: source.states.clone().or_else(|| there.states.clone()),
        next: source.next.clone().or_else(|| there.next.clone()),
        http: source.http.clone().or_else(|| there.http.clone()),
        ..source.clone()
    }
}

/// What an entry there says of what another entry of its system, or what every tool, says; groups and
/// states stay where the other has none.
fn own_before(target: Target, there: &ToolThere, entry: &Value) -> Option<Value> {
    let ungated =
        PortableTool { groups: None, states: None, next: None, ..there.tool.tool.clone() };
    let written = write_one(target, there, &ungated)?;
    let mut before = there.value.as_object()?.clone();
    before.retain(|key, _| entry.get(key).is_some() || written.get(key).is_some());
    Some(Value::Object(before))
}

/// A tool as the target writes it in the place of one that is there.
fn write_one(target: Target, there: &ToolThere, tool: &PortableTool) -> Option<Value> {
    match target {
        Target::System(_, portable) => {
            let keyed = KeyedTool {
                key: there.tool.key.clone(),
                taken: None,
                tool: tool.clone(),
                entry: None,
                instead_of: Some(there.value.clone()),
            };
            let catalog = catalog_of(&portable.write_tools(&[keyed]), Mode::Document);
            Some(Value::clone(&catalog.tools.first()?.entry.value.parsed()))
        }
        Target::Format(format) => {
            let written = (format.write)(std::slice::from_ref(tool));
            let (at, _) = find_list(&written)?;
            at.item(0).get(&written).cloned()
        }
    }
}

/// A function as the other forms of its API write it, where the one that is there is in one of them.
#[must_use]
pub fn in_form_of(there: &Value, written: Value) -> Value {
    if there.get(FUNCTION).is_some() {
        return written;
    }
    match written {
        Value::Object(mut members) => {
            if let Some(Value::Object(inner)) = members.shift_remove(FUNCTION) {
                members.extend(inner);
            }
            Value::Object(members)
        }
        other => other,
    }
}

/// What is there under another name than it is written under goes, where it is written.
fn with_own_spelling(there: &Value, before: &Value, after: &Value) -> Value {
    let mut before = before.clone();
    let (Some(there), Some(members)) = (there.as_object(), before.as_object_mut()) else {
        return before;
    };
    let is_written = |key: &str| there.contains_key(key) && after.get(key).is_some();
    if PARAMETER_MEMBERS.into_iter().any(is_written) {
        return before;
    }
    for key in PARAMETER_MEMBERS {
        let own = there.get(key).filter(|_| after.get(key).is_none());
        match own {
            Some(own) if !members.contains_key(key) => {
                members.insert(key.to_owned(), own.clone());
            }
            None if !there.contains_key(key) => drop(members.shift_remove(key)),
            _ => {}
        }
    }
    before
}

/// The tool that another value of its entry makes.
fn read_again(
    there: &ToolThere,
    value: &Value,
    wanted: &PortableTool,
    mode: Mode,
) -> Option<SideTool> {
    let Some(tool) = there.tool.as_tool() else {
        let (mut read, _) = read_document(value)?;
        return Some(SideTool::of_baggage(read.pop()?));
    };
    let entry = Entry { value: value.clone().into(), ..tool.entry.clone() };
    let mut read = by_id(entry.system)?.read_tool(&entry, mode);
    read.known.clone_from(&tool.known);
    if tool.gate_table.is_some() {
        let gate = wanted.gate();
        read.gate = match wanted.is_gated() {
            true => gate,
            false => tool.gate.clone(),
        };
    }
    SideTool::of_tool(&read)
}
