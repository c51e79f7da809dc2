//! A secret: masked, and better not there at all but the name of the environment variable that
//! holds it.

use unicode_segmentation::UnicodeSegmentation;

use super::{
    cell::{ANYWHERE, Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor, Look, Widget},
    clip::{clip_answer, requested_clip},
    text::typed_answer,
};
use crate::{
    app::input::{Code, Input},
    schema::secrets::{names_any_variable, names_variable},
    ui::{canvas::text_width, styles::Role, widgets::text_input::TextInput},
};

pub(crate) struct Secret;

/// What puts the name of a variable in the place of the value.
const FROM_ENVIRONMENT: &str = "$…";

/// The variable that a field's name suggests: `api_key` → `API_KEY`.
fn suggested_variable(cell: &Cell<'_>) -> String {
    let name =
        cell.field.pointer.tokens().iter().rev().find(|token| token.parse::<usize>().is_err());
    let mut variable = String::new();
    let mut was_lower = false;
    for letter in name.map_or("SECRET", String::as_str).chars() {
        if letter.is_ascii_uppercase() && was_lower {
            variable.push('_');
        }
        was_lower = letter.is_ascii_lowercase();
        let letter = letter.to_ascii_uppercase();
        variable.push(if letter.is_ascii_alphanumeric() { letter } else { '_' });
    }
    variable
}

/// Whether `$NAME` is filled in where the value is used.
fn takes_variable(cell: &Cell<'_>) -> bool {
    cell.field.node.names_variable
}

/// Whether a value is shown as it is, for it names a variable.
fn is_shown(cell: &Cell<'_>, text: &str) -> bool {
    let is_template = text.starts_with("{{") && text.ends_with("}}");
    is_template || names_variable(text) || takes_variable(cell) && names_any_variable(text)
}

/// As many dots as letters, but never more than tell anything.
fn mask_text(text: &str) -> String {
    "•".repeat(text.graphemes(true).count().min(24))
}

fn placeholder_text(cell: &Cell<'_>) -> String {
    // A default must not be shown either.
    match cell.field.node.default.as_ref().filter(|_| cell.value.is_none()) {
        Some(default) if !default.is_null() => "•••• · default".into(),
        _ if cell.value.is_none() && takes_variable(cell) => {
            "secret, hidden as you type; $NAME uses an environment variable".into()
        }
        _ if cell.value.is_none() => "secret, hidden as you type".into(),
        _ => cell.placeholder_text(),
    }
}

impl Widget for Secret {
    fn draw_unfocused(&self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let text = cell.value_text();
        let (shown, role) = match text.as_str() {
            "" => (placeholder_text(cell), Role::Ghost),
            text if is_shown(cell, text) => (text.to_owned(), Role::SyntaxKey),
            text => (mask_text(text), Role::Text),
        };
        let style = ratatui::style::Style { bg: None, ..context.style(role) };
        context.draw_line(0, &shown, style, "");
        vec![context.line_hit(0, ANYWHERE)]
    }

    fn new_editor(&self, cell: &Cell<'_>) -> Box<dyn Editor> {
        Box::new(Hidden { input: TextInput::new(cell.value_text()) })
    }
}

struct Hidden {
    input: TextInput,
}

impl Hidden {
    /// Names the variable in the place of the value; its name is selected, so that typing says
    /// another.
    fn name_variable(&mut self, cell: &Cell<'_>) -> Answer {
        let text = format!("${}", suggested_variable(cell));
        self.input.replace(&text);
        self.input.move_cursor(1);
        self.input.select_to(text.len());
        cell.set_value(text)
    }
}

impl Editor for Hidden {
    fn draw(&mut self, cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let ground = context.fill_background(0);
        let cursor = (context.look == Look::Active).then(|| context.style(Role::Cursor));
        let button = if takes_variable(cell) { FROM_ENVIRONMENT } else { "" };
        let edge =
            context.area.width.saturating_sub(u16::try_from(text_width(button)).unwrap_or(0));
        let line = ratatui::layout::Rect { width: edge.saturating_sub(1), ..context.area };
        if self.input.text().is_empty() {
            let ghost_style = ground.patch(context.style(Role::Ghost));
            let words = crate::ui::canvas::truncate_text(
                &placeholder_text(cell),
                usize::from(line.width.saturating_sub(1)),
            )
            .into_owned();
            context.pen(0).put_text(" ", cursor.unwrap_or(ground)).put_text(&words, ghost_style);
        } else if is_shown(cell, self.input.text()) {
            self.input.draw(
                context.buffer,
                line,
                ground.patch(context.styles[Role::SyntaxKey]),
                cursor,
            );
        } else {
            self.input.draw_masked(context.buffer, line, ground, cursor);
        }
        let (area, key) = (context.area, ground.patch(context.style(Role::Key)));
        context.pen(0).move_to(area, edge).put_text(button, key);
        vec![
            ClickArea { line: 0, columns: edge..area.width, click: Click::Add },
            ClickArea { line: 0, columns: 0..edge, click: ANYWHERE },
        ]
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn handle_input(&mut self, cell: &Cell<'_>, input: &Input) -> Answer {
        if let Some(clip) = requested_clip(input) {
            // A secret does not go to the clipboard.
            if !is_shown(cell, self.input.text()) && self.input.selected_text().is_some() {
                return Answer::Refused("secrets aren't copied".into());
            }
            let taken = self.input.take_clip(clip);
            return clip_answer(clip, taken, || cell.set_value(self.input.text()));
        }
        let before = self.input.text().to_owned();
        match input {
            Input::Key(key) if key.is_plain(Code::Enter) => Answer::Ask(Ask::Next),
            Input::Key(key)
                if key.is_plain(Code::Char('$')) && before.is_empty() && takes_variable(cell) =>
            {
                self.name_variable(cell)
            }
            Input::Key(key) if self.input.handle_key(*key) => {
                typed_answer(cell, self.input.text(), &before, Some(key.code))
            }
            Input::Paste(text) => {
                // Keys have lines: `-----BEGIN PRIVATE KEY-----`.
                self.input.insert_lines(text.trim_end_matches(['\n', '\r']));
                typed_answer(cell, self.input.text(), &before, None)
            }
            _ => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, cell: &Cell<'_>, click: Click) -> Answer {
        match click {
            Click::Add => return self.name_variable(cell),
            Click::At { column, .. } => self.input.click(usize::from(column)),
            _ => {}
        }
        Answer::Handled
    }

    fn handle_drag(&mut self, _cell: &Cell<'_>, _line: i32, column: i32) -> Answer {
        self.input.drag(column);
        Answer::Handled
    }

    fn select_word(&mut self) {
        self.input.select_word();
    }

    fn key_hints(&self, cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        if self.input.text().is_empty() {
            takes_variable(cell).then_some(("$", "name a variable")).into_iter().collect()
        } else {
            vec![("Ctrl+U", "clear")]
        }
    }

    fn sync_value(&mut self, cell: &Cell<'_>) {
        self.input.replace(&cell.value_text());
    }

    fn on_leave(&mut self, cell: &Cell<'_>) -> Answer {
        // What was typed cannot be brought back by undo once the field is left.
        self.input = TextInput::new(cell.value_text());
        Answer::Handled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_variables_are_shown() {
        for (text, shown) in [
            ("${API_KEY}", true),
            ("${", true),
            ("${API", true),
            ("${sk-12}", false),
            ("${hunter2}", false),
            ("sk-1234", false),
            ("$API", false),
            ("$API_KEY", true),
            ("$api_key", false),
        ] {
            assert_eq!(names_variable(text), shown, "{text}");
        }
        for (text, shown) in [("$", true), ("$API", true), ("$api", false), ("API", false)] {
            assert_eq!(names_any_variable(text), shown, "{text}");
        }
    }
}
