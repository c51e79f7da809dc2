//! References of schemas in an OpenAPI document, and where they lead.

use serde_json::{Map, Value, json};

use crate::schema::{encoding::percent_decode, pointer::Pointer, subschemas::list_objects};

/// Where an OpenAPI document keeps schemas that others refer to.
pub(super) const SCHEMAS: &str = "#/components/schemas/";

/// A reference that leads nowhere.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DeadReference {
    /// The schema that has it, as a JSON pointer.
    pub at: String,
    pub to: String,
}

/// The place of a schema among those of a document.
#[must_use]
pub(super) fn component(name: &str) -> String {
    format!("{SCHEMAS}{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The schema itself, or a reference to it where it refers to its own parts, which count from the
/// document's root there.
pub(super) fn place_schema(
    mut schema: Value,
    name: &str,
    schemas: &mut Map<String, Value>,
) -> Value {
    if !has_reference(&schema) {
        return schema;
    }
    let place = component(name);
    rewrite_references(&mut schema, &|to| Some(format!("{place}{}", to.strip_prefix('#')?)));
    schemas.insert(name.to_owned(), schema);
    json!({"$ref": place})
}

/// Moves the definitions of a tool's schema to those of the document, for parts of it that refer to
/// them.
pub(super) fn lift_definitions(
    (tool, schema): (&str, &Value),
    parts: &mut [&mut Value],
    schemas: &mut Map<String, Value>,
) {
    let Some(defs) = schema.get("$defs").and_then(Value::as_object) else { return };
    let lifted = |prefix: &str| -> Vec<(String, Value)> {
        let lift = |(name, def): (&String, &Value)| {
            let mut def = def.clone();
            rewrite_references(&mut def, &|to| lifted_reference(to, prefix));
            (format!("{prefix}{name}"), def)
        };
        defs.iter().map(lift).collect()
    };
    let own = format!("{tool}.");
    let is_free =
        lifted("").iter().all(|(name, def)| schemas.get(name).is_none_or(|known| known == def));
    let prefix = if is_free { "" } else { &own };
    for part in parts {
        rewrite_references(part, &|to| lifted_reference(to, prefix));
        if let Value::Object(members) = &mut **part {
            members.shift_remove("$defs");
        }
    }
    schemas.extend(lifted(prefix));
}

fn lifted_reference(to: &str, prefix: &str) -> Option<String> {
    Some(format!("{}{}", component(prefix), to.strip_prefix("#/$defs/")?))
}

fn has_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            let to = members.get("$ref").and_then(Value::as_str);
            to.is_some_and(|to| to.starts_with('#') && !to.starts_with(SCHEMAS))
                || members.values().any(has_reference)
        }
        Value::Array(items) => items.iter().any(has_reference),
        _ => false,
    }
}

/// A value itself, or what it refers to in the document; a reference where that leads nowhere.
#[must_use]
pub(super) fn resolve<'v>(document: &'v Value, value: &'v Value) -> &'v Value {
    let mut value = value;
    for _ in 0..8 {
        let Some(to) = value.get("$ref").and_then(Value::as_str) else { break };
        match referred(document, to) {
            Some(found) => value = found,
            None => break,
        }
    }
    value
}

/// Whether a value refers to nothing, or only to itself.
#[must_use]
pub(super) fn is_dead(document: &Value, value: &Value) -> bool {
    resolve(document, value).get("$ref").is_some_and(Value::is_string)
}

fn referred<'v>(document: &'v Value, to: &str) -> Option<&'v Value> {
    Pointer::parse(&percent_decode(to.strip_prefix('#')?)).ok()?.get(document)
}

/// A schema that needs nothing else of the document: what it refers to is in its `$defs`. What
/// refers to nothing accepts anything.
#[must_use]
pub(super) fn whole_schema(document: &Value, schema: &Value) -> (Value, Vec<DeadReference>) {
    let own = schema.get("$ref").and_then(Value::as_str).map(str::to_owned);
    let mut whole = resolve(document, schema).clone();
    let mut wanted = references(&whole);
    let mut defs = Map::new();
    while let Some(to) = wanted.pop() {
        let Some(name) = schema_name(&to) else { continue };
        let place = component(&name);
        if defs.contains_key(&name) || own.as_ref() == Some(&place) {
            continue;
        }
        let Some(found) = referred(document, &place) else { continue };
        wanted.extend(references(found));
        defs.insert(name, found.clone());
    }
    if let (false, Some(members)) = (defs.is_empty(), whole.as_object_mut()) {
        let known = members.entry("$defs").or_insert_with(|| json!({}));
        if let Some(known) = known.as_object_mut() {
            known.extend(defs);
        }
    }
    let dead = remove_dead(document, &mut whole);
    let place = |to: &str| {
        if let Some(rest) = own.as_deref().and_then(|own| to.strip_prefix(own))
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return Some(format!("#{rest}"));
        }
        Some(format!("#/$defs/{}", to.strip_prefix(SCHEMAS)?))
    };
    rewrite_references(&mut whole, &place);
    (whole, dead)
}

/// Takes the references out that lead to no schema of the document; what is beside them stays.
fn remove_dead(document: &Value, schema: &mut Value) -> Vec<DeadReference> {
    let dead: Vec<DeadReference> = list_objects(schema)
        .into_iter()
        .filter_map(|(at, value)| {
            let to = value.get("$ref")?.as_str()?.to_owned();
            let is_alive = schema_name(&to).is_some() && !is_dead(document, value);
            (!is_alive).then_some(DeadReference { at, to })
        })
        .collect();
    for one in &dead {
        if let Some(Value::Object(members)) = schema.pointer_mut(&one.at) {
            members.remove("$ref");
        }
    }
    dead
}

/// Every reference in a schema.
fn references(schema: &Value) -> Vec<String> {
    let objects = list_objects(schema).into_iter();
    objects.filter_map(|(_, value)| Some(value.get("$ref")?.as_str()?.to_owned())).collect()
}

/// The component that a reference leads into.
fn schema_name(to: &str) -> Option<String> {
    let name = percent_decode(to.strip_prefix(SCHEMAS)?.split('/').next()?);
    Some(name.replace("~1", "/").replace("~0", "~"))
}

/// Puts every reference elsewhere for which there is a place.
fn rewrite_references(schema: &mut Value, to: &impl Fn(&str) -> Option<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(place) = to(reference)
            {
                *reference = place;
            }
            members.values_mut().for_each(|value| rewrite_references(value, to));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| rewrite_references(value, to)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_refers_to_nothing_accepts_anything() {
        let document = json!({"components": {"schemas": {
            "A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"},
            "C": {"type": "string"}, "D": {"$ref": "#/components/schemas/C", "title": "Alias"},
        }}});
        let schema = json!({"type": "object", "properties": {
            "a": {"$ref": "#/components/schemas/Nope", "description": "Gone"},
            "b": {"$ref": "other.yaml#/Foo"}, "c": {"$ref": "#/components/schemas/C"},
            "d": {"$ref": "#/components/schemas/D"}, "e": {"$ref": "#/components/schemas/A"},
        }});
        let (whole, dead) = whole_schema(&document, &schema);
        assert_eq!(
            whole["properties"],
            json!({"a": {"description": "Gone"}, "b": {}, "c": {"$ref": "#/$defs/C"},
                "d": {"$ref": "#/$defs/D"}, "e": {}})
        );
        assert_eq!(whole["$defs"]["D"], json!({"$ref": "#/$defs/C", "title": "Alias"}));
        let at: Vec<&str> = dead.iter().map(|dead| dead.at.as_str()).collect();
        assert!(at.starts_with(&["/properties/a", "/properties/b", "/properties/e"]), "{at:?}");
        assert_eq!(dead[0].to, "#/components/schemas/Nope");
    }

    #[test]
    fn definitions_of_the_same_name_stay_apart() {
        let mut schemas = Map::new();
        let mut place = |tool: &str, kind: &str| {
            let defs = json!({"X": {"type": kind}, "L": {"items": {"$ref": "#/$defs/X"}}});
            let mut part = json!({"schema": {"$ref": "#/$defs/L"}});
            lift_definitions((tool, &json!({"$defs": defs})), &mut [&mut part], &mut schemas);
            part["schema"]["$ref"].as_str().unwrap().to_owned()
        };
        let first = place("a", "string");
        assert_eq!(first, "#/components/schemas/L");
        assert_eq!(place("b", "string"), first);
        assert_eq!(place("c", "integer"), "#/components/schemas/c.L");
        assert_eq!(schemas["c.L"], json!({"items": {"$ref": "#/components/schemas/c.X"}}));
        assert_eq!(schemas.len(), 4);
    }
}
