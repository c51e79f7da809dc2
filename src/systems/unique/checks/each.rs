//! What several checks look at: each tool with what holds for its configuration.

use serde_json::Value;

use crate::{
    model::{catalog::Catalog, shown::shorten, tool::Tool},
    schema::pointer::Pointer,
    systems::unique::{
        config_schema::{ConfigSchema, ConfigSchemas},
        keys,
    },
};

/// Each tool of this system with what holds for its configuration.
pub(super) fn each_tool(catalog: &Catalog, mut look: impl FnMut(&Tool, Option<&ConfigSchema>)) {
    let schemas = ConfigSchemas::of_catalog(catalog);
    for tool in catalog.tools.iter().filter(|tool| tool.entry.system == keys::SYSTEM) {
        look(tool, schemas.for_entry(&tool.entry.value).as_ref());
    }
}

/// The place of an entry's configuration.
pub(super) fn configuration_place() -> Pointer {
    Pointer::root().child(keys::CONFIGURATION.camel)
}

/// A value as a message quotes it: short.
pub(super) fn quoted(value: &Value) -> String {
    shorten(&value.to_string(), 40).into_owned()
}
