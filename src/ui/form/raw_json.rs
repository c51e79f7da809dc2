//! Whatever has no widget of its own, as JSON; checked while it is typed.

use super::{
    area::TextArea,
    cell::{Answer, Cell, Click, ClickArea, DrawContext, Editor, Widget, one_line},
    text::area_input,
};
use crate::{
    app::input::{Code, Input},
    schema::{
        fields::{Presence, Role as Seat},
        parse,
    },
    syntax::arranged::set_in_order,
    ui::styles::Role,
};

pub(crate) struct RawJson;

impl Widget for RawJson {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let text = match (cell.draft, cell.value) {
            (Some(draft), _) => one_line(draft),
            (None, Some(value)) => one_line(&value.to_string()),
            (None, None) => String::new(),
        };
        let (text, role) = if text.is_empty() {
            (format!("{} · JSON", cell.placeholder_text()), Role::Ghost)
        } else {
            (text, Role::SyntaxText)
        };
        let style = ratatui::style::Style { bg: None, ..context.style(role) };
        context.draw_line(0, &text, style, "⏎");
        vec![context.line_hit(0, Click::Open)]
    }

    fn new_editor(&self, _cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Json { area: None })
    }
}

/// An editor for any field's value as JSON, open at once.
pub(crate) fn open_editor(cell: &Cell<'_>) -> Box<dyn Editor> {
    Box::new(Json { area: Some(text_area(cell)) })
}

/// The value as the JSON that one edits.
pub(super) fn json_text(cell: &Cell<'_>) -> String {
    match (cell.draft, cell.value) {
        (Some(draft), _) => draft.to_owned(),
        (None, Some(value)) => parse::pretty_json(value, cell.written),
        (None, None) => String::new(),
    }
}

/// A place to type the value in; what nobody typed, or an empty value, is selected.
fn text_area(cell: &Cell<'_>) -> TextArea {
    let text = json_text(cell);
    let mut area = TextArea::new(&text);
    if matches!(text.as_str(), "{}" | "[]") || cell.fresh && cell.draft.is_none() {
        area.select_all();
    }
    area
}

/// What typed JSON is read as.
fn apply_typed(cell: &Cell<'_>, text: String) -> Answer {
    // What the user put there stays while something else is typed.
    let is_declared = cell.field.role == Seat::Member;
    if text.trim().is_empty()
        && is_declared
        && cell.field.presence != Presence::Unset
        && cell.field.is_removable()
    {
        return cell.unset_value();
    }
    match parse::parse_json(&text) {
        // A value that only gets another order of its members is another one to who reads it.
        Ok(literal) => {
            Answer::Change(set_in_order(cell.field.pointer.clone(), cell.value, literal))
        }
        Err(words) => Answer::Draft { text, words },
    }
}

struct Json {
    area: Option<TextArea>,
}

impl Editor for Json {
    fn line_count(&self, _cell: &Cell<'_>, width: u16) -> u16 {
        self.area.as_ref().map_or(1, |area| area.line_count(width))
    }

    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        match &mut self.area {
            Some(area) => area.draw(context, 0),
            None => RawJson.draw_unfocused(cell, context),
        }
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn text_at_cursor(&self) -> Option<(&str, &str)> {
        self.area.as_ref().map(TextArea::text_at_cursor)
    }

    fn is_open(&self) -> bool {
        self.area.is_some()
    }

    fn is_text(&self) -> bool {
        self.area.is_some()
    }

    fn close(&mut self) {
        self.area = None;
    }

    fn on_activate(&mut self, cell: &Cell<'_>) {
        self.area.get_or_insert_with(|| text_area(cell));
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        let Some(area) = &mut self.area else {
            return match input {
                Input::Key(key)
                    if matches!(key.code, Code::Backspace | Code::Delete)
                        && json_text(cell).is_empty() =>
                {
                    cell.unset_value()
                }
                Input::Key(key) if !key.is_plain(Code::Enter) && key.typed_char().is_none() => {
                    Answer::Ignored
                }
                Input::Mouse(_) => Answer::Ignored,
                Input::Key(key) if key.is_plain(Code::Enter) => {
                    self.area = Some(text_area(cell));
                    Answer::Handled
                }
                typed => {
                    self.area = Some(text_area(cell));
                    self.handle_input(cell, typed)
                }
            };
        };
        area_input(area, input, |area| {
            area.wrong = parse::wrong_at(area.plain_text());
            apply_typed(cell, area.text())
        })
    }

    fn handle_drag(&mut self, _cell: &Cell<'_>, line: i32, column: i32) -> Answer {
        if let Some(area) = &mut self.area {
            area.drag(line, column);
        }
        Answer::Handled
    }

    fn select_word(&mut self) {
        if let Some(area) = &mut self.area {
            area.select_word();
        }
    }

    fn handle_wheel(&mut self, lines: isize) -> bool {
        self.area.as_mut().is_some_and(|area| area.scroll(lines))
    }

    fn key_hints(&self, _cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        match self.area {
            Some(_) => vec![("Esc", "done"), ("Ctrl+Z", "undo typing")],
            None => vec![("Enter", "edit as JSON")],
        }
    }

    fn handle_click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match (&mut self.area, click) {
            (Some(area), Click::At { line, column }) => area.click(line, column),
            (None, _) => self.area = Some(text_area(cell)),
            _ => {}
        }
        Answer::Handled
    }

    fn sync_value(&mut self, cell: &Cell<'_>) {
        let Some(area) = &mut self.area else { return };
        let typed = area.text();
        let typed_value = parse::parse_json(&typed).ok().map(|literal| literal.into_value());
        let same = match (&typed_value, cell.draft) {
            (_, Some(draft)) => draft == typed,
            (Some(typed), None) => cell.value == Some(typed),
            (None, None) => typed.trim().is_empty() && cell.value.is_none(),
        };
        if !same {
            area.replace(&json_text(cell));
        }
    }
}
