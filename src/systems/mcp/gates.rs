//! When tools of servers are available: MCP knows neither groups nor states, so `toolcrib.toml`
//! says it, in `[mcp.NAME.tools.TOOL]`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{entries, keys};
use crate::model::{
    catalog::{Catalog, Loading},
    context::{ANY, Name},
    tool::{Audience, Gate, States},
};

/// The gates of the catalog's tools.
#[must_use]
pub fn decide_loading(catalog: &Catalog) -> Loading {
    let settings = catalog.others.iter().filter(|entry| entries::is_setting(entry));
    let servers: HashMap<&str, &Value> =
        settings.map(|entry| (entry.key.as_str(), &*entry.value)).collect();
    let tools =
        catalog.tools.iter().enumerate().filter(|(_, tool)| tool.entry.system == keys::SYSTEM);
    let gates = tools.map(|(row, tool)| {
        let server =
            servers.get(entries::server_of(&tool.entry)).and_then(|server| server.get(keys::TOOLS));
        (
            row,
            server
                .and_then(|tools| tools.get(&tool.name))
                .and_then(Value::as_object)
                .map_or_else(Gate::ungated, read_gate),
        )
    });
    Loading { gates: gates.collect(), ..Loading::default() }
}

/// The gate that a table says; without groups a tool is offered to every request.
#[must_use]
pub fn read_gate(table: &Map<String, Value>) -> Gate {
    let groups = table.get(keys::GROUPS).map(name_list);
    let states = match table.get(keys::STATES).map(name_list) {
        None => States::Every,
        Some(listed) if listed.iter().any(|state| &**state == ANY) => States::Every,
        Some(listed) => States::Only(listed),
    };
    let next = table
        .get(keys::NEXT)
        .and_then(Value::as_str)
        .filter(|state| !state.is_empty())
        .map(Name::from);
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
