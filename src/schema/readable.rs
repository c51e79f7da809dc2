//! A schema as its author means it: references in the letters of a URI, and OpenAPI's `nullable` as
//! one of the types.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Map, Value, json};

use super::{
    encoding::{escape_token, percent_decode, percent_encode},
    node::Types,
    subschemas,
};

const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Where schemas have their names.
const NAMES: [&str; 3] = ["/definitions", "/$defs", "/components/schemas"];

/// The schema itself where there is nothing to change.
pub(super) fn readable_schema(schema: &Arc<Value>) -> Arc<Value> {
    let mut changed = Arc::clone(schema);
    for (at, part) in subschemas::list_subschemas(schema) {
        let Some(keywords) = part.as_object() else { continue };
        for name in REFERENCES {
            let Some(meant) = keywords
                .get(name)
                .and_then(Value::as_str)
                .and_then(|it| intended_reference(schema, it))
            else {
                continue;
            };
            if let Some(part) = Arc::make_mut(&mut changed).pointer_mut(&at) {
                part[name] = meant.into();
            }
        }
        if keywords.get("nullable") == Some(&Value::Bool(true))
            && let Some(part) = Arc::make_mut(&mut changed).pointer_mut(&at)
        {
            allow_null(part);
        }
    }
    changed
}

/// The schema with `#` for empty references, which lead to the same: jsonschema lets everything pass
/// them.
pub(super) fn without_empty_references(schema: &Value) -> Cow<'_, Value> {
    let mut changed = Cow::Borrowed(schema);
    for (at, part) in subschemas::list_subschemas(schema) {
        if part.get("$ref").and_then(Value::as_str) == Some("")
            && let Some(part) = changed.to_mut().pointer_mut(&at)
        {
            part["$ref"] = "#".into();
        }
    }
    changed
}

/// The reference that is meant, where it is not what is written: with letters that no URI has, or a
/// name that is not escaped, or empty.
fn intended_reference(root: &Value, reference: &str) -> Option<String> {
    // As in `without_empty_references`.
    if reference.is_empty() {
        return Some("#".to_owned());
    }
    let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    let written = percent_decode(fragment);
    if address.is_empty() && fragment.starts_with('/') && root.pointer(&written).is_none() {
        for folder in NAMES {
            let Some(name) = fragment.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'))
            else {
                continue;
            };
            let holder = root.pointer(folder)?;
            let known = [name.to_owned(), percent_decode(name)]
                .into_iter()
                .find(|name| holder.get(name).is_some());
            if let Some(name) = known {
                return Some(format!(
                    "#{}",
                    percent_encode(&format!(
                        "{folder}/{}",
                        escape_token(&name).replace('%', "%25")
                    ))
                ));
            }
        }
    }
    let encoded = match reference.split_once('#') {
        Some((address, fragment)) => {
            format!("{}#{}", percent_encode(address), percent_encode(fragment))
        }
        None => percent_encode(reference),
    };
    (encoded != reference).then_some(encoded)
}

/// Lets null be a value of a schema, where its keywords speak of values.
fn allow_null(schema: &mut Value) {
    let Some(keywords) = schema.as_object_mut() else { return };
    match keywords.get_mut("type") {
        Some(Value::String(name)) if !Types::from_name(name).is_empty() && name != "null" => {
            let types = json!([name, "null"]);
            keywords.insert("type".into(), types);
        }
        Some(Value::Array(names)) if !names.contains(&json!("null")) => names.push("null".into()),
        _ => {}
    }
    match keywords.get_mut("enum") {
        Some(Value::Array(values)) if !values.contains(&Value::Null) => values.push(Value::Null),
        _ => {}
    }
    if let Some(constant) = keywords.get("const").filter(|constant| !constant.is_null()).cloned() {
        keywords.shift_remove("const");
        keywords.insert("enum".into(), json!([constant, null]));
    }
    for name in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = keywords.get_mut(name)
            && !branches.iter().any(takes_null)
        {
            branches.push(json!({"type": "null"}));
        }
    }
    if let Some(Value::Array(parts)) = keywords.get_mut("allOf") {
        parts.iter_mut().for_each(allow_null);
    }
    allow_null_beside_reference(keywords);
}

/// A reference cannot be changed, as others may have it too; null is an alternative to it.
fn allow_null_beside_reference(keywords: &mut Map<String, Value>) {
    let Some(reference) = keywords.shift_remove("$ref") else { return };
    let union = json!([{"$ref": reference}, {"type": "null"}]);
    if keywords.contains_key("anyOf") {
        let all = keywords.entry("allOf").or_insert_with(|| json!([]));
        if let Some(all) = all.as_array_mut() {
            all.push(json!({"anyOf": union}));
        }
    } else {
        keywords.insert("anyOf".into(), union);
    }
}

fn takes_null(branch: &Value) -> bool {
    let of_type = branch.get("type").is_some_and(|types| {
        *types == json!("null") || types.as_array().is_some_and(|all| all.contains(&json!("null")))
    });
    of_type
        || branch.get("nullable") == Some(&Value::Bool(true))
        || branch.get("const") == Some(&Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::validate::Checker;

    #[test]
    fn references_lead_to_the_definition_of_that_name() {
        for (name, reference) in [
            ("Foo<Bar>", "#/definitions/Foo<Bar>"),
            ("Foo<Bar>", "#/definitions/Foo%3CBar%3E"),
            ("a b", "#/definitions/a b"),
            ("größe|null", "#/definitions/größe|null"),
            ("50%", "#/definitions/50%"),
            ("Foo%3CBar%3E", "#/definitions/Foo%3CBar%3E"),
            ("Map<import(\"./a/b\").X>", "#/definitions/Map<import(\"./a/b\").X>"),
            ("a/b", "#/definitions/a~1b"),
        ] {
            let schema = Arc::new(
                json!({"definitions": {name: {"type": "integer"}}, "properties": {"a": {"$ref": reference}}}),
            );
            let opened = Checker::compile_lenient(&schema);
            assert_eq!(opened.findings, [], "{reference}");
            let checker = opened.checker.unwrap();
            assert!(
                checker.is_valid(&json!({"a": 1})) && !checker.is_valid(&json!({"a": "x"})),
                "{reference}"
            );
        }
        let whole = json!({"type": "object", "properties": {"a": {"$ref": ""}}});
        let checker = Checker::compile(&whole).unwrap();
        assert!(checker.is_valid(&json!({"a": {"a": {}}})) && !checker.is_valid(&json!({"a": 1})));
        let plain = Arc::new(json!({"definitions": {"a": {}}, "$ref": "#/definitions/a"}));
        assert!(Arc::ptr_eq(&readable_schema(&plain), &plain));
    }

    #[test]
    fn nullable_is_one_of_the_types() {
        let parts = json!({"S": {"type": "string"}});
        for part in [
            json!({"type": "string", "nullable": true}),
            json!({"type": "string", "enum": ["a", "b"], "nullable": true}),
            json!({"const": "a", "nullable": true}),
            json!({"$ref": "#/definitions/S", "nullable": true}),
            json!({"allOf": [{"$ref": "#/definitions/S"}], "nullable": true}),
            json!({"anyOf": [{"$ref": "#/definitions/S"}, {"type": "integer"}], "nullable": true}),
            json!({"oneOf": [{"type": "string", "nullable": true}, {"type": "integer"}], "nullable": true}),
        ] {
            for draft in [
                "http://json-schema.org/draft-04/schema#",
                "https://json-schema.org/draft/2020-12/schema",
            ] {
                let schema =
                    json!({"$schema": draft, "definitions": parts, "properties": {"a": part}});
                if draft.contains("04") && part.get("const").is_some() {
                    continue;
                }
                let checker = Checker::compile_lenient(&Arc::new(schema)).checker.unwrap();
                for (value, valid) in
                    [(json!("a"), true), (json!(null), true), (json!(true), false)]
                {
                    assert_eq!(
                        checker.is_valid(&json!({"a": value})),
                        valid,
                        "{draft} {part} {value}"
                    );
                }
            }
        }
    }
}
