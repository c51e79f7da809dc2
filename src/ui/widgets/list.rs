//! The cursor and the window of a list: which row is chosen, which rows are seen.

use ratatui::{buffer::Buffer, layout::Rect};

use super::pane::draw_foot;
use crate::{
    app::input::{Code, Input, Key, Mouse, MouseKind},
    ui::styles::Styles,
};

/// Cursor and scroll over a number of rows that the owner knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListCursor {
    pub row: usize,
    top: usize,
    seen: usize,
}

impl ListCursor {
    /// The rows to draw in `height` lines, with the cursor among them. Call it once for each
    /// drawing.
    pub fn visible_rows(&mut self, rows: usize, height: u16) -> std::ops::Range<usize> {
        let height = usize::from(height);
        self.seen = height;
        self.row = self.row.min(rows.saturating_sub(1));
        if height == 0 {
            return 0..0;
        }
        self.top = self
            .top
            .min(rows.saturating_sub(height))
            .clamp((self.row + 1).saturating_sub(height), self.row);
        self.top..(self.top + height).min(rows)
    }

    /// The same for rows of one or more lines each, `tall` says how many: those seen whole in
    /// `height` lines. It is asked only for rows near the window, and near the last row.
    pub fn visible_tall_rows(
        &mut self,
        rows: usize,
        tall: impl Fn(usize) -> usize,
        height: u16,
    ) -> std::ops::Range<usize> {
        let height = usize::from(height);
        self.row = self.row.min(rows.saturating_sub(1));
        // How many of the rows are seen whole, one after the other.
        let count_seen = |in_turn: &mut dyn Iterator<Item = usize>| {
            let mut lines = 0;
            let fits = in_turn.take_while(|row| {
                lines += tall(*row);
                lines <= height
            });
            fits.count()
        };
        // The first of the rows from which on the row `last` is seen to its end.
        let first_seen = |last: usize| {
            (last + 1).saturating_sub(count_seen(&mut (0..rows.min(last + 1)).rev())).min(last)
        };
        let end = first_seen(rows.saturating_sub(1));
        self.top = self.top.min(end).clamp(first_seen(self.row), self.row);
        self.seen = count_seen(&mut (self.top..rows));
        // A row that is taller than all there is, as far as it goes.
        self.top..(self.top + self.seen.max(1)).min(rows)
    }

    /// Moves by a key of lists (arrows, page, home, end, `j`, `k`); whether the key was one.
    pub fn handle_key(&mut self, key: Key, rows: usize) -> bool {
        let page = self.seen.saturating_sub(1).max(1);
        let row = match key.code {
            _ if key.mods.ctrl || key.mods.alt => return false,
            Code::Up | Code::Char('k') => self.row.saturating_sub(1),
            Code::Down | Code::Char('j') => self.row + 1,
            Code::PageUp => self.row.saturating_sub(page),
            Code::PageDown => self.row + page,
            Code::Home => 0,
            Code::End => rows,
            _ => return false,
        };
        self.row = row.min(rows.saturating_sub(1));
        true
    }

    /// Moves the window by wheel notches; the cursor only where it would leave the window.
    pub fn handle_wheel(&mut self, notches: i16, rows: usize) {
        let by = usize::from(notches.unsigned_abs()) * 3;
        let top = if notches < 0 { self.top.saturating_sub(by) } else { self.top + by };
        self.top = top.min(rows.saturating_sub(self.seen));
        let last = (self.top + self.seen).min(rows).saturating_sub(1);
        self.row = self.row.clamp(self.top.min(last), last);
    }

    /// Goes to the row where what the cursor is on is now, as rows before it came or went; it stays
    /// in its line of the window.
    pub fn follow_to(&mut self, row: usize) {
        self.top = row.saturating_sub(self.row.saturating_sub(self.top));
        self.row = row;
    }

    /// At a row, with the one before it on top of the window where there are enough rows.
    #[must_use]
    pub fn near_top(row: usize) -> Self {
        Self { row, top: row.saturating_sub(1), seen: 0 }
    }

    /// The row under the mouse, for a list drawn in `area`.
    #[must_use]
    pub fn row_at(&self, mouse: Mouse, area: Rect, rows: usize) -> Option<usize> {
        let inside = area.contains((mouse.column, mouse.row).into());
        let row = self.top + usize::from(mouse.row.saturating_sub(area.top()));
        (inside && row < rows).then_some(row)
    }

    /// Takes a mouse event inside `area`: the wheel scrolls, a press chooses. Answers the pressed
    /// row.
    pub fn handle_mouse(&mut self, mouse: Mouse, area: Rect, rows: usize) -> Option<usize> {
        match mouse.kind {
            MouseKind::Wheel(notches) => {
                self.handle_wheel(notches, rows);
                None
            }
            MouseKind::Down(_) => {
                let row = self.row_at(mouse, area, rows)?;
                self.row = row;
                Some(row)
            }
            _ => None,
        }
    }

    /// Takes a key of lists, or a mouse event inside `area`. Answers the row that it leads to; the wheel
    /// may lead to another one too.
    pub fn handle_input(&mut self, input: &Input, area: Rect, rows: usize) -> Option<usize> {
        match input {
            Input::Key(key) => self.handle_key(*key, rows).then_some(self.row),
            Input::Mouse(mouse) => {
                let pressed = self.handle_mouse(*mouse, area, rows);
                if matches!(mouse.kind, MouseKind::Wheel(_)) { Some(self.row) } else { pressed }
            }
            Input::Paste(_) => None,
        }
    }

    /// Writes at the foot of a pane what part of the rows is seen, once they are drawn.
    pub fn draw_position(&self, rows: usize, buffer: &mut Buffer, pane: Rect, styles: &Styles) {
        draw_foot(&self.position_text(rows).unwrap_or_default(), buffer, pane, styles);
    }

    /// What part of the rows is seen, as `3–12 of 40`; nothing when all are.
    #[must_use]
    pub fn position_text(&self, rows: usize) -> Option<String> {
        (rows > self.seen && self.seen > 0)
            .then(|| format!("{}–{} of {rows}", self.top + 1, (self.top + self.seen).min(rows)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_the_cursor_is_on_stays_in_its_line() {
        let mut cursor = ListCursor { row: 50, ..ListCursor::default() };
        assert_eq!(cursor.visible_rows(100, 10), 41..51);
        cursor.row = 45;
        cursor.follow_to(25);
        assert_eq!((cursor.row, cursor.visible_rows(80, 10)), (25, 21..31));
        cursor.follow_to(2);
        assert_eq!((cursor.row, cursor.visible_rows(57, 10)), (2, 0..10));
    }

    proptest! {
        #[test]
        fn the_cursor_is_always_in_the_window(rows in 0_usize..50, height in 1_u16..20, moves in prop::collection::vec(0_usize..6, 0..30)) {
            let mut cursor = ListCursor::default();
            for step in moves {
                let code = [Code::Up, Code::Down, Code::PageUp, Code::PageDown, Code::Home, Code::End][step];
                cursor.handle_key(Key::plain(code), rows);
                let window = cursor.visible_rows(rows, height);
                prop_assert!(rows == 0 || window.contains(&cursor.row));
                prop_assert!(window.len() == rows.min(usize::from(height)));
            }
        }

        #[test]
        fn the_wheel_moves_the_window_and_the_cursor_no_more_than_it_must(
            rows in 1_usize..50, height in 1_u16..20, row in 0_usize..50, notches in -9_i16..9,
        ) {
            let mut cursor = ListCursor { row, ..ListCursor::default() };
            let before = cursor.visible_rows(rows, height);
            let row = cursor.row;
            cursor.handle_wheel(notches, rows);
            let moved = cursor.row;
            let after = cursor.visible_rows(rows, height);
            prop_assert_eq!(cursor.row, moved);
            let by = 3 * isize::from(notches);
            let wanted = before.start.saturating_add_signed(by).min(rows.saturating_sub(usize::from(height)));
            prop_assert_eq!(after.start, wanted);
            prop_assert!(moved == row || !after.contains(&row));
        }

        #[test]
        fn the_cursor_is_seen_whole_among_tall_rows(
            heights in prop::collection::vec(1_usize..4, 1..30),
            height in 3_u16..20,
            moves in prop::collection::vec(0_usize..6, 0..30),
        ) {
            let mut cursor = ListCursor::default();
            for step in moves {
                let code = [Code::Up, Code::Down, Code::PageUp, Code::PageDown, Code::Home, Code::End][step];
                cursor.handle_key(Key::plain(code), heights.len());
                let window =
                    cursor.visible_tall_rows(heights.len(), |row| heights[row], height);
                let lines = |rows: &[usize]| rows.iter().sum::<usize>();
                let height = usize::from(height);
                prop_assert!(window.contains(&cursor.row));
                prop_assert!(lines(&heights[window.clone()]) <= height);
                let more = heights.len().min(window.end + 1);
                prop_assert!(more == window.end || lines(&heights[window.start..more]) > height);
                let before = window.start.saturating_sub(1);
                prop_assert!(
                    window.end < heights.len() || before == window.start
                        || lines(&heights[before..]) > height
                );
            }
        }
    }
}
