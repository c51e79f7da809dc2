//! Reads a definition as a tool, leniently: what cannot be read is a finding elsewhere.

use serde_json::Value;

use super::{entries, keys};
use crate::{
    engine::settings::gate_table::GATE_KEYS,
    model::{
        entry::Entry,
        tool::{Gate, Tool},
    },
    systems::gate_tables,
};

/// The tool that an entry describes. Its gate is written elsewhere; see
/// [`gate_tables`].
#[must_use]
pub(crate) fn read_tool(entry: &Entry) -> Tool {
    let value = &*entry.value;
    let name = entries::definition_name(value).unwrap_or(&entry.key);
    Tool {
        name: name.to_owned(),
        name_key: entries::name_key(value),
        kind: kind(value).to_owned(),
        description: value
            .get(keys::DESCRIPTION)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        service: None,
        gate: Gate::ungated(),
        keys: GATE_KEYS,
        gate_table: Some(gate_tables::table_pointer(keys::SYSTEM, name)),
        known: None,
        entry: entry.clone(),
    }
}

/// What answers for it: CommonGround's own OpenAPI service, or one of its author's.
fn kind(value: &Value) -> &'static str {
    let options = value.get(keys::OPTIONS);
    let has = |key: &str| options.is_some_and(|options| options.get(key).is_some());
    if has(keys::JINA) || has(keys::OPENAPI) { "jina" } else { "external" }
}
