//! The form of a session: fields listed, given values by name, and asked one after the other.

use super::{
    fields::{self, NotFound, Walk},
    session::{Pending, Session},
};
use crate::{
    app::{
        form_file::FormGoal,
        message::{Message, ScreenId},
        state::State,
    },
    schema::pointer::Pointer,
    ui::{
        form::view::{Form, FormReply},
        view::{Reply, Target},
    },
};

/// What is said to commands about fields where no form is.
const NO_FORM: &str = "There is no form here. Select something that has one.";

/// What can be typed at each field.
const WALK_WORDS: &str = "Enter keeps a value, - removes it, fix applies its fix, ? or help explains \
    the field, back goes back, done ends the questions, quit the program. After = any text is a value: =help.";

/// Why a form asks no more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WalkEnd {
    LastField,
    /// Somebody stopped answering.
    Left,
}

impl Session {
    pub(super) fn with_form(&mut self, state: &State, lines: fn(&Form) -> Vec<String>) {
        let lines = self.form_lines(state, lines);
        self.say_long(&lines);
    }

    fn form_lines(&mut self, state: &State, lines: fn(&Form) -> Vec<String>) -> Vec<String> {
        self.unfold(state);
        let lines = self.form(state).map(lines);
        lines.unwrap_or_else(|| vec![NO_FORM.to_owned()])
    }

    /// Prints the lines of each form of the screen, under its name where there are several.
    pub(super) fn with_forms(&mut self, state: &State, lines: fn(&Form) -> Vec<String>) {
        let forms = self.screen(state).map(|screen| screen.form_names()).unwrap_or_default();
        let here = forms.iter().find(|(_, is_here)| *is_here).filter(|_| forms.len() > 1);
        let Some((here, _)) = here else { return self.with_form(state, lines) };
        let mut printed = Vec::new();
        for (name, is_here) in &forms {
            let mark = if *is_here { ", selected; a number means one of its fields" } else { "" };
            printed.push(format!("Form {name}{mark}:"));
            self.go_to_form(name, state);
            printed.extend(self.form_lines(state, lines));
        }
        self.go_to_form(here, state);
        self.say_long(&printed);
    }

    pub(super) fn unfold(&mut self, state: &State) {
        if let Some(screen) = self.screen_mut(state) {
            let mut unfold = |form: &mut Form| {
                form.unfold_all();
                FormReply::Handled
            };
            screen.ask_form(&mut unfold, state);
        }
    }

    /// Makes an edit of the field that the first word of `rest` names.
    pub(super) fn edit_named(
        &mut self,
        rest: &str,
        is_switch: bool,
        state: &State,
        messages: &mut Vec<Message>,
        edit: impl Fn(&mut Form, usize, &str) -> FormReply,
    ) {
        let (word, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match self.named_row(word, is_switch, state) {
            Ok(row) => {
                self.edit_row(row, state, messages, |form| edit(form, row, text.trim()));
            }
            Err(why) => self.out.push(why),
        }
    }

    /// The row of the field that a word names. Where the form has none of that name and another form
    /// of the screen has, that one is gone to.
    pub(super) fn named_row(
        &mut self,
        word: &str,
        is_switch: bool,
        state: &State,
    ) -> Result<usize, String> {
        if word.is_empty() {
            return Err("Name a field. Type: fields".to_owned());
        }
        self.unfold(state);
        let found = self.form(state).map(|form| fields::find_row(form, word, is_switch));
        match found {
            Some(Ok(row)) => return Ok(row),
            Some(Err(NotFound::Several(names))) => {
                return Err(format!("{word} may be {}. Type one of these.", names.join(", ")));
            }
            Some(Err(NotFound::Unknown)) | None => {}
        }
        let forms = self.screen(state).map(|screen| screen.form_names()).unwrap_or_default();
        for (name, _) in forms.iter().filter(|(_, is_here)| !is_here) {
            self.go_to_form(name, state);
            if let Some(Ok(row)) =
                self.form(state).map(|form| fields::find_row(form, word, is_switch))
            {
                return Ok(row);
            }
        }
        // Nothing was found: where it was before.
        if let Some((name, _)) = forms.iter().find(|(_, is_here)| *is_here) {
            self.go_to_form(name, state);
        }
        match forms.as_slice() {
            [] if found.is_none() => Err(NO_FORM.to_owned()),
            [] | [_] => Err(format!("There is no field {word}. Type: fields")),
            several => {
                let names: Vec<&str> = several.iter().map(|(name, _)| *name).collect();
                Err(format!(
                    "There is no field {word} in {}. Type: form NAME, then fields",
                    names.join(", ")
                ))
            }
        }
    }

    fn go_to_form(&mut self, name: &str, state: &State) {
        if let Some(screen) = self.screen_mut(state) {
            screen.point_at(&Target::Form(name.to_owned()), state);
        }
        self.unfold(state);
    }

    /// Applies the fix of a field's problem, where the word names a field; whether it does.
    pub(super) fn fix_named(
        &mut self,
        word: &str,
        state: &State,
        messages: &mut Vec<Message>,
    ) -> bool {
        self.unfold(state);
        let row = self.form(state).map(|form| fields::find_row(form, word, false));
        let Some(Ok(row)) = row else { return false };
        self.edit_row(row, state, messages, |form| form.fix_of_row(row));
        true
    }

    /// Makes an edit, and says what is wrong with it; whether it was made.
    pub(super) fn edit_row(
        &mut self,
        row: usize,
        state: &State,
        messages: &mut Vec<Message>,
        mut edit: impl FnMut(&mut Form) -> FormReply,
    ) -> bool {
        let place =
            self.form(state).and_then(|form| form.fields().get(row).map(|f| f.pointer.clone()));
        let Some(screen) = self.screen_mut(state) else { return false };
        match screen.ask_form(&mut edit, state) {
            Reply::Refused(why) => {
                self.out.push(format!("Not done. {why}"));
                return false;
            }
            Reply::Send(sent) => messages.extend(sent),
            Reply::Ignored | Reply::Handled => {}
            asking => self.dispatch(asking, state, messages),
        }
        // What is wrong with it is known once the checks have ended.
        self.pending.extend(place.map(Pending::Field));
        true
    }

    pub(super) fn tell_field(&mut self, at: &Pointer, state: &State) {
        self.unfold(state);
        let lines = self.form(state).and_then(|form| {
            let row = form.row_of(at, false)?;
            Some(fields::describe_row(form, row))
        });
        self.out.extend(lines.unwrap_or_default());
    }

    pub(super) fn set(&mut self, rest: &str, state: &State, messages: &mut Vec<Message>) {
        if rest.contains(char::is_whitespace) || rest.is_empty() {
            let word = rest.split_whitespace().next().unwrap_or_default();
            self.open_holders(word, state, messages);
            return self.edit_named(rest, false, state, messages, |form, row, text| {
                form.set_by_text(row, text)
            });
        }
        let row = match self.named_row(rest, false, state) {
            Ok(row) => row,
            Err(why) => return self.out.push(why),
        };
        let Some((form, field)) =
            self.form(state).and_then(|form| Some((form, form.fields().get(row)?)))
        else {
            return;
        };
        let name = fields::field_name(&field.pointer);
        if fields::is_of_one_line(field) {
            let lines = fields::describe_row(form, row);
            self.out.extend(lines);
            return self.out.push(format!("Type the value after it: set {name} VALUE"));
        }
        let words =
            "Type the lines, then a line with only a dot. Ctrl+C leaves the value as it is.";
        self.out.push(words.to_owned());
        self.typed = Some((name, Vec::new()));
    }

    /// Gives the objects on the way to a member that a word names, and that have no value yet, an
    /// empty one, so that the member is there.
    fn open_holders(&mut self, word: &str, state: &State, messages: &mut Vec<Message>) {
        self.unfold(state);
        let parts: Vec<&str> = word.split('.').collect();
        for count in 1..parts.len() {
            let holder = parts[..count].join(".");
            let row = self.form(state).and_then(|form| {
                let row = fields::find_row(form, &holder, false).ok()?;
                fields::is_unset_object(form, row).then_some(row)
            });
            if let Some(row) = row {
                self.edit_row(row, state, messages, |form| form.add_to(row, ""));
                self.unfold(state);
            }
        }
    }

    pub(super) fn take_typed_line(
        &mut self,
        line: &str,
        state: &State,
        messages: &mut Vec<Message>,
    ) {
        let Some((field, mut lines)) = self.typed.take() else { return };
        if line != "." {
            lines.push(line.to_owned());
            self.typed = Some((field, lines));
            return;
        }
        if self.form(state).is_none() {
            return self.out.push("The form is closed. Nothing was set.".to_owned());
        }
        match self.named_row(&field, false, state) {
            Ok(row) => {
                let text = lines.join("\n");
                self.edit_row(row, state, messages, |form| form.set_by_text(row, &text));
            }
            Err(why) => self.out.push(why),
        }
    }

    pub(super) fn begin_walk(&mut self, state: &State) {
        self.unfold(state);
        if self.form(state).is_none() {
            return self.out.push(NO_FORM.to_owned());
        }
        self.out.push(WALK_WORDS.to_owned());
        self.walk = Some(Walk::default());
        self.walk_on(state);
    }

    /// Asks the next field.
    pub(super) fn walk_on(&mut self, state: &State) {
        self.unfold(state);
        let Some(mut walk) = self.walk.take() else { return };
        let next = self.form(state).and_then(|form| {
            let row = walk.next(form)?;
            let holder = fields::holder_words(form, row).map(str::to_owned);
            Some(fields::describe_row(form, row).into_iter().chain(holder).collect::<Vec<_>>())
        });
        match next {
            Some(lines) => {
                self.out.extend(lines);
                self.walk = Some(walk);
            }
            None => self.end_walk(WalkEnd::LastField, state),
        }
    }

    fn end_walk(&mut self, end: WalkEnd, state: &State) {
        self.walk = None;
        let is_whole = self.form(state).is_some_and(|form| form.all_issues().is_empty());
        let ended = match end {
            WalkEnd::LastField if is_whole => "The form is complete.",
            WalkEnd::LastField => "That was the last field.",
            WalkEnd::Left => "You left the form; what you entered is kept.",
        };
        let next = match state.screen {
            _ if state.form.as_ref().is_some_and(|form| form.goal == FormGoal::Printed) => {
                "Type done to print it, undo to undo edits."
            }
            ScreenId::Invoke | ScreenId::Waiting => "Type send to send it, undo to undo edits.",
            _ => "Type save to save the file, undo to undo edits.",
        };
        self.out.push(format!("{ended} {next}"));
        self.with_form(state, fields::error_lines);
    }

    pub(super) fn walk_row(&self, state: &State) -> Option<usize> {
        self.walk.as_ref()?.row_in(self.form(state)?)
    }

    pub(super) fn walk_line(&mut self, line: &str, state: &State, messages: &mut Vec<Message>) {
        self.unfold(state);
        let Some(row) = self.walk_row(state) else {
            return self.end_walk(WalkEnd::LastField, state);
        };
        let Some((form, walk)) = self.form(state).zip(self.walk.as_ref()) else { return };
        let (is_adder, is_switch) = (fields::is_adder(form, row), fields::is_switch(form, row));
        let adds_member = fields::adds_member(form, row);
        let is_holder = fields::holder_words(form, row).is_some();
        let takes_lines = fields::takes_lines(form, row);
        if let Some(lines) = walk.lines.clone() {
            return self.walk_text(row, (line, lines), state, messages);
        }
        let literal = line.strip_prefix('=').unwrap_or(line);
        let is_made = match line.trim() {
            "" => true,
            "done" | "cancel" => return self.end_walk(WalkEnd::Left, state),
            "quit" | "exit" => {
                self.end_walk(WalkEnd::Left, state);
                return messages.push(Message::Quit { discard: false });
            }
            "?" | "help" => {
                let lines = self.form(state).map(|form| fields::help_lines(form, row));
                self.out.extend(lines.unwrap_or_default());
                self.out.push(WALK_WORDS.to_owned());
                return;
            }
            "back" => return self.walk_back(state),
            "fix" if self.form(state).is_some_and(|form| fields::has_fix(form, row)) => {
                // The field is asked again, with what the fix made of it.
                if self.edit_row(row, state, messages, |form| form.fix_of_row(row)) {
                    self.stay_on_row();
                    self.pending.push_back(Pending::WalkOn);
                }
                return;
            }
            "-" | "unset" => self.edit_row(row, state, messages, |form| form.unset(row)),
            words if is_adder && self.walk_addition(row, words, state).is_some() => {
                let added = self.walk_addition(row, words, state).unwrap_or_default();
                return self.walk_to_added(row, added, state, messages);
            }
            name if adds_member => {
                if self.edit_row(row, state, messages, |form| form.add_to(row, name)) {
                    self.stay_on_row();
                    self.pending.push_back(Pending::WalkOn);
                }
                return;
            }
            text if is_holder && !text.starts_with(['{', '[']) => {
                self.out.extend(self.holder_words(row, state));
                return;
            }
            word if is_switch && let Some(branch) = self.walk_branch(row, word, state) => {
                self.edit_row(row, state, messages, |form| form.choose_branch(row, branch))
            }
            word if is_switch && !self.fits_a_branch(row, word, state) => {
                let kinds = self.form(state).map(|form| fields::describe_row(form, row));
                self.out.push(format!("Not done. {word} is none of the kinds. Type its number."));
                self.out.extend(kinds.unwrap_or_default());
                return;
            }
            _ if takes_lines => {
                self.out.push("Type more lines, then a line with only a dot.".to_owned());
                self.set_walk_lines(Some(vec![literal.to_owned()]));
                return;
            }
            _ => self.edit_row(row, state, messages, |form| form.set_by_text(row, literal)),
        };
        if is_made {
            self.pending.push_back(Pending::WalkOn);
        }
    }

    /// Takes one more line of a text; a dot alone ends it.
    fn walk_text(
        &mut self,
        row: usize,
        (line, mut lines): (&str, Vec<String>),
        state: &State,
        messages: &mut Vec<Message>,
    ) {
        if line != "." {
            lines.push(line.to_owned());
            return self.set_walk_lines(Some(lines));
        }
        self.set_walk_lines(None);
        let text = lines.join("\n");
        if self.edit_row(row, state, messages, |form| form.set_by_text(row, &text)) {
            self.pending.push_back(Pending::WalkOn);
        }
    }

    /// Asks the field before this one again.
    fn walk_back(&mut self, state: &State) {
        let before = self.form(state).zip(self.walk.as_ref()).and_then(|(form, walk)| {
            let row = walk.before(form)?;
            Some((row, fields::describe_row(form, row)))
        });
        match before {
            Some((row, lines)) => {
                self.out.extend(lines);
                self.go_to_row(row, state);
            }
            None => self.out.push("This is the first field.".to_owned()),
        }
    }

    /// Adds something to a list or a map. What was added is asked next: it has the place of the
    /// question. After an item that was given, it's the next item.
    fn walk_to_added(
        &mut self,
        row: usize,
        added: &str,
        state: &State,
        messages: &mut Vec<Message>,
    ) {
        let list = self.form(state).map(|form| form.fields()[row].pointer.clone());
        let list = list.unwrap_or_default();
        if !self.edit_row(row, state, messages, |form| form.add_by_text(row, added)) {
            return;
        }
        self.stay_on_row();
        self.unfold(state);
        let next = self.form(state).and_then(|form| fields::adder_of(form, &list));
        if let (Some(walk), Some(row), false) = (&mut self.walk, next, added.is_empty()) {
            walk.ask(row);
        }
        self.pending.push_back(Pending::WalkOn);
    }

    /// The kind that a number or a name means.
    fn walk_branch(&self, row: usize, word: &str, state: &State) -> Option<usize> {
        fields::named_branch(self.form(state)?.fields().get(row)?, word)
    }

    /// Whether what is typed for a kind can be the value of one.
    fn fits_a_branch(&self, row: usize, text: &str, state: &State) -> bool {
        let literal = text.strip_prefix('=').unwrap_or(text);
        self.form(state).is_some_and(|form| form.fits_a_branch(row, literal))
    }

    fn walk_addition<'t>(&self, row: usize, text: &'t str, state: &State) -> Option<&'t str> {
        fields::walk_addition(self.form(state)?.fields().get(row)?, text)
    }

    fn holder_words(&self, row: usize, state: &State) -> Option<String> {
        fields::holder_words(self.form(state)?, row).map(|words| format!("Not done. {words}"))
    }

    pub(super) fn set_walk_lines(&mut self, lines: Option<Vec<String>>) {
        if let Some(walk) = &mut self.walk {
            walk.lines = lines;
        }
    }

    pub(super) fn stay_on_row(&mut self) {
        if let Some(walk) = &mut self.walk {
            walk.stay();
        }
    }

    pub(super) fn go_to_row(&mut self, row: usize, state: &State) {
        let Some(mut walk) = self.walk.take() else { return };
        if let Some(form) = self.form(state) {
            walk.go_to(form, row);
        }
        self.walk = Some(walk);
    }
}
