//! What in a schema names one of its properties or definitions, so that it can follow when that gets
//! another name or goes.

use std::cmp::Reverse;

use serde_json::Value;

use super::{
    encoding::{escape_token, percent_decode, percent_encode},
    pointer::Pointer,
};

/// A place that names a member of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mention {
    /// An item of a list of names.
    Item(Pointer),
    /// A member that is called the same.
    Key(Pointer),
    /// A reference to it or into it.
    Reference { at: Pointer, reference: Reference },
}

/// A reference around the name that it has in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    ahead: String,
    behind: String,
}

impl Reference {
    /// The same reference to another name.
    #[must_use]
    pub fn with_name(&self, name: &str) -> String {
        let token = percent_encode(&escape_token(name).replace('%', "%25"));
        format!("{}{token}{}", self.ahead, self.behind)
    }
}

/// Where a mention is, seen from a schema that is valid for the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// In the schema that has the property.
    Own,
    /// In the parts of it that hold for the same value, too: `allOf`, `if`, `then`.
    Parts,
}

/// Keywords whose schemas hold for the same value; of the latter each has several.
const PARTS: [&str; 4] = ["if", "then", "else", "not"];
const LISTS_OF_PARTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// So deep parts lie within parts.
const DEEPEST: usize = 8;

/// Each place that names the member at `member`, where that is a property or a definition.
#[must_use]
pub(crate) fn find_mentions(value: &Value, member: &Pointer, reach: Reach) -> Vec<Mention> {
    let Some((map, name)) = member.parent().zip(member.last()) else { return Vec::new() };
    let mut found = Vec::new();
    match map.last() {
        Some("properties") => {
            let schema = map.parent().unwrap_or_default();
            name_in_schema(value, &schema, name, &mut found);
            if reach == Reach::Parts {
                name_in_parts(value, &schema, name, 0, &mut found);
            }
        }
        Some("$defs" | "definitions") => {}
        _ => return found,
    }
    let mut texts = Vec::new();
    collect_references(value, &Pointer::root(), &mut texts);
    found.extend(texts.into_iter().filter_map(|(at, text)| {
        let reference = reference_to(value, &at, text, member)?;
        Some(Mention::Reference { at, reference })
    }));
    // A member that gets another name moves what is in it: such come last, and the deepest first.
    found.sort_by_key(|mention| match mention {
        Mention::Item(_) | Mention::Reference { .. } => (false, Reverse(0)),
        Mention::Key(at) => (true, Reverse(at.tokens().len())),
    });
    found
}

/// What names a property in its own schema.
fn name_in_schema(value: &Value, schema: &Pointer, name: &str, found: &mut Vec<Mention>) {
    names_in_list(value, &schema.child("required"), name, found);
    for keyword in ["dependentRequired", "dependencies", "dependentSchemas"] {
        let map = schema.child(keyword);
        let Some(members) = map.get(value).and_then(Value::as_object) else { continue };
        for key in members.keys() {
            names_in_list(value, &map.child(key), name, found);
        }
        if members.contains_key(name) {
            found.push(Mention::Key(map.child(name)));
        }
    }
}

fn names_in_list(value: &Value, list: &Pointer, name: &str, found: &mut Vec<Mention>) {
    let items = list.get(value).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    // From the end, so that one that goes moves no other that is named here.
    let named = items.iter().enumerate().rev().filter(|(_, item)| item.as_str() == Some(name));
    found.extend(named.map(|(row, _)| Mention::Item(list.item(row))));
}

fn name_in_parts(
    value: &Value,
    schema: &Pointer,
    name: &str,
    depth: usize,
    found: &mut Vec<Mention>,
) {
    if depth > DEEPEST {
        return;
    }
    let single = PARTS.iter().map(|keyword| schema.child(*keyword));
    let lists = LISTS_OF_PARTS.iter().flat_map(|keyword| {
        let list = schema.child(*keyword);
        let count = list.get(value).and_then(Value::as_array).map_or(0, Vec::len);
        (0..count).map(move |row| list.item(row))
    });
    let dependents = schema.child("dependentSchemas");
    let keys = dependents.get(value).and_then(Value::as_object).into_iter().flatten();
    let dependents = keys.map(|(key, _)| dependents.child(key));
    for part in single.chain(lists).chain(dependents) {
        name_in_schema(value, &part, name, found);
        let property = part.child("properties").child(name);
        if property.get(value).is_some() {
            found.push(Mention::Key(property));
        }
        name_in_parts(value, &part, name, depth + 1, found);
    }
}

/// Every text that refers to a place of the schema that it is in.
fn collect_references<'v>(value: &'v Value, at: &Pointer, found: &mut Vec<(Pointer, &'v str)>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(text) if text.starts_with("#/") && is_reference(at, key) => {
                        found.push((at.child(key), text));
                    }
                    _ => collect_references(value, &at.child(key), found),
                }
            }
        }
        Value::Array(items) => {
            for (row, item) in items.iter().enumerate() {
                collect_references(item, &at.item(row), found);
            }
        }
        _ => {}
    }
}

fn is_reference(object: &Pointer, key: &str) -> bool {
    let is_mapping = || matches!(object.tokens(), [.., above, map] if above == "discriminator" && map == "mapping");
    matches!(key, "$ref" | "$dynamicRef") || is_mapping()
}

/// The reference, where it leads to a member or into it. It is relative to the outermost schema
/// around it in which it leads anywhere.
fn reference_to(value: &Value, at: &Pointer, text: &str, member: &Pointer) -> Option<Reference> {
    let path = Pointer::parse(&percent_decode(text.strip_prefix('#')?)).ok()?;
    let roots = (0..at.tokens().len()).map(|depth| at.tokens()[..depth].iter().cloned().collect());
    let root = roots.into_iter().find(|root: &Pointer| root.join(&path).get(value).is_some())?;
    // What is referred to within the member alone moves with it.
    if !root.join(&path).starts_with(member) || root.starts_with(member) {
        return None;
    }
    // Before the name: the `#` and the tokens from the root on, each with its `/`.
    let named = member.tokens().len() - root.tokens().len();
    let mut pieces: Vec<&str> = text.split('/').collect();
    let behind = pieces.split_off(named + 1);
    pieces.pop();
    let behind = behind.iter().map(|piece| format!("/{piece}")).collect();
    Some(Reference { ahead: format!("{}/", pieces.join("/")), behind })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn mentions(value: &Value, member: &str, reach: Reach) -> Vec<String> {
        let found = find_mentions(value, &Pointer::parse(member).unwrap(), reach);
        let words = |mention: Mention| match mention {
            Mention::Item(at) => format!("item {at}"),
            Mention::Key(at) => format!("key {at}"),
            Mention::Reference { at, reference } => format!("{at} {}", reference.with_name("n/%")),
        };
        found.into_iter().map(words).collect()
    }

    #[test]
    fn properties_are_named_by_what_requires_them() {
        let tool = json!({"parameters": {
            "properties": {"a": {}, "b": {"properties": {"a": {}}, "required": ["a"]}},
            "required": ["b", "a"],
            "dependentRequired": {"a": ["b"], "b": ["a"]},
            "if": {"properties": {"a": {"const": 1}}, "required": ["a"]},
            "allOf": [{"then": {"required": ["a"]}}],
        }});
        assert_eq!(
            mentions(&tool, "/parameters/properties/a", Reach::Own),
            [
                "item /parameters/required/1",
                "item /parameters/dependentRequired/b/0",
                "key /parameters/dependentRequired/a",
            ]
        );
        assert_eq!(
            mentions(&tool, "/parameters/properties/a", Reach::Parts)[2..],
            [
                "item /parameters/if/required/0",
                "item /parameters/allOf/0/then/required/0",
                "key /parameters/if/properties/a",
                "key /parameters/dependentRequired/a",
            ]
        );
        assert_eq!(
            mentions(&tool, "/parameters/properties/b/properties/a", Reach::Parts),
            ["item /parameters/properties/b/required/0"]
        );
        assert_eq!(mentions(&tool, "/parameters/required/1", Reach::Parts), [""; 0]);
        // What is within another one that gets the name comes before that one.
        let nested = json!({"properties": {"a": {}},
            "dependentSchemas": {"a": {"properties": {"a": {"minLength": 4}}, "required": ["a"]}}});
        assert_eq!(
            mentions(&nested, "/properties/a", Reach::Parts),
            [
                "item /dependentSchemas/a/required/0",
                "key /dependentSchemas/a/properties/a",
                "key /dependentSchemas/a",
            ]
        );
    }

    #[test]
    fn what_a_member_refers_to_within_itself_is_not_named_by_it() {
        let inner = json!({"$defs": {"x": {}}, "properties": {"a": {"$ref": "#/$defs/x"}}});
        for card in
            [inner.clone(), json!({"items": inner}), json!({"properties": {"inner": inner}})]
        {
            let tool = json!({"parameters": {"properties": {"card": card}}});
            assert_eq!(mentions(&tool, "/parameters/properties/card", Reach::Parts), [""; 0]);
        }
    }

    #[test]
    fn definitions_are_named_by_references_to_them_and_into_them() {
        let tool = json!({"parameters": {
            "properties": {
                "card": {"$ref": "#/$defs/card"},
                "number": {"$ref": "#/$defs/card/properties/a~1b"},
                "other": {"$ref": "#/$defs/cards"},
                "$ref": {"const": "#/$defs/card"},
            },
            "discriminator": {"mapping": {"c": "#/$defs/card"}},
            "$defs": {"card": {"properties": {"a/b": {}, "next": {"$ref": "#/$defs/card"}}}, "cards": {}},
        }});
        assert_eq!(
            mentions(&tool, "/parameters/$defs/card", Reach::Own),
            [
                "/parameters/properties/card/$ref #/$defs/n~1%25",
                "/parameters/properties/number/$ref #/$defs/n~1%25/properties/a~1b",
                "/parameters/discriminator/mapping/c #/$defs/n~1%25",
                "/parameters/$defs/card/properties/next/$ref #/$defs/n~1%25",
            ]
        );
        assert_eq!(
            mentions(&tool, "/parameters/$defs/card/properties/a~1b", Reach::Own),
            ["/parameters/properties/number/$ref #/$defs/card/properties/n~1%25"]
        );
    }
}
