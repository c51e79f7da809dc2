//! A one-line text with a cursor: typing, selecting, moving by letter and word, cutting, pasting,
//! undo.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Modifier, Style},
};
use unicode_segmentation::UnicodeSegmentation;

use super::editing::{Clip, Editing, MoveMode};
use crate::{
    app::input::{Button, Key, Mouse, MouseKind},
    syntax::source::{Format, Source},
    ui::canvas::{text_width, visible_text},
};

/// The sign in place of a letter which must not be seen.
const MASK: &str = "•";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextInput {
    editing: Editing,
    scroll: usize,
    /// The first press of the mouse keeps the selection.
    offered: bool,
    /// Where it was drawn, and whether the mouse holds it.
    area: Rect,
    held: bool,
}

impl TextInput {
    /// A text with the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        Self { editing: Editing::new(text), ..Self::default() }
    }

    /// A text that is selected as a whole: what is typed replaces it.
    pub fn selected_whole(text: impl Into<String>) -> Self {
        let mut input = Self { offered: true, ..Self::new(text) };
        input.editing.select_all();
        input
    }

    #[must_use]
    pub fn text(&self) -> &str {
        self.editing.text()
    }

    /// Whether something was typed that undo could take back.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        self.editing.is_edited()
    }

    /// The cursor's byte offset; always at a border between clusters.
    #[must_use]
    pub fn cursor(&self) -> usize {
        self.editing.cursor()
    }

    #[must_use]
    pub fn selected_text(&self) -> Option<&str> {
        self.editing.selected_text()
    }

    /// Puts a text at the cursor; line breaks become spaces.
    pub fn insert(&mut self, text: &str) {
        self.editing.insert(&text.replace("\r\n", " ").replace(['\n', '\r'], " "));
    }

    /// The same; JSON comes without its comments, which would go on to the end of the one line.
    pub fn insert_json(&mut self, text: &str) {
        let may_have = text.trim_start().starts_with('{') && text.contains("//");
        let json = || Source::parse(Format::Jsonc, text).ok()?.to_json(0);
        match may_have.then(json).flatten() {
            Some(json) => self.insert(&json),
            None => self.insert(text),
        }
    }

    /// The same with its line breaks, for what isn't shown as it is.
    pub fn insert_lines(&mut self, text: &str) {
        self.editing.insert(text);
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes another text that came from elsewhere; the cursor stays with what did not change.
    pub fn replace(&mut self, text: &str) {
        self.editing.replace(text);
    }

    /// Puts the cursor at a byte offset.
    pub fn move_cursor(&mut self, to: usize) {
        self.editing.move_cursor(to, MoveMode::Move);
    }

    /// Selects from the cursor as far as a byte offset.
    pub fn select_to(&mut self, to: usize) {
        self.editing.move_cursor(to, MoveMode::Select);
    }

    /// The selection, which a cut takes out.
    pub fn take_clip(&mut self, clip: Clip) -> Option<String> {
        self.editing.take_clip(clip)
    }

    /// Takes a key of one-line editing; whether the key was one (the text may be unchanged).
    pub fn handle_key(&mut self, key: Key) -> bool {
        self.offered = false;
        self.editing.handle_key(key)
    }

    /// Takes what the mouse does to the drawn text: a press, what is dragged from it on, and a double
    /// press, which selects a word. Whether it was for this field.
    pub fn handle_mouse(&mut self, mouse: Mouse) -> bool {
        let is_inside = self.area.contains((mouse.column, mouse.row).into());
        match mouse.kind {
            MouseKind::Down(Button::Left) if is_inside => {
                self.click(usize::from(mouse.column - self.area.x));
                self.held = true;
            }
            MouseKind::Double(Button::Left) if is_inside => self.select_word(),
            MouseKind::Drag(Button::Left) if self.held => {
                self.drag(i32::from(mouse.column) - i32::from(self.area.x));
            }
            MouseKind::Up(_) if self.held => self.held = false,
            _ => return false,
        }
        true
    }

    /// Selects the word at the cursor.
    pub fn select_word(&mut self) {
        self.editing.select_word();
    }

    /// From now on a press puts the cursor where it is, the first one too.
    pub fn accept_offer(&mut self) {
        self.offered = false;
    }

    /// Puts the cursor at the cell `column` of the drawn text.
    pub fn click(&mut self, column: usize) {
        if std::mem::take(&mut self.offered) {
            return;
        }
        self.go_to_cell(column, MoveMode::Move);
    }

    /// Selects as far as the cell `column` of the drawn text.
    pub fn drag(&mut self, column: i32) {
        // Beyond the left edge the text moves on.
        if column < 0 {
            self.scroll = self.scroll.saturating_sub(1);
        }
        self.go_to_cell(usize::try_from(column).unwrap_or(0), MoveMode::Select);
    }

    fn go_to_cell(&mut self, column: usize, reach: MoveMode) {
        let mut at = 0;
        let mut to = self.text().len();
        for (offset, cluster) in self.text().grapheme_indices(true) {
            let wide = text_width(&visible_text(cluster));
            if at + wide > column + self.scroll {
                to = offset;
                break;
            }
            at += wide;
        }
        self.editing.move_cursor(to, reach);
    }

    /// Draws the text in the first line of `area`; with `cursor`, the cell of the cursor in that
    /// style and in view, and signs at the edges where there is more.
    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, style: Style, cursor: Option<Style>) {
        self.draw_as(buffer, area, style, cursor, |cluster| visible_text(cluster).into_owned());
    }

    /// The same with a sign in the place of each letter.
    pub fn draw_masked(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        style: Style,
        cursor: Option<Style>,
    ) {
        self.draw_as(buffer, area, style, cursor, |_| MASK.to_owned());
    }

    fn draw_as(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        style: Style,
        cursor: Option<Style>,
        shown: fn(&str) -> String,
    ) {
        let area = area.intersection(buffer.area);
        self.area = Rect { height: area.height.min(1), ..area };
        let room = usize::from(area.width);
        if room == 0 || area.height == 0 {
            return;
        }
        buffer.set_style(Rect { height: 1, ..area }, style);
        let cells: Vec<(usize, String)> = self
            .text()
            .grapheme_indices(true)
            .map(|(offset, cluster)| (offset, shown(cluster)))
            .collect();
        let total: usize = cells.iter().map(|(_, shown)| text_width(shown)).sum();
        let before = |end: usize| {
            cells
                .iter()
                .take_while(|(offset, _)| *offset < end)
                .map(|(_, shown)| text_width(shown))
                .sum::<usize>()
        };
        let column = before(self.cursor());
        self.scroll =
            if cursor.is_some() { scroll_column(self.scroll, column, total, room) } else { 0 };
        let selection = self.editing.selected_range().filter(|_| cursor.is_some()).unwrap_or(0..0);
        let mut at = 0;
        for (offset, text) in &cells {
            let wide = text_width(text);
            if at >= self.scroll && at + wide <= self.scroll + room {
                let selected = if selection.contains(offset) {
                    style.add_modifier(Modifier::REVERSED)
                } else {
                    style
                };
                let style = cursor.filter(|_| *offset == self.cursor()).unwrap_or(selected);
                let x = area.left() + u16::try_from(at - self.scroll).unwrap_or(0);
                buffer.set_stringn(x, area.top(), text, wide, style);
            }
            at += wide;
        }
        let mut edge = |x: u16, sign: &str| {
            buffer.set_stringn(x, area.top(), sign, 1, style.add_modifier(Modifier::DIM));
        };
        match cursor {
            Some(cursor) => {
                if self.scroll > 0 && room > 2 {
                    edge(area.left(), "‹");
                }
                if total > self.scroll + room && room > 2 {
                    edge(area.right() - 1, "›");
                }
                if self.cursor() == self.text().len() {
                    let x = area.left() + u16::try_from(column - self.scroll).unwrap_or(0);
                    buffer.set_stringn(x, area.top(), " ", 1, cursor);
                }
            }
            None if total > room => edge(area.right() - 1, "…"),
            None => {}
        }
    }
}

/// The first column seen, so that the cursor is in view and not below the signs at the edges.
fn scroll_column(scroll: usize, cursor: usize, total: usize, room: usize) -> usize {
    if total < room {
        return 0;
    }
    let (left, right) = if room > 4 { (1, 2) } else { (0, 0) };
    // A letter may be two cells wide; the cursor is on its first.
    let least = (cursor + 1 + if cursor < total { right } else { 0 }).saturating_sub(room);
    let most = cursor.saturating_sub(left);
    scroll.clamp(least.min(most), most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(text: &str) -> Key {
        text.parse().unwrap()
    }

    fn line(input: &mut TextInput, cells: u16) -> String {
        let area = Rect::new(0, 0, cells, 1);
        let mut buffer = Buffer::empty(area);
        input.draw(&mut buffer, area, Style::default(), Some(Style::default()));
        buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect()
    }

    #[test]
    fn json_is_pasted_without_its_comments() {
        let pasted = |text: &str| {
            let mut input = TextInput::default();
            input.insert_json(text);
            input.text().to_owned()
        };
        let block = "{\n  // the shop\n  \"a\": {\"url\": \"https://h/mcp\"}, // and no more\n}\n";
        let value: serde_json::Value = serde_json::from_str(&pasted(block)).unwrap();
        assert_eq!(value, serde_json::json!({"a": {"url": "https://h/mcp"}}));
        for line in ["a https://h/mcp", "{ // no JSON"] {
            assert_eq!(pasted(line), line);
        }
    }

    #[test]
    fn words_are_moved_over_and_cut() {
        let mut input = TextInput::new("tell me a joke");
        input.handle_key(key("ctrl+left"));
        input.handle_key(key("ctrl+w"));
        assert_eq!((input.text(), input.cursor()), ("tell me joke", 8));
    }

    #[test]
    fn the_edges_tell_where_more_is() {
        let mut input = TextInput::new("tell me a joke");
        assert_eq!(line(&mut input, 8), "‹a joke ");
        input.handle_key(key("home"));
        assert_eq!(line(&mut input, 8), "tell me›");
        assert_eq!(line(&mut input, 20).trim_end(), "tell me a joke");
    }

    #[test]
    fn a_click_hits_the_letter_under_it_and_a_drag_selects() {
        let mut input = TextInput::new("日本語 text");
        line(&mut input, 20);
        input.click(3);
        assert_eq!(input.cursor(), "日".len(), "the second half of a wide letter is that letter");
        input.drag(9);
        assert_eq!(input.selected_text(), Some("本語 te"));
    }

    proptest! {
        #[test]
        fn any_typed_text_leaves_the_cursor_on_a_border(steps in prop::collection::vec((0_usize..9, any::<char>()), 0..40)) {
            let mut input = TextInput::default();
            for (step, letter) in steps {
                match step {
                    0..=3 => input.insert(&letter.to_string()),
                    4 => { input.handle_key(key("left")); }
                    5 => { input.handle_key(key("backspace")); }
                    6 => { input.handle_key(key("ctrl+left")); }
                    7 => { input.handle_key(key("delete")); }
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
