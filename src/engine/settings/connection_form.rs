//! The schema that a connection's table is edited through, as far as it counts for the transport
//! that it has.

use serde_json::{Map, Value, json};

use super::{
    connections::{COMMAND, LARGEST, SECRETS, TIMEOUT, TOOL_TIMEOUTS, TOOLS, said_by},
    named_values::{ENV, ENV_KEY, HEADERS, HEADERS_KEY},
    system_settings::{NEEDS_ADDRESS, SettingsSchema, schema_properties},
    variables::{VARIABLES, VARIABLES_KEY},
};
use crate::model::{
    connection::{LARGEST_ANSWER, MIB},
    entry::SystemId,
    transport::{TRANSPORTS, TransportKind},
};

/// The schema for a table with this value. A key that does not count for its transport, or for the
/// system that the table has settings of, is offered only while it is there.
#[must_use]
pub(crate) fn connection_schema(table: &Value, systems: &[&SettingsSchema]) -> Value {
    let kind = table_transport(table);
    let mut offered = Map::new();
    let mut offer = |key: &str, counts: bool, schema: Value| {
        if counts || table.get(key).is_some() {
            offered.insert(key.to_owned(), schema);
        }
    };
    let is_wire = !kind.spec().schemes.is_empty();
    let about = format!(
        "Addresses to try in order: {}. No password in them",
        example_addresses().collect::<Vec<_>>().join(", ")
    );
    let addresses = match table.get("servers") {
        Some(Value::String(_)) => {
            json!({"type": "string", "title": "servers", "description": about})
        }
        _ => json!({"type": "array", "items": {"type": "string"}, "description": about}),
    };
    let starts = kind.spec().has_command;
    offer("servers", !starts, addresses);
    for (key, schema) in command_schema() {
        offer(key, starts, schema);
    }
    offer(
        "transport",
        true,
        json!({"enum": TRANSPORTS.iter().map(|kind| kind.as_str()).collect::<Vec<_>>(), "description": "The address implies it, so it is optional"}),
    );
    offer(
        TOOLS,
        true,
        json!({"type": "array", "items": {"type": "string"}, "description": "Tools whose calls \
            always use it, by key or name; each tool belongs to one connection"}),
    );
    offer("user", is_wire, json!({"type": "string", "description": "User name, with a password"}));
    for what in ["password", "token"] {
        let [variable, key] = [format!("{what}-variable"), format!("{what}-key")];
        offer(
            &variable,
            is_wire,
            json!({"type": "string", "description": format!("The environment variable that holds the {what}")}),
        );
        offer(
            &key,
            is_wire,
            json!({"type": "string", "description": format!("Name of the {what} in the system's \
                key store; `toolcrib secret set NAME` saves it there")}),
        );
    }
    offer(
        "credentials-file",
        kind.spec().credentials_file,
        json!({"type": "string", "format": "path", "description": "A credentials file of NATS"}),
    );
    for (key, words) in [
        (
            HEADERS,
            "Headers that each request carries; $NAME is the value of an environment variable of yours",
        ),
        (HEADERS_KEY, "Headers whose values are in the system's key store, with their names there"),
    ] {
        offer(key, kind.spec().http_headers, texts_schema(words));
    }
    offer(
        "tls",
        is_wire,
        json!({"type": "boolean", "description": "Always encrypted; the address can imply it, too \
            (tls://, amqps://, https:// …)"}),
    );
    for (key, words) in [
        ("ca-file", "Certificate authorities to trust, a PEM file; default: the system's"),
        ("cert-file", "Client certificate, a PEM file"),
        ("key-file", "Key of the client certificate, a PEM file"),
    ] {
        offer(key, is_wire, json!({"type": "string", "format": "path", "description": words}));
    }
    let candidates = candidate_systems(table, kind, systems);
    for system in systems.iter().filter(|system| system.table.is_none()) {
        let is_candidate = candidates.contains(&system.system);
        let is_named = candidates.len() == 1 || system.named_by.is_none();
        for (key, property) in schema_properties(&(system.schema)()) {
            let is_met = !(starts && property.get(NEEDS_ADDRESS).is_some());
            let counts =
                is_candidate && is_met && (is_named || system.named_by == Some(key.as_str()));
            offer(key, counts, property.clone());
        }
    }
    offer(
        LARGEST,
        true,
        json!({"type": "integer", "minimum": 1, "default": LARGEST_ANSWER / MIB, "description": "Maximum size of an answer in MiB; a call with a larger answer is ended"}),
    );
    let time = || json!({"type": "string", "pattern": r"^\s*[0-9.]+(ms|s|m|h|d)?\s*$"});
    let times = match table.get(TIMEOUT) {
        Some(Value::Number(_)) => json!({"type": "number", "exclusiveMinimum": 0}),
        _ => time(),
    };
    let words = "How long a call waits for the first message of its answer, and for each one after \
        it: 45s, 2m. Default: 30s";
    offer(TIMEOUT, is_wire || starts, with_description(times, words));
    offer(
        VARIABLES,
        true,
        json!({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]},
            "description": "What {{var.NAME}} is in requests over it; $NAME is the value of an \
                environment variable of yours"}),
    );
    offer(
        VARIABLES_KEY,
        true,
        texts_schema("The same for values in the system's key store, with their names there"),
    );
    let of_tools = json!({"type": "object", "additionalProperties": time()});
    let words = "The same for single tools, by their names: crawl = \"10m\"";
    offer(TOOL_TIMEOUTS, is_wire || starts, with_description(of_tools, words));
    for system in systems {
        if let Some(table) = system.table {
            offer(table, candidates.contains(&system.system), (system.schema)());
        }
    }
    for (key, _) in SECRETS {
        offer(
            key,
            false,
            json!({"type": "string", "format": "password", "description": "It doesn't belong in \
                this file"}),
        );
    }
    json!({"type": "object", "properties": offered, "additionalProperties": false})
}

/// The systems that a connection may lead to: those that it has settings of, else all that its
/// transport leads to.
fn candidate_systems(
    table: &Value,
    kind: TransportKind,
    systems: &[&SettingsSchema],
) -> Vec<SystemId> {
    let reached = || systems.iter().filter(|system| system.transports.contains(&kind));
    let has_settings =
        |system: &&&SettingsSchema| system.keys_beside().iter().any(|key| table.get(key).is_some());
    let found: Vec<_> = reached().filter(has_settings).map(|system| system.system).collect();
    match found.is_empty() {
        true => reached().map(|system| system.system).collect(),
        false => found,
    }
}

fn with_description(mut schema: Value, words: &str) -> Value {
    schema["description"] = words.into();
    schema
}

/// Texts by their names.
fn texts_schema(description: &str) -> Value {
    json!({"type": "object", "additionalProperties": {"type": "string"}, "description": description})
}

/// What starts a server, in the order in which it is shown.
fn command_schema() -> [(&'static str, Value); 5] {
    [
        (
            COMMAND,
            json!({"type": "string", "description": "The program that starts the server; it isn't \
                run in a shell"}),
        ),
        (
            "args",
            json!({"type": "array", "items": {"type": "string"}, "description": "Its arguments"}),
        ),
        (
            ENV,
            texts_schema(
                "Environment variables it gets in addition to PATH, HOME and the like; $NAME is \
                the value of one of yours",
            ),
        ),
        (
            ENV_KEY,
            texts_schema(
                "Environment variables whose values are in the system's key store, with their \
                names there",
            ),
        ),
        (
            "dir",
            json!({"type": "string", "format": "path", "description": "The folder it runs in, \
                relative to the workspace's. Default: the workspace's"}),
        ),
    ]
}

/// An address of each transport that has any, as help shows them.
pub(crate) fn example_addresses() -> impl Iterator<Item = &'static str> {
    TRANSPORTS.iter().map(|kind| kind.spec().example).filter(|example| !example.is_empty())
}

/// The transport that a table's words or first address say.
#[must_use]
pub(crate) fn table_transport(table: &Value) -> TransportKind {
    let word = table.get("transport").and_then(Value::as_str);
    if let Some(kind) = word.and_then(TransportKind::of_word) {
        return kind;
    }
    let servers = table.get("servers");
    let first = servers.and_then(|servers| servers.as_str().or_else(|| servers.get(0)?.as_str()));
    match table {
        Value::Object(members) => said_by(first, members),
        _ => TransportKind::of_first(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_stands_in_the_file_is_not_shown() {
        let of_password =
            connection_schema(&json!({"servers": "nats://h", "password": "hush"}), &[]);
        assert_eq!(of_password["properties"]["password"]["format"], "password");
        assert!(
            connection_schema(&json!({"servers": "nats://h"}), &[])["properties"]
                .get("password")
                .is_none()
        );
    }
}
