//! Merging the rules of texts, numbers, objects and lists, and the conditions.

use std::{cmp::Ordering, collections::HashSet, sync::Arc};

use serde_json::{Map, Number, Value};

use super::{
    decimal,
    merge::Merge,
    node::{Bound, Condition, NodeKey, PlaceId},
};

impl Merge<'_> {
    pub(super) fn text_rules(&mut self, keywords: &Map<String, Value>) {
        let rules = &mut self.node.text;
        rules.min = larger_limit(rules.min, parse_count(keywords, "minLength"));
        rules.max = smaller_limit(rules.max, parse_count(keywords, "maxLength"));
        let text = |name: &str| keywords.get(name).and_then(Value::as_str).map(Arc::<str>::from);
        rules.patterns.extend(text("pattern"));
        rules.format = text("format").or(rules.format.take());
        rules.media_type = text("contentMediaType").or(rules.media_type.take());
        rules.encoding = text("contentEncoding").or(rules.encoding.take());
    }

    pub(super) fn number_rules(&mut self, keywords: &Map<String, Value>) {
        let number = |name: &str| match keywords.get(name) {
            Some(Value::Number(number)) => Some(number.clone()),
            _ => None,
        };
        let draft4 = |name: &str| keywords.get(name) == Some(&Value::Bool(true));
        let rules = &mut self.node.number;
        let bounds =
            [("minimum", "exclusiveMinimum", false), ("maximum", "exclusiveMaximum", true)];
        for (inclusive, exclusive, upper) in bounds {
            let own = number(inclusive).map(|at| Bound { at, exclusive: draft4(exclusive) });
            let strict = number(exclusive).map(|at| Bound { at, exclusive: true });
            let slot = if upper { &mut rules.max } else { &mut rules.min };
            for bound in own.into_iter().chain(strict) {
                if slot.as_ref().is_none_or(|known| is_tighter(&bound.at, &known.at, upper)) {
                    *slot = Some(bound);
                }
            }
        }
        rules.multiple_of = number("multipleOf").or(rules.multiple_of.take());
    }

    pub(super) fn object_rules(&mut self, keywords: &Map<String, Value>, place: PlaceId) {
        if let Some(Value::Object(properties)) = keywords.get("properties") {
            let folder = self.schema.child_place(place, "properties");
            for name in properties.keys() {
                let at = self.schema.child_place(folder, name);
                self.node.object.declare_member(name, at);
            }
        }
        if let Some(Value::Array(required)) = keywords.get("required") {
            for name in required.iter().filter_map(Value::as_str) {
                self.node.object.required.insert(name.into());
            }
        }
        let rules = &mut self.node.object;
        rules.min = larger_limit(rules.min, parse_count(keywords, "minProperties"));
        rules.max = smaller_limit(rules.max, parse_count(keywords, "maxProperties"));
    }

    /// Rules for members that are not declared.
    pub(super) fn member_rules(&mut self, keywords: &Map<String, Value>, place: PlaceId) {
        if let Some(Value::Object(patterns)) = keywords.get("patternProperties") {
            let folder = self.schema.child_place(place, "patternProperties");
            for pattern in patterns.keys() {
                self.node
                    .object
                    .patterns
                    .push((pattern.as_str().into(), self.schema.child_place(folder, pattern)));
            }
        }
        for name in ["additionalProperties", "unevaluatedProperties"] {
            match keywords.get(name) {
                Some(Value::Bool(false)) => self.node.object.closed = true,
                Some(Value::Bool(true)) => self.node.object.open = true,
                Some(Value::Object(members)) if members.is_empty() => self.node.object.open = true,
                Some(Value::Object(_)) => {
                    let at = self.schema.child_place(place, name);
                    let rules = &mut self.node.object;
                    rules.additional = rules.additional.with_place(at);
                    let by_pattern = keywords.contains_key("patternProperties");
                    if name == "additionalProperties" && !by_pattern {
                        self.rests.members.push((at, property_names(keywords.get("properties"))));
                    }
                }
                _ => {}
            }
        }
        if keywords.contains_key("propertyNames") {
            self.node.object.names = Some(self.schema.child_place(place, "propertyNames"));
        }
    }

    pub(super) fn list_rules(&mut self, keywords: &Map<String, Value>, place: PlaceId) {
        let rules = &mut self.node.list;
        let tuple = ["prefixItems", "items"]
            .into_iter()
            .find(|name| keywords.get(*name).is_some_and(Value::is_array));
        let own = tuple.and_then(|name| keywords.get(name)?.as_array()).map_or(0, Vec::len);
        if let Some((name, Some(Value::Array(items)))) =
            tuple.map(|name| (name, keywords.get(name)))
        {
            let folder = self.schema.child_place(place, name);
            for index in 0..items.len() {
                let at = self.schema.child_place(folder, &index.to_string());
                match rules.prefix.get_mut(index) {
                    Some(known) => *known = known.with_place(at),
                    None => rules.prefix.push(NodeKey::from_place(at)),
                }
            }
        }
        let rest = if tuple == Some("items") { "additionalItems" } else { "items" };
        for name in [rest, "unevaluatedItems"] {
            match keywords.get(name) {
                Some(Value::Bool(false)) => {
                    rules.closed = true;
                    if name == rest {
                        self.rests.end = smaller_limit(self.rests.end, Some(own as u64));
                    }
                }
                Some(Value::Object(_)) => {
                    let at = self.schema.child_place(place, name);
                    rules.items = rules.items.with_place(at);
                    if name == rest {
                        self.rests.items.push((at, own));
                    }
                }
                _ => {}
            }
        }
        rules.min = larger_limit(rules.min, parse_count(keywords, "minItems"));
        rules.max = smaller_limit(rules.max, parse_count(keywords, "maxItems"));
        rules.unique |= keywords.get("uniqueItems") == Some(&Value::Bool(true));
        if keywords.contains_key("contains") {
            rules.contains = Some(self.schema.child_place(place, "contains"));
        }
    }

    pub(super) fn merge_conditions(&mut self, keywords: &Map<String, Value>, place: PlaceId) {
        let part =
            |name: &str| keywords.contains_key(name).then(|| self.schema.child_place(place, name));
        if let Some(test) = part("if") {
            self.node.conditions.push(Condition {
                test,
                then: part("then"),
                otherwise: part("else"),
            });
        }
        for name in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let Some(Value::Object(dependents)) = keywords.get(name) else { continue };
            let folder = self.schema.child_place(place, name);
            for (member, what) in dependents {
                if let Value::Array(others) = what {
                    let others = others.iter().filter_map(Value::as_str).map(Arc::from).collect();
                    self.node.object.dependent_required.push((member.as_str().into(), others));
                } else {
                    let at = self.schema.child_place(folder, member);
                    self.node.object.dependent_schemas.push((member.as_str().into(), at));
                }
            }
        }
    }

    /// What is said about members and items that one place does not declare holds for those that
    /// another one does.
    pub(super) fn spread_rests(&mut self) {
        let rests = std::mem::take(&mut self.rests);
        for (at, own) in &rests.members {
            for property in &mut self.node.object.properties {
                if !own.contains(&*property.name) {
                    property.node = property.node.with_place(*at);
                }
            }
        }
        let prefix = &mut self.node.list.prefix;
        for (at, own) in &rests.items {
            for item in prefix.iter_mut().skip(*own) {
                *item = item.with_place(*at);
            }
        }
        if let Some(end) = rests.end {
            prefix.truncate(usize::try_from(end).unwrap_or(usize::MAX));
        }
    }
}

fn property_names(properties: Option<&Value>) -> HashSet<Box<str>> {
    properties
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str().into())
        .collect()
}

fn parse_count(keywords: &Map<String, Value>, name: &str) -> Option<u64> {
    let number = keywords.get(name)?;
    number
        .as_u64()
        .or_else(|| number.as_f64().filter(|float| *float >= 0.0).map(|float| float as u64))
}

fn larger_limit(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.max(other)
}

fn smaller_limit(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    }
}

fn is_tighter(bound: &Number, known: &Number, upper: bool) -> bool {
    match decimal::compare(bound, known) {
        Some(Ordering::Less) => upper,
        Some(Ordering::Greater) => !upper,
        Some(Ordering::Equal) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tree::Schema;

    #[test]
    fn what_one_part_says_of_the_rest_holds_for_what_another_declares() {
        let schema = Schema::new(json!({"allOf": [
            {"properties": {"a": {"type": "string"}}, "prefixItems": [{"minimum": 1}, {"minimum": 2}, {}]},
            {"properties": {"b": {}}, "additionalProperties": {"minLength": 3}},
            {"prefixItems": [{}], "items": {"maximum": 9}},
            {"prefixItems": [{}, {}], "items": false},
        ]}));
        let node = schema.root_node();
        let member = |name: &str| schema.node(&node.object.property(name).unwrap().node);
        assert_eq!((member("a").text.min, member("b").text.min), (Some(3), None));
        let item = |index: usize| schema.node(node.list.item_key(index));
        assert_eq!(node.list.prefix.len(), 2);
        assert!(
            item(0).number.max.is_none()
                && item(1).number.max.is_some()
                && item(1).number.min.is_some()
        );
        assert_eq!(node.list.max_items(), 2);
    }

    #[test]
    fn the_tighter_bound_counts_in_every_draft() {
        let node = Schema::new(
            json!({"minimum": 3, "exclusiveMinimum": 3, "maximum": 9, "exclusiveMaximum": true}),
        )
        .root_node();
        let (min, max) = (node.number.min.clone().unwrap(), node.number.max.clone().unwrap());
        assert!(!min.exclusive && max.exclusive);
    }
}
