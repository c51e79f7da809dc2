//! Which node counts at a place of a value.

use std::sync::Arc;

use serde_json::Value;

use super::{
    field::View,
    node::{Node, NodeKey, Property, Types},
    pointer::Pointer,
    tree::Schema,
    validate::Checker,
    variant,
};

/// The node that counts for a value: conditions and dependents that apply are part of it.
#[must_use]
pub fn effective_node(
    schema: &Schema,
    checker: Option<&Checker>,
    key: &NodeKey,
    value: Option<&Value>,
) -> Arc<Node> {
    let mut node = schema.node(key);
    let Some(value) = value else { return node };
    let mut decided = 0;
    // Each round may bring further conditions; they are decided once each.
    for _ in 0..8 {
        let mut key = node.key.clone();
        for condition in node.conditions.iter().skip(decided) {
            let fits =
                schema.pointer(condition.test).and_then(|test| checker?.fits_part(&test, value));
            let branch = match fits {
                Some(true) => condition.then,
                Some(false) => condition.otherwise,
                None => None,
            };
            key = branch.map_or(key.clone(), |branch| key.with_place(branch));
        }
        decided = node.conditions.len();
        if let Value::Object(members) = value {
            let present = node
                .object
                .dependent_schemas
                .iter()
                .filter(|(name, _)| members.contains_key(&**name));
            key = present.fold(key, |key, (_, place)| key.with_place(*place));
        }
        if key == node.key {
            break;
        }
        node = schema.node(&key);
    }
    node
}

/// The default, where it is something that the schema itself allows.
#[must_use]
pub fn offered_default<'n>(
    schema: &Schema,
    checker: Option<&Checker>,
    node: &'n Node,
) -> Option<&'n Value> {
    let default = node.default.as_ref().filter(|default| node.types.admits(default))?;
    checker
        .is_none_or(|checker| checker.allows_default(schema, &node.key, default))
        .then_some(default)
}

/// Members of the user's own naming are expected here.
#[must_use]
pub fn takes_entries(node: &Node) -> bool {
    let rules = &node.object;
    let speaks = rules.open || !rules.additional.places.is_empty() || rules.properties.is_empty();
    (speaks && !rules.closed) || !rules.patterns.is_empty()
}

/// Members of the user's own naming are allowed, even where the schema does not speak of them.
#[must_use]
pub fn may_hold_entries(node: &Node) -> bool {
    !node.object.closed || !node.object.patterns.is_empty()
}

/// What a declared member has to be: patterns that match its name count as well.
#[must_use]
pub fn property_key(node: &Node, checker: Option<&Checker>, property: &Property) -> NodeKey {
    let patterns = node.object.patterns.iter();
    let matching = patterns.filter(|(pattern, _)| {
        checker.is_some_and(|checker| checker.matches(pattern, &property.name))
    });
    matching.fold(property.node.clone(), |key, (_, place)| key.with_place(*place))
}

/// What a member with this undeclared name has to be, and whether the schema refuses it.
#[must_use]
pub fn entry_key(node: &Node, checker: Option<&Checker>, name: &str) -> (NodeKey, bool) {
    let matching = node.object.patterns.iter();
    let matching = matching
        .filter(|(pattern, _)| checker.is_some_and(|checker| checker.matches(pattern, name)));
    let key = matching.fold(NodeKey::default(), |key, (_, place)| key.with_place(*place));
    if !key.places.is_empty() {
        return (key, false);
    }
    (node.object.additional.clone(), node.object.closed)
}

/// Which branch of a union counts for the value at a place: its number in the list of branches at
/// this pointer of the schema. `None` where the union is no choice of shapes, or the value is meant
/// for no branch.
#[must_use]
pub fn chosen_branch(
    schema: &Schema,
    checker: &Checker,
    view: &View,
    value: &Value,
    at: &Pointer,
    union: &str,
) -> Option<usize> {
    let place = schema.intern_place(union.to_owned());
    let branches = schema.schema_at(place)?.as_array()?.len();
    let union = schema.shape_union(place, branches)?;
    let here = at.get(value)?;
    let branch = *union.branches.get(variant::choose_branch(
        schema,
        Some(checker),
        view,
        at,
        &union,
        Some(here),
    )?)?;
    let number = schema.branch_number(branch)?;
    variant::is_plausible(schema, branch, here).then_some(number)
}

/// The key of the node at a pointer, with the branches taken that the value there has; `None` where
/// nothing can stand.
#[must_use]
pub fn key_at(
    schema: &Schema,
    checker: Option<&Checker>,
    view: &View,
    value: &Value,
    at: &Pointer,
) -> Option<NodeKey> {
    let mut key = schema.root_node().key.clone();
    let mut here = Pointer::root();
    let mut value = Some(value);
    for token in at.tokens() {
        let node = decide_node(schema, checker, view, &key, PlacedValue { at: &here, value })?;
        let is_list = node.shown_types() == Types::LIST;
        key = match node.object.property(token) {
            Some(property) if !is_list => property_key(&node, checker, property),
            _ if is_list => node.list.item_key(token.parse().ok()?).clone(),
            _ => entry_key(&node, checker, token).0,
        };
        value = value.and_then(|value| Pointer::root().child(token.clone()).get(value));
        here = here.child(token.clone());
    }
    Some(key)
}

/// The node at a pointer, with its conditions and unions decided as the value there is.
#[must_use]
pub fn decided_at(
    schema: &Schema,
    checker: Option<&Checker>,
    view: &View,
    value: &Value,
    at: &Pointer,
) -> Option<Arc<Node>> {
    let key = key_at(schema, checker, view, value, at)?;
    decide_node(schema, checker, view, &key, PlacedValue { at, value: at.get(value) })
}

/// What is at a pointer; `None`: nothing yet.
struct PlacedValue<'p> {
    at: &'p Pointer,
    value: Option<&'p Value>,
}

fn decide_node(
    schema: &Schema,
    checker: Option<&Checker>,
    view: &View,
    key: &NodeKey,
    PlacedValue { at, value }: PlacedValue<'_>,
) -> Option<Arc<Node>> {
    let mut node = effective_node(schema, checker, key, value);
    // Each decided union may bring another one; the bound is for unions that hold themselves.
    for _ in 0..8 {
        let Some(union) = node.unions.first().cloned() else { break };
        let chosen =
            variant::choose_branch(schema, checker, view, at, &union, value).unwrap_or_default();
        let branch = union.branches.get(chosen)?;
        node = effective_node(schema, checker, &node.key.with_branch(union.place, *branch), value);
    }
    Some(node)
}
