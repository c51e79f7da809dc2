//! Edits as a form makes them: whole where something around them is missing, and what they do to
//! places remembered.

use std::collections::HashMap;

use serde_json::Value;

use crate::{
    schema::{
        blank::{blank_value, known_value},
        fields::{View, key_at},
        mentions::{Mention, Reach, find_mentions},
        node::{Node, NodeKey},
        pointer::Pointer,
        tree::Schema,
        validate::Checker,
    },
    syntax::{edit::Edit, value},
};

/// What an edit is made in.
pub(crate) struct FormContext<'g> {
    pub schema: &'g Schema,
    pub checker: Option<&'g Checker>,
    pub view: &'g View,
    pub value: &'g Value,
}

impl FormContext<'_> {
    /// The edit, with what it needs around it: a new object comes with its required constants, an
    /// item with those before it, which are `null` unless the schema says them.
    #[must_use]
    pub fn complete_edit(&self, edit: Edit) -> Vec<Edit> {
        let needs = match &edit {
            Edit::Set { at, .. } | Edit::Insert { at, .. } => {
                at.parent().is_some_and(|above| self.is_missing(&above, &edit))
            }
            _ => false,
        };
        if !needs {
            return vec![edit];
        }
        let mut growth = GrowingEdits { form: self, value: self.value.clone(), edits: Vec::new() };
        growth.make_way(&edit);
        growth.add_edit(edit);
        growth.edits
    }

    /// Another name for a member, or its removal, with what names it where it is a property or a
    /// definition of a schema. References to what goes stay, for the user to say what to do.
    #[must_use]
    pub fn with_mentions(&self, edit: &Edit) -> Vec<Edit> {
        let mut edits = vec![edit.clone()];
        let is_member = edit
            .pointer()
            .parent()
            .is_some_and(|object| object.get(self.value).is_some_and(Value::is_object));
        if !is_member {
            return edits;
        }
        match edit {
            Edit::Rename { at, key } => {
                let mentions = find_mentions(self.value, at, Reach::Parts).into_iter();
                let renaming = mentions.filter_map(|mention| self.renamed_mention(mention, key));
                // The member has its new name by then.
                let placed = renaming.filter_map(|renaming| {
                    let at = place_after_edit(renaming.pointer(), edit, false)?;
                    let from = renaming.pointer().clone();
                    Some(renaming.strip_prefix(&from)?.with_prefix(&at))
                });
                edits.extend(placed);
            }
            Edit::Remove { at } => {
                let mentions = find_mentions(self.value, at, Reach::Own).into_iter();
                edits.extend(mentions.filter_map(|mention| self.removed_mention(mention)));
            }
            _ => {}
        }
        edits
    }

    fn renamed_mention(&self, mention: Mention, name: &str) -> Option<Edit> {
        let beside = |at: &Pointer| at.parent()?.get(self.value);
        Some(match mention {
            Mention::Item(at) => {
                let is_listed = beside(&at)?.as_array()?.iter().any(|item| item == name);
                match is_listed {
                    true => Edit::Remove { at },
                    false => Edit::Set { at, to: name.into() },
                }
            }
            Mention::Key(at) => {
                let is_free = beside(&at)?.get(name).is_none();
                is_free.then(|| Edit::Rename { at, key: name.to_owned() })?
            }
            Mention::Reference { at, reference } => {
                Edit::Set { at, to: reference.with_name(name).into() }
            }
        })
    }

    fn removed_mention(&self, mention: Mention) -> Option<Edit> {
        match mention {
            Mention::Item(at) => {
                let list = at.parent()?;
                let is_only = list.get(self.value)?.as_array()?.len() == 1;
                Some(Edit::Remove { at: if is_only { list } else { at } })
            }
            Mention::Key(at) => Some(Edit::Remove { at }),
            Mention::Reference { .. } => None,
        }
    }

    /// Nothing that could take the edit in is there: no object, and no list that is long
    /// enough.
    fn is_missing(&self, above: &Pointer, edit: &Edit) -> bool {
        match (above.get(self.value), edit) {
            (Some(Value::Array(items)), Edit::Set { at, .. }) => {
                at.last_index().is_some_and(|index| index >= items.len())
            }
            (Some(Value::Object(_) | Value::Array(_)), _) => false,
            _ => true,
        }
    }

    /// What is known of a value for another branch of a union: its constants and defaults, and what
    /// it shares with the present one. `None`: everything in it is for the user to say.
    #[must_use]
    pub fn known_for_branch(&self, at: &Pointer, node: &Node, key: &NodeKey) -> Option<Value> {
        let mut start = known_value(self.schema, self.checker, key)?;
        let present = at.get(self.value).and_then(Value::as_object);
        if let (Value::Object(members), Some(present)) = (&mut start, present) {
            for property in &node.object.properties {
                let inner = self.schema.node(&property.node);
                let shared = present
                    .get(&*property.name)
                    .filter(|value| inner.constant.is_none() && inner.types.admits(value))
                    .filter(|value| inner.lists(value) != Some(false));
                if let Some(shared) = shared {
                    members.insert(property.name.to_string(), shared.clone());
                }
            }
        }
        Some(start)
    }
}

/// Edits being put together, with the value after them.
struct GrowingEdits<'g> {
    form: &'g FormContext<'g>,
    value: Value,
    edits: Vec<Edit>,
}

impl GrowingEdits<'_> {
    fn blank_value(&self, at: &Pointer) -> Option<Value> {
        let form = self.form;
        let key = key_at(form.schema, form.checker, form.view, &self.value, at)?;
        Some(blank_value(form.schema, form.checker, &key))
    }

    /// What the schema says of an item that nobody has filled in yet; nothing is invented for it.
    fn known_value(&self, at: &Pointer) -> Option<Value> {
        let form = self.form;
        let key = key_at(form.schema, form.checker, form.view, &self.value, at)?;
        known_value(form.schema, form.checker, &key)
    }

    /// Makes what is missing above an edit.
    fn make_way(&mut self, edit: &Edit) {
        let tokens = edit.pointer().tokens();
        for depth in 0..tokens.len() {
            let place: Pointer = tokens[..depth].iter().cloned().collect();
            if matches!(place.get(&self.value), Some(Value::Object(_) | Value::Array(_))) {
                continue;
            }
            let inserts = matches!(edit, Edit::Insert { .. }) && depth + 1 == tokens.len();
            let is_item = tokens[depth].parse::<usize>().is_ok();
            let start = match self.blank_value(&place) {
                _ if depth == 0 && !inserts && self.value.is_null() => {
                    Value::Object(serde_json::Map::new())
                }
                Some(Value::Array(items)) if inserts || is_item => Value::Array(items),
                Some(Value::Object(members)) if !inserts => Value::Object(members),
                _ if inserts => Value::Array(Vec::new()),
                _ => Value::Object(serde_json::Map::new()),
            };
            // An edit makes empty objects on its way by itself.
            let above = place.parent().and_then(|above| above.get(&self.value));
            let is_plain = start.as_object().is_some_and(serde_json::Map::is_empty)
                && place.get(&self.value).is_none()
                && !above.is_some_and(Value::is_array);
            let made = self.edits.len();
            self.add_edit(Edit::Set { at: place, to: start.into() });
            if is_plain {
                self.edits.truncate(made);
            }
        }
    }

    /// Takes an edit in; an item that is set beyond the end of its list comes with those before it.
    fn add_edit(&mut self, edit: Edit) {
        let list = edit.pointer().parent().zip(edit.pointer().last_index());
        let len =
            list.as_ref().and_then(|(list, _)| list.get(&self.value)?.as_array().map(Vec::len));
        let edit = match (edit, list, len) {
            (Edit::Set { at, to }, Some((list, index)), Some(len)) if index >= len => {
                for missing in len..index {
                    let at = list.item(missing);
                    let item = self.known_value(&at).unwrap_or_default();
                    self.push(Edit::Insert { at, item: item.into() });
                }
                Edit::Insert { at, item: to }
            }
            // A default may hold items already; the new one comes after them.
            (Edit::Insert { at: _, item }, Some((list, index)), Some(len)) => {
                Edit::Insert { at: list.item(index.min(len)), item }
            }
            (edit, ..) => edit,
        };
        self.push(edit);
    }

    fn push(&mut self, edit: Edit) {
        // What cannot be made is refused as a whole where the edits are made for good.
        let _ = value::apply_edit(&mut self.value, &edit);
        self.edits.push(edit);
    }
}

/// Makes the edits on a value; `None` (and the value as it was) when one cannot be made.
#[must_use]
pub(crate) fn apply_edits(value: &Value, edits: &[Edit]) -> Option<Value> {
    let mut value = value.clone();
    edits.iter().all(|edit| value::apply_edit(&mut value, edit).is_ok()).then_some(value)
}

/// The members that have another name in a value than in one before it, at the same place: what
/// undo does to a rename.
#[must_use]
pub(crate) fn renames_between(before: &Value, after: &Value) -> Vec<Edit> {
    let mut renames = Vec::new();
    find_renames(&Pointer::root(), before, after, &mut renames);
    renames
}

fn find_renames(at: &Pointer, before: &Value, after: &Value, renames: &mut Vec<Edit>) {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            let is_renamed = |(old_key, new_key): &(&String, &String)| {
                old_key != new_key && !new.contains_key(*old_key) && !old.contains_key(*new_key)
            };
            let mut renamed = old.keys().zip(new.keys()).filter(is_renamed);
            let rename =
                renamed.next().filter(|_| old.len() == new.len() && renamed.next().is_none());
            renames.extend(
                rename.map(|(from, key)| Edit::Rename {
                    at: at.child(from.as_str()),
                    key: key.clone(),
                }),
            );
            for (key, now) in new {
                let was =
                    rename.filter(|(_, new_key)| *new_key == key).map_or(key, |(from, _)| from);
                if let Some(was) = old.get(was).filter(|was| *was != now) {
                    find_renames(&at.child(key.as_str()), was, now, renames);
                }
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (was, now)) in old.iter().zip(new).enumerate().filter(|(_, (a, b))| a != b)
            {
                find_renames(&at.item(index), was, now, renames);
            }
        }
        _ => {}
    }
}

/// Whether an edit is about an item of a list.
#[must_use]
pub(crate) fn is_in_list(value: &Value, edit: &Edit) -> bool {
    edit.pointer()
        .parent()
        .and_then(|parent| parent.get(value).map(Value::is_array))
        .unwrap_or(matches!(edit, Edit::Insert { .. }))
}

/// Where a place is after an edit; `None` when it is gone. Only lists shift what follows.
#[must_use]
pub(crate) fn place_after_edit(place: &Pointer, edit: &Edit, in_list: bool) -> Option<Pointer> {
    let Some(parent) = edit.pointer().parent() else { return Some(place.clone()) };
    let Some(rest) = place.strip_prefix(&parent).filter(|rest| !rest.is_root()) else {
        return Some(place.clone());
    };
    let tokens = rest.tokens();
    let index = || tokens[0].parse::<usize>().ok();
    let from = edit.pointer().last_index();
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
        Edit::Move { .. } if !in_list => return Some(place.clone()),
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
pub(crate) fn move_keys<T>(places: &mut HashMap<Pointer, T>, edit: &Edit, in_list: bool) {
    if matches!(edit, Edit::Set { .. }) {
        return;
    }
    let old = std::mem::take(places);
    places.extend(
        old.into_iter()
            .filter_map(|(place, what)| Some((place_after_edit(&place, edit, in_list)?, what))),
    );
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
        let go = |place: &str, edit: &Edit| {
            place_after_edit(&at(place), edit, true).map(|place| place.to_string())
        };
        let shift = Edit::Move { at: at("/l/0"), to: 2 };
        assert_eq!(go("/l/0/x", &shift).as_deref(), Some("/l/2/x"));
        assert_eq!(go("/l/2", &shift).as_deref(), Some("/l/1"));
        assert_eq!(go("/l/3", &shift).as_deref(), Some("/l/3"));
        let removal = Edit::Remove { at: at("/l/1") };
        assert_eq!(go("/l/1/x", &removal), None);
        assert_eq!(go("/l/2/x", &removal).as_deref(), Some("/l/1/x"));
        assert_eq!(
            place_after_edit(&at("/l/2"), &removal, false),
            Some(at("/l/2")),
            "members named by numbers stay"
        );
        assert_eq!(go("/m/2", &removal).as_deref(), Some("/m/2"));
        assert_eq!(
            go("/l/1", &Edit::Insert { at: at("/l/0"), item: 1.into() }).as_deref(),
            Some("/l/2")
        );
        assert_eq!(
            go("/a/b", &Edit::Rename { at: at("/a"), key: "z".into() }).as_deref(),
            Some("/z/b")
        );
    }

    #[test]
    fn a_new_object_comes_with_its_constants() {
        let schema = Schema::new(json!({"properties": {"s": {"type": "object", "required": ["k"],
            "properties": {"k": {"const": "c"}, "n": {"type": "integer"}}}, "p": {"properties": {"q": {}}}}}));
        let (view, value) = (View::default(), json!({}));
        let form = FormContext { schema: &schema, checker: None, view: &view, value: &value };
        let edits = form.complete_edit(Edit::Set { at: at("/s/n"), to: 1.into() });
        assert_eq!(apply_edits(&value, &edits), Some(json!({"s": {"k": "c", "n": 1}})));
        assert_eq!(form.complete_edit(Edit::Set { at: at("/p/q"), to: 1.into() }).len(), 1);
        let tuples = Schema::new(json!({"properties": {"t": {"type": "array",
            "prefixItems": [{"type": "string"}, {"default": 7}, {"type": "object", "properties": {"n": {}}}]}}}));
        let form = FormContext { schema: &tuples, checker: None, view: &view, value: &value };
        let edits = form.complete_edit(Edit::Set { at: at("/t/2/n"), to: 1.into() });
        assert_eq!(
            apply_edits(&value, &edits),
            Some(json!({"t": [null, 7, {"n": 1}]})),
            "items before the one that is set come with it, and are null where nothing is known"
        );
        let short = json!({"t": ["a"]});
        let form = FormContext { schema: &tuples, checker: None, view: &view, value: &short };
        let edits = form.complete_edit(Edit::Set { at: at("/t/1"), to: 2.into() });
        assert_eq!(apply_edits(&short, &edits), Some(json!({"t": ["a", 2]})));
        let value = json!({"s": null});
        let form = FormContext { schema: &schema, checker: None, view: &view, value: &value };
        let edits = form.complete_edit(Edit::Set { at: at("/s/n"), to: 1.into() });
        assert_eq!(apply_edits(&value, &edits), Some(json!({"s": {"k": "c", "n": 1}})));
    }
}
