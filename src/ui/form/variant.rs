//! Which of several shapes a value has; a shape with fields of its own folds.

use serde_json::{Map, Value};

use super::{
    cell::{Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor, Widget, one_line},
    fold,
    listing::{Listing, ShownOption},
    read_only,
};
use crate::{
    app::input::{Code, Input},
    schema::{
        fields::Presence,
        kind::{Branch, Kind},
        messages,
        nullable::allows_null,
        phrase::value_text,
        tree::Schema,
    },
    ui::{
        canvas::{truncate_text, visible_text},
        styles::Role,
    },
};

pub(crate) struct VariantField;

fn parts<'c>(cell: &Cell<'c>) -> (&'c [Branch], Option<usize>, Option<bool>) {
    match &cell.field.kind {
        Kind::Variant { branches, chosen, open } => (branches, *chosen, *open),
        _ => (&[], None, None),
    }
}

impl Widget for VariantField {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let (branches, chosen, open) = parts(cell);
        let label =
            chosen.and_then(|chosen| branches.get(chosen)).map(|branch| one_line(&branch.label));
        let (text, role) = match (label, cell.field.presence) {
            (Some(label), _) => (label, Role::Text),
            (None, Presence::Null) => ("null".into(), cell.placeholder_role()),
            (None, _)
                if cell.field.node.default.as_ref().is_some_and(|default| !default.is_null()) =>
            {
                (cell.placeholder_text(), Role::Ghost)
            }
            (None, _) if cell.selects => {
                (format!("type a value, or choose one of {} kinds", branches.len()), Role::Ghost)
            }
            (None, _) => (format!("choose one of {} kinds", branches.len()), Role::Ghost),
        };
        let mark = match open {
            Some(true) => "▾ ",
            Some(false) => "▸ ",
            None => "",
        };
        let required = if cell.listed_required { " *" } else { "" };
        let text = match (open, schema_words(cell)) {
            (Some(false), Some((kind, said))) => format!("{mark}{kind}{required}  {said}"),
            (Some(false), None) => format!("{mark}{text}{required}  {}", fold::summary(cell)),
            _ => format!("{mark}{text}"),
        };
        let room = usize::from(context.area.width).saturating_sub(cell.count_room());
        let text = truncate_text(&visible_text(&text), room).into_owned();
        let style = ratatui::style::Style { bg: None, ..context.style(role) };
        context.draw_line(0, &text, style, "▾");
        let edge = context.area.width.saturating_sub(1);
        let kinds = ClickArea { line: 0, columns: edge..context.area.width, click: Click::Open };
        // What unfolds does so wherever it is pressed, but on the sign for its kinds.
        match open {
            Some(_) => vec![kinds, context.line_hit(0, Click::Fold)],
            None => vec![context.line_hit(0, Click::Open)],
        }
    }

    fn new_editor(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Switch { types: cell.selects, ..Switch::default() })
    }
}

/// What a value asks for that is a schema, and what distinguishes it from others of its kind.
fn schema_words(cell: &Cell<'_>) -> Option<(String, String)> {
    let schema = cell.value.filter(|_| cell.field.node.holds_schema)?;
    let node = Schema::new(schema.clone()).root_node();
    // Of a reference, or of what has no type, its first values say more.
    let words =
        (node.typed || node.choices.is_some()).then(|| messages::describe_expected(&node))?;
    let is_null_allowed = schema.as_object().and_then(allows_null) == Some(true);
    let kind = if is_null_allowed { messages::with_null(&words) } else { words };
    Some((kind, distinction(schema)))
}

/// What a schema says of itself, in a line: its title, else its first constant, else its
/// description.
fn distinction(schema: &Value) -> String {
    let text = |name: &str| schema.get(name)?.as_str().filter(|text| !text.trim().is_empty());
    let constant = || {
        let members = schema.get("properties").and_then(Value::as_object);
        let mut schemas = members.into_iter().flat_map(Map::values);
        schema.get("const").or_else(|| schemas.find_map(|member| member.get("const")))
    };
    let said = text("title").map(str::to_owned).or_else(|| constant().map(value_text));
    let said = said.or_else(|| text("description").map(str::to_owned));
    one_line(&said.unwrap_or_default())
}

#[derive(Default)]
struct Switch {
    /// A typed text becomes the value.
    types: bool,
    list: Option<Listing>,
}

fn list_options(cell: &Cell<'_>) -> Vec<ShownOption> {
    let (branches, chosen, _) = parts(cell);
    let shown = |(number, branch): (usize, &Branch)| ShownOption {
        label: one_line(&branch.label),
        help: [branch.needs.as_str(), &branch.help.as_deref().map(one_line).unwrap_or_default()]
            .into_iter()
            .filter(|words| !words.is_empty())
            .collect::<Vec<_>>()
            .join(" · "),
        present: chosen == Some(number),
    };
    let null = cell.takes_null().then(|| ShownOption {
        label: "null".into(),
        help: "explicit null".into(),
        present: cell.field.presence == Presence::Null,
    });
    branches.iter().enumerate().map(shown).chain(null).collect()
}

impl Switch {
    fn open_list(&mut self, cell: &Cell<'_>) -> Answer {
        if cell.field.node.read_only {
            return Answer::Refused(read_only::WHY.into());
        }
        self.list = Some(Listing::from_options(&list_options(cell)));
        Answer::Handled
    }

    fn pick_option(&mut self, cell: &Cell<'_>, number: usize) -> Answer {
        self.close();
        // What comes after the branches is null.
        if number >= parts(cell).0.len() {
            return cell.set_value(Value::Null);
        }
        Answer::Ask(Ask::Pick(number))
    }
}

impl Editor for Switch {
    fn line_count(&self, _cell: &Cell<'_>, width: u16) -> u16 {
        1 + self.list.as_ref().map_or(0, |list| list.line_count(width))
    }

    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let mut hits = VariantField.draw_unfocused(cell, context);
        if let Some(list) = &mut self.list {
            hits.extend(list.draw(&list_options(cell), context, 1));
        }
        hits
    }

    fn is_typing(&self) -> bool {
        self.list.is_some() || self.types
    }

    fn is_open(&self) -> bool {
        self.list.is_some()
    }

    fn close(&mut self) {
        self.list = None;
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        if self.types && self.list.is_none() {
            match input {
                Input::Key(key) if key.typed_char().is_some_and(|letter| letter != ' ') => {
                    return Answer::Ask(Ask::Type(key.typed_char().into_iter().collect()));
                }
                Input::Paste(text)
                    if !text.trim().is_empty() && !text.trim().contains(['\n', '{', '[']) =>
                {
                    return Answer::Ask(Ask::Type(text.trim().to_owned()));
                }
                _ => {}
            }
        }
        let Input::Key(key) = input else { return Answer::Ignored };
        let (.., open) = parts(cell);
        let Some(list) = &mut self.list else {
            return match key.code {
                Code::Enter if key.is_plain(Code::Enter) => self.open_list(cell),
                Code::Char(' ') if open.is_none() => self.open_list(cell),
                Code::Char(' ') => Answer::Ask(Ask::Fold),
                Code::Left if open == Some(true) => Answer::Ask(Ask::Fold),
                Code::Right if open == Some(false) => Answer::Ask(Ask::Fold),
                _ => Answer::Ignored,
            };
        };
        if list.is_selecting(*key) {
            let chosen = list.chosen_option();
            return chosen.map_or(Answer::Handled, |chosen| self.pick_option(cell, chosen));
        }
        if list.handle_key(&list_options(cell), *key) { Answer::Handled } else { Answer::Ignored }
    }

    fn key_hints(&self, cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        match (&self.list, parts(cell).2) {
            (Some(_), _) => vec![("↑↓", "choose"), ("Enter", "select"), ("Esc", "close")],
            (None, Some(_)) => vec![("Enter", "choose kind"), ("Space", "open or close")],
            (None, None) if self.types => vec![("Enter", "choose kind"), ("type", "a value")],
            (None, None) => vec![("Enter", "choose kind")],
        }
    }

    fn sync_value(&mut self, cell: &Cell<'_>) {
        self.types = cell.selects;
    }

    fn handle_click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match click {
            Click::Pick(number) => return self.pick_option(cell, number),
            Click::Open | Click::Fold if self.list.is_some() => self.close(),
            Click::Fold => return Answer::Ask(Ask::Fold),
            _ => return self.open_list(cell),
        }
        Answer::Handled
    }
}
