//! One of several values, or any text beside them where the choice is open.

use std::sync::Arc;

use serde_json::Value;

use super::{
    cell::{
        ANYWHERE, Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor, Look, Widget, one_line,
    },
    listing::{Listing, ShownOption},
};
use crate::{
    app::input::{Code, Input, Key},
    schema::{
        fields::{Presence, Role as Seat},
        kind::Kind,
        node::{Choice, Choices},
        parse::parse_json,
        phrase::value_text,
    },
    ui::{styles::Role, widgets::text_input::TextInput},
};

pub(crate) struct ChoiceField;

impl Widget for ChoiceField {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let (text, role) = display_value(cell);
        let style = ratatui::style::Style { bg: None, ..context.style(role) };
        context.draw_line(0, &text, style, "▾");
        vec![context.line_hit(0, Click::Open)]
    }

    fn new_editor(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        let choices = field_choices(cell);
        let free = choices.open.then(|| cell.text_input());
        Box::new(Chooser { choices, free, list: None, rests: false, typed: false })
    }
}

fn field_choices(cell: &Cell<'_>) -> Arc<Choices> {
    match &cell.field.kind {
        Kind::Choice(choices) => Arc::clone(choices),
        _ => Arc::new(Choices { options: Vec::new(), open: true }),
    }
}

fn choice_label(choice: &Choice, choices: &Choices, cell: &Cell<'_>) -> String {
    match choice.title.as_deref() {
        Some(title) => one_line(title),
        None => plain_label(&choice.value, choices, cell),
    }
}

/// A value as it is; a text that reads as another of the choices' types is within quotes.
fn plain_label(value: &Value, choices: &Choices, cell: &Cell<'_>) -> String {
    let is_other = |value: &Value| !value.is_string();
    let is_mixed =
        || cell.takes_null() || choices.options.iter().any(|option| is_other(&option.value));
    let reads_as_other = |text: &str| parse_json(text).is_ok_and(|read| is_other(read.value()));
    match value.as_str() {
        Some(text) if reads_as_other(text) && is_mixed() => value.to_string(),
        _ => one_line(&value_text(value)),
    }
}

fn display_value(cell: &Cell<'_>) -> (String, Role) {
    let Kind::Choice(choices) = &cell.field.kind else { return (cell.value_text(), Role::Text) };
    let option_of = |value: &Value| choices.options.iter().find(|option| option.value == *value);
    // Without a title, an option's label is its value: of thousands few are compared.
    let titled = choices.options.iter().filter(|option| option.title.is_some());
    let label = |value: &Value| {
        let option = titled.clone().find(|option| option.value == *value);
        match option {
            Some(option) => choice_label(option, choices, cell),
            None => plain_label(value, choices, cell),
        }
    };
    match cell.value.filter(|value| !value.is_null()) {
        Some(value) => match label(value) {
            text if text.is_empty() => ("empty".into(), Role::Ghost),
            text => (text, Role::Text),
        },
        None => {
            let default = cell.field.node.default.as_ref().filter(|_| cell.value.is_none());
            let default =
                default.and_then(option_of).map(|option| choice_label(option, choices, cell));
            let count = choices.options.len();
            let ghost = match (cell.field.presence, choices.open) {
                (Presence::Null, _) => "null".to_owned(),
                _ if cell.field.node.default.as_ref().is_some_and(|default| !default.is_null()) => {
                    cell.placeholder_text()
                }
                (_, true) => "type or choose".into(),
                (_, false) => format!("choose one of {count}"),
            };
            let role = cell.placeholder_role();
            (default.map_or(ghost, |label| format!("{label} · default")), role)
        }
    }
}

/// What a closed choice shows as its value, whatever room it has.
pub(super) fn closed_choice(cell: &Cell<'_>) -> Option<String> {
    match &cell.field.kind {
        Kind::Choice(choices) if !choices.open => Some(display_value(cell).0),
        Kind::Variant { branches, chosen: Some(chosen), .. } => {
            branches.get(*chosen).map(|branch| one_line(&branch.label))
        }
        _ => None,
    }
}

/// What can be done by an option of the open list.
enum OptionAction<'c> {
    Set(&'c Value),
    Null,
    Unset,
}

struct Chooser {
    choices: Arc<Choices>,
    /// The text itself, where any may be typed.
    free: Option<TextInput>,
    list: Option<Listing>,
    /// The list was opened from NAV: a choice leads back there.
    rests: bool,
    /// The text was typed since it has the focus.
    typed: bool,
}

impl Chooser {
    fn option_meanings(&self, cell: &Cell<'_>) -> Vec<(OptionAction<'_>, ShownOption)> {
        let is = |value: &Value| cell.value == Some(value);
        let options = self.choices.options.iter().map(|option| {
            let help = option.help.as_deref().map(one_line).unwrap_or_default();
            (
                OptionAction::Set(&option.value),
                ShownOption {
                    label: choice_label(option, &self.choices, cell),
                    help,
                    present: is(&option.value),
                },
            )
        });
        let mut means: Vec<_> = options.collect();
        if cell.takes_null() {
            let shown = ShownOption {
                label: "null".into(),
                help: "explicit null".into(),
                present: is(&Value::Null),
            };
            means.push((OptionAction::Null, shown));
        }
        if !cell.field.required && matches!(cell.field.role, Seat::Member) {
            let help =
                if cell.field.node.default.is_some() { "the default applies" } else { "left out" };
            let present = cell.field.presence == Presence::Unset;
            means.push((
                OptionAction::Unset,
                ShownOption { label: "unset".into(), help: help.into(), present },
            ));
        }
        means
    }

    fn list_options(&self, cell: &Cell<'_>) -> Vec<ShownOption> {
        self.option_meanings(cell).into_iter().map(|(_, shown)| shown).collect()
    }

    fn open_list(&mut self, cell: &Cell<'_>) {
        let options = self.list_options(cell);
        self.list = Some(match &self.free {
            Some(_) => Listing::suggestions(&options),
            None => Listing::from_options(&options),
        });
    }

    fn pick_option(&mut self, cell: &Cell<'_>, number: Option<usize>) -> Answer {
        let means = self.option_meanings(cell);
        let answer = match number.and_then(|number| means.get(number)) {
            Some((OptionAction::Set(value), _)) => cell.set_value((*value).clone()),
            Some((OptionAction::Null, _)) => cell.set_value(Value::Null),
            Some((OptionAction::Unset, _)) => cell.unset_value(),
            None => Answer::Handled,
        };
        self.close();
        answer
    }

    /// What Enter makes of the list: the option, or the text where none has it. It accepts the field
    /// as in every text, but where `Tab` led here, who goes on from field to field does so.
    fn accept_option(&mut self, cell: &Cell<'_>, chosen: Option<usize>) -> Answer {
        let accepts = self.free.is_some() && (self.rests || chosen.is_none());
        let is_item = self.free.is_none() && matches!(cell.field.role, Seat::Item { .. });
        match self.pick_option(cell, chosen) {
            Answer::Change(edits) if accepts => Answer::Ask(Ask::Accept(edits)),
            Answer::Change(edits) if is_item => Answer::Ask(Ask::Chosen(edits)),
            Answer::Handled if accepts => Answer::Ask(Ask::Next),
            answer => answer,
        }
    }

    /// The neighbour among the options, round and round.
    fn cycle(&self, cell: &Cell<'_>, by: isize) -> Answer {
        let options = &self.choices.options;
        let count = isize::try_from(options.len()).unwrap_or(0);
        if count == 0 {
            return Answer::Handled;
        }
        let present = options.iter().position(|option| cell.value == Some(&option.value));
        let next = match present.and_then(|at| isize::try_from(at).ok()) {
            Some(at) => (at + by).rem_euclid(count),
            None if by > 0 => 0,
            None => count - 1,
        };
        let option = usize::try_from(next).ok().and_then(|next| options.get(next));
        option.map_or(Answer::Handled, |option| cell.set_value(option.value.clone()))
    }

    fn listed_input(&mut self, cell: &Cell<'_>, key: Key) -> Answer {
        let options = self.list_options(cell);
        let Some(list) = &mut self.list else { return Answer::Ignored };
        if list.is_selecting(key) {
            let chosen = list.chosen_option();
            // Where nothing matches what was typed, nothing is chosen.
            let none = chosen.is_none() && self.free.is_none();
            return if none { Answer::Handled } else { self.accept_option(cell, chosen) };
        }
        if list.handle_key(&options, key) { Answer::Handled } else { Answer::Ignored }
    }

    fn free_input(
        &mut self,
        cell: &Cell<'_>,
        change: impl FnOnce(&mut TextInput) -> bool,
        code: Option<Code>,
    ) -> Answer {
        let Some(free) = &mut self.free else { return Answer::Ignored };
        let before = free.text().to_owned();
        if !change(free) {
            return Answer::Ignored;
        }
        let text = free.text().to_owned();
        let options = self.list_options(cell);
        if let Some(list) = &mut self.list {
            list.filter_options(&options, &text);
            if text != before {
                list.release_cursor();
            }
        }
        if text != before {
            self.typed = true;
            return cell.set_value(text);
        }
        let removes = matches!(code, Some(Code::Backspace | Code::Delete)) && text.is_empty();
        if removes { cell.unset_value() } else { Answer::Handled }
    }
}

impl Editor for Chooser {
    fn line_count(&self, _cell: &Cell<'_>, width: u16) -> u16 {
        1 + self.list.as_ref().map_or(0, |list| list.line_count(width))
    }

    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let mut hits = match &mut self.free {
            Some(free) if !free.text().is_empty() => {
                let ground = context.fill_background(0);
                let cursor = (context.look == Look::Active).then(|| context.style(Role::Cursor));
                let edge = context.area.width.saturating_sub(1);
                let line = ratatui::layout::Rect { width: edge.saturating_sub(1), ..context.area };
                free.draw(context.buffer, line, ground, cursor);
                let (area, dim) = (context.area, ground.patch(context.style(Role::Dim)));
                context.pen(0).move_to(area, edge).put_text("▾", dim);
                vec![
                    ClickArea { line: 0, columns: 0..edge, click: ANYWHERE },
                    ClickArea { line: 0, columns: edge..edge + 1, click: Click::Open },
                ]
            }
            _ => ChoiceField.draw_unfocused(cell, context),
        };
        let options = self.list_options(cell);
        if let Some(list) = &mut self.list {
            hits.extend(list.draw(&options, context, 1));
        }
        hits
    }

    fn is_typing(&self) -> bool {
        self.free.is_some() || self.list.is_some()
    }

    fn is_open(&self) -> bool {
        self.list.is_some()
    }

    fn close(&mut self) {
        self.list = None;
    }

    fn on_activate(&mut self, cell: &Cell<'_>) {
        self.rests = true;
        self.open_list(cell);
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        let Input::Key(key) = input else {
            let Input::Paste(text) = input else { return Answer::Ignored };
            return self.free_input(
                cell,
                |free| {
                    free.insert(text);
                    true
                },
                None,
            );
        };
        if self.list.is_some() {
            let answer = self.listed_input(cell, *key);
            if answer != Answer::Ignored {
                return answer;
            }
        } else if key.is_plain(Code::Enter)
            || (key.is_plain(Code::Char(' ')) && self.free.is_none())
        {
            if self.choices.options.is_empty() || self.typed {
                return Answer::Ask(Ask::Next);
            }
            self.open_list(cell);
            return Answer::Handled;
        }
        if self.free.is_some() {
            return self.free_input(cell, |free| free.handle_key(*key), Some(key.code));
        }
        match key.code {
            Code::Left if self.list.is_none() => self.cycle(cell, -1),
            Code::Right if self.list.is_none() => self.cycle(cell, 1),
            _ => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match click {
            Click::Pick(number) => return self.pick_option(cell, Some(number)),
            Click::Open if self.list.is_some() => self.close(),
            Click::Open => self.open_list(cell),
            Click::At { column, .. } => {
                if let Some(free) = &mut self.free {
                    free.click(usize::from(column));
                }
            }
            _ => {}
        }
        Answer::Handled
    }

    fn handle_drag(&mut self, _cell: &Cell<'_>, _line: i32, column: i32) -> Answer {
        if let Some(free) = &mut self.free {
            free.drag(column);
        }
        Answer::Handled
    }

    fn select_word(&mut self) {
        if let Some(free) = &mut self.free {
            free.select_word();
        }
    }

    fn key_hints(&self, _cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        match (&self.list, &self.free) {
            (Some(list), Some(_)) if list.chosen_option().is_none() => {
                vec![("Enter", "accept"), ("↑↓", "suggestions"), ("Esc", "close")]
            }
            (Some(_), _) => vec![("↑↓", "choose"), ("Enter", "select"), ("Esc", "close")],
            (None, Some(_)) if self.typed => vec![("Enter", "accept")],
            (None, Some(_)) => vec![("Enter", "suggestions")],
            (None, None) => vec![("Enter", "list"), ("←→", "next one")],
        }
    }

    fn sync_value(&mut self, cell: &Cell<'_>) {
        let before = std::mem::replace(&mut self.choices, field_choices(cell));
        if let Some(free) = &mut self.free {
            free.replace(&cell.value_text());
            // Other suggestions came while the list is open.
            if self.list.is_some() && before.options != self.choices.options {
                let text = free.text().to_owned();
                let options = self.list_options(cell);
                let mut list = Listing::suggestions(&options);
                list.filter_options(&options, &text);
                self.list = Some(list);
            }
        }
    }
}
