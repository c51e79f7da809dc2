//! Waits for a text of several lines to be pasted, or for the path of a file that has it.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::modal;
use crate::{
    app::{
        input::{Code, Input},
        state::State,
    },
    ui::{
        canvas::{Pen, wrap},
        sheet::{Ask, Entry, Sheet},
        styles::Role,
        view::{Look, Overlay, OverlayReply, Reply},
        widgets::text_input::TextInput,
    },
};

/// What happens with the text, or with the path.
type PasteAction = Box<dyn Fn(&str, &State) -> Reply>;

/// A sheet that takes what the terminal pastes, line breaks and all.
pub(crate) struct Paste {
    title: String,
    words: String,
    then: PasteAction,
    take_file: PasteAction,
    /// The path of a file, as it is typed.
    file: TextInput,
    sheet: Rect,
}

/// What is before the path.
const FILE: &str = "or the file: ";

impl Paste {
    pub fn new(
        title: impl Into<String>,
        words: impl Into<String>,
        then: impl Fn(&str, &State) -> Reply + 'static,
        take_file: impl Fn(&str, &State) -> Reply + 'static,
    ) -> Self {
        Self {
            title: title.into(),
            words: words.into(),
            then: Box::new(then),
            take_file: Box::new(take_file),
            file: TextInput::default(),
            sheet: Rect::default(),
        }
    }
}

impl Overlay for Paste {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, _: &State) {
        let cells = modal::line_cells(area, 70);
        let lines = wrap(&self.words, cells);
        let height = u16::try_from(lines.len()).unwrap_or(1) + 6;
        let (sheet, inside) = modal::draw_modal(frame, area, (70, height), &self.title, look);
        self.sheet = sheet;
        for (row, line) in (1_u16..).zip(&lines) {
            Pen::new(frame.buffer_mut(), inside, row)
                .skip(1)
                .put_text(line, look.styles[Role::Overlay]);
        }
        let row = u16::try_from(lines.len()).unwrap_or(0) + 2;
        let mut pen = Pen::new(frame.buffer_mut(), inside, row);
        pen.skip(1).put_text(FILE, look.styles[Role::Overlay]);
        let x = pen.column_now();
        let width = inside.right().saturating_sub(x + 1);
        let y = inside.y + row.min(inside.height.saturating_sub(1));
        let field = Rect { x, y, width, height: 1 };
        let cursor = Some(look.styles[Role::Cursor]);
        self.file.draw(frame.buffer_mut(), field, look.styles[Role::FieldFocus], cursor);
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply {
        if modal::is_outside(input, self.sheet) {
            return OverlayReply::Close;
        }
        match input {
            Input::Paste(text) => OverlayReply::CloseWith((self.then)(text, state)),
            Input::Key(key) if key.is_plain(Code::Esc) => OverlayReply::Close,
            Input::Key(key) if key.is_plain(Code::Enter) => match self.file.text().trim() {
                "" => OverlayReply::Stay,
                path => OverlayReply::CloseWith((self.take_file)(path, state)),
            },
            Input::Key(key) => {
                self.file.handle_key(*key);
                OverlayReply::Stay
            }
            Input::Mouse(mouse) => {
                self.file.handle_mouse(*mouse);
                OverlayReply::Stay
            }
        }
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        vec![("Ctrl+Shift+V", "paste"), ("Enter", "take the file"), ("Esc", "close")]
    }

    fn sheet(&mut self, _: &State) -> Sheet {
        Sheet::new(self.title.clone(), &self.words, Ask::Lines)
    }

    fn answer(&mut self, entry: Entry<'_>, state: &State) -> OverlayReply {
        match entry {
            Entry::Text(text) => OverlayReply::CloseWith((self.then)(text, state)),
            _ => OverlayReply::Close,
        }
    }
}
