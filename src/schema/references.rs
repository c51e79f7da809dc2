//! The references of a schema that do not stay within it, or lead nowhere in it.

use serde_json::Value;

use super::{pointer::Pointer, resolve::Addresses, subschemas::list_objects};

/// Where a reference leads that does not lead to a part of its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StrayReference {
    /// Out of the schema: it does not begin with `#`.
    Outside,
    /// To a pointer or an anchor that is not there.
    Nowhere,
}

/// Each `$ref` that leads astray, by its place. What is in `const`, `enum`, `default` and
/// `examples` is data.
#[must_use]
pub(crate) fn stray_references(schema: &Value) -> Vec<(Pointer, StrayReference)> {
    let mut addresses = None;
    let mut found = Vec::new();
    for (at, object) in list_objects(schema) {
        let Some(reference) = object.get("$ref").and_then(Value::as_str) else { continue };
        let addresses = addresses.get_or_insert_with(|| Addresses::from_schema(schema));
        let leads = || {
            addresses
                .resolve("$ref", reference, &at)
                .is_some_and(|target| schema.pointer(&target).is_some())
        };
        let astray = match reference.starts_with('#') {
            false => StrayReference::Outside,
            true if leads() => continue,
            true => StrayReference::Nowhere,
        };
        found.extend(Pointer::parse(&at).ok().map(|at| (at.child("$ref"), astray)));
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_told_by_where_they_lead() {
        let schema = json!({
            "properties": {
                "a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/none"}, "c": {"$ref": "other.json"}, "d": {"$ref": "#"},
                "e": {"$ref": "#here"}, "f": {"$ref": "#gone"}, "default": {"$ref": "https://e.x/a"}, "g": {"$ref": 5},
                "h": {"$ref": "#/properties/a%2Fb"},
                "a/b": {"default": {"$ref": "x"}, "const": {"$ref": "x"}, "enum": [{"$ref": "x"}], "examples": [{"$ref": "x"}]},
            },
            "$defs": {"A": {"$anchor": "here"}},
        });
        let found: Vec<String> = stray_references(&schema)
            .into_iter()
            .map(|(at, astray)| format!("{at} {astray:?}"))
            .collect();
        assert_eq!(
            found,
            [
                "/properties/b/$ref Nowhere",
                "/properties/c/$ref Outside",
                "/properties/f/$ref Nowhere",
                "/properties/default/$ref Outside",
                "/properties/h/$ref Nowhere",
            ]
        );
    }

    #[test]
    fn a_pointer_is_relative_to_the_schema_that_has_an_id() {
        let inner =
            json!({"$id": "https://e.x/inner", "$defs": {"A": {}}, "items": {"$ref": "#/$defs/A"}});
        assert_eq!(stray_references(&json!({"properties": {"a": inner}})), []);
        assert_eq!(
            stray_references(
                &json!({"$id": "https://e.x/root", "$ref": "#/$defs/A", "$defs": {"A": true}})
            ),
            []
        );
    }
}
