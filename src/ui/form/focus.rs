//! Moving the focus of a form: by key, to a place, to where something new is.

use std::collections::HashMap;

use super::{
    cell::{Answer, Ask},
    find::{FindReply, Finder},
    layout,
    view::{FieldId, Form, FormReply},
};
use crate::app::input::Input;
use crate::schema::{
    fields::{self, Field, Part, Presence, View, WINDOW},
    pointer::Pointer,
};

/// Fields that are offered at most; what lies deeper is opened by hand.
const MOST: usize = 4_000;
/// How deep objects are looked into that are not there yet; a schema may hold itself.
const DEEPEST_UNSET: usize = 3;

/// Where to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FocusMove {
    By(isize),
    First,
    Last,
}

/// Which way to look for the next issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchDirection {
    Down,
    Up,
}

/// Where a user was in a form.
#[derive(Clone, Debug)]
pub(crate) struct FormPlace {
    folds: HashMap<Pointer, bool>,
    windows: HashMap<Pointer, usize>,
    focus: FieldId,
    scroll: usize,
}

impl Form {
    /// Moves the focus to a place, opening what hides it; to the nearest one above it where there
    /// is no such place. What was typed elsewhere and is not yet in the value comes as edits.
    pub fn focus_field(&mut self, at: &Pointer) -> FormReply {
        self.begun = true;
        let reply = self.flush_editor();
        self.reveal_field(at);
        reply
    }

    /// What is open, and where the cursor is; `None` where nobody was here.
    #[must_use]
    pub(crate) fn place(&self) -> Option<FormPlace> {
        let View { folds, windows, .. } = self.view.clone();
        let (focus, scroll) = (self.focus.clone(), self.scroll);
        self.begun.then_some(FormPlace { folds, windows, focus, scroll })
    }

    /// Opens what was open, and puts the cursor where it was, as far as that is there.
    pub(super) fn go_back_to(&mut self, place: FormPlace) {
        let FormPlace { folds, windows, focus, scroll } = place;
        self.begun = true;
        (self.view.folds, self.view.windows) = (folds, windows);
        if self.focus != focus {
            self.editor = None;
        }
        (self.focus, self.scroll) = (focus, scroll);
        self.relayout_fields();
    }

    /// The same; whether the place is there. What was typed must have been taken in before.
    pub(super) fn reveal_field(&mut self, at: &Pointer) -> bool {
        // A field that is not set is not to be found where only those are shown that are.
        if self.view.only_set && at.get(&self.value).is_none() {
            self.view.only_set = false;
            self.relayout_fields();
        }
        let mut above = at.parent();
        let mut folds = Vec::new();
        while let Some(place) = above.filter(|place| !place.is_root()) {
            above = place.parent();
            folds.push(place);
        }
        for place in folds.into_iter().rev() {
            let step =
                at.tokens().get(place.tokens().len()).and_then(|token| token.parse::<usize>().ok());
            if place.get(&self.value).is_some_and(serde_json::Value::is_array)
                && let Some(index) = step
            {
                let start = self.view.windows.get(&place).copied().unwrap_or(0);
                if !(start..start + WINDOW).contains(&index) {
                    self.view.windows.insert(place.clone(), index / WINDOW * WINDOW);
                }
            }
            self.view.folds.insert(place, true);
        }
        self.relayout_fields();
        let best = |part: Part| match part {
            Part::Value => 0,
            Part::Whole => 1,
            Part::Switch(_) => 2,
            Part::OrNull | Part::Add | Part::More(_) => 9,
        };
        let mut place = Some(at.clone());
        while let Some(here) = place {
            let rows = self
                .fields
                .iter()
                .enumerate()
                .filter(|(_, field)| field.pointer == here && best(field.part) < 9);
            if let Some((row, _)) = rows.min_by_key(|(_, field)| best(field.part)) {
                self.set_row(row);
                return here == *at;
            }
            place = here.parent();
        }
        false
    }

    /// Puts the focus on a row by its number among [`Form::fields`], ready for keys.
    /// What was typed elsewhere and is not yet in the value comes as edits.
    pub fn turn_to(&mut self, row: usize) -> FormReply {
        self.begun = true;
        let target = self.fields.get(row).map(|field| (field.pointer.clone(), field.part));
        let reply = self.flush_editor();
        let row = target.and_then(|(at, part)| {
            self.fields.iter().position(|field| field.part == part && field.pointer == at)
        });
        if let Some(row) = row {
            self.set_row(row);
            self.resting = false;
        }
        reply
    }

    /// Puts the focus on the row that adds to the value at a place, opening it.
    pub(super) fn focus_add(&mut self, at: &Pointer) {
        self.view.folds.insert(at.clone(), true);
        self.relayout_fields();
        if let Some(row) =
            self.fields.iter().position(|field| field.pointer == *at && field.part == Part::Add)
        {
            self.set_row(row);
            self.resting = false;
        }
    }

    /// Puts the focus on a row; what was typed elsewhere must have been taken in before.
    pub(super) fn set_row(&mut self, row: usize) {
        let Some(field) = self.fields.get(row) else { return };
        let id = (field.pointer.clone(), field.part);
        if self.focus != id {
            self.adding = self.adding.take().filter(|_| self.focus.0 == id.0);
            self.focus = id;
            self.editor = None;
            self.templates.close();
            self.full_help = false;
        }
        self.follow = true;
        self.ensure_editor();
    }

    /// The focus stays on a row that is there.
    pub(super) fn settle_focus(&mut self) {
        if self.fields.is_empty() || self.begun && self.focused_row().is_some() {
            return;
        }
        if !self.begun {
            return self.focus_first();
        }
        let (pointer, _) = &self.focus;
        let same = self.fields.iter().position(|field| field.pointer == *pointer);
        // What is gone leaves the focus to the one that took its place, else to the one above.
        let above = || {
            let parent = pointer.parent()?;
            let index = pointer.last_index();
            let before =
                index.and_then(|index| index.checked_sub(1)).map(|index| parent.item(index));
            let find = |at: &Pointer| self.fields.iter().position(|field| field.pointer == *at);
            before.as_ref().and_then(find).or_else(|| find(&parent))
        };
        let row = same.or_else(above).unwrap_or(0);
        self.focus = (self.fields[row].pointer.clone(), self.fields[row].part);
        self.editor = None;
    }

    /// Puts the focus where a form begins.
    fn focus_first(&mut self) {
        let first = &self.fields[self.first_row()];
        let id = (first.pointer.clone(), first.part);
        if self.focus != id {
            self.focus = id;
            self.editor = None;
        }
    }

    /// Puts the focus into the value at a place: on its first field to fill in, where it has fields
    /// of its own.
    pub(super) fn enter_value(&mut self, at: &Pointer) {
        self.reveal_field(at);
        let inside = self.rows_inside(at);
        let first =
            self.first_among(inside.clone()).or((!inside.is_empty()).then_some(inside.start));
        let undecided = self
            .fields
            .iter()
            .rposition(|field| field.pointer == *at && matches!(field.part, Part::Switch(_)));
        if let Some(row) = first.or(undecided) {
            self.set_row(row);
        }
        self.resting = false;
    }

    /// Moves the focus; `None` when it is at that end already.
    pub(super) fn move_focus(&mut self, go: FocusMove) -> Option<FormReply> {
        let last = self.fields.len().checked_sub(1)?;
        let row = self.focused_row().unwrap_or(0);
        let to = match go {
            FocusMove::First => 0,
            FocusMove::Last => last,
            FocusMove::By(by) => row.saturating_add_signed(by).min(last),
        };
        if to == row {
            return None;
        }
        self.removing = None;
        let target = (self.fields[to].pointer.clone(), self.fields[to].part);
        let reply = self.flush_editor();
        let to = self
            .fields
            .iter()
            .position(|field| (&field.pointer, field.part) == (&target.0, target.1));
        self.set_row(to.unwrap_or(row));
        Some(reply)
    }

    /// Where the focus is, as `field 12 of 50`; nothing when all of the form is seen.
    #[must_use]
    pub fn position_text(&self) -> Option<String> {
        let (total, seen) = (self.lines.line_count(), usize::from(self.area.height));
        let is_field = |field: &&Field| matches!(field.part, Part::Whole | Part::Switch(_));
        let row = self.focused_row().filter(|_| total > seen && seen > 0)?;
        let here = self.fields.iter().take(row + 1).filter(is_field).count();
        let path = layout::path_of(&self.fields[row])
            .map_or_else(String::new, |path| format!("{path} · "));
        Some(format!(
            "{path}field {} of {}",
            here.max(1),
            self.fields.iter().filter(is_field).count()
        ))
    }

    /// Takes in what is typed in the focused field but is not yet in the value. To be called before
    /// the form is dropped.
    pub fn flush_editor(&mut self) -> FormReply {
        let Some(mut editor) = self.editor.take() else { return FormReply::Handled };
        let answer =
            self.focused_row().and_then(|row| self.cell(row)).map(|cell| editor.on_leave(&cell));
        editor.close();
        self.editor = Some(editor);
        match answer {
            Some(Answer::Change(edits)) => self.commit_edits(edits),
            Some(Answer::Ask(Ask::AddMember(name))) => {
                let object = self.focus.0.clone();
                self.put_member(&object, &name)
            }
            Some(Answer::Ask(Ask::Rename(name))) => {
                let at = self.focus.0.clone();
                self.rename_member(&at, &name)
            }
            Some(answer @ Answer::Draft { .. }) => self.handle_answer(answer),
            _ => FormReply::Handled,
        }
    }

    /// Moves the focus to the next place with an error, round and round.
    pub(super) fn seek_remark(&mut self, direction: SearchDirection) -> bool {
        let here = self.focused_row().unwrap_or(0);
        let count = self.fields.len();
        let marked = |row: &usize| {
            !self.remarks.row_remarks(*row).is_empty() || self.remarks.folded(*row).is_some()
        };
        let row = match direction {
            SearchDirection::Down => (here + 1..count).chain(0..(here + 1).min(count)).find(marked),
            SearchDirection::Up => (0..here).rev().chain((here..count).rev()).find(marked),
        };
        let Some(row) = row else { return false };
        if self.remarks.row_remarks(row).is_empty() {
            let place = self.fields[row].pointer.clone();
            let issues = self.issues().iter().map(|issue| &issue.at);
            let drafts = self.drafts.iter().filter(|(_, (_, words))| !words.is_empty());
            let notes = self.notes.iter().map(|note| &note.at);
            let inside: Vec<&Pointer> = issues
                .chain(drafts.map(|(at, _)| at))
                .chain(notes)
                .filter(|at| at.starts_with(&place) && **at != place)
                .collect();
            let inside =
                if direction == SearchDirection::Down { inside.first() } else { inside.last() };
            if let Some(at) = inside.map(|at| (*at).clone()) {
                return self.reveal_field(&at);
            }
        }
        self.set_row(row);
        true
    }

    /// Opens the line in which a field is looked for.
    pub(super) fn open_finder(&mut self) {
        let fields = self.all_fields();
        self.finder = Some(Finder::new(&fields, &self.focus.0));
    }

    /// The fields with everything open that is there, and near to the top what is not.
    fn all_fields(&self) -> Vec<Field> {
        let mut view = self.view.clone();
        loop {
            let fields =
                fields::layout_fields(&self.schema, self.checker.as_ref(), &self.value, &view);
            let closed = fields.iter().filter(|field| field.fold_state() == Some(false));
            let opened = closed.filter(|field| {
                field.presence == Presence::Set || field.pointer.tokens().len() < DEEPEST_UNSET
            });
            let places: Vec<Pointer> = opened.map(|field| field.pointer.clone()).collect();
            if places.is_empty() || fields.len() > MOST {
                return fields.into_iter().take(MOST).collect();
            }
            view.folds.extend(places.into_iter().map(|place| (place, true)));
        }
    }

    pub(super) fn find_input(&mut self, input: &Input) -> FormReply {
        let Some(finder) = &mut self.finder else { return FormReply::Ignored };
        match finder.handle_input(input) {
            FindReply::Stay => FormReply::Handled,
            FindReply::Leave => {
                self.finder = None;
                FormReply::Handled
            }
            FindReply::Go(at) => {
                self.finder = None;
                self.resting = true;
                self.focus_field(&at)
            }
        }
    }
}
