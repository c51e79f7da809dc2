//! Edits of a plain value: for what has no text of its own, and as the yardstick of edits of texts.

use serde_json::{Map, Value};

use super::edit::{Edit, EditError};
use crate::schema::pointer::Pointer;

/// Makes an edit; on an error the value is as it was. On the way to a place `null` counts as
/// missing.
pub fn apply_edit(value: &mut Value, edit: &Edit) -> Result<(), EditError> {
    match edit {
        Edit::Set { at, to } => {
            *ensure_slot(value, at)? = to.value().clone();
            Ok(())
        }
        Edit::Remove { at } => remove_at(value, at),
        Edit::Insert { at, item } => insert_item(value, at, item.value()),
        Edit::Move { at, to } => move_item(value, at, *to),
        Edit::Rename { at, key } => rename_key(value, at, key),
    }
}

/// The value after an edit; `None` is a document that is not there yet.
pub(crate) fn with_edit(value: Option<&Value>, edit: &Edit) -> Result<Value, EditError> {
    let mut value = value.cloned().unwrap_or_default();
    apply_edit(&mut value, edit).map(|()| value)
}

/// The parent list and the index that a pointer to an item names.
pub(super) fn item_place(at: &Pointer) -> Result<(Pointer, usize), EditError> {
    let parent = at.parent().ok_or_else(|| EditError::NotAList(at.clone()))?;
    let index = at.last_index().ok_or_else(|| EditError::NotAList(parent.clone()))?;
    Ok((parent, index))
}

/// The slot at a pointer, with the objects on the way made where they are missing.
fn ensure_slot<'v>(value: &'v mut Value, at: &Pointer) -> Result<&'v mut Value, EditError> {
    let mut slot = value;
    for (row, token) in at.tokens().iter().enumerate() {
        if slot.is_null() {
            *slot = Value::Object(Map::new());
        }
        slot = match slot {
            Value::Object(members) => members.entry(token.clone()).or_insert(Value::Null),
            Value::Array(items) => {
                let item = token.parse::<usize>().ok().and_then(|index| items.get_mut(index));
                item.ok_or_else(|| EditError::NoSuchPlace(pointer_prefix(at, row + 1)))?
            }
            _ => return Err(EditError::NotAnObject(pointer_prefix(at, row))),
        };
    }
    Ok(slot)
}

fn pointer_prefix(at: &Pointer, tokens: usize) -> Pointer {
    at.tokens().iter().take(tokens).cloned().collect()
}

fn insert_item(value: &mut Value, at: &Pointer, item: &Value) -> Result<(), EditError> {
    let (parent, index) = item_place(at)?;
    if index > parent.get(value).and_then(Value::as_array).map_or(0, Vec::len) {
        let other = parent.get(value).filter(|value| !value.is_array() && !value.is_null());
        return Err(if other.is_some() {
            EditError::NotAList(parent)
        } else {
            EditError::NoSuchPlace(at.clone())
        });
    }
    let list = ensure_slot(value, &parent)?;
    if list.is_null() {
        *list = Value::Array(Vec::new());
    }
    list.as_array_mut().ok_or(EditError::NotAList(parent))?.insert(index, item.clone());
    Ok(())
}

fn move_item(value: &mut Value, at: &Pointer, to: usize) -> Result<(), EditError> {
    if let Some(members) = at.parent().and_then(|object| object.get_mut(value)?.as_object_mut()) {
        return move_member(members, at, to);
    }
    let (parent, index) = item_place(at)?;
    let list = parent.get_mut(value).ok_or_else(|| EditError::NoSuchPlace(parent.clone()))?;
    let items = list.as_array_mut().ok_or_else(|| EditError::NotAList(parent.clone()))?;
    if let Some(row) = [index, to].into_iter().find(|row| *row >= items.len()) {
        return Err(EditError::NoSuchPlace(parent.item(row)));
    }
    let item = items.remove(index);
    items.insert(to, item);
    Ok(())
}

fn move_member(members: &mut Map<String, Value>, at: &Pointer, to: usize) -> Result<(), EditError> {
    let missing = || EditError::NoSuchPlace(at.clone());
    let key = at.last().filter(|_| to < members.len()).ok_or_else(missing)?;
    let member = members.shift_remove(key).ok_or_else(missing)?;
    members.shift_insert(to, key.to_owned(), member);
    Ok(())
}

fn remove_at(value: &mut Value, at: &Pointer) -> Result<(), EditError> {
    let missing = || EditError::NoSuchPlace(at.clone());
    let (parent, last) = at.parent().zip(at.last()).ok_or_else(missing)?;
    match parent.get_mut(value).ok_or_else(missing)? {
        Value::Object(members) => members.shift_remove(last).map(drop).ok_or_else(missing),
        Value::Array(items) => {
            let index = at.last_index().filter(|index| *index < items.len()).ok_or_else(missing)?;
            items.remove(index);
            Ok(())
        }
        _ => Err(missing()),
    }
}

fn rename_key(value: &mut Value, at: &Pointer, key: &str) -> Result<(), EditError> {
    let missing = || EditError::NoSuchPlace(at.clone());
    let (parent, last) = at.parent().zip(at.last()).ok_or_else(missing)?;
    let object = parent.get_mut(value).ok_or_else(missing)?;
    let members = object.as_object_mut().ok_or_else(|| EditError::NotAnObject(parent.clone()))?;
    if !members.contains_key(last) {
        return Err(missing());
    }
    if key != last && members.contains_key(key) {
        return Err(EditError::KeyTaken { at: parent, key: key.to_owned() });
    }
    let renamed = std::mem::take(members).into_iter();
    *members = renamed
        .map(|(name, value)| (if name == last { key.to_owned() } else { name }, value))
        .collect();
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(text: &str) -> Pointer {
        Pointer::parse(text).unwrap()
    }

    #[test]
    fn edits_change_only_their_place() {
        let mut value = json!({"a": 1, "list": [1, 2, 3], "z": 0});
        for edit in [
            Edit::Set { at: at("/new/deep"), to: true.into() },
            Edit::Insert { at: at("/list/3"), item: 4.into() },
            Edit::Move { at: at("/list/3"), to: 0 },
            Edit::Remove { at: at("/list/1") },
            Edit::Insert { at: at("/other/0"), item: "x".into() },
            Edit::Rename { at: at("/a"), key: "b".into() },
        ] {
            apply_edit(&mut value, &edit).unwrap();
        }
        assert_eq!(
            value.to_string(),
            r#"{"b":1,"list":[4,2,3],"z":0,"new":{"deep":true},"other":["x"]}"#
        );
    }

    #[test]
    fn nothing_and_null_are_filled() {
        let set = Edit::Set { at: at("/a/b/c"), to: 1.into() };
        assert_eq!(with_edit(None, &set), Ok(json!({"a": {"b": {"c": 1}}})));
        let insert = Edit::Insert { at: at("/a/l/0"), item: "x".into() };
        assert_eq!(with_edit(Some(&json!({"a": null})), &insert), Ok(json!({"a": {"l": ["x"]}})));
    }

    #[test]
    fn refusals_name_the_place() {
        let value = json!({"a": [1], "b": 2, "c": 3});
        for (edit, error) in [
            (Edit::Set { at: at("/b/x"), to: 1.into() }, EditError::NotAnObject(at("/b"))),
            (Edit::Set { at: at("/a/1/x"), to: 1.into() }, EditError::NoSuchPlace(at("/a/1"))),
            (Edit::Insert { at: at("/a/2"), item: 1.into() }, EditError::NoSuchPlace(at("/a/2"))),
            (Edit::Insert { at: at("/b/0"), item: 1.into() }, EditError::NotAList(at("/b"))),
            (Edit::Remove { at: at("") }, EditError::NoSuchPlace(at(""))),
            (Edit::Move { at: at("/a/0"), to: 1 }, EditError::NoSuchPlace(at("/a/1"))),
            (
                Edit::Rename { at: at("/b"), key: "c".into() },
                EditError::KeyTaken { at: at(""), key: "c".into() },
            ),
            (Edit::Rename { at: at("/a/0"), key: "c".into() }, EditError::NotAnObject(at("/a"))),
        ] {
            assert_eq!(with_edit(Some(&value), &edit), Err(error));
        }
    }

    #[test]
    fn what_cannot_be_leaves_the_value_alone() {
        let before = json!({"a": 1, "b": [1]});
        for edit in [
            Edit::Set { at: at("/a/x"), to: 1.into() },
            Edit::Remove { at: at("/c") },
            Edit::Insert { at: at("/b/5"), item: 1.into() },
            Edit::Rename { at: at("/a"), key: "b".into() },
            Edit::Insert { at: at("/missing/1"), item: 1.into() },
            Edit::Move { at: at("/b/0"), to: 3 },
        ] {
            let mut value = before.clone();
            assert!(apply_edit(&mut value, &edit).is_err(), "{edit:?}");
            assert_eq!(value, before);
        }
    }
}
