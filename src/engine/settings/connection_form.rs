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
    let mut keys = OfferedKeys { table, kind: table_transport(table), schemas: Map::new() };
    let candidates = candidate_systems(table, keys.kind, systems);
    keys.add_endpoint();
    keys.add_credentials();
    keys.add_headers_and_tls();
    keys.add_system_keys(systems, &candidates);
    keys.add_limits_and_variables();
    for system in systems {
        if let Some(table) = system.table {
            keys.add(table, candidates.contains(&system.system), (system.schema)());
        }
    }
    for (key, _) in SECRETS {
        let schema = json!({"type": "string", "format": "password"});
        keys.add(key, false, with_description(schema, "It doesn't belong in this file"));
    }
    json!({"type": "object", "properties": keys.schemas, "additionalProperties": false})
}

/// The keys that are offered for a table, in order, with their schemas.
struct OfferedKeys<'t> {
    table: &'t Value,
    /// The transport that it has.
    kind: TransportKind,
    schemas: Map<String, Value>,
}

impl OfferedKeys<'_> {
    /// Offers a key where it counts, or is there.
    fn add(&mut self, key: &str, counts: bool, schema: Value) {
        if counts || self.table.get(key).is_some() {
            self.schemas.insert(key.to_owned(), schema);
        }
    }

    /// Whether the connection starts a program.
    fn is_started(&self) -> bool {
        self.kind.spec().has_command
    }

    /// Whether it leads to another machine, or may.
    fn is_wire(&self) -> bool {
        !self.kind.spec().schemes.is_empty()
    }

    /// Where it leads, and for which tools.
    fn add_endpoint(&mut self) {
        let examples = example_addresses().collect::<Vec<_>>().join(", ");
        let about = format!("Addresses to try in order: {examples}. No password in them");
        let addresses = match self.table.get("servers") {
            Some(Value::String(_)) => json!({"type": "string", "title": "servers"}),
            _ => json!({"type": "array", "items": {"type": "string"}}),
        };
        let is_started = self.is_started();
        self.add("servers", !is_started, with_description(addresses, &about));
        for (key, schema) in command_schema() {
            self.add(key, is_started, schema);
        }
        let words = TRANSPORTS.iter().map(|kind| kind.as_str()).collect::<Vec<_>>();
        let about = "The address implies it, so it is optional";
        self.add("transport", true, with_description(json!({"enum": words}), about));
        let about = "Tools whose calls always use it, by key or name; each tool belongs to one \
            connection";
        let names = json!({"type": "array", "items": {"type": "string"}});
        self.add(TOOLS, true, with_description(names, about));
    }

    /// Who the user is there.
    fn add_credentials(&mut self) {
        let is_wire = self.is_wire();
        let text = |about: &str| json!({"type": "string", "description": about});
        self.add("user", is_wire, text("User name, with a password"));
        for what in ["password", "token"] {
            let about = format!("The environment variable that holds the {what}");
            self.add(&format!("{what}-variable"), is_wire, text(&about));
            let about = format!(
                "Name of the {what} in the system's key store; `toolcrib secret set NAME` saves it \
                there"
            );
            self.add(&format!("{what}-key"), is_wire, text(&about));
        }
        let counts = self.kind.spec().credentials_file;
        self.add("credentials-file", counts, file_schema("A credentials file of NATS"));
    }

    /// What is said beside each request, and how its way is encrypted.
    fn add_headers_and_tls(&mut self) {
        let (is_wire, has_headers) = (self.is_wire(), self.kind.spec().http_headers);
        for (key, about) in [
            (
                HEADERS,
                "Headers that each request carries; $NAME is the value of an environment variable of yours",
            ),
            (
                HEADERS_KEY,
                "Headers whose values are in the system's key store, with their names there",
            ),
        ] {
            self.add(key, has_headers, texts_schema(about));
        }
        let about = "Always encrypted; the address can imply it, too (tls://, amqps://, https:// \
            …)";
        self.add("tls", is_wire, with_description(json!({"type": "boolean"}), about));
        for (key, about) in [
            ("ca-file", "Certificate authorities to trust, a PEM file; default: the system's"),
            ("cert-file", "Client certificate, a PEM file"),
            ("key-file", "Key of the client certificate, a PEM file"),
        ] {
            self.add(key, is_wire, file_schema(about));
        }
    }

    /// What systems need to know that have no table of their own in it.
    fn add_system_keys(&mut self, systems: &[&SettingsSchema], candidates: &[SystemId]) {
        let is_started = self.is_started();
        for system in systems.iter().filter(|system| system.table.is_none()) {
            let is_candidate = candidates.contains(&system.system);
            let is_named = candidates.len() == 1 || system.named_by.is_none();
            for (key, property) in schema_properties(&(system.schema)()) {
                let is_met = !(is_started && property.get(NEEDS_ADDRESS).is_some());
                let counts =
                    is_candidate && is_met && (is_named || system.named_by == Some(key.as_str()));
                self.add(key, counts, property.clone());
            }
        }
    }

    /// How large and how late answers may be, and the variables of requests.
    fn add_limits_and_variables(&mut self) {
        let waits = self.is_wire() || self.is_started();
        let size = json!({"type": "integer", "minimum": 1, "default": LARGEST_ANSWER / MIB});
        let about = "Maximum size of an answer in MiB; a call with a larger answer is ended";
        self.add(LARGEST, true, with_description(size, about));
        let time = || json!({"type": "string", "pattern": r"^\s*[0-9.]+(ms|s|m|h|d)?\s*$"});
        let times = match self.table.get(TIMEOUT) {
            Some(Value::Number(_)) => json!({"type": "number", "exclusiveMinimum": 0}),
            _ => time(),
        };
        let about = "How long a call waits for the first message of its answer, and for each one \
            after it: 45s, 2m. Default: 30s";
        self.add(TIMEOUT, waits, with_description(times, about));
        let values = json!({"type": ["string", "number", "boolean"]});
        let values = json!({"type": "object", "additionalProperties": values});
        let about = "What {{var.NAME}} is in requests over it; $NAME is the value of an \
            environment variable of yours";
        self.add(VARIABLES, true, with_description(values, about));
        let about = "The same for values in the system's key store, with their names there";
        self.add(VARIABLES_KEY, true, texts_schema(about));
        let of_tools = json!({"type": "object", "additionalProperties": time()});
        let about = "The same for single tools, by their names: crawl = \"10m\"";
        self.add(TOOL_TIMEOUTS, waits, with_description(of_tools, about));
    }
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

/// The path of a file.
fn file_schema(description: &str) -> Value {
    json!({"type": "string", "format": "path", "description": description})
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
            file_schema(
                "The folder it runs in, relative to the workspace's. Default: the workspace's",
            ),
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
