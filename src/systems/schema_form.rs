//! A schema for schemas: the arguments or the answer of a tool, built in a form. What it has no
//! field for stays as it is and is edited as JSON.

use serde_json::{Value, json};

use crate::schema::node::{HOLDS_SCHEMA, MEMBERS_OF};

/// The form of one schema of any kind.
pub(crate) fn schema_of_any_kind(title: &str, words: &str) -> Value {
    json!({"$ref": "#/$defs/argument", "title": title, "description": words})
}

/// The form of the schema of a tool's arguments. It refers to [`definitions`].
pub(crate) fn schema_of_arguments(title: &str, words: &str) -> Value {
    json!({
        "title": title, "type": "object", "description": words,
        "properties": {
            "type": {"title": "type", "const": "object", "description": "Models' APIs expect an object here."},
            "properties": {
                "title": "properties", "type": "object", "description": "The arguments, by name.",
                "additionalProperties": {"$ref": "#/$defs/argument"},
            },
            "required": {
                "title": "required", "type": "array", "uniqueItems": true, "description": "The arguments that the model must give.",
                "items": {"type": "string"}, MEMBERS_OF: "properties",
            },
            "description": {"title": "description", "type": "string", "description": "What the arguments as a whole are for."},
            "$defs": {
                "title": "$defs", "type": "object", "description": "Schemas that references name.",
                "additionalProperties": {"$ref": "#/$defs/argument"},
            },
        },
        "required": ["type"],
    })
}

/// The parts that these forms refer to; the words say what a default does in that system.
pub(crate) fn definitions(of_default: &str) -> Value {
    json!({"argument": {
        "title": "argument", HOLDS_SCHEMA: true,
        "oneOf": [
            text(of_default),
            number("integer", ("whole number", "1, 2, 3: a count, an index."), of_default),
            number("number", ("number", "Any number, such as 0.5."), of_default),
            flag(of_default), list(), object(),
            union("anyOf", ("any of several", "At least one of these kinds.")),
            union("oneOf", ("one of several", "Exactly one of these kinds.")),
            reference(),
            typed_schema("null", ("null", "No value: beside another kind, what may be left empty."), json!({})),
            other(),
        ],
    }})
}

fn description() -> Value {
    json!({"title": "description", "type": "string", "description": "For the model: how to fill it in."})
}

fn typed_schema(kind: &str, (title, words): (&str, &str), fields: Value) -> Value {
    let mut properties = json!({
        "type": {"const": kind, "title": "type"},
        "description": description(),
    });
    if let (Value::Object(all), Value::Object(more)) = (&mut properties, fields) {
        all.extend(more);
    }
    json!({"title": title, "description": words, "type": "object", "properties": properties, "required": ["type"]})
}

fn text(of_default: &str) -> Value {
    typed_schema(
        "string",
        ("text", "Text, a choice of words, a date, an address."),
        json!({
            "enum": {"title": "one of", "type": "array", "uniqueItems": true, "items": {"type": "string"}, "description": "The allowed texts."},
            "default": {"title": "default", "type": ["string", "null"], "description": of_default},
            "minLength": {"title": "minimum length", "type": "integer", "minimum": 0},
            "maxLength": {"title": "maximum length", "type": "integer", "minimum": 0},
            "pattern": {"title": "pattern", "type": "string", "format": "regex", "description": "A regular expression that the text must match."},
            "format": {"title": "format", "type": "string", "examples": ["date", "time", "date-time", "duration", "email", "uri", "uuid", "hostname", "ipv4"], "description": "The kind of text; models follow it, most APIs don't check it."},
        }),
    )
}

fn number(kind: &str, words: (&str, &str), of_default: &str) -> Value {
    typed_schema(
        kind,
        words,
        json!({
            "minimum": {"title": "at least", "type": kind},
            "maximum": {"title": "at most", "type": kind},
            "enum": {"title": "one of", "type": "array", "items": {"type": kind}, "description": "The allowed numbers."},
            "default": {"title": "default", "type": [kind, "null"], "description": of_default},
        }),
    )
}

fn flag(of_default: &str) -> Value {
    typed_schema(
        "boolean",
        ("yes or no", "true or false."),
        json!({"default": {"title": "default", "type": ["boolean", "null"], "description": of_default}}),
    )
}

fn list() -> Value {
    typed_schema(
        "array",
        ("list", "A list of items of one kind."),
        json!({
            "items": {"$ref": "#/$defs/argument", "title": "items", "description": "The kind of each item."},
            "minItems": {"title": "minimum items", "type": "integer", "minimum": 0},
            "maxItems": {"title": "maximum items", "type": "integer", "minimum": 0},
            "uniqueItems": {"title": "each once", "type": "boolean", "default": false},
        }),
    )
}

fn object() -> Value {
    typed_schema(
        "object",
        ("object", "Named members, each with its own kind."),
        json!({
            "properties": {
                "title": "properties", "type": "object", "description": "Its members, by name.",
                "additionalProperties": {"$ref": "#/$defs/argument"},
            },
            "required": {"title": "required", "type": "array", "uniqueItems": true, "items": {"type": "string"}, MEMBERS_OF: "properties", "description": "The required members."},
            "additionalProperties": {"$ref": "#/$defs/argument", "title": "other members", "description": "The kind of members with other names, as in a map; false: there are none."},
        }),
    )
}

/// Several schemas, each a kind of its own.
fn union(member: &str, (title, words): (&str, &str)) -> Value {
    json!({
        "title": title, "description": words, "type": "object",
        "properties": {
            member: {
                "title": title, "type": "array", "minItems": 1,
                "items": {"$ref": "#/$defs/argument", "title": "kind"},
            },
            "description": description(),
        },
        "required": [member], "not": {"required": ["type"]},
    })
}

/// A schema that is elsewhere in the document.
fn reference() -> Value {
    json!({
        "title": "reference", "description": "A schema that has a name in $defs.", "type": "object",
        "properties": {
            "$ref": {"title": "$ref", "type": "string", "minLength": 1, "description": "Where it is: #/$defs/NAME."},
            "description": description(),
        },
        "required": ["$ref"], "not": {"anyOf": has_one_of(&["type", "anyOf", "oneOf"])},
    })
}

/// A schema for each of these members that asks for it.
fn has_one_of(members: &[&str]) -> Vec<Value> {
    members.iter().map(|member| json!({"required": [member]})).collect()
}

/// Whatever else a schema may be: several types, constants, rules.
fn other() -> Value {
    let typed = json!({"required": ["type"], "properties": {"type": {"enum": ["string", "integer", "number", "boolean", "array", "object", "null"]}}});
    let untyped = |member: &str| json!({"required": [member], "not": {"required": ["type"]}});
    let others: Vec<Value> =
        std::iter::once(typed).chain(["anyOf", "oneOf", "$ref"].map(untyped)).collect();
    json!({"title": "another schema", "description": "Several types, constants, rules: as JSON.", "type": ["object", "boolean"], "default": {}, "properties": {"description": description()}, "not": {"anyOf": others}})
}
