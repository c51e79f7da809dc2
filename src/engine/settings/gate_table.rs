//! When a tool is available where its own file cannot say it: a table of `toolcrib.toml` with
//! `groups`, `states` and `next`.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::{
    engine::{
        gate_place::setting_entries, lint::check::did_you_mean, workflow::similar::nearest_name,
    },
    model::{
        catalog::Catalog,
        context::{ANY, Name},
        entry::{Entry, SystemId},
        tool::{Audience, Gate, GateKeys, States, Tool},
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
};

pub const GROUPS: &str = "groups";
pub const STATES: &str = "states";
pub const NEXT: &str = "next";
const KEYS: [&str; 3] = [GROUPS, STATES, NEXT];
/// The same, for tools whose entries have no gate of their own.
pub const GATE_KEYS: GateKeys = GateKeys { groups: GROUPS, states: STATES, next: NEXT };

/// The gate that a table says; without groups a tool is offered to every request.
#[must_use]
pub fn read_gate(table: &Map<String, Value>) -> Gate {
    let groups = table.get(GROUPS).map(name_list);
    let states = match table.get(STATES).map(name_list) {
        None => States::Every,
        Some(listed) if listed.iter().any(|state| &**state == ANY) => States::Every,
        Some(listed) => States::Only(listed),
    };
    let next =
        table.get(NEXT).and_then(Value::as_str).filter(|state| !state.is_empty()).map(Name::from);
    let offer = if groups.is_some() { Audience::ToGroups } else { Audience::ToAll };
    Gate { groups, states, next, offer }
}

/// The gates that `toolcrib.toml` says for the tools of a system, by their rows in the catalog.
#[must_use]
pub fn read_gates(catalog: &Catalog, system: SystemId) -> Vec<(usize, Gate)> {
    read_gates_at(catalog, system, |_, tool| tool.gate_table.as_ref())
}

/// The same with the tables where they are said to be.
#[must_use]
pub fn read_gates_at<'t>(
    catalog: &'t Catalog,
    system: SystemId,
    table_of: impl Fn(usize, &'t Tool) -> Option<&'t Pointer>,
) -> Vec<(usize, Gate)> {
    let tables: HashMap<&[String], &Entry> = setting_entries(catalog)
        .filter(|entry| entry.system == system)
        .map(|entry| (entry.id.place().at.tokens(), entry))
        .collect();
    let gate_of = |row: usize, tool: &'t Tool| {
        let at = table_of(row, tool)?.tokens();
        // TABLE.tools.NAME
        let (home, inside) = at.split_at(at.len().checked_sub(2)?);
        Some(read_gate(Pointer::from_iter(inside).get(&tables.get(home)?.value)?.as_object()?))
    };
    let own = catalog.tools.iter().enumerate();
    own.filter(|(_, tool)| tool.entry.system == system)
        .map(|(row, tool)| (row, gate_of(row, tool).unwrap_or_else(Gate::ungated)))
        .collect()
}

/// The edits of a table after which it says this gate, each at a pointer of the table; `table` is
/// what is there now. A table that says nothing any more goes.
#[must_use]
pub fn table_edits(table: Option<&Value>, to: &Gate) -> Vec<Edit> {
    let members = table.and_then(Value::as_object);
    let now = members.map_or_else(Gate::ungated, read_gate);
    let names = |names: &[Name]| names.iter().map(|name| Value::from(&**name)).collect::<Value>();
    let mut changed: Vec<(&str, Option<Value>)> = Vec::new();
    if now.groups != to.groups {
        changed.push((GROUPS, to.groups.as_deref().map(names)));
    }
    if now.states != to.states {
        let states = match &to.states {
            States::Every => None,
            States::Only(listed) => Some(names(listed)),
        };
        changed.push((STATES, states));
    }
    if now.next != to.next {
        changed.push((NEXT, to.next.as_deref().map(Value::from)));
    }
    changed.retain(|(key, to)| {
        to.is_some() || members.is_some_and(|members| members.contains_key(*key))
    });
    if changed.is_empty() {
        return Vec::new();
    }
    let root = Pointer::root();
    let mut after = members.cloned().unwrap_or_default();
    for (key, to) in &changed {
        match to {
            Some(to) => drop(after.insert((*key).to_owned(), to.clone())),
            None => drop(after.shift_remove(*key)),
        }
    }
    match members {
        Some(_) if after.is_empty() => vec![Edit::Remove { at: root }],
        None => vec![Edit::Set { at: root, to: Value::Object(after).into() }],
        Some(_) => changed
            .into_iter()
            .map(|(key, to)| match to {
                Some(to) => Edit::Set { at: root.child(key), to: to.into() },
                None => Edit::Remove { at: root.child(key) },
            })
            .collect(),
    }
}

/// A bare text is a list of one; what is no text names nothing.
fn name_list(value: &Value) -> Vec<Name> {
    match value {
        Value::String(one) => vec![one.as_str().into()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(Name::from).collect(),
        _ => Vec::new(),
    }
}

/// The form of such a table.
#[must_use]
pub fn table_schema() -> Value {
    let names = |title: &str, help: &str| json!({"title": title, "type": "array", "items": {"type": "string"}, "description": help});
    json!({
        "type": "object",
        "properties": {
            GROUPS: names("groups", "Only requests for one of these groups get it. Empty: every \
                request gets it."),
            STATES: names("states", "Available only in these states. Empty, or *: in every state."),
            NEXT: {"type": "string", "description": "The state after a call. Empty: the state \
                stays."},
        },
        "additionalProperties": false,
    })
}

/// What is wrong with such a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateFault {
    /// Another shape than is read.
    Malformed(String),
    UnknownKey(String),
}

/// Everything that is wrong with what replaces a table, each at its place in it.
#[must_use]
pub fn gate_faults(table: &Value) -> Vec<(Pointer, GateFault)> {
    let root = Pointer::root();
    let Some(members) = table.as_object() else {
        let words = "has to be a table with groups, states and next";
        return vec![(root, GateFault::Malformed(words.to_owned()))];
    };
    let of_member = |(key, value): (&String, &Value)| {
        let is_list = value.as_array().is_some_and(|names| names.iter().all(Value::is_string));
        let fault = match key.as_str() {
            GROUPS | STATES if !is_list && !value.is_string() => {
                GateFault::Malformed(format!("{key} has to be a list of names"))
            }
            NEXT if !value.is_string() => {
                GateFault::Malformed("next has to be the name of a state".to_owned())
            }
            key if KEYS.contains(&key) => return None,
            key => {
                let near = did_you_mean(nearest_name(key, KEYS));
                GateFault::UnknownKey(format!("\"{key}\" has no effect{near}"))
            }
        };
        Some((root.child(key.as_str()), fault))
    };
    members.iter().filter_map(of_member).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(table: &Value) -> Gate {
        read_gate(table.as_object().unwrap())
    }

    #[test]
    fn a_table_says_when_a_tool_is_available() {
        let full = of(&json!({"groups": ["a", "b"], "states": "start", "next": "done"}));
        assert_eq!(
            (full.groups(), full.states, full.next),
            (vec!["a".into(), "b".into()], States::Only(vec!["start".into()]), Some("done".into()))
        );
        assert_eq!(of(&json!({})), Gate::ungated());
        assert_eq!(of(&json!({"states": ["a", "*"]})).states, States::Every);
        let in_states = of(&json!({"states": ["a"], "next": ""}));
        assert_eq!((in_states.offer, in_states.next), (Audience::ToAll, None));
        assert_eq!(of(&json!({"groups": []})).groups(), Vec::<Name>::new());
    }
}
