//! Schemas of OpenAPI 3.0 and of Gemini's API as JSON Schema says the same.

use serde_json::{Map, Value, json};

use crate::schema::subschemas::list_objects;

/// The types of Gemini's `Schema`, in its spelling.
const GEMINI_TYPES: [&str; 7] =
    ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];
/// Limits that Gemini's API writes as texts.
const COUNTS: [&str; 6] =
    ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"];

/// Changes OpenAPI 3.0's own keywords, at any depth.
pub(super) fn modernize(schema: &mut Value) {
    change_schemas(schema, |members| {
        allow_null(members);
        for (flag, limit) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            if let Some(Value::Bool(is_exclusive)) = members.get(flag).cloned() {
                members.remove(flag);
                if is_exclusive && let Some(value) = members.remove(limit) {
                    members.insert(flag.to_owned(), value);
                }
            }
        }
    });
}

/// Whether a schema has a type as only Gemini's API spells it.
#[must_use]
pub(super) fn is_gemini(schema: &Value) -> bool {
    let kind = schema.get("type").and_then(Value::as_str);
    kind.is_some_and(|kind| GEMINI_TYPES.contains(&kind))
}

/// Changes what only Gemini's schemas have, at any depth.
pub(super) fn from_gemini(schema: &mut Value) {
    change_schemas(schema, |members| {
        match members.get_mut("type") {
            Some(Value::String(kind)) if GEMINI_TYPES.contains(&kind.as_str()) => {
                kind.make_ascii_lowercase();
            }
            Some(Value::String(kind)) if kind == "TYPE_UNSPECIFIED" => {
                members.remove("type");
            }
            _ => {}
        }
        if members.get("format").is_some_and(|format| format == "enum") {
            members.remove("format");
        }
        for count in COUNTS {
            if let Some(value) = members.get_mut(count)
                && let Some(number) = value.as_str().and_then(|text| text.parse::<u64>().ok())
            {
                *value = number.into();
            }
        }
        allow_null(members);
    });
}

/// `nullable` as a type beside the own one.
fn allow_null(members: &mut Map<String, Value>) {
    let is_nullable = match members.get("nullable") {
        Some(Value::Bool(is_nullable)) => *is_nullable,
        _ => return,
    };
    members.remove("nullable");
    if !is_nullable {
        return;
    }
    let Some(kind) = members.get_mut("type").filter(|kind| kind.is_string()) else { return };
    *kind = json!([kind.clone(), "null"]);
    if let Some(Value::Array(choices)) = members.get_mut("enum")
        && !choices.contains(&Value::Null)
    {
        choices.push(Value::Null);
    }
}

/// Changes each schema within a schema, itself first; names of properties and data stay.
fn change_schemas(schema: &mut Value, change: impl Fn(&mut Map<String, Value>)) {
    let places: Vec<String> = list_objects(schema).into_iter().map(|(at, _)| at).collect();
    for at in places {
        if let Some(Value::Object(members)) = schema.pointer_mut(&at) {
            change(members);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_gemini_become_those_of_json_schema() {
        let mut schema = json!({"type": "OBJECT", "properties": {
            "type": {"type": "STRING", "format": "enum", "enum": ["STRING", "b"], "nullable": true},
            "nullable": {"type": "ARRAY", "minItems": "2", "items": {"anyOf": [{"type": "INTEGER"}, {"type": "NULL"}]}},
        }});
        assert!(is_gemini(&schema));
        from_gemini(&mut schema);
        assert_eq!(
            schema,
            json!({"type": "object", "properties": {
                "type": {"type": ["string", "null"], "enum": ["STRING", "b", null]},
                "nullable": {"type": "array", "minItems": 2, "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
            }})
        );
        assert!(!is_gemini(&schema));
    }

    #[test]
    fn a_property_called_like_a_keyword_stays() {
        let mut schema = json!({"type": "object", "properties": {"nullable": {"type": "boolean"}}});
        let before = schema.clone();
        modernize(&mut schema);
        assert_eq!(schema, before);
    }
}
