//! Where a form begins: the first empty required field; and what in it was made by the form and
//! chosen by nobody.

use serde_json::Value;

use super::view::Form;
use crate::schema::{
    fields::{Field, Part, Presence, decided_at},
    kind::Kind,
    ordering::PutInOrder,
    pointer::Pointer,
};

impl Form {
    /// The row that a form begins at: the first empty required field, else the first field.
    pub(super) fn first_row(&self) -> usize {
        self.first_among(0..self.fields.len()).unwrap_or(0)
    }

    /// The same among some rows; never the row that adds.
    pub(super) fn first_among(&self, rows: std::ops::Range<usize>) -> Option<usize> {
        let is_field = |row: &usize| {
            let field = &self.fields[*row];
            let is_whole = field.pointer.is_root() && field.fold_state().is_some();
            !is_whole && matches!(field.part, Part::Whole | Part::Value | Part::Switch(_))
        };
        let mut fields = rows.filter(is_field);
        let is_open = |row: &usize| !matches!(self.fields[*row].kind, Kind::Const(_));
        let wanted = fields.clone().find(|row| self.is_wanted(*row));
        wanted.or_else(|| fields.clone().find(is_open)).or_else(|| fields.next())
    }

    /// Whether a row is a required field with nothing in it, or with an empty text.
    pub(super) fn is_wanted(&self, row: usize) -> bool {
        let Some(field) = self.fields.get(row) else { return false };
        let is_editable = !matches!(
            field.kind,
            Kind::Const(_) | Kind::ReadOnly | Kind::Null | Kind::Object { open: true, .. }
        );
        let is_empty = || field.pointer.get(&self.value).and_then(Value::as_str) == Some("");
        field.required && is_editable && (field.presence != Presence::Set || is_empty())
    }

    /// Goes to where a form begins.
    pub fn go_to_start(&mut self) {
        let row = self.first_row();
        if row < self.fields.len() {
            self.set_row(row);
        }
    }

    /// The rows of what lies inside a place, and of its value where that has a row of its own.
    pub(super) fn rows_inside(&self, at: &Pointer) -> std::ops::Range<usize> {
        let inside = |field: &Field| {
            field.pointer.starts_with(at) && (field.pointer != *at || field.part == Part::Value)
        };
        let start = self.fields.iter().position(inside).unwrap_or(self.fields.len());
        let len =
            self.fields[start..].iter().take_while(|field| field.pointer.starts_with(at)).count();
        start..start + len
    }

    /// Remembers that nobody chose the value at a place: it is selected when its editing begins.
    pub(super) fn mark_fresh(&mut self, at: &Pointer) {
        let Some(value) = at.get(&self.value) else { return };
        let mut leaves = vec![(at.clone(), value)];
        let mut fresh = Vec::new();
        while let Some((at, value)) = leaves.pop() {
            match value {
                Value::Array(items) => {
                    leaves.extend(items.iter().enumerate().map(|(row, item)| (at.item(row), item)));
                }
                Value::Object(members) => {
                    leaves
                        .extend(members.iter().map(|(key, value)| (at.child(key.clone()), value)));
                }
                _ => fresh.push((at, ())),
            }
        }
        self.fresh.extend(fresh);
    }

    /// The document was made from the schema alone: nobody chose any of it.
    pub fn mark_unchosen(&mut self) {
        self.mark_fresh(&Pointer::root());
        self.editor = None;
    }

    /// The value with the members of each object in the order of the schema; those that it does not
    /// name come last, as they stand.
    #[must_use]
    pub fn arranged_value(&self) -> Value {
        self.arranged_at(&Pointer::root(), &self.value)
    }

    fn arranged_at(&self, at: &Pointer, value: &Value) -> Value {
        match value {
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(row, item)| self.arranged_at(&at.item(row), item))
                .collect(),
            Value::Object(members) => {
                let node =
                    decided_at(&self.schema, self.checker.as_ref(), &self.view, &self.value, at);
                let place = |name: &str| {
                    let properties = node.as_ref().map_or(&[][..], |node| &node.object.properties);
                    properties
                        .iter()
                        .position(|property| &*property.name == name)
                        .unwrap_or(usize::MAX)
                };
                let mut members: Vec<_> = members.iter().collect();
                members.order_by_key(|(name, _)| place(name));
                let arranged = |(name, value): (&String, &Value)| {
                    (name.clone(), self.arranged_at(&at.child(name.clone()), value))
                };
                members.into_iter().map(arranged).collect()
            }
            other => other.clone(),
        }
    }
}
