//! Keys, mouse and actions of a form, turned into edits.

use std::ops::Range;

use serde_json::Value;

use super::{
    cell::{Answer, Ask, Click},
    focus::FocusMove,
    view::{Form, FormReply},
};
use crate::{
    app::{
        input::{Code, Input, Key, MouseKind},
        verbs,
    },
    schema::{
        blank::blank_value,
        fields::{Field, Part, Presence, Role, key_at},
        kind::Kind,
        node::{NodeKey, PlaceId, Types},
        pointer::Pointer,
    },
    syntax::edit::Edit,
    ui::form::change::FormContext,
};

/// The members of an object that another value in its place doesn't have; a type is one that it
/// has otherwise.
fn lost_words(before: Option<&Value>, after: Option<&Value>) -> Option<String> {
    let is_lost = |name: &&String| {
        *name != "type" && after.is_none_or(|value| value.get(name.as_str()).is_none())
    };
    let names: Vec<&str> =
        before?.as_object()?.keys().filter(is_lost).map(String::as_str).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Why a letter does nothing.
const TAKES_NO_TEXT: &str = "this field takes no text: Esc leaves EDIT, Tab goes to the next field";

impl Form {
    /// Takes a key, a paste or a mouse event.
    pub fn handle_input(&mut self, input: &Input) -> FormReply {
        self.keeping_mode(|form| form.route_input(input))
    }

    /// From NAV only a field that takes text leads to EDIT; in EDIT the form stays there, whatever
    /// field `Tab` leads to.
    pub(super) fn keeping_mode(&mut self, take: impl FnOnce(&mut Self) -> FormReply) -> FormReply {
        let was_resting = self.resting;
        let reply = take(self);
        let takes_text = self.editor.as_ref().is_some_and(|editor| editor.is_typing());
        self.resting |= was_resting && !takes_text;
        reply
    }

    fn route_input(&mut self, input: &Input) -> FormReply {
        if self.finder.is_some() {
            return self.find_input(input);
        }
        if let Input::Mouse(mouse) = input {
            let reply = self.handle_mouse(*mouse);
            // A press leads to EDIT where a text is, and out of it elsewhere.
            let takes_text = self.editor.as_ref().is_none_or(|editor| editor.is_typing());
            self.resting |= matches!(mouse.kind, MouseKind::Down(_)) && !takes_text;
            return reply;
        }
        self.begun = true;
        if self.is_typing()
            && matches!(input, Input::Key(key) if *key == Key::ctrl('v'))
            && !self.clip.is_empty()
        {
            return self.handle_input(&Input::Paste(self.clip.clone()));
        }
        self.ensure_editor();
        if let Some(reply) = self.template_input(input) {
            return reply;
        }
        if let Some(reply) = self.type_item(input) {
            return reply;
        }
        if let Input::Key(key) = input {
            self.begin_number(*key);
        }
        // Where the screen has nothing to send, its keys accept a text.
        if self.is_typing() && matches!(input, Input::Key(key) if verbs::SEND.is_key(*key)) {
            return self.accept_text();
        }
        let asleep = self.resting
            && self.editor.as_ref().is_some_and(|editor| editor.is_typing() && !editor.is_open());
        if !asleep {
            let answer = self.ask_editor(|editor, cell| editor.handle_input(cell, input));
            if let Answer::Draft { text, .. } = &answer
                && let Some(reply) = self.reroute_text(text)
            {
                return reply;
            }
            if answer != Answer::Ignored {
                let reply = self.handle_answer(answer);
                self.offer_templates();
                return reply;
            }
        }
        match input {
            Input::Key(key) => self.handle_key(*key),
            Input::Paste(_) if asleep => {
                self.resting = false;
                let reply = self.handle_input(input);
                self.resting = true;
                reply
            }
            // Where no text is wanted, what is pasted is a value.
            Input::Paste(text) => self.paste_value(text),
            Input::Mouse(_) => FormReply::Ignored,
        }
    }

    /// A text that the branch of a union does not take goes to another one that does.
    fn reroute_text(&mut self, text: &str) -> Option<FormReply> {
        let at = self.focus.0.clone();
        let is_line = self.editor.as_ref().is_some_and(|editor| editor.lets_route());
        let is_value = is_line && self.focus.1 == Part::Value && !text.is_empty();
        is_value.then(|| self.other_branch(&at, text)).flatten()
    }

    fn handle_key(&mut self, key: Key) -> FormReply {
        if self.full_help && self.read_on(key) {
            return FormReply::Handled;
        }
        let page = isize::from(i16::try_from(self.area.height).unwrap_or(10)).max(2) / 2;
        let go = match key.code {
            Code::Esc if key.is_plain(Code::Esc) => return self.handle_escape(),
            Code::Enter if key.is_plain(Code::Enter) && self.resting => {
                return self.activate_editor();
            }
            Code::Tab if key.mods.shift => FocusMove::By(-1),
            Code::Tab if key.is_plain(Code::Tab) => FocusMove::By(1),
            Code::Down if key.is_plain(Code::Down) => FocusMove::By(1),
            Code::Up if key.is_plain(Code::Up) => FocusMove::By(-1),
            Code::PageDown => FocusMove::By(page),
            Code::PageUp => FocusMove::By(-page),
            Code::Home if key.is_plain(Code::Home) => FocusMove::First,
            Code::End if key.is_plain(Code::End) => FocusMove::Last,
            _ if !self.resting && key.typed_char().is_some() => {
                return FormReply::Refused(TAKES_NO_TEXT.into());
            }
            _ => return FormReply::Ignored,
        };
        match self.move_focus(go) {
            Some(reply) => reply,
            // At an end, Tab goes on to the next pane.
            None if key.code == Code::Tab => match self.flush_editor() {
                FormReply::Handled => FormReply::Ignored,
                changed => changed,
            },
            None => FormReply::Handled,
        }
    }

    /// Moves on within a description that is longer than the pane.
    fn read_on(&mut self, key: Key) -> bool {
        let (Some(row), height) = (self.focused_row(), usize::from(self.area.height)) else {
            return false;
        };
        let Range { start, end } = self.lines.line_range(row);
        let to = match key.code {
            Code::PageDown if end > self.scroll + height => {
                (self.scroll + height / 2).min(end.saturating_sub(height))
            }
            Code::PageUp if start < self.scroll => {
                self.scroll.saturating_sub(height / 2).max(start)
            }
            _ => return false,
        };
        self.scroll = to;
        self.follow = false;
        true
    }

    /// Closes what is open, else stops typing; a form at rest leaves Esc to others.
    fn handle_escape(&mut self) -> FormReply {
        let typing = self.is_typing();
        if let Some(editor) = self.editor.as_mut().filter(|editor| editor.is_open()) {
            let is_text = editor.is_text();
            editor.close();
            // Another editor may stand in for the field's own: back to that.
            if !self.resting {
                let reply = self.flush_editor();
                self.resting = is_text;
                self.editor = None;
                self.ensure_editor();
                return reply;
            }
            return FormReply::Handled;
        }
        if typing {
            let dropped = self.drop_blank_item();
            (self.resting, self.adding) = (true, None);
            return dropped.unwrap_or_else(|| self.flush_editor());
        }
        FormReply::Ignored
    }

    /// The user begins to type, as by a press on the field.
    pub fn begin_typing(&mut self) {
        self.resting = false;
    }

    /// The keys come to the form: they are commands until `Enter` or a press makes them text.
    pub fn stop_typing(&mut self) {
        self.resting = true;
        if let Some(editor) = &mut self.editor {
            editor.close();
        }
    }

    pub(super) fn activate_editor(&mut self) -> FormReply {
        self.resting = false;
        self.templates.close();
        self.remember_value();
        self.ask_editor(|editor, cell| {
            editor.on_activate(cell);
            Answer::Handled
        });
        FormReply::Handled
    }

    /// Asks the editor of the focused row.
    pub(super) fn ask_editor(
        &mut self,
        what: impl FnOnce(&mut dyn super::cell::Editor, &super::cell::Cell<'_>) -> Answer,
    ) -> Answer {
        let Some(mut editor) = self.editor.take() else { return Answer::Ignored };
        let answer = self
            .focused_row()
            .and_then(|row| self.cell(row))
            .map_or(Answer::Ignored, |cell| what(editor.as_mut(), &cell));
        self.editor = Some(editor);
        answer
    }

    /// Does what a widget answered.
    pub(super) fn handle_answer(&mut self, answer: Answer) -> FormReply {
        match answer {
            Answer::Ignored => FormReply::Ignored,
            Answer::Handled => {
                self.follow = true;
                FormReply::Handled
            }
            Answer::Change(edits) => self.commit_edits(edits),
            Answer::Draft { text, words } => {
                // The value from before stays: a half of what was typed is not meant.
                let row = self.focused_row().and_then(|row| self.fields.get(row));
                // In a list of texts it is an item beside the others, which stay, unless all of it is
                // edited as JSON.
                let is_whole = self.editor.as_ref().is_some_and(|editor| editor.is_text());
                let is_list = row.is_some_and(|field| matches!(field.kind, Kind::Chips(_)));
                let is_item = is_list && !is_whole;
                let edits = match words.is_empty() || is_item {
                    true => Vec::new(),
                    false => self.restoring_edits(),
                };
                let editor = self.editor.take();
                let reply = self.commit_some(edits);
                self.editor = editor;
                match is_item && text.is_empty() {
                    true => drop(self.drafts.remove(&self.focus.0.clone())),
                    false => drop(self.drafts.insert(self.focus.0.clone(), (text, words))),
                }
                self.place_remarks();
                self.refresh_editor();
                reply
            }
            Answer::Copy { text, left } => {
                self.clip.clone_from(&text);
                let edits = match self.handle_answer(*left) {
                    FormReply::Edits(edits) => edits,
                    FormReply::Handled => Vec::new(),
                    other => return other,
                };
                FormReply::Copy { what: "text".into(), text, edits }
            }
            Answer::Refused(words) => FormReply::Refused(words),
            Answer::Ask(ask) => self.do_ask(ask),
        }
    }

    fn commit_some(&mut self, edits: Vec<Edit>) -> FormReply {
        self.follow = true;
        if edits.is_empty() { FormReply::Handled } else { self.commit_edits(edits) }
    }

    fn do_ask(&mut self, ask: Ask) -> FormReply {
        let Some(row) = self.focused_row() else { return FormReply::Handled };
        let at = self.fields[row].pointer.clone();
        match ask {
            Ask::Next => self.end_item(),
            Ask::Accept(edits) => self.commit_some(edits).merge_with(self.end_item()),
            Ask::Chosen(edits) => self.end_chosen_item(edits),
            Ask::Folder { folder, edits } => {
                let edits = match self.commit_some(edits) {
                    FormReply::Edits(edits) => edits,
                    FormReply::Handled => Vec::new(),
                    other => return other,
                };
                FormReply::Folder { folder, edits }
            }
            Ask::Fold => {
                let open = self.fields[row].fold_state().unwrap_or(false);
                self.view.folds.insert(at, !open);
                self.follow = true;
                self.relayout_fields();
                FormReply::Handled
            }
            Ask::Window(start) => {
                self.view.windows.insert(at, start);
                self.relayout_fields();
                FormReply::Handled
            }
            Ask::Pick(branch) => self.pick_branch(row, branch),
            Ask::Switch => self.open_switch(row),
            Ask::OrNull(on) => self.set_or_null(&at, on),
            Ask::Type(text) => self.type_into(&at, &text),
            Ask::AddItem => self.add_child(row),
            Ask::AddMember(name) => self.add_member(&at, &name),
            Ask::Rename(name) => self.rename_member(&at, &name),
        }
    }

    /// Accepts what was typed: on to the next field that is required and empty, else the form is
    /// in NAV on this one.
    pub(super) fn accept_text(&mut self) -> FormReply {
        let reply = self.flush_editor();
        let here = self.focused_row().unwrap_or(0);
        match (here + 1..self.fields.len()).find(|row| self.is_wanted(*row)) {
            Some(row) => self.set_row(row),
            None => self.resting = true,
        }
        reply
    }

    /// Takes another branch of the union at a row; what stood there is kept for the way back.
    pub(super) fn pick_branch(&mut self, row: usize, branch: usize) -> FormReply {
        let field = &self.fields[row];
        let (Part::Switch(place), Kind::Variant { chosen, .. }) = (field.part, &field.kind) else {
            return FormReply::Handled;
        };
        let (at, chosen, node, field_role) =
            (field.pointer.clone(), *chosen, field.node.clone(), field.role);
        if chosen == Some(branch) && field.presence == Presence::Set {
            self.enter_value(&at);
            return FormReply::Handled;
        }
        let target = node
            .unions
            .iter()
            .find(|union| union.place == place)
            .and_then(|union| union.branches.get(branch))
            .copied();
        let Some(target) = target else { return FormReply::Handled };
        if let (Some(chosen), Some(value)) = (chosen, at.get(&self.value)) {
            self.kept.insert((at.clone(), place, chosen), value.clone());
        }
        let declared = field_role == Role::Member;
        let was_object = at.get(&self.value).is_some_and(Value::is_object);
        let key = node.key.with_branch(place, target);
        let kept = self.kept.get(&(at.clone(), place, branch)).cloned();
        let ground = FormContext {
            schema: &self.schema,
            checker: self.checker.as_ref(),
            view: &self.view,
            value: &self.value,
        };
        let known = || ground.known_for_branch(&at, &self.schema.node(&key), &key);
        let value = kept.clone().or_else(|| {
            known().map(|to| if node.holds_schema { self.keep_null(&at, to) } else { to })
        });
        // An item and the whole document cannot be left out: they begin with what nobody chose.
        let value = value.or_else(|| {
            (!declared).then(|| blank_value(&self.schema, self.checker.as_ref(), &key))
        });
        // A kind within another stays one of that, whatever becomes of the value.
        let outer = self.fields[..row].iter().filter(|field| field.pointer == at);
        let outer = outer.filter_map(|field| match (field.part, &field.kind) {
            (Part::Switch(outer), Kind::Variant { chosen, .. }) => Some((outer, (*chosen)?)),
            _ => None,
        });
        let picks: Vec<((Pointer, PlaceId), usize)> = outer
            .chain([(place, branch)])
            .map(|(union, pick)| ((at.clone(), union), pick))
            .collect();
        self.view.picks.extend(picks.iter().cloned());
        self.view.folds.insert(at.clone(), true);
        self.drafts.remove(&at);
        self.editor = None;
        let before = at.get(&self.value).cloned();
        let reply = match value {
            Some(to) => self.commit_edits(vec![Edit::Set { at: at.clone(), to: to.into() }]),
            None if at.get(&self.value).is_some() => {
                let reply = self.commit_edits(vec![Edit::Remove { at: at.clone() }]);
                // What is removed takes with it what was decided about it.
                self.view.picks.extend(picks);
                self.relayout_fields();
                reply
            }
            None => {
                self.relayout_fields();
                FormReply::Handled
            }
        };
        self.lost = lost_words(before.as_ref(), at.get(&self.value))
            .map(|lost| format!("Removed {lost} from {}", at.words_in(&self.value)));
        if kept.is_none() && !was_object {
            self.mark_fresh(&at);
        }
        self.enter_value(&at);
        reply
    }

    /// The switch that decides a constant: it distinguishes the branches of a union.
    pub(super) fn switch_of(&self, field: &Field) -> Option<usize> {
        if !matches!(field.kind, Kind::Const(_)) {
            return None;
        }
        let (object, name) = field.pointer.parent().zip(field.pointer.last())?;
        self.fields.iter().position(|switch| {
            let Part::Switch(place) = switch.part else { return false };
            let tag = switch
                .node
                .unions
                .iter()
                .find(|union| union.place == place)
                .and_then(|union| union.tag.as_deref());
            switch.pointer == object && tag == Some(name)
        })
    }

    fn open_switch(&mut self, row: usize) -> FormReply {
        let Some(switch) = self.fields.get(row).and_then(|field| self.switch_of(field)) else {
            return FormReply::Handled;
        };
        self.set_row(switch);
        self.resting = false;
        self.ask_editor(|editor, cell| editor.handle_click(cell, Click::Open));
        FormReply::Handled
    }

    pub(super) fn key_of(&self, at: &Pointer) -> NodeKey {
        key_at(&self.schema, self.checker.as_ref(), &self.view, &self.value, at).unwrap_or_default()
    }

    /// Adds to the list or map of a row, or after the item of a row.
    pub(super) fn add_child(&mut self, row: usize) -> FormReply {
        let field = &self.fields[row];
        let at = field.pointer.clone();
        if let Some(object) = self.grown_object(field) {
            return self.name_member(&object);
        }
        let (list, index) = match (field.role, field.part) {
            (Role::Item { index, .. }, part)
                if part != Part::Add && !matches!(field.kind, Kind::List { .. }) =>
            {
                (at.parent().unwrap_or_default(), index + 1)
            }
            _ => (at.clone(), at.get(&self.value).and_then(Value::as_array).map_or(0, Vec::len)),
        };
        // An empty place of a tuple has none before it yet.
        let count = list.get(&self.value).and_then(Value::as_array).map_or(0, Vec::len);
        let place = list.item(index.min(count));
        let item = blank_value(&self.schema, self.checker.as_ref(), &self.key_of(&place));
        let reply = self.commit_edits(vec![Edit::Insert { at: place.clone(), item: item.into() }]);
        self.mark_fresh(&place);
        self.show_new(&place, &list);
        self.adding = Some(list);
        reply
    }

    /// Whether only an object can be at a place.
    pub(super) fn takes_only_objects(&self, place: &Pointer) -> bool {
        let node = self.schema.node(&self.key_of(place));
        node.shown_types() == Types::OBJECT && node.unions.is_empty()
    }

    /// What an item that is added at a place begins as.
    pub(super) fn blank_item(&self, place: &Pointer) -> Value {
        blank_value(&self.schema, self.checker.as_ref(), &self.key_of(place))
    }

    /// Asks for the name of a member to be added.
    pub(super) fn name_member(&mut self, object: &Pointer) -> FormReply {
        self.view.adding = Some(object.clone());
        self.focus_add(object);
        FormReply::Handled
    }

    /// Opens what was added, with the focus on the first thing to fill in.
    fn show_new(&mut self, place: &Pointer, list: &Pointer) {
        self.view.folds.insert(list.clone(), true);
        self.view.folds.insert(place.clone(), true);
        self.enter_value(place);
    }

    fn add_member(&mut self, object: &Pointer, name: &str) -> FormReply {
        let reply = self.put_member(object, name);
        if matches!(reply, FormReply::Edits(_)) {
            self.view.adding = None;
            self.show_new(&object.child(name), object);
        }
        reply
    }

    /// Adds an entry and leaves the focus where it is.
    pub(super) fn put_member(&mut self, object: &Pointer, name: &str) -> FormReply {
        let place = object.child(name);
        if place.get(&self.value).is_some() {
            return FormReply::Refused(format!("there is a member {name:?} already"));
        }
        let value = blank_value(&self.schema, self.checker.as_ref(), &self.key_of(&place));
        let reply = self.commit_edits(vec![Edit::Set { at: place.clone(), to: value.into() }]);
        self.mark_fresh(&place);
        reply
    }

    pub(super) fn rename_member(&mut self, at: &Pointer, name: &str) -> FormReply {
        let Some(parent) = at.parent() else { return FormReply::Handled };
        let same = at.last() == Some(name);
        if !same && parent.child(name).get(&self.value).is_some() {
            return FormReply::Refused(format!("there is a member {name:?} already"));
        }
        self.editor = None;
        if same {
            return FormReply::Handled;
        }
        self.commit_edits(vec![Edit::Rename { at: at.clone(), key: name.to_owned() }])
    }
}
