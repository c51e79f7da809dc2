//! Reads a definition as a tool, leniently: what cannot be read is a finding elsewhere.

use serde_json::Value;

use super::{entries, keys};
use crate::{
    model::{entry::Entry, tool::Tool},
    systems::gate_tables,
};

/// The tool that an entry describes. Its gate is written elsewhere; see
/// [`gate_tables`].
#[must_use]
pub(crate) fn read_tool(entry: &Entry) -> Tool {
    let value = &*entry.value;
    let name = entries::definition_name(value).unwrap_or(&entry.key);
    Tool {
        name_key: entries::name_key(value),
        kind: kind(value).to_owned(),
        ..gate_tables::read_tool(entry, name)
    }
}

/// What answers for it: CommonGround's own OpenAPI service, or one of its author's.
fn kind(value: &Value) -> &'static str {
    let options = value.get(keys::OPTIONS);
    let has = |key: &str| options.is_some_and(|options| options.get(key).is_some());
    if has(keys::JINA) || has(keys::OPENAPI) { "jina" } else { "external" }
}
