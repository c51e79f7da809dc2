//! Edits as a form makes them: whole where something around them is missing, and what they do to places remembered.

use std::collections::HashMap;

use serde_json::Value;

use crate::{
    schema::{
        blank::blank,
        fields::{View, key_at},
        node::{Node, NodeKey},
        pointer::Pointer,
        tree::Schema,
        validate::Checker,
    },
    syntax::{edit::Edit, value},
};

/// What an edit is made in.
pub struct Ground<'g> {
    pub schema: &'g Schema,
    pub checker: Option<&'g Checker>,
    pub view: &'g View,
    pub value: &'g Value,
}

impl Ground<'_> {
    /// The edit, with what it needs around it: a new object comes with its required constants.
    #[must_use]
    pub fn complete(&self, edit: Edit) -> Vec<Edit> {
        let missing = match &edit {
            Edit::Set { at, .. } | Edit::Insert { at, .. } => self.first_missing(at),
            _ => None,
        };
        let Some(place) = missing else { return vec![edit] };
        let key = key_at(self.schema, self.checker, self.view, self.value, &place);
        let mut start = key.map_or(Value::Object(serde_json::Map::new()), |key| blank(self.schema, &key));
        let wants_list = matches!(&edit, Edit::Insert { at, .. } if at.parent().as_ref() == Some(&place));
        if wants_list && !start.is_array() {
            start = Value::Array(Vec::new());
        } else if !wants_list && !start.is_object() {
            start = Value::Object(serde_json::Map::new());
        }
        let edit = match edit {
            // A default may hold items already; the new one comes after them.
            Edit::Insert { at, item } if wants_list => {
                let index = start.as_array().map_or(0, Vec::len).min(at.last_index().unwrap_or(usize::MAX));
                Edit::Insert { at: place.item(index), item }
            }
            other => other,
        };
        let is_plain = start.as_object().is_some_and(serde_json::Map::is_empty) && place.get(self.value).is_none();
        if is_plain { vec![edit] } else { vec![Edit::Set { at: place, to: start.into() }, edit] }
    }

    /// The outermost place above `at` where nothing is, or something that holds no members.
    fn first_missing(&self, at: &Pointer) -> Option<Pointer> {
        let above = at.parent()?;
        let mut place = Pointer::root();
        for token in std::iter::once(None).chain(above.tokens().iter().map(Some)) {
            if let Some(token) = token {
                place = place.child(token.clone());
            }
            match place.get(self.value) {
                Some(Value::Object(_) | Value::Array(_)) => {}
                _ => return Some(place),
            }
        }
        None
    }

    /// A value for another branch of a union: what was there before under that branch, else a new one that keeps what both share.
    #[must_use]
    pub fn for_branch(&self, at: &Pointer, node: &Node, key: &NodeKey) -> Value {
        let mut start = blank(self.schema, &NodeKey { places: key.places.clone(), settled: key.settled.clone() });
        let present = at.get(self.value).and_then(Value::as_object);
        if let (Value::Object(members), Some(present)) = (&mut start, present) {
            for property in &node.object.properties {
                let inner = self.schema.node(&property.node);
                let shared = present.get(&*property.name).filter(|value| inner.constant.is_none() && inner.types.admits(value));
                if let Some(shared) = shared {
                    members.insert(property.name.to_string(), shared.clone());
                }
            }
        }
        start
    }
}

/// Makes the edits on a value; `None` (and the value as it was) when one cannot be made.
#[must_use]
pub fn applied(value: &Value, edits: &[Edit]) -> Option<Value> {
    let mut value = value.clone();
    edits.iter().all(|edit| value::apply(&mut value, edit).is_ok()).then_some(value)
}

/// Whether an edit is about an item of a list.
#[must_use]
pub fn is_in_list(value: &Value, edit: &Edit) -> bool {
    edit.at().parent().and_then(|parent| parent.get(value).map(Value::is_array)).unwrap_or(matches!(edit, Edit::Insert { .. }))
}

/// Where a place is after an edit; `None` when it is gone. Only lists shift what follows.
#[must_use]
pub fn moved(place: &Pointer, edit: &Edit, in_list: bool) -> Option<Pointer> {
    let Some(parent) = edit.at().parent() else { return Some(place.clone()) };
    let Some(rest) = place.strip(&parent).filter(|rest| !rest.is_root()) else { return Some(place.clone()) };
    let tokens = rest.tokens();
    let index = || tokens[0].parse::<usize>().ok();
    let from = edit.at().last_index();
    let head = match edit {
        Edit::Set { .. } => return Some(place.clone()),
        Edit::Remove { at } if at.last() == Some(tokens[0].as_str()) => return None,
        Edit::Remove { .. } if !in_list => return Some(place.clone()),
        Edit::Remove { .. } => match (index(), from) {
            (Some(index), Some(from)) if index > from => (index - 1).to_string(),
            _ => return Some(place.clone()),
        },
        Edit::Insert { .. } => match (index(), from) {
            (Some(index), Some(from)) if index >= from => (index + 1).to_string(),
            _ => return Some(place.clone()),
        },
        Edit::Move { to, .. } => {
            let (index, from) = (index()?, from?);
            let to = *to;
            let index = if index == from {
                to
            } else if from < index && index <= to {
                index - 1
            } else if to <= index && index < from {
                index + 1
            } else {
                index
            };
            index.to_string()
        }
        Edit::Rename { at, key } if at.last() == Some(tokens[0].as_str()) => key.clone(),
        Edit::Rename { .. } => return Some(place.clone()),
    };
    let rest: Pointer = tokens[1..].iter().cloned().collect();
    Some(parent.child(head).join(&rest))
}

/// The same for everything remembered by place.
pub fn move_keys<T>(places: &mut HashMap<Pointer, T>, edit: &Edit, in_list: bool) {
    if matches!(edit, Edit::Set { .. }) {
        return;
    }
    let old = std::mem::take(places);
    places.extend(old.into_iter().filter_map(|(place, what)| Some((moved(&place, edit, in_list)?, what))));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(text: &str) -> Pointer {
        Pointer::parse(text).unwrap()
    }

    #[test]
    fn places_follow_the_items_they_are_in() {
        let go = |place: &str, edit: &Edit| moved(&at(place), edit, true).map(|place| place.to_string());
        let shift = Edit::Move { at: at("/l/0"), to: 2 };
        assert_eq!(go("/l/0/x", &shift).as_deref(), Some("/l/2/x"));
        assert_eq!(go("/l/2", &shift).as_deref(), Some("/l/1"));
        assert_eq!(go("/l/3", &shift).as_deref(), Some("/l/3"));
        let removal = Edit::Remove { at: at("/l/1") };
        assert_eq!(go("/l/1/x", &removal), None);
        assert_eq!(go("/l/2/x", &removal).as_deref(), Some("/l/1/x"));
        assert_eq!(moved(&at("/l/2"), &removal, false), Some(at("/l/2")), "members named by numbers stay");
        assert_eq!(go("/m/2", &removal).as_deref(), Some("/m/2"));
        assert_eq!(go("/l/1", &Edit::Insert { at: at("/l/0"), item: 1.into() }).as_deref(), Some("/l/2"));
        assert_eq!(go("/a/b", &Edit::Rename { at: at("/a"), key: "z".into() }).as_deref(), Some("/z/b"));
    }

    #[test]
    fn a_new_object_comes_with_its_constants() {
        let schema = Schema::new(json!({"properties": {"s": {"type": "object", "required": ["k"],
            "properties": {"k": {"const": "c"}, "n": {"type": "integer"}}}, "p": {"properties": {"q": {}}}}}));
        let (view, value) = (View::default(), json!({}));
        let ground = Ground { schema: &schema, checker: None, view: &view, value: &value };
        let edits = ground.complete(Edit::Set { at: at("/s/n"), to: 1.into() });
        assert_eq!(applied(&value, &edits), Some(json!({"s": {"k": "c", "n": 1}})));
        assert_eq!(ground.complete(Edit::Set { at: at("/p/q"), to: 1.into() }).len(), 1);
        let value = json!({"s": null});
        let ground = Ground { schema: &schema, checker: None, view: &view, value: &value };
        let edits = ground.complete(Edit::Set { at: at("/s/n"), to: 1.into() });
        assert_eq!(applied(&value, &edits), Some(json!({"s": {"k": "c", "n": 1}})));
    }
}
