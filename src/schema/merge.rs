//! Merging all that applies to one value into one node.

use std::sync::Arc;

use serde_json::{Map, Number, Value};

use super::{
    node::{Bound, Choice, Choices, Condition, Node, NodeKey, PlaceId, Types, Union},
    tree::Schema,
};

impl Schema {
    /// The node for the whole value.
    #[must_use]
    pub fn root_node(&self) -> Arc<Node> {
        self.node(&NodeKey::of(self.place(String::new())))
    }

    /// The node for all that applies by `key`.
    #[must_use]
    pub fn node(&self, key: &NodeKey) -> Arc<Node> {
        self.known_node(key).unwrap_or_else(|| Arc::new(Node::new(key.clone())))
    }

    /// The same; `None` while that very node is being made, which is so when a union has itself as a branch.
    pub(super) fn known_node(&self, key: &NodeKey) -> Option<Arc<Node>> {
        if let Some(node) = self.nodes.borrow().get(key) {
            return Some(Arc::clone(node));
        }
        if !self.building.borrow_mut().insert(key.clone()) {
            return None;
        }
        let node = Arc::new(merged(self, key));
        self.building.borrow_mut().remove(key);
        self.nodes.borrow_mut().insert(key.clone(), Arc::clone(&node));
        Some(node)
    }
}

/// The node of `key`: each place with what it refers to, the later ones over the earlier.
fn merged(schema: &Schema, key: &NodeKey) -> Node {
    let mut merge = Merge { schema, node: Node::new(key.clone()), seen: Vec::new() };
    for place in &key.places {
        merge.lay(*place);
    }
    merge.finish()
}

struct Merge<'s> {
    schema: &'s Schema,
    node: Node,
    /// Places already laid: a reference that comes back to one of them says nothing new.
    seen: Vec<PlaceId>,
}

impl Merge<'_> {
    fn lay(&mut self, place: PlaceId) {
        if self.seen.contains(&place) {
            return;
        }
        self.seen.push(place);
        match self.schema.at(place) {
            Some(Value::Bool(false)) => self.node.never = true,
            Some(Value::Object(keywords)) => self.lay_keywords(keywords, place),
            _ => {}
        }
    }

    /// What a schema refers to comes first, so that its own words win.
    fn lay_keywords(&mut self, keywords: &Map<String, Value>, place: PlaceId) {
        let mut refers = false;
        for name in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(reference) = keywords.get(name).and_then(Value::as_str) else { continue };
            refers = true;
            match self.schema.target(reference, place) {
                Some(target) => self.lay(target),
                None => self.node.unresolved.push(reference.into()),
            }
        }
        if refers && !self.schema.draft().counts_siblings_of_ref() {
            self.annotations(keywords);
            return;
        }
        if let Some(Value::Array(all)) = keywords.get("allOf") {
            let list = self.schema.below(place, "allOf");
            for index in 0..all.len() {
                self.lay(self.schema.below(list, &index.to_string()));
            }
        }
        for name in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = keywords.get(name) {
                let tag = keywords.get("discriminator").and_then(|it| it.get("propertyName")).and_then(Value::as_str);
                self.union(self.schema.below(place, name), branches.len(), tag);
            }
        }
        self.annotations(keywords);
        self.values(keywords);
        self.text_rules(keywords);
        self.number_rules(keywords);
        self.object_rules(keywords, place);
        self.member_rules(keywords, place);
        self.list_rules(keywords, place);
        self.conditions(keywords, place);
    }

    fn annotations(&mut self, keywords: &Map<String, Value>) {
        let text = |name: &str| keywords.get(name).and_then(Value::as_str).map(Arc::<str>::from);
        let flag = |name: &str| keywords.get(name) == Some(&Value::Bool(true));
        let node = &mut self.node;
        node.title = text("title").or(node.title.take());
        node.description = text("description").or(node.description.take());
        node.default = keywords.get("default").cloned().or(node.default.take());
        match keywords.get("examples").or_else(|| keywords.get("example")) {
            Some(Value::Array(examples)) => node.examples.clone_from(examples),
            Some(example) => node.examples = vec![example.clone()],
            None => {}
        }
        node.read_only |= flag("readOnly");
        node.write_only |= flag("writeOnly");
        node.deprecated |= flag("deprecated");
    }

    fn values(&mut self, keywords: &Map<String, Value>) {
        let types = match keywords.get("type") {
            Some(Value::String(name)) => Types::named(name),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(Types::named).fold(Types::NONE, Types::or),
            _ => Types::NONE,
        };
        if !types.is_empty() {
            self.node.types = self.node.types.and(types);
            self.node.typed = true;
        }
        if let Some(constant) = keywords.get("const") {
            self.node.constant = Some(constant.clone());
        }
        if let Some(Value::Array(values)) = keywords.get("enum") {
            let titles = keywords.get("enumNames").or_else(|| keywords.get("x-enum-varnames")).and_then(Value::as_array);
            let title = |index: usize| titles.and_then(|titles: &Vec<Value>| titles.get(index)?.as_str()).map(Arc::from);
            let options = values.iter().enumerate();
            let options = options.map(|(index, value)| Choice { value: value.clone(), title: title(index), help: None });
            self.choose(options.collect(), Openness::Closed);
        }
    }

    /// Narrows what may be chosen to these.
    fn choose(&mut self, mut options: Vec<Choice>, openness: Openness) {
        let open = openness == Openness::Open;
        if !open && options.iter().any(|option| option.value.is_null()) {
            options.retain(|option| !option.value.is_null());
            self.node.nullable = true;
        }
        let choices = match self.node.choices.as_deref() {
            None => Choices { options, open },
            Some(known) if known.open && !open => Choices { options, open },
            Some(known) if open => known.clone(),
            Some(known) => {
                let mut known = known.clone();
                known.options.retain(|option| options.iter().any(|other| other.value == option.value));
                known
            }
        };
        self.node.choices = Some(Arc::new(choices));
    }

    fn text_rules(&mut self, keywords: &Map<String, Value>) {
        let rules = &mut self.node.text;
        rules.min = larger(rules.min, count(keywords, "minLength"));
        rules.max = smaller(rules.max, count(keywords, "maxLength"));
        let text = |name: &str| keywords.get(name).and_then(Value::as_str).map(Arc::<str>::from);
        rules.patterns.extend(text("pattern"));
        rules.format = text("format").or(rules.format.take());
        rules.media_type = text("contentMediaType").or(rules.media_type.take());
        rules.encoding = text("contentEncoding").or(rules.encoding.take());
    }

    fn number_rules(&mut self, keywords: &Map<String, Value>) {
        let number = |name: &str| match keywords.get(name) {
            Some(Value::Number(number)) => Some(number.clone()),
            _ => None,
        };
        let draft4 = |name: &str| keywords.get(name) == Some(&Value::Bool(true));
        let rules = &mut self.node.number;
        let bounds = [("minimum", "exclusiveMinimum", false), ("maximum", "exclusiveMaximum", true)];
        for (inclusive, exclusive, upper) in bounds {
            let own = number(inclusive).map(|at| Bound { at, exclusive: draft4(exclusive) });
            let strict = number(exclusive).map(|at| Bound { at, exclusive: true });
            let slot = if upper { &mut rules.max } else { &mut rules.min };
            for bound in own.into_iter().chain(strict) {
                if slot.as_ref().is_none_or(|known| tighter(&bound.at, &known.at, upper)) {
                    *slot = Some(bound);
                }
            }
        }
        rules.multiple_of = number("multipleOf").or(rules.multiple_of.take());
    }

    fn object_rules(&mut self, keywords: &Map<String, Value>, place: PlaceId) {
        if let Some(Value::Object(properties)) = keywords.get("properties") {
            let folder = self.schema.below(place, "properties");
            for name in properties.keys() {
                let at = self.schema.below(folder, name);
                self.node.object.declare(name, at);
            }
        }
        if let Some(Value::Array(required)) = keywords.get("required") {
            for name in required.iter().filter_map(Value::as_str) {
                self.node.object.required.insert(name.into());
            }
        }
        let rules = &mut self.node.object;
        rules.min = larger(rules.min, count(keywords, "minProperties"));
        rules.max = smaller(rules.max, count(keywords, "maxProperties"));
    }

    /// Rules for members that are not declared.
    fn member_rules(&mut self, keywords: &Map<String, Value>, place: PlaceId) {
        if let Some(Value::Object(patterns)) = keywords.get("patternProperties") {
            let folder = self.schema.below(place, "patternProperties");
            for pattern in patterns.keys() {
                self.node.object.patterns.push((pattern.as_str().into(), self.schema.below(folder, pattern)));
            }
        }
        for name in ["additionalProperties", "unevaluatedProperties"] {
            match keywords.get(name) {
                Some(Value::Bool(false)) => self.node.object.closed = true,
                Some(Value::Bool(true)) => self.node.object.open = true,
                Some(Value::Object(members)) if members.is_empty() => self.node.object.open = true,
                Some(Value::Object(_)) => {
                    let rules = &mut self.node.object;
                    rules.additional = rules.additional.and(self.schema.below(place, name));
                }
                _ => {}
            }
        }
        if keywords.contains_key("propertyNames") {
            self.node.object.names = Some(self.schema.below(place, "propertyNames"));
        }
    }

    fn list_rules(&mut self, keywords: &Map<String, Value>, place: PlaceId) {
        let rules = &mut self.node.list;
        let tuple = ["prefixItems", "items"].into_iter().find(|name| keywords.get(*name).is_some_and(Value::is_array));
        if let Some((name, Some(Value::Array(items)))) = tuple.map(|name| (name, keywords.get(name))) {
            let folder = self.schema.below(place, name);
            for index in 0..items.len() {
                let at = self.schema.below(folder, &index.to_string());
                match rules.prefix.get_mut(index) {
                    Some(known) => *known = known.and(at),
                    None => rules.prefix.push(NodeKey::of(at)),
                }
            }
        }
        let rest = if tuple == Some("items") { "additionalItems" } else { "items" };
        for name in [rest, "unevaluatedItems"] {
            match keywords.get(name) {
                Some(Value::Bool(false)) => rules.closed = true,
                Some(Value::Object(_)) => rules.items = rules.items.and(self.schema.below(place, name)),
                _ => {}
            }
        }
        rules.min = larger(rules.min, count(keywords, "minItems"));
        rules.max = smaller(rules.max, count(keywords, "maxItems"));
        rules.unique |= keywords.get("uniqueItems") == Some(&Value::Bool(true));
        if keywords.contains_key("contains") {
            rules.contains = Some(self.schema.below(place, "contains"));
        }
    }

    fn conditions(&mut self, keywords: &Map<String, Value>, place: PlaceId) {
        let part = |name: &str| keywords.contains_key(name).then(|| self.schema.below(place, name));
        if let Some(test) = part("if") {
            self.node.conditions.push(Condition { test, then: part("then"), otherwise: part("else") });
        }
        for name in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let Some(Value::Object(dependents)) = keywords.get(name) else { continue };
            let folder = self.schema.below(place, name);
            for (member, what) in dependents {
                if let Value::Array(others) = what {
                    let others = others.iter().filter_map(Value::as_str).map(Arc::from).collect();
                    self.node.object.dependent_required.push((member.as_str().into(), others));
                } else {
                    let at = self.schema.below(folder, member);
                    self.node.object.dependent_schemas.push((member.as_str().into(), at));
                }
            }
        }
    }

    /// Takes out of a union what is no choice of shape: null, single branches, constants, mere rules.
    fn union(&mut self, place: PlaceId, length: usize, tag: Option<&str>) {
        if self.node.key.settled.contains(&place) {
            return;
        }
        let mut branches = Vec::new();
        for index in 0..length {
            let branch = self.schema.below(place, &index.to_string());
            match self.schema.known_node(&NodeKey::of(branch)) {
                Some(node) if node.never => {}
                Some(node) if node.is_null() => self.node.nullable = true,
                node => branches.push((branch, node)),
            }
        }
        match branches.as_slice() {
            [] if self.node.nullable => {
                self.node.types = self.node.types.and(Types::NULL);
                self.node.typed = true;
            }
            [] => {}
            [(only, _)] => self.lay(*only),
            several => {
                let nodes = several.iter().map(|(_, node)| node.as_deref());
                let Some(nodes) = nodes.collect::<Option<Vec<_>>>() else {
                    self.add_union(place, several, tag.map(Arc::from));
                    return;
                };
                if let Some((options, openness)) = titled_constants(&nodes) {
                    self.choose(options, openness);
                } else if !nodes.iter().all(|node| node.is_bare()) {
                    let tag = tag.map(Arc::from).or_else(|| self.common_tag(&nodes));
                    self.add_union(place, several, tag);
                }
            }
        }
    }

    fn add_union(&mut self, place: PlaceId, branches: &[(PlaceId, Option<Arc<Node>>)], tag: Option<Arc<str>>) {
        self.node.unions.push(Union { place, branches: branches.iter().map(|(branch, _)| *branch).collect(), tag });
    }

    /// The member that is a constant in each branch.
    fn common_tag(&self, branches: &[&Node]) -> Option<Arc<str>> {
        let constant = |node: &Node, name: &str| {
            let property = node.object.property(name)?;
            self.schema.known_node(&property.node)?.constant.clone()
        };
        let (first, _) = branches.split_first()?;
        let names = first.object.properties.iter().map(|property| &property.name);
        names.into_iter().find(|name| branches.iter().all(|branch| constant(branch, name).is_some())).cloned()
    }

    fn finish(mut self) -> Node {
        let node = &mut self.node;
        if let Some(choices) = node.choices.clone() {
            let typed = node.typed;
            let mut choices = (*choices).clone();
            choices.options.retain(|option| !typed || node.types.admits(&option.value));
            let both = [true, false].iter().all(|flag| choices.options.iter().any(|it| it.value == Value::Bool(*flag)));
            if !choices.open && choices.options.len() == 1 && node.constant.is_none() {
                node.constant = choices.options.first().map(|option| option.value.clone());
            } else if !(both && choices.options.len() == 2) {
                node.choices = Some(Arc::new(choices));
            } else {
                node.choices = None;
                node.types = node.types.and(Types::BOOLEAN.or(Types::NULL));
                node.typed = true;
            }
        }
        if node.nullable {
            node.types = node.types.or(Types::NULL);
        } else {
            node.nullable = node.typed && node.types.contains(Types::NULL) && node.types != Types::NULL;
        }
        let several = node.shown_types().each().count() > 1;
        let decided = node.constant.is_some() || node.choices.is_some() || !node.unions.is_empty() || node.never;
        if several && !decided {
            let (place, branches) = self.schema.type_union(node.shown_types());
            node.unions.push(Union { place, branches, tag: None });
        }
        self.node
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Openness {
    Open,
    Closed,
}

/// The choices that branches come to when each is a value, a list of values, or any text.
fn titled_constants(branches: &[&Node]) -> Option<(Vec<Choice>, Openness)> {
    let mut options = Vec::new();
    let mut openness = Openness::Closed;
    for node in branches {
        if !node.unions.is_empty() || !node.conditions.is_empty() {
            return None;
        }
        if let Some(constant) = &node.constant {
            options.push(Choice { value: constant.clone(), title: node.title.clone(), help: node.description.clone() });
        } else if let Some(choices) = &node.choices {
            options.extend(choices.options.iter().cloned());
            openness = if choices.open { Openness::Open } else { openness };
        } else if node.typed && node.types == Types::TEXT {
            openness = Openness::Open;
        } else {
            return None;
        }
    }
    let texts = options.iter().all(|option| option.value.is_string());
    (!options.is_empty() && (openness == Openness::Closed || texts)).then_some((options, openness))
}

fn count(keywords: &Map<String, Value>, name: &str) -> Option<u64> {
    let number = keywords.get(name)?;
    number.as_u64().or_else(|| number.as_f64().filter(|float| *float >= 0.0).map(|float| float as u64))
}

fn larger(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.max(other)
}

fn smaller(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    }
}

fn tighter(bound: &Number, known: &Number, upper: bool) -> bool {
    match (bound.as_f64(), known.as_f64()) {
        (Some(bound), Some(known)) => (bound < known) == upper && bound != known,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn root(schema: Value) -> Arc<Node> {
        Schema::new(schema).root_node()
    }

    #[test]
    fn siblings_of_a_reference_win() {
        let schema = json!({"$defs": {"q": {"title": "Query", "default": 1, "type": "integer", "minimum": 2}},
            "properties": {"a": {"$ref": "#/$defs/q", "title": "Mine", "minimum": 1}}});
        let schema = Schema::new(schema);
        let node = schema.node(&schema.root_node().object.properties[0].node);
        assert_eq!(node.title.as_deref(), Some("Mine"));
        assert_eq!(node.default, Some(json!(1)));
        assert_eq!(node.number.min.as_ref().map(|bound| bound.at.as_f64()), Some(Some(2.0)), "the tighter bound counts");
        assert_eq!(node.types, Types::INTEGER);
    }

    #[test]
    fn before_2019_only_the_words_beside_a_reference_count() {
        let node = root(json!({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"q": {"type": "string"}},
            "$ref": "#/definitions/q", "title": "Mine", "type": "integer"}));
        assert_eq!((node.title.as_deref(), node.types), (Some("Mine"), Types::TEXT));
    }

    #[test]
    fn null_is_taken_out_of_unions() {
        let node = root(json!({"anyOf": [{"type": "string", "title": "Inner"}, {"type": "null"}], "title": "Outer"}));
        assert!(node.nullable && node.unions.is_empty());
        assert_eq!((node.shown_types(), node.title.as_deref()), (Types::TEXT, Some("Outer")));
        let node = root(json!({"type": ["integer", "null"]}));
        assert!(node.nullable && node.unions.is_empty());
        let node = root(json!({"enum": ["a", "b", null]}));
        assert_eq!((node.nullable, node.choices.as_ref().map(|choices| choices.options.len())), (true, Some(2)));
    }

    #[test]
    fn constants_become_a_choice_and_text_beside_them_opens_it() {
        let node = root(json!({"oneOf": [{"const": 1, "title": "One"}, {"const": 2, "title": "Two"}]}));
        assert_eq!(node.choices.as_ref().map(|choices| (choices.options.len(), choices.open)), Some((2, false)));
        let node = root(json!({"anyOf": [{"enum": ["a", "b"]}, {"type": "string"}]}));
        assert_eq!(node.choices.as_ref().map(|choices| (choices.options.len(), choices.open)), Some((2, true)));
    }

    #[test]
    fn unions_of_shapes_stay_and_know_their_tag() {
        let branch = |name: &str| json!({"type": "object", "properties": {"kind": {"const": name}, "r": {"type": "number"}}});
        let node = root(json!({"oneOf": [branch("circle"), branch("square")]}));
        assert_eq!(node.unions.len(), 1);
        assert_eq!(node.unions[0].tag.as_deref(), Some("kind"));
        let schema = Schema::new(json!({"oneOf": [branch("circle"), branch("square")]}));
        let union = &schema.root_node().unions[0];
        let chosen = schema.node(&schema.root_node().key.with_branch(union.place, union.branches[1]));
        assert!(chosen.unions.is_empty() && chosen.object.property("r").is_some());
    }

    #[test]
    fn rules_alone_are_no_choice_of_shape() {
        let node = root(json!({"type": "object", "properties": {"a": {}, "b": {}},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}));
        assert!(node.unions.is_empty());
    }

    #[test]
    fn all_of_is_merged_and_recursion_ends() {
        let node = root(json!({"allOf": [{"$ref": "#"}, {"properties": {"a": {"type": "string"}}, "required": ["a"]}],
            "properties": {"a": {"minLength": 3}, "again": {"$ref": "#"}}}));
        assert_eq!(node.object.properties.len(), 2);
        assert_eq!(node.object.properties[0].node.places.len(), 2);
        assert!(node.object.requires("a"));
        let node = root(json!({"anyOf": [{"$ref": "#"}, {"type": "string"}]}));
        assert_eq!(node.unions.len(), 1);
    }

    #[test]
    fn anything_is_a_choice_among_the_types() {
        let node = root(json!({}));
        assert_eq!(node.unions[0].branches.len(), 5);
        let node = root(json!({"type": ["string", "number"]}));
        assert_eq!(node.unions[0].branches.len(), 2);
    }
}
