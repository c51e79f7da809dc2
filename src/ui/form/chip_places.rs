//! Where the chips of a field lie: beside each other over lines, a long one over several.

use super::cell::{Click, ClickArea, DrawContext};
use crate::ui::{
    canvas::{text_width, truncate_text, visible_text},
    styles::Role,
};

/// A chip's place: line and column.
pub(super) struct ChipPosition {
    pub line: u16,
    pub column: u16,
    /// Its text; a long one takes several lines, each from the first column.
    rows: Vec<String>,
}

/// So many lines one chip takes at most.
const MOST_LINES: usize = 4;

impl ChipPosition {
    /// The line of the end of its text.
    pub fn last_line(&self) -> u16 {
        self.line + u16::try_from(self.rows.len().saturating_sub(1)).unwrap_or(0)
    }

    /// Its lines: the text, and the columns that it takes.
    pub fn pieces(&self) -> impl Iterator<Item = (u16, &str, std::ops::Range<u16>)> {
        (self.line..).zip(&self.rows).map(|(line, text)| {
            let end = self.column + u16::try_from(text_width(text)).unwrap_or(0);
            (line, text.as_str(), self.column..end)
        })
    }
}

/// Behind these a chip is broken rather than within a word or a number.
const BREAKS: [char; 7] = ['/', ':', '.', ',', '-', '_', ' '];

/// The lines of a chip: one where it fits.
fn chip_rows(item: &str, cells: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    let whole = format!("[{}", visible_text(item));
    let most = cells.saturating_mul(MOST_LINES).saturating_sub(3).max(1);
    let text = format!("{} ×]", truncate_text(&whole, most));
    if text_width(&text) <= cells {
        return vec![text];
    }
    for letter in text.chars() {
        let mut with = rows.pop().unwrap_or_default();
        with.push(letter);
        if text_width(&with) > cells && with.chars().nth(1).is_some() {
            with.pop();
            let part = with.rfind(BREAKS).map(|at| with.split_off(at + 1));
            // Where that would leave most of the line empty, it is broken anywhere.
            let mut next = part.unwrap_or_default();
            if text_width(&next) * 2 > cells {
                with.push_str(&next);
                next.clear();
            }
            rows.push(with);
            with = next;
            with.push(letter);
        }
        rows.push(with);
    }
    rows
}

/// Lays chips out over lines; the last spot is for what comes after them.
pub(super) fn chip_positions(items: &[&str], after: usize, cells: u16) -> Vec<ChipPosition> {
    let cells = usize::from(cells.max(1));
    let (mut line, mut column) = (0_u16, 0_usize);
    let mut spots = Vec::new();
    let chips = items.iter().map(|item| chip_rows(item, cells)).map(|rows| {
        let wide = rows.iter().map(|row| text_width(row)).max().unwrap_or(0);
        (rows, wide)
    });
    for (rows, wide) in chips.chain([(Vec::new(), after)]) {
        if column > 0 && column + wide > cells {
            line += 1;
            column = 0;
        }
        let last = rows.last().map_or(wide, |row| text_width(row));
        let spot = ChipPosition { line, column: u16::try_from(column).unwrap_or(0), rows };
        line = spot.last_line();
        column += last + 1;
        spots.push(spot);
    }
    spots
}

/// Draws chips in their places, but for what comes after them; each can be pressed, and its cross.
pub(super) fn draw_chips(
    spots: &[ChipPosition],
    chosen: Option<usize>,
    context: &mut DrawContext<'_>,
) -> Vec<ClickArea> {
    let mut hits = Vec::new();
    for (number, spot) in spots.iter().enumerate().take(spots.len().saturating_sub(1)) {
        let style = context.style(if chosen == Some(number) { Role::Selected } else { Role::Chip });
        let area = context.area;
        let last = spot.last_line();
        for (line, text, columns) in spot.pieces() {
            context.pen(line).move_to(area, spot.column).put_text(text, style);
            if line == last {
                let cross = columns.end.saturating_sub(2)..columns.end;
                hits.push(ClickArea { line, columns: cross, click: Click::Remove(number) });
            }
            hits.push(ClickArea { line, columns, click: Click::Item(number) });
        }
    }
    hits
}
