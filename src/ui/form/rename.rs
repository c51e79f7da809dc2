//! Another name for a member that the user named.

use super::cell::{Answer, Ask, Cell, Click, ClickArea, DrawContext, Editor, Look};
use crate::{
    app::input::{Code, Input},
    ui::{styles::Role, widgets::text_input::TextInput},
};

/// An editor for the member's name in place of its value.
pub(crate) fn open_editor(cell: &Cell<'_>) -> Box<dyn Editor> {
    let before = cell.field.pointer.last().unwrap_or_default();
    Box::new(Rename { input: TextInput::new(before), before: before.to_owned() })
}

struct Rename {
    input: TextInput,
    before: String,
}

impl Editor for Rename {
    fn draw(&mut self, _cell: &Cell<'_>, context: &mut DrawContext<'_>) -> Vec<ClickArea> {
        let ground = context.fill_background(0);
        let cursor = (context.look == Look::Active).then(|| context.style(Role::Cursor));
        let dim = ground.patch(context.style(Role::Dim));
        context.pen(0).put_text("new name: ", dim);
        let area = ratatui::layout::Rect {
            x: context.area.x + 10,
            width: context.area.width.saturating_sub(10),
            ..context.area
        };
        self.input.draw(context.buffer, area, ground, cursor);
        vec![context.line_hit(0, Click::Open)]
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        true
    }

    fn is_rename(&self) -> bool {
        true
    }

    fn key_hints(&self, _cell: &Cell<'_>) -> Vec<(&'static str, &'static str)> {
        vec![("Enter", "accept"), ("Esc", "cancel")]
    }

    /// What is closed by Esc is not meant.
    fn close(&mut self) {
        self.input = TextInput::new(self.before.as_str());
    }

    /// Who goes elsewhere means the name.
    fn on_leave(&mut self, _cell: &Cell<'_>) -> Answer {
        let name = self.input.text();
        match name.is_empty() || name == self.before {
            true => Answer::Handled,
            false => Answer::Ask(Ask::Rename(name.to_owned())),
        }
    }

    fn handle_input(&mut self, _cell: &Cell<'_>, input: &Input) -> Answer {
        match input {
            Input::Key(key) if key.is_plain(Code::Enter) => {
                Answer::Ask(Ask::Rename(self.input.text().to_owned()))
            }
            Input::Key(key) if self.input.handle_key(*key) => Answer::Handled,
            Input::Paste(text) => {
                self.input.insert(text);
                Answer::Handled
            }
            _ => Answer::Ignored,
        }
    }

    fn handle_click(&mut self, _cell: &Cell<'_>, _click: Click) -> Answer {
        Answer::Handled
    }
}
