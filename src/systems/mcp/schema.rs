//! The forms of a tool in a kept list, of the list, and of what `toolcrib.toml` says of a server.

use serde_json::{Value, json};

use super::entries::is_setting;
use crate::{
    engine::settings::gate_table::table_schema,
    model::entry::{Entry, EntryKind},
    systems::{facets::kept_tools::SOURCES, schema_form},
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
    let apart = [
        ("/properties", &["inputSchema", "outputSchema"][..]),
        // Each tool of a list is an entry of its own.
        ("/properties/tools/items", &["properties", "required"]),
        ("", &["$defs"]),
    ];
    for (home, names) in apart {
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
            "tools": {"type": "array", "items": listed_tool()},
        },
        "required": ["server", "tools"],
    })
}

/// A tool in the form of its list: that of the tool itself has fields for the schemas.
fn listed_tool() -> Value {
    let mut listed = tool();
    if let Some(members) = listed.as_object_mut() {
        members.shift_remove("$defs");
    }
    let home = "The tool's own form, which the list of tools opens, has fields for it.";
    let schemas = [
        (
            "inputSchema",
            json!({
                "type": "object", "default": {"type": "object", "properties": {}},
                "description": format!("The JSON Schema of its arguments. {home}"),
            }),
        ),
        (
            "outputSchema",
            json!({
                "type": "object",
                "description": format!("The JSON Schema of its structured answer. {home}"),
            }),
        ),
    ];
    for (name, schema) in schemas {
        if let Some(member) = listed.pointer_mut(&format!("/properties/{name}")) {
            *member = schema;
        }
    }
    listed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::entry::{EntryId, EntryPlace, FileId},
        schema::{
            fields::{View, layout_fields},
            pointer::Pointer,
            tree::Schema,
        },
        systems::mcp::keys,
    };

    fn list_entry(value: &Value) -> Entry {
        let place = EntryPlace::plain(FileId::new("mcp/shop.json"), 0, Pointer::root());
        Entry {
            id: EntryId::new(place),
            system: keys::SYSTEM,
            kind: EntryKind::Server,
            key: "shop".into(),
            value: value.clone().into(),
            line: 0,
            column: 0,
        }
    }

    #[test]
    fn a_list_has_fields_for_its_tools() {
        let value = json!({"server": "shop", "tools": [{"name": "order", "annotations": {}}]});
        let entry = list_entry(&value);
        let mut view = View::default();
        let first = Pointer::root().child("tools").item(0);
        view.folds.extend([(Pointer::root().child("tools"), true), (first.clone(), true)]);
        let fields = layout_fields(&Schema::new(entry_schema(&entry)), None, &value, &view);
        let of_tool = fields.iter().filter(|field| field.pointer.parent().as_ref() == Some(&first));
        let names: Vec<_> = of_tool.filter_map(|field| field.pointer.last()).collect();
        let wanted = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];
        assert_eq!(names, wanted);
        // What is wrong with a tool is found once: of the tool.
        let rules = rules_schema(&entry);
        assert_eq!(rules.pointer("/properties/tools/items"), Some(&json!({"type": "object"})));
    }
}
