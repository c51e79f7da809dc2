//! What is wrong with a schema of a tool although it is one: what contradicts itself, and what is
//! misspelt and so says nothing.

use serde_json::{Map, Value};

use super::{lint::check::did_you_mean, workflow::similar::nearest_name};
use crate::schema::{
    contradictions::contradictions, pointer::Pointer, subschemas, validate::Checker,
};

/// Keywords and formats shorter than this are not taken for misspelt ones, but for their case.
const SHORTEST: usize = 5;

/// Keywords of JSON Schema and OpenAPI, and those that forms and editors read.
const KEYWORDS: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "discriminator",
    "else",
    "enum",
    "enumDescriptions",
    "enumNames",
    "example",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "format",
    "id",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "nullable",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "propertyOrdering",
    "readOnly",
    "required",
    "strict",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
    "xml",
];

/// Formats of JSON Schema and OpenAPI.
const FORMATS: &[&str] = &[
    "base64",
    "binary",
    "byte",
    "date",
    "date-time",
    "decimal",
    "double",
    "duration",
    "email",
    "float",
    "hostname",
    "html",
    "idn-email",
    "idn-hostname",
    "int16",
    "int32",
    "int64",
    "int8",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json",
    "json-pointer",
    "markdown",
    "password",
    "regex",
    "relative-json-pointer",
    "time",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uri",
    "uri-reference",
    "uri-template",
    "url",
    "uuid",
];

/// The faults of a schema, each with words that follow the place.
#[must_use]
pub(crate) fn schema_faults(schema: &Value) -> Vec<(Pointer, String)> {
    let mut found = contradictions(schema);
    for (place, schema) in subschemas::list_subschemas(schema) {
        if let (Ok(at), Some(keywords)) = (Pointer::parse(&place), schema.as_object()) {
            found.extend(misspelt_keywords(&at, keywords));
            found.extend(misspelt_format(&at, keywords));
        }
    }
    found
}

/// What keeps a JSON text from being the schema of a tool's arguments; none where nothing does.
pub(crate) fn text_faults(text: &str) -> Vec<String> {
    let schema = match serde_json::from_str::<Value>(text) {
        Ok(schema) if schema.is_object() => schema,
        Ok(_) => return vec!["the schema of the arguments must be an object".into()],
        Err(error) => return vec![format!("not JSON: {error}")],
    };
    let faults = Checker::compile(&schema).err().into_iter().flatten();
    faults.map(|fault| format!("not a JSON Schema: {}: {}", fault.at, fault.words)).collect()
}

/// The same but for what the schema itself requires and doesn't have, where that has a finding of
/// its own.
pub(crate) fn other_faults(schema: &Value) -> impl Iterator<Item = (Pointer, String)> {
    let all = schema_faults(schema).into_iter();
    all.filter(|(at, _)| at.tokens().first().is_none_or(|first| first != "required"))
}

fn misspelt_keywords(
    at: &Pointer,
    keywords: &Map<String, Value>,
) -> impl Iterator<Item = (Pointer, String)> {
    keywords.keys().filter_map(|name| {
        let near = nearest(name, KEYWORDS).filter(|near| !keywords.contains_key(*near))?;
        let words = format!("\"{name}\" is no keyword of JSON Schema{}", did_you_mean(Some(near)));
        Some((at.child(name), words))
    })
}

fn misspelt_format(at: &Pointer, keywords: &Map<String, Value>) -> Option<(Pointer, String)> {
    let format = keywords.get("format")?.as_str()?;
    let near = nearest(format, FORMATS)?;
    let words = format!("\"{format}\" is no known format{}", did_you_mean(Some(near)));
    Some((at.child("format"), words))
}

/// The known name that one is most likely meant to be, where it isn't known itself.
fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    if known.contains(&name) {
        return None;
    }
    let near = nearest_name(name, known.iter().copied())?;
    (near.eq_ignore_ascii_case(name) || name.chars().count() >= SHORTEST).then_some(near)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(schema: &Value) -> Vec<String> {
        schema_faults(schema).iter().map(|(at, words)| format!("{at} {words}")).collect()
    }

    #[test]
    fn what_is_misspelt_is_found_where_keywords_are() {
        let schema = json!({
            "type": "object",
            "properties": {
                "minlength": {"type": "string", "minlength": 2, "format": "dat-time"},
                "kind": {"oneOf": [{"discription": "d"}], "x-itms": 1},
            },
            "additionalproperties": false,
            "default": {"tpye": 1},
        });
        assert_eq!(
            found(&schema),
            [
                "/additionalproperties \"additionalproperties\" is no keyword of JSON Schema; did you mean \"additionalProperties\"?",
                "/properties/minlength/minlength \"minlength\" is no keyword of JSON Schema; did you mean \"minLength\"?",
                "/properties/minlength/format \"dat-time\" is no known format; did you mean \"date-time\"?",
                "/properties/kind/oneOf/0/discription \"discription\" is no keyword of JSON Schema; did you mean \"description\"?",
            ]
        );
    }

    #[test]
    fn keywords_and_formats_of_others_are_left_alone() {
        for schema in [
            json!({"nullable": true, "format": "int32", "unit": "m", "when": 1, "label": "l"}),
            json!({"type": "string", "format": "textarea", "order": 1, "widget": "w", "options": {}}),
            json!({"discriminator": {"propertyName": "kind", "mapping": {"item": "a"}}}),
        ] {
            assert_eq!(found(&schema), [""; 0], "{schema}");
        }
    }
}
