//! The forms of a tool in a kept list, of the list, and of what `toolcrib.toml` says of a server.

use serde_json::{Value, json};

use super::entries::is_setting;
use crate::{
    engine::settings::gate_table::table_schema,
    model::entry::{Entry, EntryKind},
    systems::{list_sources::SOURCES, schema_form},
};

const OF_DEFAULT: &str = "What the server takes without it. Clients don't send it.";

/// What the schema of an entry's form depends on.
#[must_use]
pub fn schema_word(entry: &Entry) -> &'static str {
    match entry.kind {
        _ if is_setting(entry) => "setting",
        EntryKind::Tool => "tool",
        EntryKind::Service | EntryKind::Server | EntryKind::Schema => "list",
    }
}

/// The schema of an entry's form.
#[must_use]
pub fn entry_schema(entry: &Entry) -> Value {
    match entry.kind {
        _ if is_setting(entry) => settings(),
        EntryKind::Tool => tool(),
        EntryKind::Service | EntryKind::Server | EntryKind::Schema => list(),
    }
}

/// What the schema demands, but for the schemas of arguments and answers, which have checks of their
/// own.
#[must_use]
pub fn rules_schema(entry: &Entry) -> Value {
    let mut schema = entry_schema(entry);
    for (home, names) in [("/properties", &["inputSchema", "outputSchema"][..]), ("", &["$defs"])] {
        let members = schema.pointer_mut(home).and_then(Value::as_object_mut);
        if let Some(members) = members {
            names.iter().for_each(|name| drop(members.shift_remove(*name)));
        }
    }
    schema
}

fn settings() -> Value {
    json!({
        "type": "object",
        "properties": {
            "tools": {
                "type": "object", "description": "When its tools are available. Tools not listed \
                are always available.",
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
            "name": {"type": "string", "minLength": 1, "maxLength": 128, "description": "Its name \
            in calls."},
            "title": {"type": "string", "description": "Its name for users."},
            "description": {"type": "string", "format": "multiline", "description": "What the \
            model reads to decide when to use it."},
            "inputSchema": schema_form::schema_of_arguments("inputSchema", "The JSON Schema of its arguments."),
            "outputSchema": schema_form::schema_of_any_kind("outputSchema", "The JSON Schema of its structured answer."),
            "annotations": {
                "type": "object", "description": "What the server claims about it; grants no \
                permission.",
                "properties": {
                    "title": {"type": "string"},
                    "readOnlyHint": hint("It changes nothing. Default: it may."),
                    "destructiveHint": hint("It may delete or overwrite. Default: it may."),
                    "idempotentHint": hint("A second call with the same arguments changes nothing \
                    more. Default: it may."),
                    "openWorldHint": hint("It reaches systems beyond its server. Default: it may."),
                },
            },
        },
        "required": ["name", "inputSchema"], "$defs": schema_form::definitions(OF_DEFAULT),
    })
}

fn list() -> Value {
    json!({
        "type": "object",
        "properties": {
            "server": {"type": "string", "minLength": 1, "description": "The server's name in this workspace."},
            "era": {"enum": ["legacy", "modern"], "description": "Which transport was used."},
            "version": {"type": "string", "description": "Its revision of the protocol."},
            "time": {"type": "string", "description": "When the list was read."},
            "hash": {"type": "string", "description": "Shows whether the tools are unchanged."},
            SOURCES: {
                "type": "array", "items": {"type": "string"},
                "description": "The files of the workspace that its tools come from.",
            },
            "tools": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["server", "tools"],
    })
}
