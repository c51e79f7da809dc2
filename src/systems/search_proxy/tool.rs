//! An entry as a tool: the function that a model sees, and what the tool may be configured with.

use serde_json::{Map, Value, json};

use super::keys::{self, Endpoint, provider_of};
use crate::{
    model::{
        entry::Entry,
        tool::{Function, Tool},
    },
    systems::gate_tables,
};

/// The tool that an entry describes, read leniently. Its gate is written elsewhere; see
/// [`gate_tables`].
#[must_use]
pub fn read_tool(entry: &Entry) -> Tool {
    let text = |member: &str| entry.value.get(member).and_then(Value::as_str);
    let name = text(keys::NAME).unwrap_or(&entry.key);
    let endpoint = text(keys::ENDPOINT).unwrap_or_default();
    let provider = provider_of(&entry.value).unwrap_or_default();
    let kind = format!("{endpoint} {provider}").trim_end().to_owned();
    Tool { kind, ..gate_tables::read_tool(entry, name) }
}

/// Name, description, and as parameters what to look for with what the entry exposes.
#[must_use]
pub fn model_function(tool: &Tool) -> Function {
    let entry = &tool.entry.value;
    let schema = argument_schema(entry);
    let parameters = schema.unwrap_or_else(|| json!({"type": "object", "properties": {}}));
    Function::new(&tool.name, &tool.description, parameters)
}

fn argument_schema(entry: &Value) -> Option<Value> {
    let endpoint = Endpoint::of_entry(entry)?;
    let of_request = |name: &str| entry.get(keys::REQUEST_SCHEMA)?.get("properties")?.get(name);
    let subject = endpoint.subject();
    let mut properties = Map::new();
    let schema = of_request(subject).cloned().unwrap_or_else(|| endpoint.subject_schema());
    properties.insert(subject.to_owned(), schema);
    for name in exposed_names(entry).filter(|name| *name != endpoint.chooser()) {
        if let Some(property) = of_request(name) {
            properties.insert(name.to_owned(), property.clone());
        }
    }
    let mut schema = json!({"type": "object", "properties": properties, "required": [subject]});
    if let Some(definitions) = entry.get(keys::REQUEST_SCHEMA).and_then(|it| it.get("$defs")) {
        schema["$defs"] = definitions.clone();
    }
    Some(schema)
}

/// Members of the configuration that a model may give as well.
pub fn exposed_names(entry: &Value) -> impl Iterator<Item = &str> {
    let names = entry.get(keys::EXPOSED).and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

/// What an entry may be configured with: the whole request but who answers it and what is asked;
/// `None` where the entry does not say it.
#[must_use]
pub fn configuration_schema(entry: &Value) -> Option<Value> {
    let endpoint = Endpoint::of_entry(entry)?;
    let mut schema = entry.get(keys::REQUEST_SCHEMA).filter(|schema| schema.is_object())?.clone();
    let of_calls = [endpoint.chooser(), endpoint.subject()];
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !of_calls.contains(&name.as_str()));
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !of_calls.iter().any(|own| name == own));
    }
    Some(schema)
}
