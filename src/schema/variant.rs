//! Which branch of a union a value has.

use std::sync::Arc;

use serde_json::Value;

use super::{
    equal::same,
    field::View,
    kind::Branch,
    node::{Node, NodeKey, PlaceId, Types, Union},
    phrase::plain,
    pointer::Pointer,
    tree::Schema,
    validate::Checker,
    words,
};

/// How deep branches within branches are looked at.
const DEEPEST: usize = 6;

/// The branch that counts: the one picked by hand as long as it can be, else the one that the value has.
pub(super) fn choose(
    schema: &Schema,
    checker: Option<&Checker>,
    view: &View,
    at: &Pointer,
    union: &Union,
    value: Option<&Value>,
) -> Option<usize> {
    let pick = view.picks.get(&(at.clone(), union.place)).copied();
    let Some(value) = value else { return pick };
    if value.is_null() {
        return None;
    }
    let plausible = |pick: &usize| union.branches.get(*pick).is_some_and(|branch| is_plausible(schema, *branch, value));
    pick.filter(plausible).or_else(|| fitting(schema, checker, union, value))
}

/// The branch that fits the value, else the nearest one; `None` only for a union without branches.
pub(super) fn fitting(schema: &Schema, checker: Option<&Checker>, union: &Union, value: &Value) -> Option<usize> {
    let scores: Vec<i32> = union.branches.iter().map(|branch| score(schema, &NodeKey::of(*branch), value, DEEPEST)).collect();
    let best = |candidates: &mut dyn Iterator<Item = usize>| {
        candidates.fold(None, |best: Option<usize>, index| match best {
            Some(known) if scores[known] >= scores[index] => Some(known),
            _ => Some(index),
        })
    };
    let fits = |index: &usize| allows(schema, checker, union.branches[*index], value) == Some(true);
    let valid = (0..union.branches.len()).filter(fits).collect::<Vec<_>>();
    best(&mut valid.into_iter()).or_else(|| best(&mut (0..union.branches.len())))
}

/// Whether the value could be meant for a branch that the user picked.
pub(super) fn is_plausible(schema: &Schema, branch: PlaceId, value: &Value) -> bool {
    score(schema, &NodeKey::of(branch), value, DEEPEST) > 0
}

fn allows(schema: &Schema, checker: Option<&Checker>, branch: PlaceId, value: &Value) -> Option<bool> {
    match schema.pointer(branch) {
        Some(pointer) => checker?.fits(&pointer, value),
        None => Some(schema.node(&NodeKey::of(branch)).types.admits(value)),
    }
}

/// How near a value is to a node; 0 or less: it is something else.
fn score(schema: &Schema, key: &NodeKey, value: &Value, depth: usize) -> i32 {
    let node = schema.node(key);
    if node.never || depth == 0 {
        return 0;
    }
    if let Some(constant) = &node.constant {
        return if same(constant, value) { 40 } else { -10 };
    }
    if !node.types.admits(value) {
        return -10;
    }
    if let Some(choices) = &node.choices {
        let listed = choices.options.iter().any(|option| same(&option.value, value));
        return if listed {
            30
        } else if choices.open && value.is_string() {
            10
        } else {
            1
        };
    }
    let mut total = 10;
    if let Some(union) = node.unions.first() {
        let inner = |branch: &PlaceId| score(schema, &key.with_branch(union.place, *branch), value, depth - 1);
        return union.branches.iter().map(inner).max().unwrap_or(total);
    }
    if let Value::Object(members) = value {
        for property in &node.object.properties {
            let Some(member) = members.get(&*property.name) else { continue };
            let inner = schema.node(&property.node);
            total += match &inner.constant {
                Some(constant) if same(constant, member) => 40,
                Some(_) => -60,
                None if inner.types.admits(member) => 3,
                None => -3,
            };
        }
        let missing = node.object.required.iter().filter(|name| !members.contains_key(&***name)).count();
        let unknown = members.keys().filter(|name| node.object.property(name).is_none()).count();
        total -= 2 * i32::try_from(missing).unwrap_or(i32::MAX / 4);
        if node.object.closed {
            total -= 3 * i32::try_from(unknown).unwrap_or(i32::MAX / 4);
        }
        total = total.max(i32::from(total > -40));
    }
    total
}

/// What to call the branches.
pub(super) fn branches(schema: &Schema, union: &Union) -> Vec<Branch> {
    let branch = |place: &PlaceId| {
        let node = schema.node(&NodeKey::of(*place));
        Branch { label: label(schema, &node, union, *place), help: node.description.clone(), needs: needs(schema, &node) }
    };
    union.branches.iter().map(branch).collect()
}

/// What a branch asks for: the members that it requires, else the rules of its value.
fn needs(schema: &Schema, node: &Node) -> String {
    // What can have only one value comes by itself.
    let is_constant =
        |name: &str| node.object.property(name).is_some_and(|property| schema.node(&property.node).constant.is_some());
    let required = node.object.required.iter().map(|name| &**name);
    let names: Vec<&str> = required.filter(|name: &&str| !is_constant(name)).collect();
    match names.as_slice() {
        [] if node.constant.is_some() || node.shown_types() == Types::OBJECT => String::new(),
        [] => words::rules(node).unwrap_or_default(),
        [head @ .., last] if head.len() < 4 => {
            let head = head.join(", ");
            format!("needs {head}{}{last}", if head.is_empty() { "" } else { " and " })
        }
        many => format!("needs {} and {} more", many[..3].join(", "), many.len() - 3),
    }
}

fn label(schema: &Schema, node: &Node, union: &Union, place: PlaceId) -> Arc<str> {
    if let Some(title) = &node.title {
        return Arc::clone(title);
    }
    let tag = union.tag.as_ref().and_then(|tag| node.object.property(tag));
    if let Some(constant) = tag.and_then(|tag| schema.node(&tag.node).constant.clone()) {
        return plain(&constant).into();
    }
    if let Some(constant) = &node.constant {
        return plain(constant).into();
    }
    let reference = schema.at(place).and_then(|at| at.get("$ref")).and_then(Value::as_str);
    if let Some(name) = reference.and_then(|reference| reference.rsplit(['/', '#']).next()).filter(|name| !name.is_empty()) {
        return name.into();
    }
    let words = node.shown_types().words();
    if node.typed && node.types == Types::OBJECT {
        let names: Vec<&str> = node.object.properties.iter().take(3).map(|property| &*property.name).collect();
        if !names.is_empty() {
            return format!("{words} with {}", names.join(", ")).into();
        }
    }
    if node.shown_types() == Types::LIST {
        let items = schema.node(&node.list.items);
        if items.typed {
            return format!("list of {}", items.shown_types().words()).into();
        }
    }
    words.into()
}
