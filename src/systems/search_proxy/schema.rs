//! The form of an entry, with that of its configuration in it.

use serde_json::{Map, Value, json};

use super::{
    keys::{self, Endpoint},
    tool::configuration_schema,
};
use crate::{
    model::entry::Entry,
    systems::{
        gate_tables::{is_setting, settings_schema},
        system::EntryRules,
    },
};

/// The schema of an entry's form.
#[must_use]
pub fn entry_schema(entry: &Entry) -> Value {
    if is_setting(entry) {
        return settings_schema();
    }
    let endpoint = Endpoint::of_entry(&entry.value);
    let known = configuration_schema(&entry.value);
    let names: Vec<String> = known
        .as_ref()
        .and_then(|schema| schema.get("properties")?.as_object())
        .map_or_else(Vec::new, |properties| properties.keys().cloned().collect());
    let (configuration, definitions) = configuration_field(known);
    let mut properties = Map::new();
    let mut add = |name: &str, schema: Value| drop(properties.insert(name.to_owned(), schema));
    add(
        keys::NAME,
        json!({"type": "string", "minLength": 1, "description": "Its name for models."}),
    );
    add(
        keys::DESCRIPTION,
        json!({"type": "string", "format": "multiline", "description": "Its description for \
            models."}),
    );
    add(
        keys::ENDPOINT,
        json!({"enum": Endpoint::ALL.map(Endpoint::as_str), "description": "The proxy's endpoint."}),
    );
    let chooser = endpoint.map_or(keys::ENGINE, Endpoint::chooser);
    add(
        chooser,
        json!({"type": "string", "minLength": 1, "description": "Who answers: the proxy's GET /v1/configuration/providers lists them."}),
    );
    add(keys::CONFIGURATION, configuration);
    add(
        keys::EXPOSED,
        json!({
            "type": "array", "uniqueItems": true, "items": {"type": "string", "examples": names},
            "description": "Members of the configuration that a model may give as well; its own counts.",
        }),
    );
    add(
        keys::REQUEST_SCHEMA,
        json!({"type": "object", "description": "The schema of the whole request, as /openapi.json of the proxy has it. `toolcrib import search-proxy` writes it."}),
    );
    let mut schema = json!({
        "type": "object", "properties": properties,
        "required": [keys::NAME, keys::ENDPOINT, chooser],
    });
    if let Some(definitions) = definitions {
        schema["$defs"] = definitions;
    }
    schema
}

/// What the schema of an entry demands. The configuration has checks of its own.
pub(super) fn entry_rules(entry: &Entry) -> EntryRules<'_> {
    let word = match Endpoint::of_entry(&entry.value) {
        _ if is_setting(entry) => "setting",
        endpoint => endpoint.map_or("", Endpoint::as_str),
    };
    EntryRules::new(word, || {
        let mut schema = entry_schema(entry);
        if !is_setting(entry) {
            schema["properties"][keys::CONFIGURATION] = json!({"type": "object"});
        }
        schema
    })
}

/// The schema of a configuration, and the definitions that it refers to.
fn configuration_field(known: Option<Value>) -> (Value, Option<Value>) {
    let Some(mut schema) = known else {
        let help = "What is sent with every call. Nothing here says what the proxy takes: \
                    `toolcrib import search-proxy` writes that.";
        return (json!({"type": "object", "default": {}, "description": help}), None);
    };
    let definitions = schema.as_object_mut().and_then(|members| {
        // Of the whole request.
        members.shift_remove("title");
        members.shift_remove("$defs")
    });
    schema["description"] = "What is sent with every call.".into();
    (schema, definitions)
}
