//! The forms of a tool in a kept list, of the list, and of what `toolcrib.toml` says of a server.

use serde_json::{Value, json};

use super::entries::is_setting;
use crate::{
    engine::settings::gate_table::table_schema,
    model::entry::{Entry, EntryKind},
};

/// The schema of an entry's form.
#[must_use]
pub fn entry_schema(entry: &Entry) -> Value {
    match entry.kind {
        _ if is_setting(entry) => settings(),
        EntryKind::Tool => tool(),
        EntryKind::Service | EntryKind::Server | EntryKind::Schema => list(),
    }
}

fn settings() -> Value {
    json!({
        "type": "object",
        "properties": {
            "tools": {
                "type": "object", "description": "When its tools are available. A tool that is not named is, always.",
                "additionalProperties": table_schema(),
            },
        },
    })
}

fn tool() -> Value {
    let hint = |help: &str| json!({"type": "boolean", "description": help});
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 128, "description": "What it is called by."},
            "title": {"type": "string", "description": "Its name for people."},
            "description": {"type": "string", "format": "multiline", "description": "What the model reads to choose it."},
            "inputSchema": {"type": "object", "description": "The JSON Schema of its arguments."},
            "outputSchema": {"type": "object", "description": "The JSON Schema of its structured answer."},
            "annotations": {
                "type": "object", "description": "What the server claims of it; no permission follows from it.",
                "properties": {
                    "title": {"type": "string"},
                    "readOnlyHint": hint("It changes nothing. Not given: it may."),
                    "destructiveHint": hint("It may destroy. Not given: it may."),
                    "idempotentHint": hint("A second call with the same arguments changes nothing more. Not given: it may."),
                    "openWorldHint": hint("It reaches beyond its server. Not given: it may."),
                },
            },
        },
        "required": ["name", "inputSchema"],
    })
}

fn list() -> Value {
    json!({
        "type": "object",
        "properties": {
            "server": {"type": "string", "minLength": 1, "description": "The server's name in this workspace."},
            "era": {"enum": ["legacy", "modern"], "description": "How it was spoken with."},
            "version": {"type": "string", "description": "The revision of the protocol that it spoke."},
            "time": {"type": "string", "description": "When it was asked."},
            "hash": {"type": "string", "description": "Shows whether the tools are unchanged."},
            "tools": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["server", "version", "tools"],
    })
}
