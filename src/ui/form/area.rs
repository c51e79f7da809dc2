//! A text over several lines with a real editor: wrap, selection, undo, word moves, paste, mouse.

use ratatui::{layout::Rect, style::Style, widgets::Widget as _};
use ratatui_textarea::{CursorMove, Input as AreaInput, Key as AreaKey, TextArea, WrapMode};

use super::cell::{ANYWHERE, Hit, Look, Paper};
use crate::{
    app::input::{Code, Input, Key},
    ui::{canvas, styles::Role},
};

/// Lines that the box has at least and at most.
const LEAST: u16 = 4;
const MOST: u16 = 14;

/// The editor. It keeps `\r\n` line ends of the text it was given.
pub struct Area {
    area: TextArea<'static>,
    line_end: &'static str,
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Not a key of text editing.
    Ignored,
    Moved,
    Changed,
}

impl Area {
    #[must_use]
    pub fn new(text: &str) -> Self {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let lines = text.split(line_end).map(ToOwned::to_owned).collect();
        let mut area = TextArea::new(lines);
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        area.set_tab_length(2);
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        Self { area, line_end }
    }

    #[must_use]
    pub fn text(&self) -> String {
        self.area.lines().join(self.line_end)
    }

    /// Takes another text, with the cursor where it was as far as that is possible.
    pub fn replace(&mut self, text: &str) {
        let cursor = self.area.cursor();
        *self = Self::new(text);
        let place = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(place(cursor.0), place(cursor.1)));
    }

    #[must_use]
    pub fn lines(&self, cells: u16) -> u16 {
        let cells = usize::from(cells.max(1));
        let lines = self.area.lines().iter().map(|line| canvas::width(line) / cells + 1);
        u16::try_from(lines.sum::<usize>() + 1).unwrap_or(MOST).clamp(LEAST, MOST)
    }

    pub fn input(&mut self, input: &Input) -> Typed {
        let before = self.area.lines().to_vec();
        let taken = match input {
            Input::Paste(text) => {
                self.area.insert_str(text.replace("\r\n", "\n").replace('\r', "\n"));
                true
            }
            Input::Key(key) => self.key(*key),
            Input::Mouse(_) => false,
        };
        match (taken, self.area.lines() == before) {
            (false, _) => Typed::Ignored,
            (true, true) => Typed::Moved,
            (true, false) => Typed::Changed,
        }
    }

    fn key(&mut self, key: Key) -> bool {
        if key.mods.ctrl && !key.mods.alt {
            match key.code {
                Code::Char('z') => {
                    return {
                        self.area.undo();
                        true
                    };
                }
                Code::Char('y') => {
                    return {
                        self.area.redo();
                        true
                    };
                }
                Code::Char('a') => {
                    return {
                        self.area.select_all();
                        true
                    };
                }
                Code::Char('c') => {
                    return {
                        self.area.copy();
                        true
                    };
                }
                Code::Char('v') => {
                    return {
                        self.area.paste();
                        true
                    };
                }
                Code::Char('x' | 'w' | 'k' | 'e') => {}
                Code::Char(_) => return false,
                _ => {}
            }
        }
        let Some(mapped) = mapped(key) else { return false };
        self.area.input(mapped);
        true
    }

    pub fn draw(&mut self, paper: &mut Paper<'_>, line: u16) -> Vec<Hit> {
        let style = paper.style(Role::FieldFocus);
        let height = paper.area.height.saturating_sub(line);
        let area = Rect { y: paper.area.y + line, height, ..paper.area }.intersection(paper.buffer.area);
        self.area.set_style(style);
        self.area.set_cursor_line_style(Style::default());
        self.area.set_selection_style(paper.style(Role::Selected));
        let cursor = if paper.look == Look::Active { paper.style(Role::Cursor) } else { Style::default() };
        self.area.set_cursor_style(cursor);
        if area.height > 0 {
            (&self.area).render(area, paper.buffer);
        }
        (line..paper.area.height).map(|line| paper.whole(line, ANYWHERE)).collect()
    }

    /// Puts the cursor at a cell of the drawn text.
    pub fn click(&mut self, line: u16, column: u16) {
        let (top, left) = self.area.scroll_offset();
        let at = self.area.screen_to_data(usize::from(top + line), usize::from(left + column));
        let place = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
        self.area.cancel_selection();
        self.area.move_cursor(CursorMove::Jump(place(at.0), place(at.1)));
    }
}

fn mapped(key: Key) -> Option<AreaInput> {
    let code = match key.code {
        Code::Char(letter) => AreaKey::Char(letter),
        Code::Enter => AreaKey::Enter,
        Code::Backspace => AreaKey::Backspace,
        Code::Delete => AreaKey::Delete,
        Code::Left => AreaKey::Left,
        Code::Right => AreaKey::Right,
        Code::Up => AreaKey::Up,
        Code::Down => AreaKey::Down,
        Code::Home => AreaKey::Home,
        Code::End => AreaKey::End,
        Code::PageUp => AreaKey::PageUp,
        Code::PageDown => AreaKey::PageDown,
        _ => return None,
    };
    // Alt with a letter, Enter or an arrow up or down is for the form and the screen.
    let vertical = matches!(key.code, Code::Char(_) | Code::Enter | Code::Up | Code::Down);
    let outside = vertical && (key.mods.alt || (key.mods.ctrl && key.code == Code::Enter));
    (!outside).then_some(AreaInput { key: code, ctrl: key.mods.ctrl, alt: key.mods.alt, shift: key.mods.shift })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_stay_and_undo_works() {
        let mut area = Area::new("a\r\nb");
        assert_eq!(area.input(&Input::Key(Key::plain(Code::Char('c')))), Typed::Changed);
        assert_eq!(area.text(), "a\r\nbc");
        assert_eq!(area.input(&Input::Key(Key::ctrl('z'))), Typed::Changed);
        assert_eq!(area.text(), "a\r\nb");
        assert_eq!(area.input(&Input::Paste("x\ny".into())), Typed::Changed);
        assert_eq!(area.text(), "a\r\nbx\r\ny");
    }
}
