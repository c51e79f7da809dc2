//! What an edit means for a value: the yardstick that every edited text is held against.

use serde_json::{Map, Value};

use super::edit::{Edit, EditError};
use crate::schema::pointer::Pointer;

/// Makes the edit in a plain value. `None` is a document that is not there yet. On the way `null` counts as missing.
pub fn apply(value: Option<&Value>, edit: &Edit) -> Result<Value, EditError> {
    let mut value = value.cloned().unwrap_or_default();
    match edit {
        Edit::Set { at, to } => *make(&mut value, at)? = to.value().clone(),
        Edit::Remove { at } => remove(&mut value, at)?,
        Edit::Insert { at, item } => {
            let (parent, index) = item_place(at)?;
            let list = make(&mut value, &parent)?;
            if list.is_null() {
                *list = Value::Array(Vec::new());
            }
            let items = list.as_array_mut().ok_or(EditError::NotAList(parent))?;
            if index > items.len() {
                return Err(EditError::NoSuchPlace(at.clone()));
            }
            items.insert(index, item.value().clone());
        }
        Edit::Move { at, to } => {
            let (parent, index) = item_place(at)?;
            let list = parent.get_mut(&mut value).ok_or_else(|| EditError::NoSuchPlace(parent.clone()))?;
            let items = list.as_array_mut().ok_or_else(|| EditError::NotAList(parent.clone()))?;
            for row in [index, *to] {
                if row >= items.len() {
                    return Err(EditError::NoSuchPlace(parent.item(row)));
                }
            }
            let item = items.remove(index);
            items.insert(*to, item);
        }
        Edit::Rename { at, key } => rename(&mut value, at, key)?,
    }
    Ok(value)
}

/// The parent list and the index that a pointer to an item names.
pub fn item_place(at: &Pointer) -> Result<(Pointer, usize), EditError> {
    let parent = at.parent().ok_or_else(|| EditError::NotAList(at.clone()))?;
    let index = at.last_index().ok_or_else(|| EditError::NotAList(parent.clone()))?;
    Ok((parent, index))
}

/// The slot at a pointer, with the objects on the way made where they are missing.
fn make<'v>(value: &'v mut Value, at: &Pointer) -> Result<&'v mut Value, EditError> {
    let mut slot = value;
    let mut here = Pointer::root();
    for token in at.tokens() {
        if slot.is_null() {
            *slot = Value::Object(Map::new());
        }
        slot = match slot {
            Value::Object(members) => members.entry(token.clone()).or_insert(Value::Null),
            Value::Array(items) => {
                let item = token.parse::<usize>().ok().and_then(|index| items.get_mut(index));
                item.ok_or_else(|| EditError::NoSuchPlace(here.child(token.clone())))?
            }
            _ => return Err(EditError::NotAnObject(here)),
        };
        here = here.child(token.clone());
    }
    Ok(slot)
}

fn remove(value: &mut Value, at: &Pointer) -> Result<(), EditError> {
    let missing = || EditError::NoSuchPlace(at.clone());
    let (parent, last) = (at.parent().ok_or_else(missing)?, at.last().ok_or_else(missing)?);
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

fn rename(value: &mut Value, at: &Pointer, key: &str) -> Result<(), EditError> {
    let missing = || EditError::NoSuchPlace(at.clone());
    let (parent, last) = (at.parent().ok_or_else(missing)?, at.last().ok_or_else(missing)?);
    let object = parent.get_mut(value).ok_or_else(missing)?;
    let members = object.as_object_mut().ok_or_else(|| EditError::NotAnObject(parent.clone()))?;
    if !members.contains_key(last) {
        return Err(missing());
    }
    if key != last && members.contains_key(key) {
        return Err(EditError::KeyTaken { at: parent, key: key.to_owned() });
    }
    let renamed = std::mem::take(members).into_iter().map(|(name, value)| match name == last {
        true => (key.to_owned(), value),
        false => (name, value),
    });
    *members = renamed.collect();
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::literal::Literal;

    fn at(text: &str) -> Pointer {
        Pointer::parse(text).unwrap()
    }

    #[test]
    fn makes_what_is_missing() {
        let set = Edit::Set { at: at("/a/b/c"), to: Literal::from(1) };
        assert_eq!(apply(None, &set), Ok(json!({"a": {"b": {"c": 1}}})));
        let insert = Edit::Insert { at: at("/a/l/0"), item: Literal::from("x") };
        assert_eq!(apply(Some(&json!({"a": null})), &insert), Ok(json!({"a": {"l": ["x"]}})));
    }

    #[test]
    fn refuses_what_cannot_be() {
        let value = json!({"a": [1], "b": 2, "c": 3});
        for (edit, error) in [
            (Edit::Set { at: at("/b/x"), to: Literal::from(1) }, EditError::NotAnObject(at("/b"))),
            (Edit::Set { at: at("/a/1"), to: Literal::from(1) }, EditError::NoSuchPlace(at("/a/1"))),
            (Edit::Insert { at: at("/a/2"), item: Literal::from(1) }, EditError::NoSuchPlace(at("/a/2"))),
            (Edit::Insert { at: at("/b/0"), item: Literal::from(1) }, EditError::NotAList(at("/b"))),
            (Edit::Remove { at: at("/x") }, EditError::NoSuchPlace(at("/x"))),
            (Edit::Remove { at: at("") }, EditError::NoSuchPlace(at(""))),
            (Edit::Move { at: at("/a/0"), to: 1 }, EditError::NoSuchPlace(at("/a/1"))),
            (Edit::Rename { at: at("/b"), key: "c".into() }, EditError::KeyTaken { at: at(""), key: "c".into() }),
            (Edit::Rename { at: at("/a/0"), key: "c".into() }, EditError::NotAnObject(at("/a"))),
        ] {
            assert_eq!(apply(Some(&value), &edit), Err(error));
        }
    }
}
