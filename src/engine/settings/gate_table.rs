//! When a tool is available where its own file cannot say it: a table of `toolcrib.toml` with
//! `groups`, `states` and `next`.

use serde_json::{Map, Value, json};

use crate::{
    engine::{lint::check::did_you_mean, workflow::similar::nearest_name},
    model::{
        context::{ANY, Name},
        tool::{Audience, Gate, GateKeys, States},
    },
    schema::pointer::Pointer,
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
            GROUPS: names("groups", "Only requests that ask for one of these get it. None given: every request does."),
            STATES: names("states", "Only in these states. None given, or *: in every state."),
            NEXT: {"type": "string", "description": "The state after it. None given: the state stays."},
        },
    })
}

/// What is wrong with such a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateFault {
    /// Another shape than is read.
    Malformed(String),
    UnknownKey(String),
}

/// Everything that is wrong with what stands in the place of a table, each at its place in it.
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
                GateFault::UnknownKey(format!("\"{key}\" is not read{near}"))
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
