//! Merging all that applies to one value into one node.

use std::{collections::HashSet, sync::Arc};

use serde_json::{Map, Value};

use super::{
    equal::values_equal,
    kind::suggestions,
    node::{
        Choice, HOLDS_SCHEMA, MEMBERS_OF, NAMES_VARIABLE, NULL_APART, Node, NodeKey, PlaceId,
        SHOWN_EXAMPLES, Types, Union,
    },
    tree::Schema,
};

impl Schema {
    /// The node for the whole value.
    #[must_use]
    pub fn root_node(&self) -> Arc<Node> {
        self.node(&NodeKey::from_place(self.intern_place(String::new())))
    }

    /// The node for all that applies by `key`.
    #[must_use]
    pub fn node(&self, key: &NodeKey) -> Arc<Node> {
        self.known_node(key).unwrap_or_else(|| Arc::new(Node::new(key.clone())))
    }

    /// The same; `None` while that very node is being made, which is so when a union has itself as
    /// a branch.
    pub(super) fn known_node(&self, key: &NodeKey) -> Option<Arc<Node>> {
        if let Some(node) = self.nodes.borrow().get(key) {
            return Some(Arc::clone(node));
        }
        if !self.building.borrow_mut().insert(key.clone()) {
            return None;
        }
        let node = Arc::new(merge_node(self, key));
        self.building.borrow_mut().remove(key);
        self.nodes.borrow_mut().insert(key.clone(), Arc::clone(&node));
        Some(node)
    }
}

/// The node of `key`: each place with what it refers to, the later ones over the earlier.
fn merge_node(schema: &Schema, key: &NodeKey) -> Node {
    let mut merge = Merge {
        schema,
        node: Node::new(key.clone()),
        seen: Vec::new(),
        refused: Vec::new(),
        rests: RestSchemas::default(),
        offered: Vec::new(),
    };
    for place in &key.places {
        merge.merge_place(*place);
    }
    merge.finish()
}

pub(super) struct Merge<'s> {
    pub(super) schema: &'s Schema,
    pub(super) node: Node,
    /// Places already laid: a reference that comes back to one of them says nothing new.
    seen: Vec<PlaceId>,
    /// Values that are ruled out one by one.
    refused: Vec<Value>,
    /// What is said about members and items that a place does not declare itself.
    pub(super) rests: RestSchemas,
    /// Branches of settled unions whose members may stand beside those of the branch that is taken.
    pub(super) offered: Vec<PlaceId>,
}

/// Schemas for what their own place does not declare.
#[derive(Debug, Default)]
pub(super) struct RestSchemas {
    /// With the names that are declared beside it.
    pub(super) members: Vec<(PlaceId, HashSet<Box<str>>)>,
    /// With the number of items that have their own schema.
    pub(super) items: Vec<(PlaceId, usize)>,
    /// From here on no items are allowed.
    pub(super) end: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Openness {
    Open,
    Closed,
}

impl Merge<'_> {
    pub(super) fn merge_place(&mut self, place: PlaceId) {
        if self.seen.contains(&place) {
            return;
        }
        self.seen.push(place);
        match self.schema.schema_at(place) {
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
            match self.schema.reference_target(name, reference, place) {
                Some(target) => self.merge_place(target),
                None => self.node.unresolved.push(reference.into()),
            }
        }
        if refers && !self.schema.draft().counts_siblings_of_ref() {
            self.merge_annotations(keywords);
            return;
        }
        if let Some(Value::Array(all)) = keywords.get("allOf") {
            let list = self.schema.child_place(place, "allOf");
            for index in 0..all.len() {
                self.merge_place(self.schema.child_place(list, &index.to_string()));
            }
        }
        for name in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = keywords.get(name) {
                let tag = keywords
                    .get("discriminator")
                    .and_then(|it| it.get("propertyName"))
                    .and_then(Value::as_str);
                self.merge_union(self.schema.child_place(place, name), branches.len(), tag);
            }
        }
        self.merge_annotations(keywords);
        self.merge_values(keywords);
        self.text_rules(keywords);
        self.number_rules(keywords);
        self.object_rules(keywords, place);
        self.member_rules(keywords, place);
        self.list_rules(keywords, place);
        self.merge_conditions(keywords, place);
    }

    fn merge_annotations(&mut self, keywords: &Map<String, Value>) {
        let text = |name: &str| keywords.get(name).and_then(Value::as_str).map(Arc::<str>::from);
        let flag = |name: &str| keywords.get(name) == Some(&Value::Bool(true));
        let node = &mut self.node;
        node.title = text("title").or(node.title.take());
        node.description = text("description").or(node.description.take());
        node.holds_schema |= keywords.get(HOLDS_SCHEMA) == Some(&Value::Bool(true));
        node.names_variable |= keywords.get(NAMES_VARIABLE) == Some(&Value::Bool(true));
        node.null_apart |= keywords.get(NULL_APART) == Some(&Value::Bool(true));
        node.members_of = text(MEMBERS_OF).or(node.members_of.take());
        node.default = keywords.get("default").cloned().or(node.default.take());
        let given = keywords.get("examples").or_else(|| keywords.get("example"));
        let given = match given {
            Some(Value::Array(examples)) => Some(&examples[..]),
            given => given.map(std::slice::from_ref),
        };
        if let Some(examples) = given {
            node.examples = examples.iter().take(SHOWN_EXAMPLES).cloned().collect();
            node.suggestions = suggestions(examples);
        }
        node.read_only |= flag("readOnly");
        node.write_only |= flag("writeOnly");
        node.deprecated |= flag("deprecated");
    }

    fn merge_values(&mut self, keywords: &Map<String, Value>) {
        let types = match keywords.get("type") {
            Some(Value::String(name)) => Types::from_name(name),
            Some(Value::Array(names)) => names
                .iter()
                .filter_map(Value::as_str)
                .map(Types::from_name)
                .fold(Types::NONE, Types::union),
            _ => Types::NONE,
        };
        if !types.is_empty() {
            self.node.types = self.node.types.intersection(types);
            self.node.typed = true;
        }
        if let Some(constant) = keywords.get("const") {
            self.node.constant = Some(constant.clone());
        }
        if let Some(ruled_out) = keywords.get("not") {
            self.apply_not(ruled_out);
        }
        if let Some(Value::Array(values)) = keywords.get("enum") {
            let titles = keywords
                .get("enumNames")
                .or_else(|| keywords.get("x-enum-varnames"))
                .and_then(Value::as_array);
            let title = |index: usize| {
                titles.and_then(|titles: &Vec<Value>| titles.get(index)?.as_str()).map(Arc::from)
            };
            let options = values.iter().enumerate();
            let options = options.map(|(index, value)| Choice {
                value: value.clone(),
                title: title(index),
                help: None,
            });
            self.narrow_choices(options.collect(), Openness::Closed);
        }
    }

    /// Takes out what a `not` rules out alone; what it says otherwise is left to validation.
    fn apply_not(&mut self, ruled_out: &Value) {
        if *ruled_out == Value::Bool(true) || ruled_out.as_object().is_some_and(Map::is_empty) {
            self.node.never = true;
            return;
        }
        let Some(keywords) = ruled_out.as_object().filter(|keywords| keywords.len() == 1) else {
            return;
        };
        match (keywords.get("type"), keywords.get("const"), keywords.get("enum")) {
            (Some(Value::String(name)), ..) => {
                self.node.types = self.node.types.without_ruled_out(Types::from_name(name));
            }
            (Some(Value::Array(names)), ..) => {
                let types = names
                    .iter()
                    .filter_map(Value::as_str)
                    .map(Types::from_name)
                    .fold(Types::NONE, Types::union);
                self.node.types = self.node.types.without_ruled_out(types);
            }
            (_, Some(constant), _) => self.refused.push(constant.clone()),
            (.., Some(Value::Array(values))) => self.refused.extend(values.iter().cloned()),
            _ => {}
        }
    }

    fn finish(mut self) -> Node {
        self.offer_members();
        self.spread_rests();
        self.finish_choices();
        let node = &mut self.node;
        if node.nullable {
            node.types = node.types.union(Types::NULL);
        } else {
            node.nullable =
                node.typed && node.types.contains(Types::NULL) && node.types != Types::NULL;
        }
        node.never |= node.types.is_empty();
        let several = node.shown_types().iter_names().count() > 1;
        let decided = node.constant.is_some()
            || node.choices.is_some()
            || !node.unions.is_empty()
            || node.never;
        if several && !decided {
            let (place, branches) = self.schema.type_union(node.shown_types());
            let (tag, inclusive) = (None, false);
            node.unions.push(Union { place, branches, tag, inclusive, of_types: true });
        }
        self.node.made_from = self.seen;
        self.node
    }

    /// Choices that are none: of one value, of true and false, of null alone.
    fn finish_choices(&mut self) {
        let node = &mut self.node;
        let Some(choices) = node.choices.take() else { return };
        let mut choices = (*choices).clone();
        let is_open =
            |value: &Value| !self.refused.iter().any(|refused| values_equal(refused, value));
        let types = if node.typed { node.types } else { Types::ALL };
        choices.options.retain(|option| types.admits(&option.value) && is_open(&option.value));
        let has =
            |value: bool| choices.options.iter().any(|option| option.value == Value::Bool(value));
        match choices.options.as_slice() {
            _ if choices.open => {
                let null = if node.nullable { Types::NULL } else { Types::NONE };
                (node.types, node.typed) = (node.types.intersection(Types::TEXT).union(null), true);
                node.choices = Some(Arc::new(choices));
            }
            [] if node.nullable => {
                node.types = Types::NULL;
                node.typed = true;
            }
            [] => node.never = true,
            [_] if node.constant.is_some() => {}
            [only] => node.constant = Some(only.value.clone()),
            [_, _] if has(true) && has(false) => {
                node.types = node.types.intersection(Types::BOOLEAN.union(Types::NULL));
                node.typed = true;
            }
            _ => {
                // Null is only among them where it is said.
                if !node.nullable {
                    node.types = node.types.difference(Types::NULL);
                }
                node.choices = Some(Arc::new(choices));
            }
        }
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
    fn null_is_a_choice_only_where_it_is_listed() {
        assert!(!root(json!({"enum": ["a", "b"]})).types.contains(Types::NULL));
        assert!(
            !root(json!({"type": ["string", "null"], "enum": ["a", "b"]}))
                .types
                .contains(Types::NULL)
        );
        assert!(root(json!({"enum": ["a", "b", null]})).types.contains(Types::NULL));
        assert!(
            root(json!({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]}))
                .types
                .contains(Types::NULL)
        );
    }

    #[test]
    fn siblings_of_a_reference_win() {
        let schema = json!({"$defs": {"q": {"title": "Query", "default": 1, "type": "integer", "minimum": 2}},
            "properties": {"a": {"$ref": "#/$defs/q", "title": "Mine", "minimum": 1}}});
        let schema = Schema::new(schema);
        let node = schema.node(&schema.root_node().object.properties[0].node);
        assert_eq!(node.title.as_deref(), Some("Mine"));
        assert_eq!(node.default, Some(json!(1)));
        assert_eq!(
            node.number.min.as_ref().map(|bound| bound.at.as_f64()),
            Some(Some(2.0)),
            "the tighter bound counts"
        );
        assert_eq!(node.types, Types::INTEGER);
    }

    #[test]
    fn before_2019_only_the_words_beside_a_reference_count() {
        let node = root(
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"q": {"type": "string"}},
            "$ref": "#/definitions/q", "title": "Mine", "type": "integer"}),
        );
        assert_eq!((node.title.as_deref(), node.types), (Some("Mine"), Types::TEXT));
    }

    #[test]
    fn what_is_ruled_out_is_not_offered() {
        let node = root(json!({"not": {"type": "string"}}));
        assert!(!node.types.contains(Types::TEXT) && node.types.contains(Types::OBJECT));
        let node = root(json!({"enum": ["a", "b", "c"], "not": {"enum": ["b"]}}));
        assert_eq!(node.choices.as_ref().map(|choices| choices.options.len()), Some(2));
        assert!(
            root(json!({"not": {}})).never
                && root(json!({"allOf": [{"type": "string"}, {"type": "integer"}]})).never
        );
        let node = root(json!({"type": "number", "not": {"type": "integer"}}));
        assert_eq!(node.types, Types::NUMBER, "fractions are left");
    }

    #[test]
    fn a_choice_of_nothing_but_null_is_null() {
        let node = root(json!({"enum": [null]}));
        assert!(node.is_null() && node.choices.is_none());
        let node = root(json!({"allOf": [{"enum": [1, 2]}, {"enum": [2.0, 3]}]}));
        assert_eq!(node.constant, Some(json!(2)), "1 and 1.0 are the same number");
    }

    #[test]
    fn null_is_taken_out_of_unions() {
        let node = root(
            json!({"anyOf": [{"type": "string", "title": "Inner"}, {"type": "null"}], "title": "Outer"}),
        );
        assert!(node.nullable && node.unions.is_empty());
        assert_eq!((node.shown_types(), node.title.as_deref()), (Types::TEXT, Some("Outer")));
        let node = root(json!({"type": ["integer", "null"]}));
        assert!(node.nullable && node.unions.is_empty());
        let node = root(json!({"enum": ["a", "b", null]}));
        assert_eq!(
            (node.nullable, node.choices.as_ref().map(|choices| choices.options.len())),
            (true, Some(2))
        );
    }

    #[test]
    fn constants_become_a_choice_and_text_beside_them_opens_it() {
        let node =
            root(json!({"oneOf": [{"const": 1, "title": "One"}, {"const": 2, "title": "Two"}]}));
        assert_eq!(
            node.choices.as_ref().map(|choices| (choices.options.len(), choices.open)),
            Some((2, false))
        );
        let node = root(json!({"anyOf": [{"enum": ["a", "b"]}, {"type": "string"}]}));
        assert_eq!(
            node.choices.as_ref().map(|choices| (choices.options.len(), choices.open)),
            Some((2, true))
        );
    }

    #[test]
    fn unions_of_shapes_stay_and_know_their_tag() {
        let branch = |name: &str| json!({"type": "object", "properties": {"kind": {"const": name}, "r": {"type": "number"}}});
        let node = root(json!({"oneOf": [branch("circle"), branch("square")]}));
        assert_eq!(node.unions.len(), 1);
        assert_eq!(node.unions[0].tag.as_deref(), Some("kind"));
        let schema = Schema::new(json!({"oneOf": [branch("circle"), branch("square")]}));
        let union = &schema.root_node().unions[0];
        let chosen =
            schema.node(&schema.root_node().key.with_branch(union.place, union.branches[1]));
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
        let node = root(
            json!({"allOf": [{"$ref": "#"}, {"properties": {"a": {"type": "string"}}, "required": ["a"]}],
            "properties": {"a": {"minLength": 3}, "again": {"$ref": "#"}}}),
        );
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
