//! A schema for schemas: the arguments or the answer of a tool, built in a form. What it has no
//! field for stays as it is and is edited as JSON.

use serde_json::{Value, json};

use crate::schema::node::{HOLDS_SCHEMA, MEMBERS_OF, NULL_APART};

/// The types that a kind of its own is for.
const TYPES: [&str; 6] = ["string", "integer", "number", "boolean", "array", "object"];
/// What a schema without `type` is known by, the first one that it has.
const UNTYPED: [&str; 5] = ["anyOf", "oneOf", "$ref", "enum", "properties"];

/// The form of one schema of any kind.
pub(crate) fn schema_of_any_kind(title: &str, words: &str) -> Value {
    json!({"$ref": "#/$defs/argument", "title": title, "description": words})
}

/// The form of the schema of a tool's arguments. It refers to [`definitions`].
pub(crate) fn schema_of_arguments(title: &str, words: &str) -> Value {
    // Shown where they are: most tools have none.
    let branches = ["anyOf", "oneOf", "allOf"].map(branches_of_arguments);
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
        "allOf": branches,
    })
}

/// The branches of the arguments as a whole, where the schema has some.
fn branches_of_arguments(member: &str) -> Value {
    json!({
        "if": {"required": [member]},
        "then": {"properties": {member: {
            "title": member, "type": "array", "minItems": 1, "description": "Schemas for the arguments as a whole.",
            "items": {"$ref": "#/$defs/argument", "title": "kind"},
        }}},
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
            several_types(of_default), listed_values(of_default), members(),
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
        "type": {"enum": spellings(kind), "default": kind, "title": "type"},
        "description": description(),
    });
    if let (Value::Object(all), Value::Object(more)) = (&mut properties, fields) {
        all.extend(more);
    }
    json!({"title": title, "description": words, "type": "object", "properties": properties, "required": ["type"]})
}

/// How `type` says that a value is of this type, or null.
fn spellings(kind: &str) -> Vec<Value> {
    match kind {
        "null" => vec![json!("null"), json!(["null"])],
        _ => vec![json!(kind), json!([kind, "null"]), json!(["null", kind]), json!([kind])],
    }
}

fn text(of_default: &str) -> Value {
    typed_schema(
        "string",
        ("text", "Text, a choice of words, a date, an address."),
        json!({
            "enum": {"title": "choices", "type": "array", "uniqueItems": true, "items": {"type": ["string", "null"], NULL_APART: true}, "description": "The allowed texts."},
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
            "enum": {"title": "choices", "type": "array", "items": {"type": [kind, "null"]}, "description": "The allowed numbers."},
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
    untyped_schema(
        "$ref",
        ("reference", "A schema that has a name in $defs."),
        json!({
            "$ref": {"title": "$ref", "type": "string", "minLength": 1, "description": "Where it is: #/$defs/NAME."},
        }),
    )
}

/// Values of more than one type.
fn several_types(of_default: &str) -> Value {
    let types: Vec<&str> = TYPES.into_iter().chain(["null"]).collect();
    let one: Vec<Value> = TYPES.into_iter().chain(["null"]).flat_map(spellings).collect();
    json!({
        "title": "several types", "description": "A value of one of these types.", "type": "object",
        "properties": {
            "type": {
                "title": "types", "type": "array", "minItems": 1, "uniqueItems": true, "items": {"enum": types},
                "default": ["string", "number"],
            },
            "description": description(),
            "enum": {"title": "choices", "type": "array", "items": {}, "description": "The allowed values."},
            "default": {"title": "default", "description": of_default},
        },
        "required": ["type"], "not": {"properties": {"type": {"enum": one}}},
    })
}

/// A choice of values whose types nothing names.
fn listed_values(of_default: &str) -> Value {
    untyped_schema(
        "enum",
        ("one of values", "Values of any types to choose from."),
        json!({
            "enum": {"title": "choices", "type": "array", "items": {}, "description": "The allowed values."},
            "default": {"title": "default", "description": of_default},
        }),
    )
}

/// Members of an object, where another place says that it is one.
fn members() -> Value {
    let mut members = object();
    let mut own = members["properties"].take();
    if let Some(own) = own.as_object_mut() {
        own.shift_remove("type");
        own.shift_remove("description");
    }
    untyped_schema(
        "properties",
        ("members", "Named members of an object, as a branch has them."),
        own,
    )
}

/// A schema without `type`, which this member makes what it is.
fn untyped_schema(member: &str, (title, words): (&str, &str), fields: Value) -> Value {
    let mut properties = fields;
    properties["description"] = description();
    let before: Vec<&str> = UNTYPED.into_iter().take_while(|other| *other != member).collect();
    let others: Vec<Value> =
        before.iter().chain(&["type"]).map(|other| json!({"required": [other]})).collect();
    json!({
        "title": title, "description": words, "type": "object", "properties": properties,
        "required": [member], "not": {"anyOf": others},
    })
}

/// Whatever else a schema may be: constants, rules.
fn other() -> Value {
    let names: Vec<&str> = TYPES.into_iter().chain(["null"]).collect();
    // Neither holds for true and false, which are schemas too.
    let typed = json!({"type": "object", "required": ["type"], "properties": {"type": {"anyOf": [{"enum": names}, {"type": "array"}]}}});
    let untyped = |member: &str| json!({"type": "object", "required": [member], "not": {"required": ["type"]}});
    let others: Vec<Value> = std::iter::once(typed).chain(UNTYPED.map(untyped)).collect();
    json!({"title": "another schema", "description": "Constants, rules: as JSON.", "type": ["object", "boolean"], "default": {}, "properties": {"description": description()}, "not": {"anyOf": others}})
}
