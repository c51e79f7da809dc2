//! Lines to read: wrapped, coloured, scrolled.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    app::input::{Input, MouseKind},
    ui::{
        canvas::{Pen, text_width, wrap},
        styles::{Role, Styles},
        widgets::{code, list::ListCursor},
    },
};

/// A line in pieces.
pub(crate) type Line = Vec<(Role, String)>;

/// Words in lines of so many cells.
pub(crate) fn wrapped_lines(text: &str, role: Role, cells: usize) -> Vec<Line> {
    wrap(text, cells.max(1)).into_iter().map(|line| vec![(role, line)]).collect()
}

/// JSON in lines of so many cells, coloured where a line fits.
pub(crate) fn json_lines(text: &str, cells: usize) -> Vec<Line> {
    let of = |line: &str| match text_width(line) <= cells {
        true => vec![
            code::highlight_line(line)
                .into_iter()
                .map(|(role, piece)| (role, piece.to_owned()))
                .collect(),
        ],
        false => wrapped_lines(line, Role::SyntaxText, cells),
    };
    text.lines().flat_map(of).collect()
}

/// Where the reader is.
#[derive(Default)]
pub(crate) struct ReadPosition {
    cursor: ListCursor,
    top: usize,
    rows: usize,
    area: Rect,
}

impl ReadPosition {
    /// Takes in where so many rows are drawn.
    pub fn settle(&mut self, area: Rect, rows: usize) {
        (self.area, self.rows) = (area, rows);
        // So that it knows how much a page is.
        self.cursor.visible_rows(rows, area.height);
        self.top = self.top.min(rows.saturating_sub(usize::from(area.height)));
    }

    pub fn draw(&mut self, buffer: &mut Buffer, area: Rect, styles: &Styles, lines: &[Line]) {
        self.settle(area, lines.len());
        let seen = usize::from(area.height);
        for (row, line) in (0_u16..).zip(lines.iter().skip(self.top).take(seen)) {
            let mut pen = Pen::new(buffer, area, row);
            for (role, piece) in line {
                pen.put_text(piece, styles[*role]);
            }
        }
        let below = lines.len().saturating_sub(self.top + seen);
        if below > 0 && seen > 1 {
            Pen::new(buffer, area, area.height - 1)
                .put_right(&format!(" … {below} more"), styles[Role::Dim]);
        }
    }

    /// The first line in sight.
    #[must_use]
    pub fn top(&self) -> usize {
        self.top
    }

    /// Scrolls to a line where that isn't in sight. The last row may soon be another's, or say how
    /// many lines follow.
    pub fn reveal(&mut self, line: usize) {
        let seen = usize::from(self.area.height).max(1);
        if line < self.top || line + 1 >= self.top + seen {
            self.top = line.saturating_sub(seen / 3);
        }
    }

    /// Where a line was drawn; `None` where it wasn't.
    #[must_use]
    pub fn line_area(&self, line: usize) -> Option<Rect> {
        let row = u16::try_from(line.checked_sub(self.top)?).ok()?;
        (row < self.area.height).then(|| Rect { y: self.area.y + row, height: 1, ..self.area })
    }

    pub fn contains(&self, column: u16, row: u16) -> bool {
        self.area.contains((column, row).into())
    }

    /// Scrolls by keys of lists and by the wheel; whether the input was for it.
    pub fn handle_input(&mut self, input: &Input) -> bool {
        match input {
            Input::Key(key) => {
                self.cursor.row = self.top;
                let known = self.cursor.handle_key(*key, self.rows);
                self.top = self.cursor.row;
                known
            }
            Input::Mouse(mouse) => {
                if let MouseKind::Wheel(notches) = mouse.kind {
                    self.top = self.top.saturating_add_signed(isize::from(notches) * 3);
                }
                true
            }
            Input::Paste(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

    use super::*;
    use crate::{
        app::input::{Code, Key},
        ui::styles::Styles,
    };

    #[test]
    fn a_page_is_what_is_seen() {
        let lines: Vec<Line> = (0..30).map(|row| vec![(Role::Text, row.to_string())]).collect();
        let area = Rect::new(0, 0, 10, 8);
        let styles = Styles::new(|_| Style::default());
        let mut buffer = Buffer::empty(area);
        let mut position = ReadPosition::default();
        let mut after = |code| {
            position.draw(&mut buffer, area, &styles, &lines);
            position.handle_input(&Input::Key(Key::plain(code)));
            position.draw(&mut buffer, area, &styles, &lines);
            position.top
        };
        let moved =
            [Code::PageDown, Code::PageDown, Code::PageUp, Code::End, Code::Home].map(&mut after);
        assert_eq!(moved, [7, 14, 7, 22, 0]);
    }

    #[test]
    fn a_line_that_is_gone_to_is_whole_also_where_the_area_loses_a_row() {
        let lines: Vec<Line> = (0..30).map(|row| vec![(Role::Text, row.to_string())]).collect();
        let styles = Styles::new(|_| Style::default());
        let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 8));
        for line in [5, 7, 12, 29] {
            let mut position = ReadPosition::default();
            position.draw(&mut buffer, Rect::new(0, 0, 10, 8), &styles, &lines);
            position.reveal(line);
            position.draw(&mut buffer, Rect::new(0, 1, 10, 7), &styles, &lines);
            assert!(position.line_area(line).is_some(), "{line}");
        }
    }
}
