//! What a schema says that can't hold beside something else in it.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::{
    equal::values_equal, node::Types, phrase::value_text, pointer::Pointer,
    subschemas::list_objects, validate::Checker,
};

/// Pairs of keywords of which the first must not be above the second.
const BOUNDS: [[&str; 2]; 4] = [
    ["minimum", "maximum"],
    ["minLength", "maxLength"],
    ["minItems", "maxItems"],
    ["minProperties", "maxProperties"],
];

/// Keywords below which a schema is one part of several, which says not all of an object.
const PARTS: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

/// Where a schema contradicts itself, each with words that follow the place.
#[must_use]
pub(crate) fn contradictions(schema: &Value) -> Vec<(Pointer, String)> {
    let mut found = Vec::new();
    for (place, object) in list_objects(schema) {
        if let (Ok(at), Some(keywords)) = (Pointer::parse(&place), object.as_object()) {
            undeclared_names(&at, keywords, &mut found);
            crossed_bounds(&at, keywords, &mut found);
            found.extend(wrong_constants(&at, keywords));
            found.extend(wrong_default(&at, keywords));
        }
    }
    found
}

fn undeclared_names(
    at: &Pointer,
    keywords: &Map<String, Value>,
    found: &mut Vec<(Pointer, String)>,
) {
    let is_whole = !at.tokens().iter().any(|token| PARTS.contains(&token.as_str()))
        && !PARTS
            .iter()
            .chain(&["$ref", "patternProperties"])
            .any(|part| keywords.contains_key(*part));
    let (Some(properties), Some(required)) = (
        keywords.get("properties").and_then(Value::as_object).filter(|_| is_whole),
        keywords.get("required").and_then(Value::as_array),
    ) else {
        return;
    };
    for (row, name) in required.iter().enumerate() {
        if let Some(name) = name.as_str().filter(|name| !properties.contains_key(*name)) {
            let words = format!("\"{name}\" is required, and not among the properties");
            found.push((at.child("required").item(row), words));
        }
    }
}

fn crossed_bounds(at: &Pointer, keywords: &Map<String, Value>, found: &mut Vec<(Pointer, String)>) {
    for [least, most] in BOUNDS {
        let number = |name| keywords.get(name).and_then(Value::as_f64);
        if let (Some(low), Some(high)) = (number(least), number(most))
            && low.partial_cmp(&high) == Some(Ordering::Greater)
        {
            let words = format!(
                "{least} {} is above {most} {}: nothing fits",
                keywords[least], keywords[most]
            );
            found.push((at.child(least), words));
        }
    }
}

/// The types that a schema names, with null where it is allowed beside them.
fn named_types(keywords: &Map<String, Value>) -> Option<Types> {
    let types = keywords.get("type").map(types_of).filter(|types| !types.is_empty())?;
    let nullable = keywords.get("nullable") == Some(&Value::Bool(true));
    Some(if nullable { types.union(Types::NULL) } else { types })
}

/// Choices and a constant that the type excludes, and choices that are there twice.
fn wrong_constants(at: &Pointer, keywords: &Map<String, Value>) -> Vec<(Pointer, String)> {
    let choices = keywords.get("enum").and_then(Value::as_array);
    let constant = keywords.get("const").map(|value| (at.child("const"), "constant", value));
    let choices: Vec<_> = choices
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(row, value)| (at.child("enum").item(row), "choice", value))
        .collect();
    let mut found = Vec::new();
    for (row, (place, _, value)) in choices.iter().enumerate() {
        if choices[..row].iter().any(|(.., known)| values_equal(known, value)) {
            found.push((place.clone(), format!("the choice {value} is there twice")));
        }
    }
    let Some(types) = named_types(keywords) else { return found };
    let wrong = constant.iter().chain(&choices).filter(|(.., value)| !types.admits(value));
    found.extend(wrong.map(|(place, what, value)| {
        (place.clone(), format!("the {what} {value} {}", other_type(keywords)))
    }));
    found
}

fn other_type(keywords: &Map<String, Value>) -> String {
    format!("isn't of the type {}", value_text(&keywords["type"]))
}

/// A default that the schema beside it excludes. Null counts as no default.
fn wrong_default(at: &Pointer, keywords: &Map<String, Value>) -> Option<(Pointer, String)> {
    let default = keywords.get("default").filter(|default| !default.is_null())?;
    let choices = keywords.get("enum").and_then(Value::as_array);
    let why = match (choices, named_types(keywords)) {
        (Some(choices), _) if !choices.iter().any(|choice| values_equal(choice, default)) => {
            "isn't one of the choices in enum".to_owned()
        }
        (_, Some(types)) if !types.admits(default) => other_type(keywords),
        _ => first_issue(keywords, default)?,
    };
    Some((at.child("default"), format!("the default {default} {why}")))
}

/// Keywords that say something of a value beside its type.
const LIMITS: [&str; 14] = [
    "items",
    "properties",
    "required",
    "additionalProperties",
    "const",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
];

/// What else a default is not, where its schema can be asked alone.
fn first_issue(keywords: &Map<String, Value>, default: &Value) -> Option<String> {
    if !LIMITS.iter().any(|keyword| keywords.contains_key(*keyword)) {
        return None;
    }
    let checker = Checker::compile(&Value::Object(keywords.clone())).ok()?;
    let issue = checker.issues(default).into_iter().next()?;
    let place = if issue.at.is_root() { String::new() } else { format!("at {} ", issue.at) };
    Some(format!("doesn't fit: {place}{}", issue.words))
}

/// The types that `type` names.
pub(super) fn types_of(keyword: &Value) -> Types {
    match keyword {
        Value::String(name) => Types::from_name(name),
        Value::Array(names) => {
            names.iter().map(types_of).fold(Types::NONE, |all, one| all.union(one))
        }
        _ => Types::NONE,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(schema: &Value) -> Vec<String> {
        contradictions(schema).iter().map(|(at, words)| format!("{at} {words}")).collect()
    }

    #[test]
    fn what_cannot_hold_together_is_found_at_its_place() {
        let schema = json!({
            "type": "object", "required": ["city", "twon"],
            "properties": {
                "city": {"type": "string", "enum": ["a", "b"], "default": "c"},
                "town": {"type": "integer", "default": 1.0, "minimum": 5, "maximum": 2},
                "days": {"type": ["integer", "null"], "default": "3"},
                "list": {"type": "array", "minItems": 5, "maxItems": 2, "items": {"required": ["x"], "properties": {}}},
                "none": {"type": "string", "default": null, "minLength": 2, "maxLength": 2},
                "kinds": {"type": "integer", "enum": [1, "a", 1.0]},
                "one": {"type": "string", "const": 1},
                "texts": {"type": "array", "items": {"type": "string"}, "default": ["a", 1]},
                "maybe": {"type": "string", "nullable": true, "enum": ["a", null]},
                "near": {"type": "integer", "minimum": 1, "default": 0}
            }
        });
        assert_eq!(
            found(&schema),
            [
                "/required/1 \"twon\" is required, and not among the properties",
                "/properties/city/default the default \"c\" isn't one of the choices in enum",
                "/properties/town/minimum minimum 5 is above maximum 2: nothing fits",
                "/properties/town/default the default 1.0 doesn't fit: is less than 5",
                "/properties/days/default the default \"3\" isn't of the type [\"integer\",\"null\"]",
                "/properties/list/minItems minItems 5 is above maxItems 2: nothing fits",
                "/properties/list/items/required/0 \"x\" is required, and not among the properties",
                "/properties/kinds/enum/2 the choice 1.0 is there twice",
                "/properties/kinds/enum/1 the choice \"a\" isn't of the type integer",
                "/properties/one/const the constant 1 isn't of the type string",
                "/properties/texts/default the default [\"a\",1] doesn't fit: at /1 is not text",
                "/properties/near/default the default 0 doesn't fit: is less than 1",
            ]
        );
    }

    #[test]
    fn a_part_of_a_schema_says_not_all_of_it() {
        for schema in [
            json!({"anyOf": [{"properties": {"a": {}}, "required": ["a", "b"]}], "properties": {"b": {}}, "required": ["a"]}),
            json!({"$ref": "#/$defs/x", "properties": {}, "required": ["a"], "$defs": {"x": {}}}),
            json!({"required": ["a"]}),
            json!({"properties": {"default": {"type": "string"}, "enum": {}}}),
            json!({"default": 3, "type": "flag", "minimum": "5", "maximum": 2}),
        ] {
            assert_eq!(found(&schema), [""; 0], "{schema}");
        }
    }
}
