//! Takes into a value what a later version of its source says, and leaves the rest of it as it is.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::{
    schema::{equal::values_equal, pointer::Pointer},
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
};

/// Lists of which the order says nothing.
const UNORDERED: [&str; 2] = ["required", "type"];
/// The member that names an item of a list.
const NAME: &str = "name";

/// A value with what differs between two others: what its source says of it as it is, and what that
/// says now. Objects change member by member, lists of named objects item by item, a text that
/// holds a JSON object as that; what only the value has stays.
#[must_use]
pub fn take_in(there: &Value, before: &Value, after: &Value) -> Value {
    take_in_member("", there, before, after)
}

fn take_in_member(key: &str, there: &Value, before: &Value, after: &Value) -> Value {
    if values_equal(before, after) {
        return there.clone();
    }
    match (there, after) {
        (Value::Object(there), Value::Object(after)) => {
            let empty = Map::new();
            let before = before.as_object().unwrap_or(&empty);
            Value::Object(take_in_members(there, before, after))
        }
        (Value::Array(list), Value::Array(after)) => {
            let items = before.as_array().map(Vec::as_slice);
            Value::Array(take_in_items(key, list, items.unwrap_or_default(), after))
        }
        (Value::String(text), Value::String(wanted)) => before
            .as_str()
            .and_then(|before| take_in_text(text, before, wanted))
            .unwrap_or_else(|| after.clone()),
        _ => after.clone(),
    }
}

fn take_in_members(
    there: &Map<String, Value>,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Map<String, Value> {
    let mut merged = there.clone();
    for key in before.keys().filter(|key| !after.contains_key(key.as_str())) {
        merged.shift_remove(key);
    }
    for (key, value) in after {
        let was = before.get(key);
        match there.get(key) {
            Some(own) => {
                let value = take_in_member(key, own, was.unwrap_or(&Value::Null), value);
                merged.insert(key.clone(), value);
            }
            // What it lacks although its source says the same as before is left out on purpose.
            None if was.is_some_and(|was| values_equal(was, value)) => {}
            None => drop(merged.insert(key.clone(), value.clone())),
        }
    }
    merged
}

fn take_in_items(key: &str, there: &[Value], before: &[Value], after: &[Value]) -> Vec<Value> {
    if [there, before, after].iter().all(|list| are_named(list)) {
        return take_in_named(there, before, after);
    }
    let is_set = [there, before, after].iter().all(|list| are_distinct_texts(list));
    let is_same = before.len() == after.len() && before.iter().all(|item| after.contains(item));
    match is_set {
        true if is_same && UNORDERED.contains(&key) => there.to_vec(),
        true if there != before => {
            let kept = there.iter().filter(|item| after.contains(item) || !before.contains(item));
            let added = after.iter().filter(|item| !there.contains(item) && !before.contains(item));
            kept.chain(added).cloned().collect()
        }
        _ => after.to_vec(),
    }
}

/// Items keep their order; a new one goes behind the one that it follows in the source.
fn take_in_named(there: &[Value], before: &[Value], after: &[Value]) -> Vec<Value> {
    let find = |list: &[Value], item: &Value| {
        list.iter().find(|other| other.get(NAME) == item.get(NAME)).cloned()
    };
    let mut merged: Vec<Value> = there
        .iter()
        .filter_map(|item| match (find(before, item), find(after, item)) {
            (before, Some(after)) => Some(take_in(item, &before.unwrap_or_default(), &after)),
            (Some(_), None) => None,
            (None, None) => Some(item.clone()),
        })
        .collect();
    let mut follows = 0;
    for item in after {
        let is_of = |other: &Value| other.get(NAME) == item.get(NAME);
        match merged.iter().position(is_of) {
            Some(row) => follows = row + 1,
            None if before.contains(item) => {}
            None => {
                merged.insert(follows, item.clone());
                follows += 1;
            }
        }
    }
    merged
}

/// A text that holds a JSON object, as it is written; `None` where one of them holds none.
fn take_in_text(there: &str, before: &str, after: &str) -> Option<Value> {
    let parse = |text: &str| {
        let source = Source::parse(Format::Json, text).ok()?;
        let value = Value::clone(source.value(0)?);
        value.is_object().then_some((source, value))
    };
    let ((source, own), (_, before), (_, after)) = (parse(there)?, parse(before)?, parse(after)?);
    let wanted = take_in(&own, &before, &after);
    let edits = edits_between(&own, &wanted);
    let edited = edits.iter().try_fold(source, |source, edit| Some(source.apply(0, edit).ok()?.0));
    Some(edited.map_or_else(|| wanted.to_string().into(), |source| (&**source.text()).into()))
}

/// Whether all items are objects with names of their own.
fn are_named(list: &[Value]) -> bool {
    let mut seen = HashSet::new();
    let name = |item: &Value| item.get(NAME).and_then(Value::as_str).map(str::to_owned);
    list.iter().all(|item| name(item).is_some_and(|name| seen.insert(name)))
}

fn are_distinct_texts(list: &[Value]) -> bool {
    let mut seen = HashSet::new();
    list.iter().all(|item| item.as_str().is_some_and(|text| seen.insert(text)))
}

/// The edits that lead from a value to another, each of the least that differs, so that what is
/// written around it stays.
#[must_use]
pub fn edits_between(from: &Value, to: &Value) -> Vec<Edit> {
    let mut edits = Vec::new();
    push_edits(&Pointer::root(), from, to, &mut edits);
    edits
}

fn push_edits(at: &Pointer, from: &Value, to: &Value, edits: &mut Vec<Edit>) {
    match (from, to) {
        _ if from == to => {}
        (Value::Object(old), Value::Object(new)) => {
            let gone = old.keys().filter(|key| !new.contains_key(key.as_str()));
            edits.extend(gone.map(|key| Edit::Remove { at: at.child(key) }));
            for (key, value) in new {
                let at = at.child(key);
                match old.get(key) {
                    Some(known) => push_edits(&at, known, value, edits),
                    None => edits.push(Edit::Set { at, to: value.clone().into() }),
                }
            }
        }
        (Value::Array(old), Value::Array(new)) if are_named(old) && are_named(new) => {
            push_item_edits(at, old, new, edits);
        }
        _ => edits.push(Edit::Set { at: at.clone(), to: to.clone().into() }),
    }
}

/// The edits of a list of named items, of which those that stay keep their order.
fn push_item_edits(at: &Pointer, old: &[Value], new: &[Value], edits: &mut Vec<Edit>) {
    let is_in =
        |list: &[Value], item: &Value| list.iter().any(|other| other.get(NAME) == item.get(NAME));
    let gone = old.iter().enumerate().rev().filter(|(_, item)| !is_in(new, item));
    edits.extend(gone.map(|(row, _)| Edit::Remove { at: at.item(row) }));
    let mut kept = old.iter().filter(|item| is_in(new, item));
    for (row, item) in new.iter().enumerate() {
        let at = at.item(row);
        match is_in(old, item) {
            true => kept.next().into_iter().for_each(|known| push_edits(&at, known, item, edits)),
            false => edits.push(Edit::Insert { at, item: item.clone().into() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn edited(from: &Value, to: &Value) -> Value {
        let source = Source::parse(Format::Json, from.to_string()).unwrap();
        let edits = edits_between(from, to);
        let after = edits.iter().fold(source, |source, edit| source.apply(0, edit).unwrap().0);
        Value::clone(after.value(0).unwrap())
    }

    #[test]
    fn only_what_the_source_says_otherwise_changes() {
        let there = json!({"name": "a", "service": "own", "group": ["fun"], "note": "mine", "description": "old",
            "parameters": {"type": "object", "x-ours": 1, "properties": {"a": {"type": "string", "x-widget": "wide"}, "b": {}}, "required": ["b", "a"]}});
        let before = json!({"name": "a", "service": "a", "description": "old", "gone": 1,
            "parameters": {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a", "b"]}});
        let after = json!({"name": "a", "service": "a", "description": "new",
            "parameters": {"type": "object", "properties": {"a": {"type": "integer"}, "c": {}}, "required": ["a", "c"]}});
        let merged = take_in(&there, &before, &after);
        assert_eq!(
            merged,
            json!({"name": "a", "service": "own", "group": ["fun"], "note": "mine", "description": "new",
                "parameters": {"type": "object", "x-ours": 1, "properties": {"a": {"type": "integer", "x-widget": "wide"}, "c": {}}, "required": ["a", "c"]}})
        );
        assert_eq!(edited(&there, &merged), merged);
        assert_eq!(take_in(&there, &before, &before), there);
    }

    #[test]
    fn named_items_change_one_by_one_and_keep_their_order() {
        let there = json!([{"name": "b", "note": 1}, {"name": "own"}, {"name": "a", "type": "string"}, {"name": "gone"}]);
        let before = json!([{"name": "a", "type": "string"}, {"name": "b"}, {"name": "gone"}]);
        let after = json!([{"name": "a", "type": "integer"}, {"name": "new"}, {"name": "b"}]);
        let merged = take_in(&there, &before, &after);
        assert_eq!(
            merged,
            json!([{"name": "b", "note": 1}, {"name": "own"}, {"name": "a", "type": "integer"}, {"name": "new"}])
        );
        assert_eq!(edited(&there, &merged), merged);
    }

    #[test]
    fn lists_of_texts_are_sets_where_the_value_has_its_own() {
        let of = |names: &[&str]| json!({"required": names});
        let take = |there: &[&str], before: &[&str], after: &[&str]| {
            take_in(&of(there), &of(before), &of(after))
        };
        assert_eq!(take(&["b", "a"], &["a", "b"], &["b", "a"]), of(&["b", "a"]));
        assert_eq!(take(&["a", "own"], &["a", "b"], &["a", "c"]), of(&["a", "own", "c"]));
        assert_eq!(take(&["a"], &["a"], &["c", "a"]), of(&["c", "a"]));
        let numbers = take_in(&json!([1, 2]), &json!([1]), &json!([2, 1]));
        assert_eq!(numbers, json!([2, 1]));
    }

    #[test]
    fn a_text_that_holds_json_keeps_how_it_is_written() {
        let there =
            json!("{\n  \"type\": \"object\",   \"x\": 1,\n  \"properties\": {\"a\": {}}\n}");
        let before = json!("{\"type\":\"object\",\"properties\":{\"a\":{}}}");
        let after = json!("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}");
        let merged = take_in(&there, &before, &after);
        let text = merged.as_str().unwrap();
        assert!(text.contains("\"object\",   \"x\": 1,\n") && text.contains("string"), "{text}");
        assert_eq!(take_in(&json!("a"), &json!("b"), &json!("c")), json!("c"));
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            Just(json!(1)),
            Just(json!("a")),
            Just(json!("{\"a\": 1}")),
            Just(json!({"name": "a", "x": 1})),
            Just(json!({"name": "b"})),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::btree_map("[ab]|name|required", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn edits_lead_where_they_are_to(from in any_value(), to in any_value()) {
            let merged = take_in(&from, &from, &to);
            prop_assert_eq!(&edited(&from, &merged), &merged);
        }

        /// What is taken in once is no difference the second time.
        #[test]
        fn nothing_is_left_to_take_in(there in any_value(), before in any_value(), after in any_value()) {
            let once = take_in(&there, &before, &after);
            prop_assert_eq!(take_in(&once, &after, &after), once);
        }
    }
}
