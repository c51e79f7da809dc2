//! The schemas within a schema, by their places.

use std::collections::HashSet;

use serde_json::Value;

use super::encoding::{escape_token, percent_decode};

/// Keywords that hold a schema, or a list of schemas.
const HOLDS_SCHEMA: [&str; 16] = [
    "not",
    "if",
    "then",
    "else",
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "contentSchema",
    "allOf",
    "anyOf",
    "oneOf",
    "prefixItems",
];
/// Keywords that hold schemas by name.
const HOLDS_NAMED: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// Keywords whose content is data, not schemas.
const DATA: [&str; 5] = ["enum", "const", "default", "examples", "example"];

/// How a keyword holds schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SubschemaShape {
    Nothing,
    /// A schema, or a list of them.
    Schemas,
    /// Schemas by name.
    Named,
}

pub(super) fn held_by(keyword: &str) -> SubschemaShape {
    match keyword {
        _ if HOLDS_SCHEMA.contains(&keyword) => SubschemaShape::Schemas,
        _ if HOLDS_NAMED.contains(&keyword) => SubschemaShape::Named,
        _ => SubschemaShape::Nothing,
    }
}

/// A schema and each one within it, or that a pointer of it refers to, with its JSON pointer; the
/// outer before the inner.
#[must_use]
pub(crate) fn list_subschemas(root: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    walk_subschemas(root, &mut String::new(), &mut found);
    // A reference may lead to where no keyword says that a schema is, such as
    // `#/components/schemas/A`.
    let mut read = 0;
    while read < found.len() {
        let targets: HashSet<String> =
            found[read..].iter().filter_map(|(_, schema)| odd_target(schema)).collect();
        read = found.len();
        if targets.is_empty() {
            break;
        }
        let known: HashSet<&str> = found.iter().map(|(at, _)| at.as_str()).collect();
        let mut outside: Vec<String> =
            targets.into_iter().filter(|target| !known.contains(target.as_str())).collect();
        outside.sort();
        for at in outside {
            if let Some(schema) = root.pointer(&at).filter(|schema| schema.is_object()) {
                walk_subschemas(schema, &mut at.clone(), &mut found);
            }
        }
    }
    found
}

/// The pointer that a schema refers to, unless it is a definition like any other.
fn odd_target(schema: &Value) -> Option<String> {
    let fragment = schema
        .get("$ref")?
        .as_str()?
        .strip_prefix('#')
        .filter(|fragment| fragment.starts_with('/'))?;
    let usual =
        ["/definitions/", "/$defs/"].into_iter().find_map(|folder| fragment.strip_prefix(folder));
    usual.is_none_or(|name| name.contains('/')).then(|| percent_decode(fragment))
}

fn walk_subschemas<'s>(schema: &'s Value, at: &mut String, found: &mut Vec<(String, &'s Value)>) {
    if !schema.is_object() && !schema.is_boolean() {
        return;
    }
    found.push((at.clone(), schema));
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        let end = at.len();
        push_token(at, keyword);
        match (held_by(keyword), value) {
            (SubschemaShape::Schemas, Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    with_token(at, &index.to_string(), |at| walk_subschemas(schema, at, found));
                }
            }
            (SubschemaShape::Schemas, schema) => walk_subschemas(schema, at, found),
            (SubschemaShape::Named, Value::Object(schemas)) => {
                for (name, schema) in schemas {
                    with_token(at, name, |at| walk_subschemas(schema, at, found));
                }
            }
            _ => {}
        }
        at.truncate(end);
    }
}

/// Every object of a schema that is neither plain data nor a map of names, whether or not it is a
/// schema, with its JSON pointer; the outer before the inner.
#[must_use]
pub(crate) fn list_objects(root: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    walk_objects(root, &mut String::new(), &mut found);
    found
}

fn walk_objects<'s>(value: &'s Value, at: &mut String, found: &mut Vec<(String, &'s Value)>) {
    match value {
        Value::Object(members) => {
            found.push((at.clone(), value));
            for (keyword, value) in
                members.iter().filter(|(keyword, _)| !DATA.contains(&keyword.as_str()))
            {
                with_token(at, keyword, |at| match (held_by(keyword), value) {
                    // What is in these are names, not keywords.
                    (SubschemaShape::Named, Value::Object(named)) => {
                        named.iter().for_each(|(name, value)| {
                            with_token(at, name, |at| walk_objects(value, at, found));
                        });
                    }
                    _ => walk_objects(value, at, found),
                });
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| {
                with_token(at, &index.to_string(), |at| walk_objects(item, at, found));
            });
        }
        _ => {}
    }
}

fn push_token(at: &mut String, token: &str) {
    at.push('/');
    at.push_str(&escape_token(token));
}

fn with_token(at: &mut String, token: &str, then: impl FnOnce(&mut String)) {
    let end = at.len();
    push_token(at, token);
    then(at);
    at.truncate(end);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn data_is_no_schema_and_a_name_is_no_keyword() {
        let schema = json!({
            "properties": {"default": {"const": {"x": {}}}, "enum": {"items": [{}]}},
            "default": {"properties": {}}, "x-odd": {"y": {}},
        });
        let places: Vec<String> = list_objects(&schema).into_iter().map(|(at, _)| at).collect();
        assert_eq!(
            places,
            [
                "",
                "/properties/default",
                "/properties/enum",
                "/properties/enum/items/0",
                "/x-odd",
                "/x-odd/y"
            ]
        );
    }
}
