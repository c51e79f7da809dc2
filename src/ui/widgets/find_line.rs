//! The line at the top of a list or a text: `/`, and what is typed to find something in it.

use ratatui::{buffer::Buffer, layout::Rect};

use super::text_input::TextInput;
use crate::{
    app::input::{Button, Code, Key, Mouse, MouseKind},
    ui::{
        canvas::Pen,
        styles::{Role, Styles},
    },
};

/// The keys of a list that is being narrowed, for the bottom line.
pub(crate) const FIND_KEYS: [(&str, &str); 3] =
    [("↑↓", "choose"), ("Enter", "select"), ("Esc", "all")];

/// Those of what finds places in a text.
pub(crate) const TEXT_KEYS: [(&str, &str); 3] =
    [("Enter", "next"), ("↑", "previous"), ("Esc", "done")];

/// What narrows a list. `/` opens the line, what is typed leaves the rows that match, `Enter` keeps
/// the list so, and `Esc` shows all again, while one types and later.
///
/// The list that owns it finds its rows by [`FindLine::needle`], and moves its cursor by the keys
/// that are [`FindKey::Passed`].
#[derive(Debug, Default)]
pub(crate) struct FindLine {
    input: TextInput,
    is_typing: bool,
    /// Where it was drawn.
    area: Rect,
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FindKey {
    /// The text may be another one: the rows are to be found again, and the first is meant.
    Typed,
    /// The list stays narrowed, and the row under its cursor is meant.
    Accepted,
    /// All rows are to be shown.
    Cleared,
    /// Nothing: the key is for the list.
    Passed,
}

impl FindLine {
    /// Begins to type; the text that the list is narrowed to is replaced by the first letter.
    pub fn open(&mut self) {
        self.input = TextInput::selected_whole(self.input.text());
        self.is_typing = true;
    }

    /// Narrows no more, and ends typing.
    pub fn clear(&mut self) {
        self.input.clear();
        self.is_typing = false;
    }

    /// Takes over the text where it is also kept elsewhere. What is being typed is replaced by no
    /// other text, but ends where there is none any more.
    pub fn follow_text(&mut self, text: &str) {
        if self.input.text() != text && (!self.is_typing || text.is_empty()) {
            self.input = TextInput::new(text);
            self.is_typing = false;
        }
    }

    /// What the rows are to match; empty: all are shown.
    #[must_use]
    pub fn needle(&self) -> &str {
        self.input.text().trim()
    }

    #[must_use]
    pub fn selected_text(&self) -> Option<&str> {
        self.input.selected_text()
    }

    /// The text as it was typed.
    #[must_use]
    pub fn text(&self) -> &str {
        self.input.text()
    }

    #[must_use]
    pub fn is_typing(&self) -> bool {
        self.is_typing
    }

    /// Whether the list is narrowed, and nobody types.
    #[must_use]
    pub fn is_narrowed(&self) -> bool {
        !self.is_typing && !self.needle().is_empty()
    }

    /// Whether the line is shown: somebody types, or the list is narrowed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_typing || self.is_narrowed()
    }

    /// Takes a key before the list does.
    pub fn handle_key(&mut self, key: Key) -> FindKey {
        match key.code {
            Code::Esc if self.is_open() => {
                self.clear();
                FindKey::Cleared
            }
            _ if !self.is_typing => FindKey::Passed,
            Code::Enter => {
                self.is_typing = false;
                FindKey::Accepted
            }
            Code::Up | Code::Down | Code::PageUp | Code::PageDown => FindKey::Passed,
            _ if self.input.handle_key(key) => FindKey::Typed,
            _ => FindKey::Passed,
        }
    }

    /// Puts a pasted text at the cursor, if somebody types; whether it did.
    pub fn insert(&mut self, text: &str) -> bool {
        if self.is_typing {
            self.input.insert(text);
        }
        self.is_typing
    }

    /// Takes what the mouse does to the line: a press opens it. Whether it was for the line.
    pub fn handle_mouse(&mut self, mouse: Mouse) -> bool {
        if self.is_typing {
            return self.input.handle_mouse(mouse);
        }
        let is_pressed = mouse.kind == MouseKind::Down(Button::Left)
            && self.area.contains((mouse.column, mouse.row).into());
        if is_pressed {
            self.open();
        }
        is_pressed
    }

    /// Draws the line into the first row of an area, if it is shown; answers the rest.
    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        styles: &Styles,
        focused: bool,
    ) -> Rect {
        if !self.is_open() {
            self.area = Rect::default();
            return area;
        }
        self.area = Rect { height: area.height.min(1), ..area };
        draw_find_line(buffer, area, &mut self.input, styles, self.is_typing && focused)
    }
}

/// Draws what is looked for into the first row of an area; answers the rest.
pub(crate) fn draw_find_line(
    buffer: &mut Buffer,
    area: Rect,
    find: &mut TextInput,
    styles: &Styles,
    is_typing: bool,
) -> Rect {
    Pen::new(buffer, area, 0).put_text("/ ", styles[Role::Key]);
    let (height, sign) = (area.height.min(1), area.width.min(2));
    let field = Rect { x: area.x + sign, width: area.width - sign, height, ..area };
    let cursor = is_typing.then(|| styles[Role::Cursor]);
    let role = if is_typing { Role::FieldFocus } else { Role::Text };
    find.draw(buffer, field, styles[role], cursor);
    Rect { y: area.y + height, height: area.height - height, ..area }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::input::Mods, ui::theme::Theme};

    fn types(line: &mut FindLine, keys: &[&str]) -> Vec<FindKey> {
        keys.iter().map(|key| line.handle_key(key.parse().unwrap())).collect()
    }

    /// The rows of a small pane, and how many of them are left for the list.
    fn drawn(line: &mut FindLine) -> (String, u16) {
        let area = Rect::new(0, 0, 9, 3);
        let mut buffer = Buffer::empty(area);
        let rest = line.draw(&mut buffer, area, &Theme::default().styles, true);
        let first = buffer.content().iter().take(9).map(ratatui::buffer::Cell::symbol);
        (first.collect::<String>().trim_end().to_owned(), rest.height)
    }

    #[test]
    fn enter_keeps_a_list_narrowed_and_esc_shows_all() {
        let mut line = FindLine::default();
        assert_eq!(types(&mut line, &["a", "enter", "esc"]), [FindKey::Passed; 3]);
        line.open();
        let typed = types(&mut line, &["a", "space", "down", "enter", "b", "enter"]);
        let (typed, later) = typed.split_at(4);
        assert_eq!(
            typed,
            [FindKey::Typed, FindKey::Typed, FindKey::Passed, FindKey::Accepted],
            "arrows are the list's"
        );
        assert_eq!(later, [FindKey::Passed; 2], "letters are commands again");
        assert_eq!((line.needle(), line.is_narrowed(), line.is_typing()), ("a", true, false));
        assert_eq!(types(&mut line, &["esc", "esc"]), [FindKey::Cleared, FindKey::Passed]);
        assert!(!line.is_open() && line.needle().is_empty());
        line.open();
        assert_eq!(types(&mut line, &["b", "esc"]), [FindKey::Typed, FindKey::Cleared]);
        assert!(!line.is_open());
    }

    #[test]
    fn what_is_typed_next_replaces_what_was_found_before() {
        let mut line = FindLine::default();
        line.open();
        types(&mut line, &["a", "b", "enter"]);
        line.open();
        assert_eq!(line.needle(), "ab");
        types(&mut line, &["c"]);
        assert_eq!(line.needle(), "c");
        types(&mut line, &["backspace", "enter"]);
        assert!(!line.is_open(), "nothing narrows nothing");
    }

    #[test]
    fn a_paste_goes_into_what_is_typed_alone() {
        let mut line = FindLine::default();
        assert!(!line.insert("one"));
        line.open();
        assert!(line.insert("two\nwords"));
        assert_eq!(line.needle(), "two words");
    }

    #[test]
    fn a_text_from_elsewhere_leaves_what_is_being_typed() {
        let mut line = FindLine::default();
        line.follow_text("one");
        assert!(line.is_narrowed());
        line.open();
        types(&mut line, &["2"]);
        line.follow_text("one");
        assert_eq!((line.text(), line.is_typing()), ("2", true));
        line.follow_text("");
        assert!(!line.is_open());
    }

    #[test]
    fn the_line_is_there_as_long_as_the_list_is_narrowed_and_a_press_opens_it() {
        let press =
            Mouse { kind: MouseKind::Down(Button::Left), column: 3, row: 0, mods: Mods::default() };
        let mut line = FindLine::default();
        assert_eq!(drawn(&mut line), (String::new(), 3));
        assert!(!line.handle_mouse(press));
        line.open();
        types(&mut line, &["a", "b", "enter"]);
        assert_eq!(drawn(&mut line), ("/ ab".to_owned(), 2));
        assert!(line.handle_mouse(press) && line.is_typing());
        types(&mut line, &["esc"]);
        assert_eq!(drawn(&mut line), (String::new(), 3));
        assert!(!line.handle_mouse(press), "it isn't there any more");
    }
}
