//! What a screen shows, printed: a summary on arrival, its list, all about one thing, a part. Long
//! lists come in pieces where somebody types.

use super::{
    fields, lists,
    session::{Pending, Session},
};
use crate::{
    app::{
        message::{Message, ScreenId},
        state::State,
    },
    ui::view::Target,
};

/// So many rows of a list are printed; the rest is counted.
const LISTED: usize = 200;

/// Lines that are printed at a time where somebody types.
const PIECE: usize = 20;

impl Session {
    /// Prints lines that may be many; where somebody types, `more` prints the next of them.
    pub(super) fn say_long(&mut self, lines: &[String]) {
        let lines = lines.iter().flat_map(|line| line.split('\n')).map(str::to_owned);
        self.rest = lines.collect();
        self.say_piece();
    }

    /// Prints the next lines of what was too long.
    pub(super) fn say_more(&mut self, word: &str) {
        match self.rest.len() {
            0 => self.out.push("There is no more.".to_owned()),
            _ if word == "all" => self.out.extend(std::mem::take(&mut self.rest)),
            _ => self.say_piece(),
        }
    }

    fn say_piece(&mut self) {
        let all = self.rest.len();
        // A few lines more are no reason to ask.
        let count = if self.is_typed && all > PIECE + PIECE / 4 { PIECE } else { all };
        self.out.extend(self.rest.drain(..count));
        if count < all {
            self.out.push(format!("{} more lines. Type: more, or more all", all - count));
        }
    }

    /// What is said of a screen on arrival.
    pub(super) fn arrive(&mut self, state: &State) {
        match self.screen(state).and_then(|screen| screen.summary_lines(state)) {
            Some(lines) => self.out.extend(lines),
            None => self.list("", state),
        }
    }

    pub(super) fn list(&mut self, word: &str, state: &State) {
        let rows = lists::list_rows(state);
        let wanted = match lists::Wanted::parse(word, state) {
            Ok(wanted) => wanted,
            Err(words) => return self.out.push(words),
        };
        let lines = rows.iter().enumerate().map(|(number, row)| (row, row.line(number)));
        let fitting = lines.filter(|(row, line)| wanted.holds_for(row, line, state));
        let fitting: Vec<String> = fitting.map(|(_, line)| line).collect();
        let heading = lists::heading(state, rows.len());
        self.out.push(match word.is_empty() {
            true => heading,
            false => format!("{heading}. With {word}: {}", fitting.len()),
        });
        let more = fitting.len().saturating_sub(LISTED);
        let mut lines: Vec<String> = fitting.into_iter().take(LISTED).collect();
        lines.extend((more > 0).then(|| format!("{more} more. Type: list WORD")));
        self.say_long(&lines);
    }

    pub(super) fn show(&mut self, state: &State) {
        let lines = self.screen(state).map(|screen| lists::detail_lines(state, screen));
        self.say_long(&lines.unwrap_or_default());
        if state.screen == ScreenId::Form {
            self.with_form(state, fields::field_lines);
        }
    }

    /// All about what is named: an item of the list, or a part of the screen.
    pub(super) fn show_named(&mut self, name: &str, state: &State, messages: &mut Vec<Message>) {
        let has_name = |row: &lists::ListRow| row.name.eq_ignore_ascii_case(name);
        let is_listed = lists::list_rows(state).iter().any(has_name);
        let part = self.screen(state).filter(|_| !is_listed);
        if let Some(lines) = part.and_then(|screen| screen.part_lines(name, state)) {
            return self.say_long(&lines);
        }
        // Some are shown as soon as they are selected.
        let is_due = |pending: &Pending| matches!(pending, Pending::Show | Pending::Changes(_));
        if !self.select(name, state, messages) || self.pending.iter().any(is_due) {
            return;
        }
        self.pending.push_back(match state.screen {
            ScreenId::Workflow => Pending::Action("explain"),
            _ => Pending::Show,
        });
    }

    /// Selects what is named, and says what that is.
    pub(super) fn select_named(&mut self, name: &str, state: &State, messages: &mut Vec<Message>) {
        if self.select_state(name, state) {
            return self
                .out
                .push(format!("The state {name} is selected. Rename state is about it."));
        }
        let row = lists::find_row(name, &lists::list_rows(state)).map(lists::ListRow::summary);
        let is_due = |pending: &Pending| matches!(pending, Pending::Show);
        if self.select(name, state, messages) && !self.pending.iter().any(is_due) {
            self.out.extend(row);
        }
    }

    /// Selects a state of the workflow by its name, where nothing that is listed has it; whether
    /// there is one.
    fn select_state(&mut self, name: &str, state: &State) -> bool {
        let is_listed = lists::find_listed(name, &lists::list_rows(state)).is_ok();
        let named = Target::State(name.into());
        state.screen == ScreenId::Workflow
            && !is_listed
            && self.screen_mut(state).is_some_and(|screen| screen.point_at(&named, state))
    }
}
