//! Putting text on cells: cut with an ellipsis, aligned by width, never with a control character.

use std::borrow::Cow;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    style::Style,
};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::styles::{Role, Styles};
use crate::model::shown;

pub(crate) use super::line_wrap::wrap;
pub(crate) use crate::model::shown::{is_unseen, visible_text};

/// How many cells a text takes.
#[must_use]
pub fn text_width(text: &str) -> usize {
    plain_cells(text).unwrap_or_else(|| text.width())
}

/// The text with its first letter in upper case.
#[must_use]
pub(crate) fn sentence_case(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The first line of a text, as a list shows what it is.
#[must_use]
pub(crate) fn first_line(text: &str) -> String {
    truncate_text(text.lines().next().unwrap_or_default(), 60).into_owned()
}

/// The text in at most `cells` cells, with `…` at the end where something was cut.
#[must_use]
pub(crate) fn truncate_text(text: &str, cells: usize) -> Cow<'_, str> {
    if text_width(text) <= cells {
        return Cow::Borrowed(text);
    }
    if cells == 0 {
        return Cow::Borrowed("");
    }
    let mut kept = String::new();
    let mut taken = 0;
    for cluster in text.graphemes(true) {
        let wide = text_width(cluster);
        if taken + wide > cells - 1 {
            break;
        }
        kept.push_str(cluster);
        taken += wide;
    }
    kept.push('…');
    Cow::Owned(kept)
}

/// The text in at most `cells` cells, with `…` in the middle where something was cut: names that
/// begin alike stay apart.
#[must_use]
pub(crate) fn shorten_middle(text: &str, cells: usize) -> Cow<'_, str> {
    if text_width(text) <= cells || cells < 5 {
        return truncate_text(text, cells);
    }
    let back = (cells - 1) / 2;
    let from = text
        .grapheme_indices(true)
        .map(|(at, _)| at)
        .find(|at| text_width(&text[*at..]) <= back)
        .unwrap_or(text.len());
    let end = &text[from..];
    let front = truncate_text(text, cells - text_width(end));
    Cow::Owned(format!("{front}{end}"))
}

/// A tool's key in at most `cells` cells: of `SERVER/NAME` the name, which sets it apart from its
/// neighbours, is kept longest.
#[must_use]
pub(crate) fn truncate_key(key: &str, cells: usize) -> Cow<'_, str> {
    match key.split_once('/') {
        Some((_, name)) if text_width(key) > cells && cells > 2 => {
            Cow::Owned(format!("…/{}", truncate_text(name, cells - 2)))
        }
        _ => truncate_text(key, cells),
    }
}

/// The text in exactly `cells` cells: cut or padded with spaces.
#[must_use]
pub(crate) fn pad_text(text: &str, cells: usize) -> String {
    let fitted = truncate_text(text, cells);
    let blanks = cells.saturating_sub(text_width(&fitted));
    format!("{fitted}{}", " ".repeat(blanks))
}

/// A text wrapped into at most `lines` lines; where more would follow, the last one ends in an
/// ellipsis.
#[must_use]
pub(crate) fn wrap_to(text: &str, cells: usize, lines: usize) -> Vec<String> {
    let mut wrapped = wrap(text, cells);
    if wrapped.len() > lines {
        wrapped.truncate(lines);
        if let Some(last) = wrapped.last_mut() {
            *last = truncate_text(&format!("{last}…"), cells).into_owned();
        }
    }
    wrapped
}

/// A blank between the edges and the text.
#[must_use]
pub(crate) fn inset_area(area: Rect) -> Rect {
    let blank = (area.width / 2).min(1);
    Rect { x: area.x + blank, width: area.width - 2 * blank, ..area }
}

/// Lays the look of a chosen row over a line of an area that is already written: whole where the list
/// has the keys, else only its ground.
pub(crate) fn mark_chosen(
    buffer: &mut Buffer,
    area: Rect,
    line: u16,
    styles: &Styles,
    focused: bool,
) {
    let style = if focused {
        styles[Role::Selected]
    } else {
        // Its words keep their own colours.
        Style { fg: None, ..styles[Role::SelectedDim] }
    };
    buffer.set_style(Rect { y: area.y + line, height: 1, ..area }, style);
}

/// Signs of one cell that lists and lines are full of.
const SIGNS: [char; 12] = ['▌', '●', '○', '◆', '◇', '→', '▸', '▾', '…', '·', '│', '─'];

/// How many cells a text takes whose letters take one each, as of nearly all; `None`: it has others.
fn plain_cells(text: &str) -> Option<usize> {
    let is_plain = |letter: &char| (' '..='~').contains(letter) || SIGNS.contains(letter);
    if shown::is_plain(text.as_bytes()) {
        return Some(text.len());
    }
    text.chars().all(|letter| is_plain(&letter)).then(|| text.chars().count())
}

/// A pen on one line of the screen: writes from left to right and stops at the edge.
pub(crate) struct Pen<'b> {
    buffer: &'b mut Buffer,
    at: u16,
    row: u16,
    end: u16,
}

impl<'b> Pen<'b> {
    /// A pen at the left of line `row` (counted from 0 within `area`); a row outside writes
    /// nothing.
    pub fn new(buffer: &'b mut Buffer, area: Rect, row: u16) -> Self {
        let area = area.intersection(buffer.area);
        let end = if row < area.height { area.right() } else { area.left() };
        Self { buffer, at: area.left(), row: area.top().saturating_add(row), end }
    }

    /// Writes a text, cut with `…` where it does not fit.
    pub fn put_text(&mut self, text: &str, style: Style) -> &mut Self {
        let room = self.remaining_cells();
        if let Some(wanted) = plain_cells(text) {
            self.put_plain(text, wanted, room, style);
        } else if room > 0 {
            let shown = visible_text(text);
            let fitted = truncate_text(&shown, room);
            let (next, _) = self.buffer.set_stringn(self.at, self.row, &*fitted, room, style);
            self.at = next;
        }
        self
    }

    /// Writes a text into exactly `cells` cells.
    pub fn put_column(&mut self, text: &str, cells: usize, style: Style) -> &mut Self {
        let cells = cells.min(self.remaining_cells());
        if let Some(wanted) = plain_cells(text) {
            let blanks = cells.saturating_sub(wanted);
            self.put_plain(text, wanted, cells, style);
            self.put_cells(std::iter::repeat_n(" ", blanks), style);
            return self;
        }
        let shown = visible_text(text).into_owned();
        self.put_text(&pad_text(&shown, cells), style)
    }

    /// Writes a text whose letters take one cell each, `wanted` of them, into at most `cells` cells,
    /// which are there.
    fn put_plain(&mut self, text: &str, wanted: usize, cells: usize, style: Style) {
        let whole = wanted <= cells;
        let kept = if whole { wanted } else { cells.saturating_sub(1) };
        let letters = text.split_inclusive(|_| true).take(kept);
        let cut = (!whole && cells > 0).then_some("…");
        self.put_cells(letters.chain(cut), style);
    }

    /// Writes symbols of one cell each, for which there is room.
    fn put_cells<'s>(&mut self, symbols: impl Iterator<Item = &'s str>, style: Style) {
        if self.remaining_cells() == 0 {
            return;
        }
        let start = self.buffer.index_of(self.at, self.row);
        let cells = self.buffer.content.get_mut(start..).unwrap_or_default();
        for (cell, symbol) in cells.iter_mut().zip(symbols) {
            cell.set_symbol(symbol).set_style(style);
            self.at += 1;
        }
    }

    /// Leaves `cells` cells as they are.
    pub fn skip(&mut self, cells: u16) -> &mut Self {
        self.at = self.at.saturating_add(cells).min(self.end);
        self
    }

    /// Goes to a column counted from 0 at the left of the area that the pen was made with.
    pub fn move_to(&mut self, area: Rect, column: u16) -> &mut Self {
        self.at = area.left().saturating_add(column).min(self.end);
        self
    }

    /// Fills the rest of the line.
    pub fn fill_rest(&mut self, style: Style) -> &mut Self {
        self.put_column("", self.remaining_cells(), style)
    }

    /// Writes a text at the right edge, where it fits beside what is there.
    pub fn put_right(&mut self, text: &str, style: Style) -> &mut Self {
        let shown = visible_text(text);
        let room = self.remaining_cells();
        let fitted = truncate_text(&shown, room).into_owned();
        self.skip(u16::try_from(room - text_width(&fitted)).unwrap_or(0));
        self.put_text(&fitted, style)
    }

    /// How many cells are left.
    #[must_use]
    pub fn remaining_cells(&self) -> usize {
        if self.buffer.area.contains(Position { x: self.at, y: self.row }) {
            usize::from(self.end.saturating_sub(self.at))
        } else {
            0
        }
    }

    /// The column where the next text goes.
    #[must_use]
    pub fn column_now(&self) -> u16 {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn control_characters_become_signs() {
        assert_eq!(visible_text("a\x1b[31mb\u{202e}"), "a␛[31mb\u{fffd}");
        assert!(matches!(visible_text("plain ✓ 日本"), Cow::Borrowed(_)));
    }

    #[test]
    fn texts_are_cut_with_an_ellipsis() {
        assert_eq!(truncate_text("knowledge", 5), "know…");
        assert_eq!(truncate_text("日本語", 4), "日…");
        assert_eq!(pad_text("ab", 4), "ab  ");
        assert_eq!(wrap_to("one two three", 8, 2), ["one two", "three"]);
        assert_eq!(wrap_to("one two three", 8, 1), ["one two…"]);
        assert_eq!(wrap_to("one two three", 7, 1), ["one tw…"]);
    }

    #[test]
    fn of_a_long_key_the_name_is_kept() {
        assert_eq!(truncate_key("everything/echo", 15), "everything/echo");
        assert_eq!(truncate_key("everything/trigger-long", 14), "…/trigger-long");
        assert_eq!(truncate_key("everything/trigger-long", 10), "…/trigger…");
        assert_eq!(truncate_key("trigger-long", 6), "trigg…");
    }

    proptest! {
        #[test]
        fn fitted_and_padded_texts_have_their_width(text in "\\PC{0,30}", cells in 0_usize..20) {
            prop_assert!(text_width(&truncate_text(&text, cells)) <= cells);
            prop_assert_eq!(text_width(&pad_text(&text, cells)), cells);
        }

        #[test]
        fn plain_texts_are_put_as_all_others_are(text in "[ -~▌●○◆◇→▸▾…·│─]{0,14}", cells in 0_usize..14) {
            let area = Rect::new(1, 0, 10, 1);
            let (mut plain, mut other) = (Buffer::empty(area), Buffer::empty(area));
            let style = Style::new().red();
            Pen::new(&mut plain, area, 0).put_column(&text, cells, style).put_text(&text, style);
            let column = pad_text(&text, cells.min(10));
            let (at, _) = other.set_stringn(1, 0, &column, 10, style);
            let room = usize::from(area.right() - at);
            other.set_stringn(at, 0, truncate_text(&text, room), room, style);
            prop_assert_eq!(plain, other);
        }

        #[test]
        fn a_pen_never_leaves_its_line(text in ".{0,30}", row in 0_u16..6, skip in 0_u16..20) {
            let area = Rect::new(2, 1, 10, 3);
            let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 6));
            Pen::new(&mut buffer, area, row).skip(skip).put_text(&text, Style::default()).fill_rest(Style::default());
            for (column, line) in (0..20).flat_map(|x| (0..6).map(move |y| (x, y))) {
                if !area.contains(Position { x: column, y: line }) {
                    prop_assert_eq!(buffer[(column, line)].symbol(), " ");
                }
            }
        }
    }
}
