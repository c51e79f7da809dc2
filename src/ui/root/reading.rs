//! Text on the screen that is dragged over, and copied.

use ratatui::{buffer::Buffer, layout::Rect, style::Modifier};

use crate::{
    app::{
        input::{Button, Input, Key, MouseKind},
        message::{ClipboardAct, Message},
    },
    ui::selection::Selection,
};

/// What is selected, from the press that may have begun it on.
#[derive(Default)]
pub(super) struct Reading {
    selection: Option<Selection>,
    is_held: bool,
    /// What the last drawing had there.
    text: String,
    /// What was copied by dragging over it, here or by the screen, until something else is done.
    copied: Option<String>,
}

/// What became of an input.
pub(super) enum Taken {
    /// It is for the screen.
    No,
    Yes,
    /// This is selected: the button was released, or Ctrl+C was pressed after that.
    Selected(String),
}

impl Reading {
    /// Takes an input; `texts` are the places of the last drawing where text is read.
    pub fn take(&mut self, input: &Input, texts: &[Rect]) -> Taken {
        let Input::Mouse(mouse) = input else {
            self.selection = None;
            // What is selected is copied already, but not everybody relies on that.
            let again = self.copied.take().filter(|_| *input == Input::Key(Key::ctrl('c')));
            return again.map_or(Taken::No, Taken::Selected);
        };
        let cell = (mouse.column, mouse.row);
        match mouse.kind {
            MouseKind::Down(button) => {
                self.copied = None;
                let area = texts.iter().rev().find(|area| area.contains(cell.into()));
                let begins = area.filter(|_| button == Button::Left);
                self.selection = begins.map(|area| Selection::at(cell, *area));
                self.is_held = self.selection.is_some();
                Taken::No
            }
            MouseKind::Drag(Button::Left) if self.is_held => {
                if let Some(selection) = &mut self.selection {
                    selection.extend_to(cell);
                }
                Taken::Yes
            }
            MouseKind::Up(_) if std::mem::take(&mut self.is_held) => {
                let selected = self.selection.filter(|selection| !selection.is_empty());
                match selected.map(|_| std::mem::take(&mut self.text)) {
                    Some(text) if !text.is_empty() => Taken::Selected(text),
                    _ => Taken::No,
                }
            }
            _ => Taken::No,
        }
    }

    /// Takes note of what an input led to: the screen has selections of its own. What is copied when
    /// the button is released was selected, and is offered to the middle button too.
    pub fn note_messages(&mut self, input: &Input, messages: &mut Vec<Message>) {
        let is_released =
            matches!(input, Input::Mouse(mouse) if matches!(mouse.kind, MouseKind::Up(_)));
        let copied = messages.iter().filter(|_| is_released).find_map(|message| match message {
            Message::Copy { text, .. } => Some(text.clone()),
            _ => None,
        });
        messages.extend(copied.clone().map(|text| Message::Clipboard(ClipboardAct::Select(text))));
        self.copied = copied.or_else(|| self.copied.take());
    }

    /// Marks what is selected.
    pub fn draw(&mut self, buffer: &mut Buffer) {
        let Some(selection) = self.selection.filter(|selection| !selection.is_empty()) else {
            return;
        };
        if self.is_held {
            self.text = selection.text(buffer);
        }
        let area = buffer.area;
        for row in area.top()..area.bottom() {
            let columns = selection.columns_in(row).unwrap_or_default();
            for column in columns.start..columns.end.min(area.right()) {
                let cell = &mut buffer[(column, row)];
                cell.modifier.toggle(Modifier::REVERSED);
            }
        }
    }
}
