//! Which branch of a union a value has.

use std::sync::Arc;

use serde_json::Value;

use super::{
    equal::values_equal,
    field::View,
    kind::Branch,
    messages, names,
    node::{Node, NodeKey, PlaceId, Types, Union},
    pointer::Pointer,
    tree::Schema,
    validate::Checker,
};

/// How deep branches within branches are looked at.
const DEEPEST: usize = 6;

/// The branch that counts: the one picked by hand as long as it can be, else the one that the value
/// has.
pub(super) fn choose_branch(
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
    let plausible = |pick: &usize| {
        union.branches.get(*pick).is_some_and(|branch| is_plausible(schema, *branch, value))
    };
    pick.filter(plausible).or_else(|| best_branch(schema, checker, union, value))
}

/// The branch that fits the value, else the nearest one; `None` only for a union without branches.
pub(super) fn best_branch(
    schema: &Schema,
    checker: Option<&Checker>,
    union: &Union,
    value: &Value,
) -> Option<usize> {
    let scores: Vec<i32> = union
        .branches
        .iter()
        .map(|branch| score(schema, &NodeKey::from_place(*branch), value, DEEPEST))
        .collect();
    let best = |candidates: &mut dyn Iterator<Item = usize>| {
        candidates.fold(None, |best: Option<usize>, index| match best {
            Some(known) if scores[known] >= scores[index] => Some(known),
            _ => Some(index),
        })
    };
    let fits =
        |index: &usize| branch_allows(schema, checker, union.branches[*index], value) == Some(true);
    let valid = (0..union.branches.len()).filter(fits).collect::<Vec<_>>();
    best(&mut valid.into_iter()).or_else(|| best(&mut (0..union.branches.len())))
}

/// Whether the value could be meant for a branch that the user picked.
pub(super) fn is_plausible(schema: &Schema, branch: PlaceId, value: &Value) -> bool {
    score(schema, &NodeKey::from_place(branch), value, DEEPEST) > 0
}

fn branch_allows(
    schema: &Schema,
    checker: Option<&Checker>,
    branch: PlaceId,
    value: &Value,
) -> Option<bool> {
    match schema.pointer(branch) {
        Some(pointer) => checker?.fits_part(&pointer, value),
        None => Some(schema.node(&NodeKey::from_place(branch)).types.admits(value)),
    }
}

/// How near a value is to a node; 0 or less: it is something else.
fn score(schema: &Schema, key: &NodeKey, value: &Value, depth: usize) -> i32 {
    let node = schema.node(key);
    if node.never || depth == 0 {
        return 0;
    }
    if let Some(constant) = &node.constant {
        return if values_equal(constant, value) { 40 } else { -10 };
    }
    if !node.types.admits(value) {
        return -10;
    }
    if let Some(choices) = &node.choices {
        let listed = choices.options.iter().any(|option| values_equal(&option.value, value));
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
        let inner = |branch: &PlaceId| {
            score(schema, &key.with_branch(union.place, *branch), value, depth - 1)
        };
        return union.branches.iter().map(inner).max().unwrap_or(total);
    }
    if let Value::Object(members) = value {
        for property in &node.object.properties {
            let Some(member) = members.get(&*property.name) else { continue };
            let inner = schema.node(&property.node);
            total += match (&inner.constant, inner.lists(member)) {
                (Some(constant), _) if values_equal(constant, member) => 40,
                (Some(_), _) => -60,
                (None, Some(true)) => 20,
                (None, Some(false)) => -10,
                (None, None) if inner.types.admits(member) => 3,
                (None, None) => -3,
            };
        }
        let missing =
            node.object.required.iter().filter(|name| !members.contains_key(&***name)).count();
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
pub(super) fn describe_branches(schema: &Schema, union: &Union) -> Vec<Branch> {
    let nodes: Vec<Arc<Node>> =
        union.branches.iter().map(|place| schema.node(&NodeKey::from_place(*place))).collect();
    let branch = |(label, node): (Arc<str>, &Arc<Node>)| Branch {
        label,
        help: node.description.clone(),
        needs: describe_needs(schema, node),
    };
    names::branch_names(schema, union, &nodes).into_iter().zip(&nodes).map(branch).collect()
}

/// What a branch asks for: the members that it requires, else the rules of its value.
fn describe_needs(schema: &Schema, node: &Node) -> String {
    // What can have only one value comes by itself, as a default does.
    let is_known = |name: &str| {
        node.object.property(name).is_some_and(|property| {
            let member = schema.node(&property.node);
            member.constant.is_some() || member.default.is_some()
        })
    };
    let required = node.object.required.iter().map(|name| &**name);
    let names: Vec<&str> = required.filter(|name: &&str| !is_known(name)).collect();
    match names.as_slice() {
        [] if node.constant.is_some() || node.shown_types() == Types::OBJECT => String::new(),
        [] => messages::describe_bounds(node).unwrap_or_default(),
        [head @ .., last] if head.len() < 4 => {
            let head = head.join(", ");
            format!("needs {head}{}{last}", if head.is_empty() { "" } else { " and " })
        }
        many => format!("needs {} and {} more", many[..3].join(", "), many.len() - 3),
    }
}
