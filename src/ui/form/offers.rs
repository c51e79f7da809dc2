//! What can be done on the focused row, why not, and what is worth naming.

use std::sync::Arc;

use serde_json::Value;

use super::view::Form;
use crate::{
    app::actions::Act,
    schema::{
        fields::{Field, Part, Presence, Role, decided_at, may_hold_entries, takes_entries},
        kind::{Adds, Kind, TextKind},
        node::{Node, Types},
        pointer::Pointer,
    },
};

/// Whether an action of the form changes the value at its row. Editing as JSON does so on purpose.
fn changes_value(act: Act) -> bool {
    matches!(
        act,
        Act::AddItem
            | Act::AddMember
            | Act::RemoveValue
            | Act::MoveUp
            | Act::MoveDown
            | Act::DuplicateItem
            | Act::SetNull
            | Act::SetEmpty
            | Act::RenameMember
            | Act::EditText
            | Act::PasteValue
    )
}

impl Form {
    /// Why an action of the form cannot be done on the focused row; `None` when it can.
    #[must_use]
    pub fn refusal_reason(&self, act: Act) -> Option<String> {
        if act == Act::OnlySet {
            return None;
        }
        let Some(field) = self.focused_row().and_then(|row| self.fields.get(row)) else {
            return Some("the form is empty".into());
        };
        let item = match field.role {
            Role::Item { index, len } if field.part != Part::Add && index < len => {
                Some((index, len))
            }
            _ => None,
        };
        if field.node.read_only && changes_value(act) {
            return Some(super::read_only::WHY.into());
        }
        let words = match act {
            Act::AddItem | Act::AddMember | Act::DuplicateItem
                if field.locks.add || field.node.hints.locks.add =>
            {
                "the uiSchema lets nobody add here"
            }
            Act::MoveUp | Act::MoveDown if field.locks.order => {
                "the uiSchema keeps the order of this list"
            }
            Act::RemoveValue if field.locks.remove => "the uiSchema lets nobody remove it",
            Act::AddItem if !self.can_add(field) => {
                "this is no list, nor an object that takes further members"
            }
            Act::AddMember if !self.takes_members(&self.object_around(field)) => {
                "the object takes no further members"
            }
            Act::RemoveValue if !field.is_removable() => "there is no value to take away",
            Act::MoveUp | Act::MoveDown | Act::DuplicateItem if item.is_none() => {
                "this is not an item of a list"
            }
            Act::MoveUp if item.is_some_and(|(index, _)| index == 0) => "it is the first item",
            Act::MoveDown if item.is_some_and(|(index, len)| index + 1 == len) => {
                "it is the last item"
            }
            Act::SetNull if !self.may_be_null(&field.pointer) => "null is not allowed here",
            Act::SetEmpty if empty_value(field).is_none() => "this is no text, list or object",
            Act::SetNull | Act::EditJson if matches!(field.part, Part::Add | Part::More(_)) => {
                "there is no value here"
            }
            Act::RenameMember
                if !matches!(field.role, Role::Entry { .. })
                    || field.presence == Presence::Unset =>
            {
                "its name is given by the schema"
            }
            Act::EditText if !is_text(field) => "this is not a text",
            Act::FixField if self.fix_here().is_none() => {
                "there is nothing that could be mended by itself"
            }
            Act::FieldHelp if field.help().is_none() && self.introduction().is_empty() => {
                "there is no description"
            }
            Act::CopyValue | Act::CopyYaml if field.presence == Presence::Unset => {
                "there is no value to copy"
            }
            Act::PasteValue if self.clip.is_empty() => "nothing was copied yet",
            Act::ResetField
                if self.focused_row().and_then(|row| self.reset_edit(row)).is_none() =>
            {
                "it is as it would begin"
            }
            Act::RevertField
                if self.focused_row().and_then(|row| self.revert_edit(row)).is_none() =>
            {
                "it is as it is saved"
            }
            Act::NextIssue | Act::PreviousIssue if self.remarks.total() == 0 => {
                "there is nothing to mend"
            }
            _ => return None,
        };
        Some(words.into())
    }

    /// The object that a row is for, where adding at the row means a member of it.
    pub(super) fn grown_object(&self, field: &Field) -> Option<Pointer> {
        let is_object = || field.pointer.get(&self.value).is_some_and(Value::is_object);
        match field.kind {
            Kind::Map { .. } | Kind::Object { .. } | Kind::Add(Adds::Member) => {
                Some(field.pointer.clone())
            }
            Kind::Variant { .. } if is_object() => Some(field.pointer.clone()),
            _ => None,
        }
    }

    /// The object that a row stands in.
    pub(super) fn object_around(&self, field: &Field) -> Pointer {
        let mut place = field.pointer.parent().unwrap_or_default();
        while let (Some(Value::Array(_)), Some(above)) = (place.get(&self.value), place.parent()) {
            place = above;
        }
        place
    }

    fn decided_node(&self, at: &Pointer) -> Option<Arc<Node>> {
        decided_at(&self.schema, self.checker.as_ref(), &self.view, &self.value, at)
    }

    /// Null is allowed at a place: a union's row may say so, though none of its branches does.
    fn may_be_null(&self, at: &Pointer) -> bool {
        self.fields
            .iter()
            .any(|field| field.pointer == *at && field.node.types.contains(Types::NULL))
    }

    fn takes_members(&self, object: &Pointer) -> bool {
        self.decided_node(object).is_some_and(|node| may_hold_entries(&node))
    }

    fn can_add(&self, field: &Field) -> bool {
        match self.grown_object(field) {
            Some(object) => self.takes_members(&object),
            None => {
                matches!(field.role, Role::Item { .. })
                    || matches!(
                        field.kind,
                        Kind::List { .. }
                            | Kind::Chips(_)
                            | Kind::Variant { open: Some(_), .. }
                            | Kind::Add(_)
                    )
            }
        }
    }

    /// Adding is what the row is for.
    fn is_for_adding(field: &Field) -> bool {
        matches!(field.role, Role::Item { .. })
            || matches!(field.kind, Kind::List { .. } | Kind::Map { .. } | Kind::Add(_))
            || matches!(field.kind, Kind::Object { .. }) && takes_entries(&field.node)
    }

    fn fix_here(&self) -> Option<usize> {
        self.remarks
            .row_remarks(self.focused_row()?)
            .iter()
            .find_map(|remark| remark.fix.as_ref().map(|(note, _)| *note))
    }

    /// The actions worth naming for the focused row, most useful first.
    #[must_use]
    pub fn hinted_actions(&self) -> Vec<Act> {
        let candidates = [
            Act::OpenField,
            Act::FixField,
            Act::AddItem,
            Act::MoveUp,
            Act::MoveDown,
            Act::RenameMember,
            Act::RemoveValue,
            Act::SetNull,
            Act::EditText,
            Act::RevertField,
            Act::FindField,
        ];
        let field = self.focused_row().and_then(|row| self.fields.get(row));
        let useful = |act: &Act| match act {
            _ if self.refusal_reason(*act).is_some() => false,
            Act::OpenField => !self.is_typing(),
            Act::FindField => self.position_text().is_some(),
            Act::AddItem => field.is_some_and(Self::is_for_adding),
            Act::SetNull => field.is_some_and(|field| {
                let says_so = matches!(
                    field.kind,
                    Kind::Choice(_) | Kind::Toggle | Kind::Variant { .. } | Kind::Null
                );
                field.node.nullable && field.presence != Presence::Null && !says_so
            }),
            _ => true,
        };
        candidates.into_iter().filter(useful).collect()
    }
}

/// The empty value of a text, a list or an object.
pub(super) fn empty_value(field: &Field) -> Option<Value> {
    match &field.kind {
        Kind::Text(_) => Some(Value::String(String::new())),
        Kind::Choice(choices) if choices.open => Some(Value::String(String::new())),
        Kind::List { .. } | Kind::Chips(_) => Some(Value::Array(Vec::new())),
        Kind::Object { .. } | Kind::Map { .. } => Some(Value::Object(serde_json::Map::new())),
        _ => None,
    }
}

/// A text that may be shown, and so edited elsewhere.
fn is_text(field: &Field) -> bool {
    match &field.kind {
        Kind::Text(kind) => *kind != TextKind::Secret,
        Kind::Choice(choices) => choices.open,
        _ => false,
    }
}
