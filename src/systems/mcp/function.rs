//! A tool of a kept list, and the function that a model sees of it.

use serde_json::{Value, json};

use super::entries;
use crate::{
    engine::settings::gate_table::GATE_KEYS,
    model::{
        entry::Entry,
        tool::{Function, Gate, Tool},
    },
};

/// The tool that an entry describes, read leniently. Its gate stands elsewhere; see
/// [`super::gates`].
#[must_use]
pub fn read_tool(entry: &Entry) -> Tool {
    let text = |name: &str| entry.value.get(name).and_then(Value::as_str);
    Tool {
        name: text("name").unwrap_or(&entry.key).to_owned(),
        name_key: "name",
        kind: "mcp".to_owned(),
        description: text("description").unwrap_or_default().to_owned(),
        service: Some(entries::server_of(entry).to_owned()),
        gate: Gate::ungated(),
        keys: GATE_KEYS,
        known: None,
        entry: entry.clone(),
    }
}

/// Name, description and parameters, as clients hand them to a model.
#[must_use]
pub fn model_function(tool: &Tool) -> Function {
    let parameters =
        tool.entry.value.get("inputSchema").filter(|schema| schema.is_object()).cloned();
    Function {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: parameters.unwrap_or_else(|| json!({"type": "object", "properties": {}})),
    }
}
