//! Text of the screen that is selected with the mouse.

use std::ops::Range;

use ratatui::{buffer::Buffer, layout::Rect};

use super::{canvas::text_width, images::is_image_cell};
use crate::{app::message::Message, schema::count::count_text};

/// Copies a selected text; how long it is, is said.
#[must_use]
pub(crate) fn copy_message(text: impl Into<String>) -> Message {
    let text = text.into();
    Message::Copy { what: count_text(text.chars().count(), "letter", "letters"), text }
}

/// From the cell where it began to where the mouse is, line by line as text is read within an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    area: Rect,
    anchor: (u16, u16),
    head: (u16, u16),
}

impl Selection {
    /// Begins at a cell, by column and row.
    pub fn at(cell: (u16, u16), area: Rect) -> Self {
        Self { area, anchor: cell, head: cell }
    }

    /// Goes as far as a cell, or the one in the area that is nearest.
    pub fn extend_to(&mut self, (column, row): (u16, u16)) {
        let within = |at: u16, from: u16, end: u16| at.clamp(from, end.saturating_sub(1).max(from));
        let Rect { x, y, .. } = self.area;
        self.head = (within(column, x, self.area.right()), within(row, y, self.area.bottom()));
    }

    /// Whether the mouse has not left the cell where it began.
    pub fn is_empty(self) -> bool {
        self.anchor == self.head
    }

    /// First and last cell, both within.
    fn ends(self) -> ((u16, u16), (u16, u16)) {
        let by_row = |(column, row): (u16, u16)| (row, column);
        match by_row(self.anchor) <= by_row(self.head) {
            true => (self.anchor, self.head),
            false => (self.head, self.anchor),
        }
    }

    /// The columns of a row that are within.
    pub fn columns_in(self, row: u16) -> Option<Range<u16>> {
        if self.is_empty() {
            return None;
        }
        let (first, last) = self.ends();
        if row < first.1 || row > last.1 {
            return None;
        }
        let from = if row == first.1 { first.0 } else { self.area.x };
        let to = if row == last.1 { last.0 + 1 } else { self.area.right() };
        Some(from..to)
    }

    /// The selected text; spaces at the ends of lines are left out, and images are spaces.
    pub fn text(self, buffer: &Buffer) -> String {
        let (first, last) = self.ends();
        let area = self.area.intersection(buffer.area);
        let mut lines = Vec::new();
        for row in first.1..=last.1.min(area.bottom().saturating_sub(1)) {
            let Some(columns) = self.columns_in(row) else { continue };
            let (mut line, mut column) = (String::new(), area.x);
            while column < area.right() {
                let symbol = buffer[(column, row)].symbol();
                if columns.contains(&column) {
                    line.push_str(if is_image_cell(symbol) { " " } else { symbol });
                }
                column += u16::try_from(text_width(symbol)).unwrap_or(1).max(1);
            }
            lines.push(line.trim_end().to_owned());
        }
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(from: (u16, u16), to: (u16, u16)) -> String {
        let buffer = Buffer::with_lines(["one two   ", "漢字 x     ", "last"]);
        let mut selection = Selection::at(from, Rect::new(0, 0, 200, 60));
        selection.extend_to(to);
        selection.text(&buffer)
    }

    #[test]
    fn text_is_selected_as_it_is_read() {
        assert_eq!(selected((4, 0), (6, 0)), "two");
        assert_eq!(selected((6, 0), (4, 0)), "two", "backwards");
        assert_eq!(selected((4, 0), (1, 2)), "two\n漢字 x\nla");
        assert_eq!(selected((2, 1), (4, 1)), "字", "a wide letter once");
        assert_eq!(selected((3, 2), (3, 2)), "", "one cell is a click");
        assert_eq!(selected((0, 1), (9, 40)), "漢字 x\nlast", "beyond the end");
    }

    #[test]
    fn an_image_has_no_text() {
        let buffer = Buffer::with_lines(["▀▀▄ of a dot", "\u{10eeee}\u{10eeee}  "]);
        let mut selection = Selection::at((0, 0), buffer.area);
        selection.extend_to((3, 1));
        assert_eq!(selection.text(&buffer), "    of a dot\n");
    }

    #[test]
    fn rows_between_are_within_from_end_to_end() {
        let mut selection = Selection::at((5, 2), Rect::new(1, 0, 9, 60));
        assert_eq!(selection.columns_in(2), None);
        selection.extend_to((1, 4));
        assert_eq!(selection.columns_in(1), None);
        assert_eq!(selection.columns_in(2), Some(5..10));
        assert_eq!(selection.columns_in(3), Some(1..10));
        assert_eq!(selection.columns_in(4), Some(1..2));
    }
}
