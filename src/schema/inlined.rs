//! A schema with its references replaced by what they lead to.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    encoding::escape_token,
    parts::says_only,
    resolve::Addresses,
    subschemas::{SubschemaShape, held_by},
};

/// The folders of definitions, which nothing needs once no reference is left.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// How many schemas are written out at most, and how many within each other: definitions that use
/// each other grow beyond all bounds.
const MOST: usize = 20_000;
const DEEPEST: usize = 200;

/// The schema without references and what they lead to in its definitions, as far as that ends: a
/// reference within what it leads to stays, and so do one that leads out of the schema and one with
/// constraints beside it; then all definitions stay, too. What is said beside a reference replaces what is said at its
/// target. An `allOf` of one schema is that schema. A schema that would grow beyond 20,000 schemas,
/// or 200 within each other, is given back as it is.
#[must_use]
pub fn inline_references(schema: &Value) -> Value {
    let mut inliner = Inliner {
        root: schema,
        addresses: Addresses::from_schema(schema),
        within: Vec::new(),
        reached: HashSet::new(),
        left: MOST,
        depth: 0,
        leaves_some: false,
    };
    let inlined = inliner.inline(schema, "");
    match (inlined, inliner.left, inliner.leaves_some) {
        (_, 0, _) => schema.clone(),
        (Value::Object(mut members), _, false) => {
            for folder in DEFINITIONS {
                let Some(Value::Object(named)) = members.get_mut(folder) else { continue };
                let at = |name: &str| format!("/{folder}/{}", escape_token(name));
                named.retain(|name, _| !inliner.reached.contains(&at(name)));
                if named.is_empty() {
                    members.shift_remove(folder);
                }
            }
            Value::Object(members)
        }
        (inlined, ..) => inlined,
    }
}

struct Inliner<'s> {
    root: &'s Value,
    addresses: Addresses,
    /// The pointers of the targets that are being written out.
    within: Vec<String>,
    /// The pointers of all targets.
    reached: HashSet<String>,
    left: usize,
    depth: usize,
    /// A reference stays.
    leaves_some: bool,
}

impl Inliner<'_> {
    fn inline(&mut self, schema: &Value, at: &str) -> Value {
        self.left = if self.depth < DEEPEST { self.left.saturating_sub(1) } else { 0 };
        let Some(members) = schema.as_object().filter(|_| self.left > 0) else {
            return schema.clone();
        };
        self.depth += 1;
        let inlined = match self.sole_target(members, at) {
            Some(target) => with_words(target, members),
            None => {
                self.leaves_some |= members.contains_key("$ref");
                self.inline_members(members, at)
            }
        };
        self.depth -= 1;
        inlined
    }

    fn inline_members(&mut self, members: &Map<String, Value>, at: &str) -> Value {
        let inlined = members.iter().map(|(name, member)| {
            let below = format!("{at}/{}", escape_token(name));
            (name.clone(), self.inline_member(name, member, &below))
        });
        Value::Object(inlined.collect())
    }

    fn inline_member(&mut self, name: &str, member: &Value, at: &str) -> Value {
        match (held_by(name), member) {
            _ if DEFINITIONS.contains(&name) => member.clone(),
            (SubschemaShape::Schemas, Value::Array(schemas)) => {
                let each = schemas.iter().enumerate();
                each.map(|(index, schema)| self.inline(schema, &format!("{at}/{index}"))).collect()
            }
            (SubschemaShape::Schemas, schema) => self.inline(schema, at),
            (SubschemaShape::Named, Value::Object(named)) => {
                let each = named.iter().map(|(name, schema)| {
                    let below = format!("{at}/{}", escape_token(name));
                    (name.clone(), self.inline(schema, &below))
                });
                Value::Object(each.collect())
            }
            _ => member.clone(),
        }
    }

    /// What a schema is that does nothing but refer to another.
    fn sole_target(&mut self, members: &Map<String, Value>, at: &str) -> Option<Value> {
        let is_sole = |keyword: &str| members.keys().all(|name| name == keyword || is_beside(name));
        if let Some([only]) = members.get("allOf").and_then(Value::as_array).map(Vec::as_slice)
            && is_sole("allOf")
        {
            return Some(self.inline(only, &format!("{at}/allOf/0")));
        }
        let reference = members.get("$ref").and_then(Value::as_str).filter(|_| is_sole("$ref"))?;
        let target = self.addresses.resolve("$ref", reference, at)?;
        let schema = self.root.pointer(&target).filter(|_| !self.within.contains(&target))?;
        self.within.push(target.clone());
        let inlined = self.inline(schema, &target);
        self.within.pop();
        self.reached.insert(target);
        Some(inlined)
    }
}

/// Whether a keyword beside a reference says nothing of what is valid.
fn is_beside(keyword: &str) -> bool {
    says_only(keyword) || keyword == "$schema" || DEFINITIONS.contains(&keyword)
}

/// A schema with the words that are beside a reference to it: a title, a description.
fn with_words(mut schema: Value, beside: &Map<String, Value>) -> Value {
    if let Value::Object(members) = &mut schema {
        let words = beside.iter().filter(|(name, _)| is_beside(name));
        members.extend(words.map(|(name, value)| (name.clone(), value.clone())));
    }
    schema
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_replaced_by_what_they_lead_to() {
        let color = json!({"title": "Color", "enum": ["red", "blue"]});
        let schema = json!({
            "$defs": {"Color": color, "Pair": {"properties": {"one": {"$ref": "#/$defs/Color"}}}},
            "properties": {
                "color": {"$ref": "#/$defs/Color", "description": "Which"},
                "old": {"allOf": [{"$ref": "#/$defs/Color"}], "default": "red"},
                "pair": {"$ref": "#/$defs/Pair"},
                "some": {"anyOf": [{"$ref": "#/$defs/Color"}, {"type": "null"}]},
                "data": {"default": {"$ref": "#/$defs/Color"}},
            },
        });
        let expected = json!({"properties": {
            "color": {"title": "Color", "enum": ["red", "blue"], "description": "Which"},
            "old": {"title": "Color", "enum": ["red", "blue"], "default": "red"},
            "pair": {"properties": {"one": color}},
            "some": {"anyOf": [color, {"type": "null"}]},
            "data": {"default": {"$ref": "#/$defs/Color"}},
        }});
        assert_eq!(inline_references(&schema), expected);
    }

    #[test]
    fn definitions_that_nothing_leads_to_stay() {
        let schema =
            json!({"items": {"$ref": "#/$defs/a~1b"}, "$defs": {"a/b": {"type": "null"}, "c": {}}});
        let expected = json!({"items": {"type": "null"}, "$defs": {"c": {}}});
        assert_eq!(inline_references(&schema), expected);
    }

    #[test]
    fn what_has_no_end_stays_with_its_definitions() {
        let tree = json!({"properties": {"child": {"$ref": "#/$defs/Tree"}}});
        let schema = json!({"$ref": "#/$defs/Tree", "$defs": {"Tree": tree}});
        let expected = json!({"properties": tree["properties"], "$defs": {"Tree": tree}});
        assert_eq!(inline_references(&schema), expected);

        let below = json!({"$defs": {"Tree": tree}, "properties": {"a": {"$ref": "#/$defs/Tree"}}});
        let expected = json!({"$defs": {"Tree": tree}, "properties": {"a": tree}});
        assert_eq!(inline_references(&below), expected);

        for kept in [
            json!({"items": {"$ref": "https://example.org/a"}, "$defs": {"A": {}}}),
            json!({"items": {"$ref": "#/$defs/A", "minimum": 1}, "$defs": {"A": {}}}),
            json!({"items": {"$ref": "#/$defs/B"}, "$defs": {"A": {}}}),
        ] {
            assert_eq!(inline_references(&kept), kept);
        }
    }

    #[test]
    fn what_would_grow_beyond_all_bounds_stays_as_it_is() {
        let mut definitions = Map::new();
        for level in 0..40 {
            let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
            definitions.insert(format!("L{level}"), json!({"properties": {"a": next, "b": next}}));
        }
        definitions.insert("L40".into(), json!({"type": "string"}));
        let schema = json!({"items": {"$ref": "#/$defs/L0"}, "$defs": definitions});
        assert_eq!(inline_references(&schema), schema);
    }
}
