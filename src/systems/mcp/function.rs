//! A tool of a kept list, and the function that a model sees of it.

use serde_json::{Value, json};

use super::{entries, keys};
use crate::{
    engine::portable::formats::META_STRICT,
    model::{
        entry::Entry,
        tool::{Function, Tool},
    },
    schema::pointer::Pointer,
    systems::gate_tables,
};

/// The tool that an entry describes, read leniently. Its gate is written elsewhere; see
/// [`gate_table`](crate::engine::settings::gate_table).
#[must_use]
pub fn read_tool(entry: &Entry) -> Tool {
    let name = entry.value.get(keys::NAME).and_then(Value::as_str).unwrap_or(&entry.key);
    let server = entries::server_of(entry);
    Tool {
        kind: "mcp".to_owned(),
        service: Some(server.to_owned()),
        gate_table: Some(Pointer::from_iter([keys::MCP, server, keys::TOOLS, name])),
        ..gate_tables::read_tool(entry, name)
    }
}

/// Its name for people: its title, or the older one among its annotations.
#[must_use]
pub fn title(tool: &Tool) -> Option<&str> {
    let value = &*tool.entry.value;
    let annotated = || value.get("annotations")?.get("title");
    value.get("title").or_else(annotated).and_then(Value::as_str)
}

/// What the structured content of its answers has to be.
#[must_use]
pub fn output_schema(tool: &Tool) -> Option<Value> {
    tool.entry.value.get("outputSchema").filter(|schema| schema.is_object()).cloned()
}

/// Name, description and parameters, as clients hand them to a model.
#[must_use]
pub fn model_function(tool: &Tool) -> Function {
    let parameters =
        tool.entry.value.get("inputSchema").filter(|schema| schema.is_object()).cloned();
    let parameters = parameters.unwrap_or_else(|| json!({"type": "object", "properties": {}}));
    let strict = || tool.entry.value.get("_meta")?.get(META_STRICT)?.as_bool();
    Function { strict: strict(), ..Function::new(&tool.name, &tool.description, parameters) }
}
