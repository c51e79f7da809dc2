//! Waits for a text of several lines to be pasted.

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
    },
};

/// What happens with the text.
type PasteAction = Box<dyn Fn(&str, &State) -> Reply>;

/// A sheet that takes what the terminal pastes, line breaks and all.
pub(crate) struct Paste {
    title: String,
    words: String,
    then: PasteAction,
    sheet: Rect,
}

impl Paste {
    pub fn new(
        title: impl Into<String>,
        words: impl Into<String>,
        then: impl Fn(&str, &State) -> Reply + 'static,
    ) -> Self {
        Self {
            title: title.into(),
            words: words.into(),
            then: Box::new(then),
            sheet: Rect::default(),
        }
    }
}

impl Overlay for Paste {
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, look: Look<'_>, _: &State) {
        let lines = wrap(&self.words, 66);
        let height = u16::try_from(lines.len()).unwrap_or(1) + 4;
        let (sheet, inside) = modal::draw_modal(frame, area, (70, height), &self.title, look);
        self.sheet = sheet;
        for (row, line) in (1_u16..).zip(&lines) {
            Pen::new(frame.buffer_mut(), inside, row)
                .skip(1)
                .put_text(line, look.styles[Role::Overlay]);
        }
    }

    fn handle_input(&mut self, input: &Input, state: &State) -> OverlayReply {
        if modal::is_outside(input, self.sheet) {
            return OverlayReply::Close;
        }
        match input {
            Input::Paste(text) => OverlayReply::CloseWith((self.then)(text, state)),
            Input::Key(key) if key.is_plain(Code::Esc) => OverlayReply::Close,
            _ => OverlayReply::Stay,
        }
    }

    fn key_hints(&self) -> Vec<(&'static str, &'static str)> {
        vec![("Ctrl+Shift+V", "paste"), ("Esc", "close")]
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
