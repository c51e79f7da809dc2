//! Items that are added to a list one after another: `Enter` ends one and begins the next. And
//! numbers, which their first digit begins.

use serde_json::Value;

use super::view::{Form, FormReply};
use crate::{
    app::input::{Code, Input, Key},
    schema::{
        fields::{Field, Part},
        kind::{AddedPart, Kind},
        pointer::Pointer,
    },
    syntax::edit::Edit,
};

impl Form {
    /// The field's text is done: where it is the item that is being added at the end of a list, the
    /// next one is typed on the row that adds, and an item in which nothing was typed goes.
    pub(super) fn end_item(&mut self) -> FormReply {
        if let Some(dropped) = self.drop_blank_item() {
            return dropped.merge_with(self.accept_text());
        }
        let Some(list) = self.growing_list() else { return self.accept_text() };
        let reply = self.flush_editor();
        match self.go_on_adding(&list) {
            true => reply,
            false => reply.merge_with(self.accept_text()),
        }
    }

    /// A value was chosen: where items are being added, the row that adds is next.
    pub(super) fn end_chosen_item(&mut self, edits: Vec<Edit>) -> FormReply {
        let reply = self.commit_edits(edits);
        if let Some(list) = self.growing_list() {
            self.go_on_adding(&list);
        }
        reply
    }

    /// What is typed on the row that adds while items are being added: it begins the next one, and
    /// `Enter` ends the list.
    pub(super) fn type_item(&mut self, input: &Input) -> Option<FormReply> {
        let row = self.focused_row().filter(|row| self.is_adding_at(&self.fields[*row]))?;
        let is_typed = match input {
            Input::Key(key) if key.is_plain(Code::Enter) => {
                self.adding = None;
                return Some(self.accept_text());
            }
            Input::Key(key) => key.typed_char().is_some_and(|letter| !letter.is_whitespace()),
            Input::Paste(_) => true,
            Input::Mouse(_) => false,
        };
        if !is_typed {
            return None;
        }
        let added = self.add_child(row);
        // Where no item could be added, the row that adds is still under the cursor.
        let is_there = self.focused_row().is_some_and(|row| self.is_adding_at(&self.fields[row]));
        match is_there {
            true => Some(added),
            false => Some(added.merge_with(self.handle_input(input))),
        }
    }

    /// Takes the item away that is being added, where nothing was typed in it.
    pub(super) fn drop_blank_item(&mut self) -> Option<FormReply> {
        let list = self.growing_list().filter(|_| self.is_blank_item())?;
        let at = self.focus.0.clone();
        self.editor = None;
        self.drafts.remove(&at);
        let reply = self.commit_edits(vec![Edit::Remove { at }]);
        self.go_on_adding(&list);
        self.adding = None;
        Some(reply)
    }

    /// A digit or a minus begins a number at once, in place of the one that is there, as in a
    /// spreadsheet.
    pub(super) fn begin_number(&mut self, key: Key) {
        let is_asleep = self.resting
            && self.editor.as_ref().is_some_and(|editor| editor.is_typing() && !editor.is_open());
        if !key.begins_number() || !is_asleep || !self.is_at_number() {
            return;
        }
        self.resting = false;
        self.remember_value();
        let whole = Input::Key(Key::ctrl('a'));
        self.ask_editor(|editor, cell| editor.handle_input(cell, &whole));
    }

    /// The keys of the row under the cursor that begin or end what is typed in numbers and lists.
    pub(super) fn item_hints(&self) -> Option<Vec<(&'static str, &'static str)>> {
        let field = &self.fields[self.focused_row()?];
        if self.is_adding_at(field) {
            return Some(vec![("type", "the next item"), ("Enter", "end the list")]);
        }
        let is_open = self.editor.as_ref().is_some_and(|editor| editor.is_open());
        if self.resting && !is_open && self.is_at_number() {
            return Some(vec![("0-9", "type a number")]);
        }
        if self.resting || is_open || self.growing_list().is_none() {
            return None;
        }
        let enter = if self.is_blank_item() { "end the list" } else { "next item" };
        Some(vec![("Enter", enter), ("Esc", "done")])
    }

    /// Whether a row is that which adds, and the next item is typed there.
    pub(super) fn is_adding_at(&self, field: &Field) -> bool {
        !self.resting
            && field.kind == Kind::Add(AddedPart::Item)
            && self.adding.as_ref() == Some(&field.pointer)
    }

    fn is_at_number(&self) -> bool {
        let field = self.focused_row().map(|row| &self.fields[row]);
        field.is_some_and(|field| self.takes_number(field))
    }

    /// The list to whose end the plain value under the cursor is being added. What is typed and is
    /// no value has to be put right first.
    fn growing_list(&self) -> Option<Pointer> {
        let at = &self.focus.0;
        let list = self.adding.clone().filter(|list| at.parent().as_ref() == Some(list))?;
        let last = list.get(&self.value)?.as_array()?.len().checked_sub(1)?;
        let is_plain =
            || at.get(&self.value).is_some_and(|item| !item.is_array() && !item.is_object());
        let draft = self.drafts.get(at);
        let is_wrong =
            draft.is_some_and(|(text, words)| !text.trim().is_empty() && !words.is_empty());
        (at.last_index() == Some(last) && is_plain() && !is_wrong).then_some(list)
    }

    /// Whether nothing was typed in the item under the cursor. What its schema offers counts as
    /// typed, as does a value that can be no other.
    fn is_blank_item(&self) -> bool {
        let (at, row) = (&self.focus.0, self.focused_row());
        let is_offered = |field: &Field| {
            field.node.default.is_some() || matches!(field.kind, Kind::Const(_) | Kind::Null)
        };
        let is_untouched =
            self.fresh.contains_key(at) && row.is_some_and(|row| !is_offered(&self.fields[row]));
        let is_erased = self.drafts.get(at).is_some_and(|(text, _)| text.trim().is_empty());
        is_untouched || is_erased || at.get(&self.value).and_then(Value::as_str) == Some("")
    }

    /// Puts the focus on the row that adds to a list; whether the list takes one more item.
    fn go_on_adding(&mut self, list: &Pointer) -> bool {
        let adds = |field: &Field| field.pointer == *list && field.part == Part::Add;
        let Some(row) = self.fields.iter().position(adds) else { return false };
        self.set_row(row);
        self.adding = Some(list.clone());
        true
    }
}
