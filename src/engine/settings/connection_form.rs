//! The schema that a connection's table is edited through, as far as it counts for the transport that it has.

use serde_json::{Map, Value, json};

use super::connections::{BROKER, CHANNEL, LARGEST, SECRETS, TOOLS};
use crate::model::{
    connection::{LARGEST_ANSWER, MIB},
    transport::{TRANSPORTS, TransportKind},
};

/// The schema for a table with this value. A key that does not count for its transport is offered only while it is there.
#[must_use]
pub fn schema(table: &Value) -> Value {
    let kind = transport(table);
    let mut properties = Map::new();
    let mut offer = |key: &str, counts: bool, schema: Value| {
        if counts || table.get(key).is_some() {
            properties.insert(key.to_owned(), schema);
        }
    };
    let is_wire = kind != TransportKind::Embedded;
    let about = format!("Addresses to try in order: {}. No password in them", examples().collect::<Vec<_>>().join(", "));
    let addresses = match table.get("servers") {
        Some(Value::String(_)) => json!({"type": "string", "title": "servers", "description": about}),
        _ => json!({"type": "array", "items": {"type": "string"}, "description": about}),
    };
    offer("servers", true, addresses);
    offer(
        "transport",
        true,
        json!({"enum": TRANSPORTS.iter().map(|kind| kind.word()).collect::<Vec<_>>(), "description": "Said by the address, so it may be left out"}),
    );
    offer(
        TOOLS,
        true,
        json!({"type": "array", "items": {"type": "string"}, "description": "Tools whose calls always go through it, by key or name; each stands at one connection"}),
    );
    offer("user", is_wire, json!({"type": "string", "description": "Who we are, with a password"}));
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
            json!({"type": "string", "description": format!("The {what}'s name in the system's key store; `toolcrib secret set NAME` puts it there")}),
        );
    }
    offer(
        "credentials-file",
        kind.about().credentials_file,
        json!({"type": "string", "format": "path", "description": "A credentials file of NATS"}),
    );
    offer(
        "tls",
        is_wire,
        json!({"type": "boolean", "description": "Encrypted always; said by the address too (tls://, amqps://, https:// …)"}),
    );
    for (key, words) in [
        ("ca-file", "The authorities to trust, a PEM file; else those of the system"),
        ("cert-file", "Our certificate, a PEM file"),
        ("key-file", "Its key, a PEM file"),
    ] {
        offer(key, is_wire, json!({"type": "string", "format": "path", "description": words}));
    }
    offer(
        "workspace",
        !kind.is_bus(),
        json!({"type": "string", "description": "The workspace of the deployment; else the token's own"}),
    );
    offer(
        "flow",
        !kind.is_bus(),
        json!({"type": "string", "default": "default", "description": "The flow that flow services are asked of"}),
    );
    offer(
        BROKER,
        !kind.is_bus(),
        json!({"type": "string", "description": "The broker behind the gateway, a connection's name or an address: the tools that the agent really has, and its true errors, are read there"}),
    );
    offer(
        LARGEST,
        true,
        json!({"type": "integer", "minimum": 1, "default": LARGEST_ANSWER / MIB, "description": "How many MiB an answer may have; a call whose answer has more is ended"}),
    );
    offer(CHANNEL, kind.about().keeps, channel());
    for (key, _) in SECRETS {
        offer(key, false, json!({"type": "string", "format": "password", "description": "It does not belong in this file"}));
    }
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// An address of each transport that has any, as help shows them.
pub fn examples() -> impl Iterator<Item = &'static str> {
    TRANSPORTS.iter().map(|kind| kind.about().example).filter(|example| !example.is_empty())
}

fn channel() -> Value {
    let text = |words: &str| json!({"type": "string", "description": words});
    json!({
        "type": "object",
        "description": "The channel of a CommonGround project that it leads to",
        "properties": {
            "project": text("The project's id"),
            "channel": text("The channel's id"),
            "version": text("The version in every subject; v1r4"),
            "agent": text("The agent in whose name calls are made; else one of our own for each session"),
            "api": text("The management API: http://HOST:PORT"),
            "postgres-variable": text("The environment variable that holds PostgreSQL's address"),
            "postgres-key": text("The name of PostgreSQL's address in the system's key store"),
        },
        "required": ["project", "channel"],
    })
}

/// The transport that a table's words or first address say.
#[must_use]
pub fn transport(table: &Value) -> TransportKind {
    let word = table.get("transport").and_then(Value::as_str);
    if let Some(kind) = word.and_then(TransportKind::of_word) {
        return kind;
    }
    let servers = table.get("servers");
    let first = servers.and_then(|servers| servers.as_str().or_else(|| servers.get(0)?.as_str()));
    first.map_or(TransportKind::Embedded, |first| TransportKind::of_address(first).unwrap_or(TransportKind::Nats))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::settings::connections::KEYS;

    fn offered(table: &Value) -> Vec<String> {
        schema(table)["properties"].as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn a_form_offers_what_counts_for_the_transport_and_what_is_there() {
        let has = |table: Value, key: &str| offered(&table).iter().any(|offered| offered == key);
        assert!(has(json!({"servers": ["nats://h:1"]}), CHANNEL));
        assert!(!has(json!({"servers": "https://h:1"}), CHANNEL));
        assert!(has(json!({"servers": "https://h:1"}), "flow"));
        assert!(!has(json!({"servers": "amqp://h"}), "flow"));
        assert!(has(json!({"servers": "amqp://h", "flow": "x"}), "flow"), "what is there is never hidden");
        assert!(!has(json!({"transport": "embedded"}), "user"));
    }

    #[test]
    fn a_secret_that_stands_in_the_file_is_not_shown() {
        let schema = schema(&json!({"servers": "nats://h", "password": "hush"}));
        assert_eq!(schema["properties"]["password"]["format"], "password");
        assert!(!offered(&json!({"servers": "nats://h"})).contains(&"password".to_owned()));
    }

    #[test]
    fn every_key_that_is_read_is_offered_somewhere() {
        let tables = [json!({}), json!({"servers": "nats://h"}), json!({"servers": "https://h"})];
        let all: Vec<String> = tables.iter().flat_map(offered).collect();
        let missing: Vec<_> = KEYS.iter().filter(|key| !all.iter().any(|offered| offered == *key)).collect();
        assert_eq!(missing, [&""; 0]);
    }
}
