//! Another name for a member that the user named.

use super::cell::{Answer, Ask, Cell, Click, Editor, Hit, Look, Paper};
use crate::{
    app::input::{Code, Input},
    ui::{styles::Role, widgets::text_input::TextInput},
};

/// An editor for the member's name in place of its value.
pub fn opened(cell: &Cell<'_>) -> Box<dyn Editor> {
    Box::new(Rename { input: TextInput::new(cell.field.pointer.last().unwrap_or_default()) })
}

struct Rename {
    input: TextInput,
}

impl Editor for Rename {
    fn draw(&mut self, _cell: &Cell<'_>, paper: &mut Paper<'_>) -> Vec<Hit> {
        let ground = paper.ground(0);
        let cursor = (paper.look == Look::Active).then(|| paper.style(Role::Cursor));
        let dim = ground.patch(paper.style(Role::Dim));
        paper.pen(0).put("new name: ", dim);
        let area = ratatui::layout::Rect { x: paper.area.x + 10, width: paper.area.width.saturating_sub(10), ..paper.area };
        self.input.draw(paper.buffer, area, ground, cursor);
        vec![paper.whole(0, Click::Open)]
    }

    fn typing(&self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        true
    }

    fn input(&mut self, _cell: &Cell<'_>, input: &Input) -> Answer {
        match input {
            Input::Key(key) if key.is(Code::Enter) => Answer::Ask(Ask::Rename(self.input.text().to_owned())),
            Input::Key(key) if self.input.key(*key) => Answer::Handled,
            Input::Paste(text) => {
                self.input.insert(text);
                Answer::Handled
            }
            _ => Answer::Ignored,
        }
    }

    fn click(&mut self, _cell: &Cell<'_>, _click: Click) -> Answer {
        Answer::Handled
    }
}
