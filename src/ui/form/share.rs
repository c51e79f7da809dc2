//! A field's value as a whole: copied, pasted, set back to its default or to what is saved, held
//! against what is saved.

use std::sync::Arc;

use serde_json::Value;

use super::{
    spelling::{parse_literal, spell_literal},
    view::{Form, FormReply},
};
use crate::{
    schema::{
        blank::blank_value,
        count::count_text,
        fields::{Part, Presence, Role, offered_default},
        kind::{Kind, TextKind},
        literal::Literal,
        pointer::Pointer,
    },
    syntax::{edit::Edit, print, source::Format},
};

impl Form {
    /// What the value is held against: as it is on disk, or was at the start. Without it nothing is
    /// marked.
    pub fn set_saved(&mut self, saved: Option<&Arc<Value>>) {
        let same = match (&self.saved, saved) {
            (Some(known), Some(saved)) => Arc::ptr_eq(known, saved),
            (None, None) => true,
            _ => false,
        };
        if !same {
            self.saved = saved.cloned();
        }
    }

    /// The text that is on the clipboard, as far as the program knows.
    pub fn set_clip(&mut self, clip: &str) {
        if self.clip != clip {
            clip.clone_into(&mut self.clip);
        }
    }

    /// Whether the value at a row is another one than the saved one.
    pub(super) fn is_changed(&self, row: usize) -> bool {
        let (Some(saved), Some(field)) = (&self.saved, self.fields.get(row)) else { return false };
        if Arc::ptr_eq(saved, &self.value) || !field.part.is_value() {
            return false;
        }
        field.pointer.get(saved) != field.pointer.get(&self.value)
    }

    /// What the focused field was when it was saved, in words; nothing where it is still that.
    pub(super) fn saved_words(&self, row: usize) -> Option<String> {
        let field = self.fields.get(row).filter(|_| self.is_changed(row))?;
        let is_secret = field.node.write_only || field.kind == Kind::Text(TextKind::Secret);
        Some(match field.pointer.get(self.saved.as_deref()?) {
            None => "was not set".into(),
            Some(_) if is_secret => "was a different value".into(),
            Some(Value::String(text)) => format!("was \"{}\"", super::cell::one_line(text)),
            Some(Value::Array(items)) => {
                format!("was {}", count_text(items.len(), "item", "items"))
            }
            Some(Value::Object(members)) => {
                format!("was {}", count_text(members.len(), "member", "members"))
            }
            Some(value) => format!("was {value}"),
        })
    }

    /// The value at a place with its numbers as they are written.
    fn literal_at(&self, at: &Pointer) -> Option<Literal> {
        spell_literal(at.get(&self.value)?, at, &|at| self.written_number(at))
    }

    pub(super) fn copy_value(&self, at: &Pointer, format: Format) -> FormReply {
        let Some(literal) = self.literal_at(at) else {
            return FormReply::Refused("there is no value to copy".into());
        };
        let text = print::print_literal(format, &literal).trim_end_matches('\n').to_owned();
        let what = format!("{} as {}", at.last().unwrap_or("the whole"), format.name());
        FormReply::Copy { what, text, edits: Vec::new() }
    }

    /// Puts a value in JSON or YAML in the place of the focused one, or adds it: where the focus is
    /// on adding, and where it is on a list and the value is none.
    pub(super) fn paste_value(&mut self, text: &str) -> FormReply {
        let Some(field) = self.focused_row().and_then(|row| self.fields.get(row)) else {
            return FormReply::Handled;
        };
        let (at, part) = (field.pointer.clone(), field.part);
        let takes_items = matches!(field.kind, Kind::List { .. } | Kind::Chips(_));
        let Some(to) = parse_literal(text) else {
            return FormReply::Refused("what was copied is neither JSON nor YAML".into());
        };
        let is_list = at.get(&self.value).is_none_or(Value::is_array);
        let edit = match part {
            Part::OrNull | Part::More(_) => {
                return FormReply::Refused("there is no value here".into());
            }
            Part::Add if !is_list => {
                return FormReply::Refused(
                    "add an entry with a name first, then paste its value".into(),
                );
            }
            _ if part == Part::Add || takes_items && is_list && !to.value().is_array() => {
                let end = at.get(&self.value).and_then(Value::as_array).map_or(0, Vec::len);
                Edit::Insert { at: at.item(end), item: to }
            }
            _ => Edit::Set { at, to },
        };
        self.editor = None;
        let reply = self.commit_edits(vec![edit]);
        self.ensure_editor();
        reply
    }

    /// Sets the focused field back; what was typed there is put aside.
    pub(super) fn put_back(&mut self, edit: Edit) -> FormReply {
        self.editor = None;
        self.drafts.retain(|at, _| !at.starts_with(edit.pointer()));
        let reply = self.commit_edits(vec![edit]);
        self.ensure_editor();
        reply
    }

    /// What setting a row back to its default changes; nothing where it is that already.
    pub(super) fn reset_edit(&self, row: usize) -> Option<Edit> {
        let field = self.fields.get(row).filter(|field| field.part.is_value())?;
        let at = field.pointer.clone();
        let now = at.get(&self.value);
        let default = offered_default(&self.schema, self.checker.as_ref(), &field.node);
        // A member that may be absent has its default by being absent.
        if !field.required && matches!(field.role, Role::Member | Role::Entry { .. }) {
            return now.map(|_| Edit::Remove { at });
        }
        let start = default
            .cloned()
            .unwrap_or_else(|| blank_value(&self.schema, self.checker.as_ref(), &field.node.key));
        let is_there =
            now == Some(&start) || (field.presence == Presence::Unset && default.is_none());
        (!is_there).then(|| Edit::Set { at, to: start.into() })
    }

    /// What setting a row back to its saved value changes; nothing where it is that already.
    pub(super) fn revert_edit(&self, row: usize) -> Option<Edit> {
        let field = self.fields.get(row).filter(|_| self.is_changed(row))?;
        let at = field.pointer.clone();
        match at.get(self.saved.as_deref()?) {
            Some(value) => Some(Edit::Set { at, to: value.clone().into() }),
            None => Some(Edit::Remove { at }),
        }
    }
}
