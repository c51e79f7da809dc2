//! An example of what a schema allows, made from its constants, examples, defaults and formats.
//! The same seed gives the same example.

use std::sync::Arc;

use serde_json::{Map, Number, Value};

use super::{
    decimal,
    equal::values_equal,
    example_text::{Chance, example_text},
    node::{Node, NodeKey, Types},
    places::{effective_node, offered_default, property_key},
    tree::Schema,
    validate::Checker,
};

/// Optional members are made this deep; a schema that holds itself would go on for ever.
const DEEPEST: usize = 6;
/// Items of a list at most, where the schema asks for no more.
const USUAL_ITEMS: u64 = 3;
/// So many examples are made until one fits.
const ATTEMPTS: u64 = 24;
/// Numbers without bounds are below this.
const USUAL_NUMBER: i64 = 100;

/// An example, and whether the schema allows it: keywords such as `not` can make one hard to find.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    pub value: Value,
    pub fits: bool,
}

/// An example of what the schema allows; seed 0 prefers what the schema itself names first.
#[must_use]
pub fn make_example(schema: &Arc<Value>, seed: u64) -> Example {
    let checker = Checker::compile(schema).ok();
    let tree = Schema::new(Arc::clone(schema));
    let fits = |value: &Value| checker.as_ref().is_none_or(|checker| checker.is_valid(value));
    let mut first = None;
    for attempt in 0..ATTEMPTS {
        // Attempts of neighbouring seeds must not be the same ones.
        let chance = Chance::new(seed.wrapping_add(attempt << 32), seed == 0 && attempt == 0);
        let mut making = ExampleMaker { schema: &tree, checker: checker.as_ref(), chance };
        let value = making.node_value(&tree.root_node().key, "", 0);
        if fits(&value) {
            return Example { value, fits: true };
        }
        first.get_or_insert(value);
    }
    Example { value: first.unwrap_or_default(), fits: false }
}

struct ExampleMaker<'s> {
    schema: &'s Schema,
    checker: Option<&'s Checker>,
    chance: Chance,
}

impl ExampleMaker<'_> {
    fn node_value(&mut self, key: &NodeKey, name: &str, depth: usize) -> Value {
        let node = self.schema.node(key);
        if let Some(known) = self.known_value(&node) {
            return known;
        }
        if let Some(union) = node.unions.first() {
            let row = self.chance.pick_row(union.branches.len());
            if let Some(branch) = union.branches.get(row).filter(|_| depth < 2 * DEEPEST) {
                return self.node_value(&node.key.with_branch(union.place, *branch), name, depth);
            }
        }
        let types = node.shown_types();
        if types.contains(Types::OBJECT) {
            return self.object_value(&node, depth);
        }
        let kinds: Vec<Types> = types.iter_names().map(|(types, _)| types).collect();
        match kinds.get(self.chance.pick_row(kinds.len())).copied() {
            Some(Types::TEXT) => Value::String(example_text(&node, name, &mut self.chance)),
            Some(Types::BOOLEAN) => Value::Bool(self.chance.pick_row(2) == 0),
            Some(Types::LIST) => self.list_value(&node, name, depth),
            Some(Types::INTEGER) => Value::Number(self.number_value(&node, Types::INTEGER)),
            Some(Types::NUMBER) => Value::Number(self.number_value(&node, Types::NUMBER)),
            _ => Value::Null,
        }
    }

    /// What the schema itself names: a constant, one of its examples, its default, a choice.
    fn known_value(&mut self, node: &Node) -> Option<Value> {
        if let Some(constant) = &node.constant {
            return Some(constant.clone());
        }
        let is_allowed = |value: &&Value| {
            node.types.admits(value)
                && self
                    .checker
                    .is_none_or(|checker| checker.allows_default(self.schema, &node.key, value))
        };
        let examples: Vec<&Value> = node.examples.iter().filter(is_allowed).collect();
        if let Some(example) = examples.get(self.chance.pick_row(examples.len())) {
            return Some((*example).clone());
        }
        if let Some(default) = offered_default(self.schema, self.checker, node)
            && !matches!(default, Value::Null)
            && self.chance.prefers_first()
        {
            return Some(default.clone());
        }
        let choices = node.choices.as_ref().filter(|choices| !choices.open)?;
        let row = self.chance.pick_row(choices.options.len());
        choices.options.get(row).map(|option| option.value.clone())
    }

    fn object_value(&mut self, node: &Node, depth: usize) -> Value {
        let mut members = Map::new();
        // Members that a condition asks for come with those that decide it.
        let mut node = Arc::new(node.clone());
        for _ in 0..3 {
            self.add_members(&node, &mut members, depth);
            let value = Value::Object(std::mem::take(&mut members));
            let decided = effective_node(self.schema, self.checker, &node.key, Some(&value));
            let Value::Object(made) = value else { break };
            members = made;
            if decided.key == node.key {
                break;
            }
            node = decided;
        }
        Value::Object(members)
    }

    fn add_members(&mut self, node: &Node, members: &mut Map<String, Value>, depth: usize) {
        let rules = &node.object;
        let dependent = |members: &Map<String, Value>, name: &str| {
            let asks = |(when, names): &(Arc<str>, Vec<Arc<str>>)| {
                members.contains_key(&**when) && names.iter().any(|asked| &**asked == name)
            };
            rules.dependent_required.iter().any(asks)
        };
        let most = rules.max.and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX);
        for only_required in [true, false] {
            for property in &rules.properties {
                let name = &*property.name;
                let is_required = rules.requires(name) || dependent(members, name);
                let is_wanted = match only_required {
                    true => is_required,
                    false => depth < DEEPEST && members.len() < most,
                };
                if !is_wanted || members.contains_key(name) || depth >= 2 * DEEPEST {
                    continue;
                }
                let key = property_key(node, self.checker, property);
                if self.schema.node(&key).never {
                    continue;
                }
                let value = self.node_value(&key, name, depth + 1);
                members.insert(name.to_owned(), value);
            }
            // What is required and declared nowhere.
            for name in rules.required.iter().filter(|_| only_required) {
                if !members.contains_key(&**name) {
                    let value = self.node_value(&rules.additional.clone(), name, depth + 1);
                    members.insert(name.to_string(), value);
                }
            }
        }
        let least = rules.min.and_then(|min| usize::try_from(min).ok()).unwrap_or_default();
        for number in 1..=least.min(64) {
            if members.len() >= least || rules.closed {
                break;
            }
            let value = self.node_value(&rules.additional.clone(), "", depth + 1);
            members.insert(format!("member{number}"), value);
        }
    }

    fn list_value(&mut self, node: &Node, name: &str, depth: usize) -> Value {
        let rules = &node.list;
        let least = rules.min.unwrap_or_default().max(u64::from(rules.contains.is_some()));
        let most = u64::try_from(rules.max_items()).unwrap_or(u64::MAX);
        let usual = match depth >= DEEPEST {
            true => least,
            false => 1 + self.chance.pick_number(USUAL_ITEMS),
        };
        let prefix = u64::try_from(rules.prefix.len()).unwrap_or_default();
        let wanted = usual.max(prefix).max(least).min(most).min(1_000);
        let mut items: Vec<Value> = Vec::new();
        for row in 0..usize::try_from(wanted).unwrap_or_default() {
            let mut key = rules.item_key(row).clone();
            if let Some(contained) = rules.contains.filter(|_| row == 0) {
                key = key.with_place(contained);
            }
            for _ in 0..8 {
                let item = self.node_value(&key, name, depth + 1);
                if !rules.unique || !items.iter().any(|known| values_equal(known, &item)) {
                    items.push(item);
                    break;
                }
            }
        }
        Value::Array(items)
    }

    fn number_value(&mut self, node: &Node, types: Types) -> Number {
        let rules = &node.number;
        let whole = types == Types::INTEGER;
        let bound = |at: &Number| at.as_f64().unwrap_or_default();
        let step = rules.multiple_of.as_ref().map(bound).filter(|step| *step > 0.0);
        let (min, max) = match (&rules.min, &rules.max) {
            (Some(min), Some(max)) => (bound(&min.at), bound(&max.at)),
            (Some(min), None) => (bound(&min.at), bound(&min.at) + USUAL_NUMBER as f64),
            (None, Some(max)) => (bound(&max.at).min(0.0), bound(&max.at)),
            (None, None) => (0.0, USUAL_NUMBER as f64),
        };
        // Numbers of people's documents have one or two places behind the point.
        let step = step.unwrap_or(if whole { 1.0 } else { 0.5 });
        let (low, high) = ((min / step).ceil(), (max / step).floor());
        let is_excluded = |number: f64| {
            let is = |bound: &Option<super::node::Bound>| {
                bound.as_ref().is_some_and(|bound| {
                    bound.exclusive && bound.at.as_f64().is_some_and(|at| at == number)
                })
            };
            is(&rules.min) || is(&rules.max)
        };
        let span = (high - low).clamp(0.0, 1e6) as u64;
        let mut chosen = low * step;
        for _ in 0..8 {
            chosen = (low + self.chance.pick_number(span + 1) as f64) * step;
            if !is_excluded(chosen) {
                break;
            }
        }
        if low > high {
            // Nothing of the step lies between the bounds: half way between them.
            chosen = min + (max - min) / 2.0;
        }
        let exact = Number::from_f64(chosen).unwrap_or_else(|| Number::from(0));
        if decimal::is_whole(&exact) && chosen.abs() < 9e15 {
            Number::from(chosen as i64)
        } else {
            exact
        }
    }
}
