//! A one-line text with a cursor: typing, moving by letter and word, cutting, pasting.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};
use unicode_segmentation::UnicodeSegmentation;

use crate::{
    app::input::{Code, Key},
    ui::canvas::{visible, width},
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextInput {
    text: String,
    /// A byte offset at a border between clusters.
    cursor: usize,
    scroll: usize,
}

impl TextInput {
    /// A text with the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text, scroll: 0 }
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The cursor's byte offset; always at a border between clusters.
    #[must_use]
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Puts a text at the cursor; line breaks become blanks.
    pub fn insert(&mut self, text: &str) {
        let line = text.replace("\r\n", " ").replace(['\n', '\r'], " ");
        self.text.insert_str(self.cursor, &line);
        self.cursor += line.len();
        self.settle();
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes a key of one-line editing; whether the key was one (the text may be unchanged).
    pub fn key(&mut self, key: Key) -> bool {
        if let Some(letter) = key.letter() {
            self.insert(letter.encode_utf8(&mut [0; 4]));
            return true;
        }
        let by_word = key.mods.ctrl || key.mods.alt;
        match key.code {
            Code::Left => self.cursor = if by_word { self.word_before() } else { self.before() },
            Code::Right => self.cursor = if by_word { self.word_after() } else { self.after() },
            Code::Home => self.cursor = 0,
            Code::End => self.cursor = self.text.len(),
            Code::Backspace => self.cut(if by_word { self.word_before() } else { self.before() }, self.cursor),
            Code::Delete => self.cut(self.cursor, if by_word { self.word_after() } else { self.after() }),
            Code::Char('w') if key.mods.ctrl => self.cut(self.word_before(), self.cursor),
            Code::Char('u') if key.mods.ctrl => self.cut(0, self.cursor),
            Code::Char('k') if key.mods.ctrl => self.cut(self.cursor, self.text.len()),
            Code::Char('a') if key.mods.ctrl => self.cursor = 0,
            Code::Char('e') if key.mods.ctrl => self.cursor = self.text.len(),
            _ => return false,
        }
        true
    }

    /// Puts the cursor at the cell `column` of the drawn text.
    pub fn click(&mut self, column: usize) {
        let mut at = 0;
        for (offset, cluster) in self.text.grapheme_indices(true) {
            if at >= column + self.scroll {
                self.cursor = offset;
                return;
            }
            at += width(&visible(cluster));
        }
        self.cursor = self.text.len();
    }

    fn cut(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = from;
        self.settle();
    }

    /// A letter typed before a combining one joins it: moves the cursor on to the next border.
    fn settle(&mut self) {
        let border = |at: usize| at == self.text.len() || self.text.grapheme_indices(true).any(|(offset, _)| offset == at);
        while !border(self.cursor) {
            self.cursor += 1;
        }
    }

    fn before(&self) -> usize {
        self.text[..self.cursor].grapheme_indices(true).next_back().map_or(0, |(offset, _)| offset)
    }

    fn after(&self) -> usize {
        self.text[self.cursor..].graphemes(true).next().map_or(self.cursor, |cluster| self.cursor + cluster.len())
    }

    fn word_before(&self) -> usize {
        let head = &self.text[..self.cursor];
        head.unicode_word_indices().next_back().map_or(0, |(offset, _)| offset)
    }

    fn word_after(&self) -> usize {
        let tail = &self.text[self.cursor..];
        tail.unicode_word_indices().next().map_or(self.text.len(), |(offset, word)| self.cursor + offset + word.len())
    }

    /// Draws the text in the first line of `area`; with `cursor`, the cell of the cursor in that style and in view.
    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, style: Style, cursor: Option<Style>) {
        let area = area.intersection(buffer.area);
        let room = usize::from(area.width);
        if room == 0 || area.height == 0 {
            return;
        }
        buffer.set_style(Rect { height: 1, ..area }, style);
        let column = width(&visible(&self.text[..self.cursor]));
        self.scroll = if cursor.is_some() { self.scroll.clamp((column + 1).saturating_sub(room), column) } else { 0 };
        let mut at = 0;
        for (offset, cluster) in self.text.grapheme_indices(true) {
            let shown = visible(cluster);
            let wide = width(&shown);
            if at >= self.scroll && at + wide <= self.scroll + room {
                let style = cursor.filter(|_| offset == self.cursor).unwrap_or(style);
                let x = area.left() + u16::try_from(at - self.scroll).unwrap_or(0);
                buffer.set_stringn(x, area.top(), &*shown, wide, style);
            }
            at += wide;
        }
        if let Some(cursor) = cursor.filter(|_| self.cursor == self.text.len()) {
            let x = area.left() + u16::try_from(column - self.scroll).unwrap_or(0);
            buffer.set_stringn(x, area.top(), " ", 1, cursor);
        } else if cursor.is_none() && at > room {
            buffer.set_stringn(area.right() - 1, area.top(), "…", 1, style);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(text: &str) -> Key {
        text.parse().unwrap()
    }

    #[test]
    fn words_are_moved_over_and_cut() {
        let mut input = TextInput::new("tell me a joke");
        input.key(key("ctrl+left"));
        input.key(key("ctrl+w"));
        assert_eq!((input.text(), input.cursor()), ("tell me joke", 8));
    }

    proptest! {
        #[test]
        fn any_typed_text_leaves_the_cursor_on_a_border(steps in prop::collection::vec((0_usize..9, any::<char>()), 0..40)) {
            let mut input = TextInput::default();
            for (step, letter) in steps {
                match step {
                    0..=3 => input.insert(&letter.to_string()),
                    4 => { input.key(key("left")); }
                    5 => { input.key(key("backspace")); }
                    6 => { input.key(key("ctrl+left")); }
                    7 => { input.key(key("delete")); }
                    _ => input.click(3),
                }
                let at = input.cursor();
                prop_assert!(at == input.text().len() || input.text().grapheme_indices(true).any(|(offset, _)| offset == at));
                let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
                input.draw(&mut buffer, Rect::new(1, 0, 6, 1), Style::default(), Some(Style::default()));
            }
        }
    }
}
