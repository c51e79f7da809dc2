//! Edits of a plain value, for what has no text of its own.

use serde_json::{Map, Value};

use super::edit::{Edit, EditError};
use crate::schema::pointer::Pointer;

/// Makes an edit; on an error the value is as it was.
pub fn apply(value: &mut Value, edit: &Edit) -> Result<(), EditError> {
    match edit {
        Edit::Set { at, to } => set(value, at, to.value().clone()),
        Edit::Remove { at } => remove(value, at).map(drop),
        Edit::Insert { at, item } => {
            let (list, index) = list_at(value, at, Missing::Made)?;
            if index > list.len() {
                return Err(EditError::NoSuchPlace(at.clone()));
            }
            list.insert(index, item.value().clone());
            Ok(())
        }
        Edit::Move { at, to } => {
            let (list, index) = list_at(value, at, Missing::Refused)?;
            if index >= list.len() || *to >= list.len() {
                return Err(EditError::NoSuchPlace(at.clone()));
            }
            let item = list.remove(index);
            list.insert(*to, item);
            Ok(())
        }
        Edit::Rename { at, key } => rename(value, at, key),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Made,
    Refused,
}

fn set(value: &mut Value, at: &Pointer, to: Value) -> Result<(), EditError> {
    let (Some(parent), Some(token)) = (at.parent(), at.last()) else {
        *value = to;
        return Ok(());
    };
    if parent.get(value).is_none() {
        set(value, &parent, Value::Object(Map::new()))?;
    }
    match parent.get_mut(value) {
        Some(Value::Object(members)) => {
            members.insert(token.to_owned(), to);
            Ok(())
        }
        Some(Value::Array(items)) => {
            let item = at.last_index().and_then(|index| items.get_mut(index));
            *item.ok_or_else(|| EditError::NoSuchPlace(at.clone()))? = to;
            Ok(())
        }
        _ => Err(EditError::NotAnObject(parent)),
    }
}

fn remove(value: &mut Value, at: &Pointer) -> Result<Value, EditError> {
    let missing = || EditError::NoSuchPlace(at.clone());
    let (Some(parent), Some(token)) = (at.parent(), at.last()) else { return Err(missing()) };
    match parent.get_mut(value) {
        Some(Value::Object(members)) => members.shift_remove(token).ok_or_else(missing),
        Some(Value::Array(items)) => {
            let index = at.last_index().filter(|index| *index < items.len());
            index.map(|index| items.remove(index)).ok_or_else(missing)
        }
        _ => Err(missing()),
    }
}

fn list_at<'v>(value: &'v mut Value, at: &Pointer, missing: Missing) -> Result<(&'v mut Vec<Value>, usize), EditError> {
    let no_place = || EditError::NoSuchPlace(at.clone());
    let (Some(parent), Some(index)) = (at.parent(), at.last_index()) else { return Err(no_place()) };
    if missing == Missing::Made && index == 0 && parent.get(value).is_none() {
        set(value, &parent, Value::Array(Vec::new()))?;
    }
    match parent.get_mut(value) {
        Some(Value::Array(items)) => Ok((items, index)),
        Some(_) => Err(EditError::NotAList(parent)),
        None => Err(no_place()),
    }
}

fn rename(value: &mut Value, at: &Pointer, key: &str) -> Result<(), EditError> {
    let no_place = || EditError::NoSuchPlace(at.clone());
    let (Some(parent), Some(token)) = (at.parent(), at.last()) else { return Err(no_place()) };
    match parent.get_mut(value) {
        Some(Value::Object(members)) if members.contains_key(token) => {
            if token != key && members.contains_key(key) {
                return Err(EditError::KeyTaken { at: parent, key: key.to_owned() });
            }
            let renamed = std::mem::take(members).into_iter();
            *members = renamed.map(|(name, member)| (if name == token { key.to_owned() } else { name }, member)).collect();
            Ok(())
        }
        Some(Value::Object(_)) => Err(no_place()),
        _ => Err(EditError::NotAnObject(parent)),
    }
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
            apply(&mut value, &edit).unwrap();
        }
        assert_eq!(value.to_string(), r#"{"b":1,"list":[4,2,3],"z":0,"new":{"deep":true},"other":["x"]}"#);
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
            assert!(apply(&mut value, &edit).is_err(), "{edit:?}");
            assert_eq!(value, before);
        }
    }
}
