//! A schema for schemas: what a model may give, built in a form. What it has no field for stays as
//! it is and is edited as JSON.

use serde_json::{Value, json};

/// The form of a definition's `parameters`, with the names of its properties to choose those from
/// that are required.
pub(crate) fn parameters_schema(parameters: Option<&Value>) -> Value {
    let properties =
        parameters.and_then(|parameters| parameters.get("properties")).and_then(Value::as_object);
    let names: Vec<&String> = properties.into_iter().flat_map(serde_json::Map::keys).collect();
    json!({
        "title": "parameters", "type": "object", "description": "What the model gives with each call.",
        "properties": {
            "type": {"title": "type", "const": "object", "description": "Models' APIs expect an object here."},
            "properties": {
                "title": "properties", "type": "object", "description": "The arguments, by name.",
                "additionalProperties": {"$ref": "#/$defs/argument"},
            },
            "required": {
                "title": "required", "type": "array", "uniqueItems": true, "description": "The arguments that the model must give.",
                "items": {"type": "string", "examples": names},
            },
            "description": {"title": "description", "type": "string", "description": "What the arguments as a whole are for."},
        },
        "required": ["type", "properties"],
    })
}

/// The parts that it refers to.
pub(crate) fn definitions() -> Value {
    json!({"argument": {
        "title": "argument",
        "oneOf": [text(), number("integer", ("whole number", "1, 2, 3: a count, an index.")), number("number", ("number", "Any number, such as 0.5.")), flag(), list(), object(), other()],
    }})
}

fn typed_schema(kind: &str, (title, words): (&str, &str), fields: Value) -> Value {
    let mut properties = json!({
        "type": {"const": kind, "title": "type"},
        "description": {"title": "description", "type": "string", "description": "For the model: how to fill it in."},
    });
    if let (Value::Object(all), Value::Object(more)) = (&mut properties, fields) {
        all.extend(more);
    }
    json!({"title": title, "description": words, "type": "object", "properties": properties, "required": ["type"]})
}

fn text() -> Value {
    typed_schema(
        "string",
        ("text", "Text, a choice of words, a date, an address."),
        json!({
            "enum": {"title": "one of", "type": "array", "uniqueItems": true, "items": {"type": "string"}, "description": "The allowed texts."},
            "default": {"title": "default", "type": "string", "description": "The default. Only shown to the model: options.args.defaults sets it."},
            "minLength": {"title": "minimum length", "type": "integer", "minimum": 0},
            "maxLength": {"title": "maximum length", "type": "integer", "minimum": 0},
            "pattern": {"title": "pattern", "type": "string", "format": "regex", "description": "A regular expression that the text must match."},
            "format": {"title": "format", "type": "string", "examples": ["date", "time", "date-time", "duration", "email", "uri", "uuid", "hostname", "ipv4"], "description": "The kind of text; models follow it, most APIs don't check it."},
        }),
    )
}

fn number(kind: &str, told: (&str, &str)) -> Value {
    typed_schema(
        kind,
        told,
        json!({
            "minimum": {"title": "at least", "type": kind},
            "maximum": {"title": "at most", "type": kind},
            "enum": {"title": "one of", "type": "array", "items": {"type": kind}, "description": "The allowed numbers."},
            "default": {"title": "default", "type": kind, "description": "The default. Only shown to the model: options.args.defaults sets it."},
        }),
    )
}

fn flag() -> Value {
    typed_schema(
        "boolean",
        ("yes or no", "true or false."),
        json!({"default": {"title": "default", "type": "boolean"}}),
    )
}

fn list() -> Value {
    let mut list = typed_schema(
        "array",
        ("list", "A list of items of one kind."),
        json!({
            "items": {"$ref": "#/$defs/argument", "title": "items", "description": "The kind of each item."},
            "minItems": {"title": "minimum items", "type": "integer", "minimum": 0},
            "maxItems": {"title": "maximum items", "type": "integer", "minimum": 0},
            "uniqueItems": {"title": "each once", "type": "boolean", "default": false},
        }),
    );
    list["required"] = json!(["type", "items"]);
    list
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
            "required": {"title": "required", "type": "array", "uniqueItems": true, "items": {"type": "string"}, "description": "The required members."},
        }),
    )
}

/// Whatever else a schema may be: a union, a reference, several types.
fn other() -> Value {
    let typed = json!({"required": ["type"], "properties": {"type": {"enum": ["string", "integer", "number", "boolean", "array", "object"]}}});
    json!({"title": "another schema", "description": "Unions, references, several types: as JSON.", "type": ["object", "boolean"], "not": typed})
}
