//! A long text to read: wrapped, scrolled, searched. Only what is seen is looked at, so 50 MB page
//! like a line.

use std::{borrow::Cow, cell::Cell, ops::Range};

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Modifier, Style},
};
use unicode_segmentation::UnicodeSegmentation as _;

use super::{line_starts::LineStarts, words::word_at};
use crate::{
    app::input::{Button, Code, Key, Mouse, MouseKind},
    model::answer_text::AnswerText,
    ui::{
        canvas::{Pen, is_unseen, text_width, visible_text},
        line_wrap::{RowWidths, line_rows},
        styles::{Role, Styles},
    },
};

/// A line longer than this is cut into segments, so that one line of 50 MB is no worse than many.
const SEGMENT: usize = 4096;

/// Which way to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// From here on, this place included.
    Here,
    Next,
    Previous,
}

/// A place in the wrapped text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct TextPosition {
    segment: usize,
    row: usize,
}

/// Where the rows that follow a text are in view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TailPlace {
    /// From this line of the view on.
    pub line: u16,
    /// The first of them that is in view.
    pub first: usize,
}

/// Scroll, search, and an index of the lines of a text that the owner holds.
#[derive(Clone, Debug)]
pub(crate) struct TextView {
    /// Where each segment starts; a segment is a line, or a piece of a very long one.
    starts: LineStarts,
    /// How many bytes of the text the index knows.
    indexed: usize,
    top: TextPosition,
    cells: usize,
    height: usize,
    /// Stay at the end as the text grows.
    pub follow: bool,
    /// How many rows follow the text and are scrolled with it; who has them draws them.
    pub tail: usize,
    /// Where these begin, if any is in view.
    tail_place: Option<TailPlace>,
    query: String,
    found: Option<usize>,
    /// Where it was drawn.
    area: Rect,
    /// What the mouse selected, as the letters from which and up to which it did.
    selection: Option<(usize, usize)>,
    /// Whether the mouse still holds it, and the letter that it pressed.
    is_held: bool,
    pressed: usize,
    /// How many bytes of the text were looked at to find lines and rows, ever.
    looked_at: Cell<u64>,
}

impl Default for TextView {
    fn default() -> Self {
        Self {
            starts: LineStarts::default(),
            indexed: 0,
            top: TextPosition::default(),
            cells: 80,
            height: 24,
            follow: true,
            tail: 0,
            tail_place: None,
            query: String::new(),
            found: None,
            area: Rect::default(),
            selection: None,
            is_held: false,
            pressed: 0,
            looked_at: Cell::default(),
        }
    }
}

impl TextView {
    /// How many bytes of the text were looked at so far to find its lines and rows; a measure of
    /// work that its tests hold.
    #[cfg(test)]
    pub fn looked_at(&self) -> u64 {
        self.looked_at.get()
    }

    fn looks_at(&self, bytes: usize) {
        self.looked_at.set(self.looked_at.get() + bytes as u64);
    }

    /// Forgets the text; another one comes.
    pub fn reset(&mut self, follow: bool) {
        let (query, looked_at) = (std::mem::take(&mut self.query), self.looked_at.take());
        let tail = self.tail;
        *self = Self { follow, tail, query, looked_at: looked_at.into(), ..Self::default() };
    }

    /// Takes in what the text has grown by. A text that shrank is another text.
    fn index_text(&mut self, text: &AnswerText) {
        if text.len() < self.indexed {
            self.reset(self.follow);
        }
        let mut start = self.starts.last_start();
        for piece in text.pieces(self.indexed) {
            let new = text.slice(piece);
            for line in new.split_inclusive('\n') {
                let reached = self.indexed + line.len();
                self.looks_at(line.len());
                while reached - start > SEGMENT {
                    start = break_offset(&text.slice(start..start + SEGMENT), start);
                    self.starts.push(start);
                }
                if line.ends_with('\n') {
                    start = reached;
                    self.starts.push(start);
                }
                self.indexed = reached;
            }
        }
    }

    fn segment_start(&self, segment: usize) -> usize {
        self.starts.start_at(segment).unwrap_or(self.starts.last_start())
    }

    fn segment<'t>(&self, text: &'t AnswerText, segment: usize) -> Cow<'t, str> {
        let start = self.segment_start(segment);
        let end = self.starts.start_at(segment + 1).unwrap_or(text.len());
        let trimmed = |line: &str| line.trim_end_matches('\n').trim_end_matches('\r').len();
        match text.slice(start..end) {
            Cow::Borrowed(line) => line[..trimmed(line)].into(),
            Cow::Owned(mut line) => {
                line.truncate(trimmed(&line));
                line.into()
            }
        }
    }

    fn segment_rows(&self, text: &AnswerText, segment: usize) -> Vec<Range<usize>> {
        let line = self.segment(text, segment);
        self.looks_at(line.len());
        wrap_rows(&line, self.cells)
    }

    /// How many segments there are; what follows the text is like one more.
    fn segment_count(&self) -> usize {
        self.starts.count() + usize::from(self.tail > 0)
    }

    fn row_count(&self, text: &AnswerText, segment: usize) -> usize {
        match segment < self.starts.count() {
            true => self.segment_rows(text, segment).len(),
            false => self.tail,
        }
    }

    /// The topmost place from which the end is in view.
    fn last_top(&self, text: &AnswerText) -> TextPosition {
        let mut wanted = self.height.max(1);
        for segment in (0..self.segment_count()).rev() {
            let rows = self.row_count(text, segment);
            if rows >= wanted {
                return TextPosition { segment, row: rows - wanted };
            }
            wanted -= rows;
        }
        TextPosition::default()
    }

    /// How many rows the end of the text takes in so many cells, with what follows it; it stops
    /// counting at `most`.
    pub fn rows_up_to(&mut self, most: usize, text: &AnswerText, cells: u16) -> usize {
        self.index_text(text);
        self.cells = usize::from(cells).max(1);
        let mut rows = 0;
        for segment in (0..self.segment_count()).rev() {
            rows += self.row_count(text, segment);
            if rows >= most {
                return most;
            }
        }
        rows
    }

    /// Draws the text and keeps the place in view; answers nothing, holds all.
    pub fn draw(&mut self, text: &AnswerText, buffer: &mut Buffer, area: Rect, styles: &Styles) {
        self.index_text(text);
        (self.cells, self.height) = (usize::from(area.width).max(1), usize::from(area.height));
        (self.area, self.tail_place) = (area, None);
        let selected = self.selected_range(text).unwrap_or_default();
        let bottom = self.last_top(text);
        self.top = if self.follow { bottom } else { self.top.min(bottom) };
        let mut line = 0;
        let mut row = self.top.row;
        for segment in self.top.segment..self.starts.count() {
            let content = self.segment(text, segment);
            self.looks_at(content.len());
            let start = self.segment_start(segment);
            let within = |at: usize| at.saturating_sub(start);
            let marks = Marks {
                matches: match self.query.is_empty() {
                    true => Vec::new(),
                    false => all_in(&content, &self.query),
                },
                selected: within(selected.start)..within(selected.end),
            };
            for range in wrap_rows(&content, self.cells).into_iter().skip(row) {
                if line >= area.height {
                    return;
                }
                draw_row(&mut Pen::new(buffer, area, line), &content, range, &marks, styles);
                line += 1;
            }
            row = 0;
        }
        let is_in_view = self.tail > 0 && line < area.height;
        self.tail_place = is_in_view.then_some(TailPlace { line, first: row });
    }

    /// Where the last drawing has what follows the text.
    #[must_use]
    pub fn tail_place(&self) -> Option<TailPlace> {
        self.tail_place
    }

    /// Moves by rows; upwards stops following, the end follows again.
    pub fn scroll(&mut self, text: &AnswerText, by: isize) {
        self.index_text(text);
        let bottom = self.last_top(text);
        let mut spot = if self.follow { bottom } else { self.top.min(bottom) };
        for _ in 0..by.unsigned_abs() {
            let moved =
                if by < 0 { self.row_above(text, spot) } else { self.row_below(text, spot) };
            let Some(moved) = moved else { break };
            spot = moved;
        }
        self.follow = by > 0 && spot >= bottom;
        self.top = spot.min(bottom);
    }

    fn row_above(&self, text: &AnswerText, spot: TextPosition) -> Option<TextPosition> {
        if spot.row > 0 {
            return Some(TextPosition { row: spot.row - 1, ..spot });
        }
        let segment = spot.segment.checked_sub(1)?;
        Some(TextPosition { segment, row: self.row_count(text, segment).saturating_sub(1) })
    }

    fn row_below(&self, text: &AnswerText, spot: TextPosition) -> Option<TextPosition> {
        if spot.row + 1 < self.row_count(text, spot.segment) {
            return Some(TextPosition { row: spot.row + 1, ..spot });
        }
        (spot.segment + 1 < self.segment_count())
            .then_some(TextPosition { segment: spot.segment + 1, row: 0 })
    }

    /// Takes what the mouse does to the drawn text: what is dragged over is selected, a word by a
    /// double press, and once the button is released, that is answered.
    pub fn handle_mouse(&mut self, mouse: Mouse, text: &AnswerText) -> Option<String> {
        let is_inside = self.area.contains((mouse.column, mouse.row).into());
        match mouse.kind {
            MouseKind::Wheel(notches) => self.scroll(text, isize::from(notches) * 3),
            MouseKind::Down(Button::Left) => {
                self.selection = None;
                self.is_held = is_inside;
                if is_inside {
                    self.pressed = self.offset_at(mouse, text);
                }
            }
            MouseKind::Double(Button::Left) if self.is_held => {
                let segment = self.starts.line_of(self.pressed);
                let start = self.segment_start(segment);
                let line = self.segment(text, segment);
                let word = word_at(&line, (self.pressed - start).min(line.len()));
                self.selection = last_letter(&line[word.clone()])
                    .map(|last| (start + word.start, start + word.start + last));
            }
            MouseKind::Drag(Button::Left) if self.is_held => {
                if mouse.row < self.area.y {
                    self.scroll(text, -1);
                } else if mouse.row >= self.area.bottom() {
                    self.scroll(text, 1);
                }
                let to = self.offset_at(mouse, text);
                // What streams in must not move the text below the mouse.
                self.follow &= self.last_top(text) == TextPosition::default();
                self.selection = (to != self.pressed).then_some((self.pressed, to));
            }
            MouseKind::Up(_) if std::mem::take(&mut self.is_held) => {
                return Some(text.slice(self.selected_range(text)?).into_owned());
            }
            _ => {}
        }
        None
    }

    /// Bytes of the text that are selected; none where nothing is.
    fn selected_range(&self, text: &AnswerText) -> Option<Range<usize>> {
        let (from, to) = self.selection?;
        let (first, last) = (from.min(to), from.max(to));
        (last < text.len()).then(|| first..behind(text, last).min(text.len()))
    }

    /// The letter under the mouse, or the nearest one in its row.
    fn offset_at(&self, mouse: Mouse, text: &AnswerText) -> usize {
        let row = mouse.row.clamp(self.area.y, self.area.bottom().saturating_sub(1));
        let mut spot = self.top;
        for _ in self.area.y..row {
            spot = self.row_below(text, spot).unwrap_or(spot);
        }
        if spot.segment >= self.starts.count() {
            return text.floor_char_boundary(text.len().saturating_sub(1));
        }
        let line = self.segment(text, spot.segment);
        let range = wrap_rows(&line, self.cells).get(spot.row).cloned().unwrap_or_default();
        let mut left = usize::from(mouse.column.saturating_sub(self.area.x));
        let mut at = range.start;
        for (offset, cluster) in line[range.clone()].grapheme_indices(true) {
            at = range.start + offset;
            let wide = text_width(&visible_text(cluster));
            if wide > left {
                break;
            }
            left -= wide;
        }
        self.segment_start(spot.segment) + at
    }

    /// Moves by a key of texts (arrows, page, home, end, space, `j`, `k`); whether the key was one.
    pub fn handle_key(&mut self, key: Key, text: &AnswerText) -> bool {
        let page = isize::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(1);
        match key.code {
            _ if key.mods.ctrl || key.mods.alt => return false,
            Code::Up | Code::Char('k') => self.scroll(text, -1),
            Code::Down | Code::Char('j') => self.scroll(text, 1),
            Code::PageUp => self.scroll(text, -page),
            Code::PageDown | Code::Char(' ') => self.scroll(text, page),
            Code::Home => (self.top, self.follow) = (TextPosition::default(), false),
            Code::End => self.follow = true,
            Code::Esc => return self.selection.take().is_some(),
            _ => return false,
        }
        true
    }

    /// Searches, ignoring case unless the query has a capital; whether something was found. The
    /// query stays marked.
    pub fn search(&mut self, text: &AnswerText, query: &str, way: Search) -> bool {
        self.index_text(text);
        query.clone_into(&mut self.query);
        if query.is_empty() {
            self.found = None;
            return false;
        }
        let here = self.found.unwrap_or_else(|| self.top_offset(text));
        let found = match way {
            Search::Here => {
                next_in_answer(text, query, here).or_else(|| next_in_answer(text, query, 0))
            }
            Search::Next => next_in_answer(text, query, behind(text, here))
                .or_else(|| next_in_answer(text, query, 0)),
            Search::Previous => previous_in_answer(text, query, here)
                .or_else(|| previous_in_answer(text, query, text.len())),
        };
        if let Some(at) = found {
            self.scroll_to(text, at);
            self.found = found;
        }
        found.is_some()
    }

    /// Which of how many places that hold the query was found; `None` where there are very many, or
    /// the text is too long to count them with each key.
    pub fn found_place(&self, text: &AnswerText) -> Option<(usize, usize)> {
        const LONGEST: usize = 1024 * 1024;
        const MOST: usize = 1_000;
        let found = self.found.filter(|_| text.len() <= LONGEST)?;
        let (mut place, mut count) = (0, 0);
        let mut next = next_in_answer(text, &self.query, 0);
        while let Some(at) = next {
            count += 1;
            place += usize::from(at <= found);
            if count > MOST {
                return None;
            }
            next = next_in_answer(text, &self.query, behind(text, at));
        }
        Some((place, count))
    }

    /// Ends the search and its marks.
    pub fn stop_searching(&mut self) {
        self.query.clear();
        self.found = None;
    }

    /// The byte that the top row starts with.
    fn top_offset(&self, text: &AnswerText) -> usize {
        let row = self
            .segment_rows(text, self.top.segment)
            .get(self.top.row)
            .map_or(0, |range| range.start);
        self.segment_start(self.top.segment) + row
    }

    fn scroll_to(&mut self, text: &AnswerText, at: usize) {
        let segment = self.starts.line_of(at);
        let within = at - self.segment_start(segment);
        let rows = self.segment_rows(text, segment);
        let row = rows.iter().position(|range| within < range.end).unwrap_or(rows.len() - 1);
        self.follow = false;
        self.top = TextPosition { segment, row };
        // A third of the page above gives it its surroundings.
        for _ in 0..self.height / 3 {
            if let Some(above) = self.row_above(text, self.top) {
                self.top = above;
            }
        }
    }

    /// Where in the text the view is, as `line 12 of 300`; nothing when all of it is seen.
    #[must_use]
    pub fn position_text(&mut self, text: &AnswerText) -> Option<String> {
        // Before it knows where lines end, all that is new would be one.
        self.index_text(text);
        let all_seen = self.last_top(text) == TextPosition::default();
        let count = self.starts.count();
        (!all_seen).then(|| format!("line {} of {count}", (self.top.segment + 1).min(count)))
    }
}

/// Where to cut a line that is too long, of which as much is given as a segment may hold: after a
/// blank where there is one in its second half.
fn break_offset(window: &str, start: usize) -> usize {
    match window.rfind(' ') {
        Some(blank) if blank > SEGMENT / 2 => start + blank + 1,
        _ => start + window.len(),
    }
}

/// The rows of a line.
pub(crate) fn wrap_rows(line: &str, cells: usize) -> Vec<Range<usize>> {
    line_rows(line, RowWidths::all(cells), |grapheme| text_width(&visible_text(grapheme))).collect()
}

/// What is marked in a line, as bytes of it.
struct Marks {
    matches: Vec<Range<usize>>,
    selected: Range<usize>,
}

/// Where the last letter of a word begins.
fn last_letter(word: &str) -> Option<usize> {
    word.grapheme_indices(true).next_back().map(|(at, _)| at)
}

fn draw_row(pen: &mut Pen<'_>, content: &str, range: Range<usize>, marks: &Marks, styles: &Styles) {
    // Spaces that hang over the edge are not written, or the row would look cut.
    let range = range.start..range.start + content[range].trim_end_matches(' ').len();
    let mut run = range.start;
    let mut style = None;
    for (at, letter) in content[range.clone()].char_indices() {
        let at = range.start + at;
        let role = (role_of(letter, at, &marks.matches), marks.selected.contains(&at));
        if style.is_some_and(|style| style != role) {
            put_piece(pen, &content[run..at], style, styles);
            run = at;
        }
        style = Some(role);
    }
    put_piece(pen, &content[run..range.end], style, styles);
}

fn role_of(letter: char, at: usize, matches: &[Range<usize>]) -> Role {
    if matches.iter().any(|range| range.contains(&at)) {
        Role::Match
    } else if is_unseen(letter) && letter != '\t' {
        Role::Mark
    } else {
        Role::Text
    }
}

fn put_piece(pen: &mut Pen<'_>, text: &str, role: Option<(Role, bool)>, styles: &Styles) {
    let (role, is_selected) = role.unwrap_or((Role::Text, false));
    let style: Style = styles[role];
    let style = if is_selected { style.add_modifier(Modifier::REVERSED) } else { style };
    if pen.remaining_cells() > 0 && !text.is_empty() {
        pen.put_text(text, style);
    }
}

fn next_char_offset(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(at, |letter| at + letter.len_utf8())
}

/// The place behind the letter there.
fn behind(text: &AnswerText, at: usize) -> usize {
    at + next_char_offset(&text.slice(at..at + 4), 0)
}

/// Whether the query is there: equal, or equal but for case where the query has no capital.
fn stands_at(text: &str, query: &str, at: usize) -> bool {
    let there = text.as_bytes().get(at..at + query.len());
    there.is_some_and(|there| {
        there == query.as_bytes()
            || there.eq_ignore_ascii_case(query.as_bytes()) && !minds_case(query)
    })
}

fn minds_case(query: &str) -> bool {
    query.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// The letters that a place of the query may begin with. Each is looked for by itself, which the
/// library does many bytes at a time.
fn first_letters(query: &str) -> Option<[char; 2]> {
    let first = query.chars().next()?;
    Some([first, if minds_case(query) { first } else { first.to_ascii_uppercase() }])
}

fn next_in(text: &str, query: &str, from: usize) -> Option<usize> {
    let letters = first_letters(query)?;
    let find = |letter: char, from: usize| Some(from + text.get(from..)?.find(letter)?);
    let mut next = letters.map(|letter| find(letter, from));
    loop {
        let at = next.into_iter().flatten().min()?;
        if stands_at(text, query, at) {
            return Some(at);
        }
        for (next, letter) in next.iter_mut().zip(letters) {
            if *next == Some(at) {
                *next = find(letter, next_char_offset(text, at));
            }
        }
    }
}

fn previous_in(text: &str, query: &str, before: usize) -> Option<usize> {
    let letters = first_letters(query)?;
    let find = |letter: char, before: usize| text.get(..before)?.rfind(letter);
    let mut next = letters.map(|letter| find(letter, before));
    loop {
        let at = next.into_iter().flatten().max()?;
        if stands_at(text, query, at) {
            return Some(at);
        }
        for (next, letter) in next.iter_mut().zip(letters) {
            if *next == Some(at) {
                *next = find(letter, at);
            }
        }
    }
}

/// Where a query is next, from a place on.
fn next_in_answer(text: &AnswerText, query: &str, from: usize) -> Option<usize> {
    text.pieces(from).find_map(|piece| {
        let found = next_in(&text.slice(piece.clone()), query, 0).map(|at| piece.start + at);
        // Behind its last place within the piece it may begin there and end in the next.
        found.or_else(|| {
            let seam = seam_start(text, piece.end, query).max(piece.start);
            next_in(&text.slice(seam..piece.end + query.len()), query, 0).map(|at| seam + at)
        })
    })
}

/// Where a query is that begins before a place, the nearest to it.
fn previous_in_answer(text: &AnswerText, query: &str, before: usize) -> Option<usize> {
    text.pieces(0).rev().find_map(|piece| {
        let before = before.checked_sub(piece.start).filter(|before| *before > 0)?;
        let seam = seam_start(text, piece.end, query).max(piece.start);
        let across = text.slice(seam..piece.end + query.len());
        let most = (piece.start + before).saturating_sub(seam);
        let found = previous_in(&across, query, most.min(piece.end - seam)).map(|at| seam + at);
        let within = || {
            let text = text.slice(piece.clone());
            previous_in(&text, query, before.min(text.len())).map(|at| piece.start + at)
        };
        found.or_else(within)
    })
}

/// The first place from which a query would reach beyond an edge.
fn seam_start(text: &AnswerText, edge: usize, query: &str) -> usize {
    text.floor_char_boundary(edge.saturating_sub(query.len() - 1))
}

fn all_in(line: &str, query: &str) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut from = 0;
    while let Some(at) = next_in(line, query, from) {
        all.push(at..at + query.len());
        from = at + query.len().max(1);
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{app::input::Mods, ui::theme::Theme};

    fn screen(view: &mut TextView, text: &AnswerText, cells: u16, height: u16) -> Vec<String> {
        let area = Rect::new(0, 0, cells, height);
        let mut buffer = Buffer::empty(area);
        view.draw(text, &mut buffer, area, &Theme::default().styles);
        let line = |y| {
            (0..cells).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned()
        };
        (0..height).map(line).collect()
    }

    fn pages(count: usize) -> AnswerText {
        (1..=count).map(|row| format!("line {row}\n")).collect::<String>().trim_end().into()
    }

    #[test]
    fn a_growing_text_is_followed_until_one_looks_up() {
        let mut view = TextView::default();
        assert_eq!(screen(&mut view, &pages(2), 10, 3), ["line 1", "line 2", ""]);
        assert_eq!(screen(&mut view, &pages(9), 10, 3), ["line 7", "line 8", "line 9"]);
        view.handle_key(Key::plain(Code::Up), &pages(9));
        assert!(!view.follow);
        assert_eq!(screen(&mut view, &pages(20), 10, 3), ["line 6", "line 7", "line 8"]);
        assert_eq!(view.position_text(&pages(20)).as_deref(), Some("line 6 of 20"));
        view.handle_key(Key::plain(Code::End), &pages(20));
        assert_eq!(screen(&mut view, &pages(20), 10, 3), ["line 18", "line 19", "line 20"]);
        view.handle_key(Key::plain(Code::PageUp), &pages(20));
        assert_eq!(screen(&mut view, &pages(20), 10, 3), ["line 16", "line 17", "line 18"]);
    }

    #[test]
    fn what_follows_the_text_is_scrolled_with_it() {
        let (mut view, text) = (TextView { tail: 5, ..TextView::default() }, pages(2));
        assert_eq!(view.rows_up_to(99, &text, 10), 7);
        view.follow = false;
        let mut after = |code| {
            view.handle_key(Key::plain(code), &text);
            let lines = screen(&mut view, &text, 10, 3);
            (lines[0].clone(), view.tail_place().map(|place| (place.line, place.first)))
        };
        assert_eq!(after(Code::Home), ("line 1".into(), Some((2, 0))));
        assert_eq!(after(Code::Down), ("line 2".into(), Some((1, 0))));
        assert_eq!(after(Code::Down), (String::new(), Some((0, 0))));
        assert_eq!(after(Code::Down), (String::new(), Some((0, 1))));
        assert_eq!(after(Code::End), (String::new(), Some((0, 2))));
        assert_eq!(after(Code::PageUp), (String::new(), Some((0, 0))));
        assert_eq!(after(Code::PageUp), ("line 1".into(), Some((2, 0))));
        assert_eq!(screen(&mut view, &pages(3), 10, 3), ["line 1", "line 2", "line 3"]);
        assert_eq!(view.tail_place(), None);
        view.tail = 0;
        view.handle_key(Key::plain(Code::End), &pages(3));
        assert_eq!(screen(&mut view, &pages(3), 10, 3), ["line 1", "line 2", "line 3"]);
    }

    #[test]
    fn what_is_dragged_over_beyond_the_text_selects_it_to_its_end() {
        let (mut view, text) = (TextView { tail: 3, ..TextView::default() }, pages(2));
        screen(&mut view, &text, 10, 5);
        let mouse = |kind, column, row| Mouse { kind, column, row, mods: Mods::default() };
        view.handle_mouse(mouse(MouseKind::Down(Button::Left), 5, 0), &text);
        view.handle_mouse(mouse(MouseKind::Drag(Button::Left), 4, 3), &text);
        let selected = view.handle_mouse(mouse(MouseKind::Up(Button::Left), 4, 3), &text);
        assert_eq!(selected.as_deref(), Some("1\nline 2"));
    }

    #[test]
    fn what_is_searched_comes_into_view_round_and_round() {
        let (mut view, text) = (TextView::default(), pages(30));
        screen(&mut view, &text, 10, 3);
        view.handle_key(Key::plain(Code::Home), &text);
        assert!(
            !view.search(&text, "LINE 2", Search::Here)
                && view.search(&text, "line 2", Search::Here)
        );
        assert!(screen(&mut view, &text, 10, 3).contains(&"line 2".to_owned()));
        view.search(&text, "line 2", Search::Next);
        assert!(screen(&mut view, &text, 10, 3).contains(&"line 20".to_owned()));
        view.search(&text, "line 2", Search::Previous);
        view.search(&text, "line 2", Search::Previous);
        assert!(screen(&mut view, &text, 10, 3).contains(&"line 29".to_owned()));
    }

    #[test]
    fn a_blank_that_hangs_over_the_edge_does_not_cut_the_row() {
        assert_eq!(
            screen(&mut TextView::default(), &"wrong sizes (22 %)".into(), 11, 2),
            ["wrong sizes", "(22 %)"]
        );
    }

    #[test]
    fn control_sequences_are_shown_as_signs() {
        assert_eq!(
            screen(&mut TextView::default(), &"a\x1b[31mred\x07".into(), 20, 1),
            ["a␛[31mred␇"]
        );
    }

    #[test]
    fn one_line_of_many_megabytes_is_cut_into_segments() {
        let text = AnswerText::from("x".repeat(5_000_000).as_str());
        let mut view = TextView::default();
        screen(&mut view, &text, 80, 10);
        assert!(
            (1..view.starts.count())
                .all(|next| view.segment_start(next) - view.segment_start(next - 1) <= SEGMENT)
        );
        view.handle_key(Key::plain(Code::Home), &text);
        assert_eq!(screen(&mut view, &text, 80, 1), ["x".repeat(80)]);
    }

    #[test]
    fn fifty_megabytes_are_looked_at_once_and_then_a_screen_at_a_time() {
        const SIZE: usize = 50 * 1024 * 1024;
        // A frame lays out what is seen, and what may be seen at the end.
        const FRAME: u64 = 6 * 40 * SEGMENT as u64;
        for line in [
            "{\"id\": 17, \"text\": \"a row that is as wide as others are\"}\n",
            "a row that goes far to the right ",
        ] {
            let mut text = AnswerText::from(line.repeat(SIZE / line.len()).as_str());
            text.push_str("the Needle is here");
            let mut view = TextView::default();
            let work = |view: &mut TextView, text: &AnswerText, code: Option<Code>| {
                let before = view.looked_at();
                code.map(|code| view.handle_key(Key::plain(code), text));
                // In the order in which a pane asks.
                let _ = view.position_text(text);
                screen(view, text, 120, 40);
                view.looked_at() - before
            };
            let first = work(&mut view, &text, None);
            assert!(first <= text.len() as u64 + FRAME, "{first}");
            for code in [
                Code::Up,
                Code::PageUp,
                Code::Home,
                Code::Down,
                Code::PageDown,
                Code::Char(' '),
                Code::End,
            ] {
                let bytes = work(&mut view, &text, Some(code));
                assert!(bytes <= FRAME, "{code:?} looked at {bytes} bytes");
            }
            view.handle_key(Key::plain(Code::Home), &text);
            let before = view.looked_at();
            assert!(
                view.search(&text, "needle", Search::Here)
                    && !view.search(&text, "nEedle", Search::Here)
            );
            assert!(
                screen(&mut view, &text, 120, 40)
                    .iter()
                    .any(|row| row.contains("the Needle is here"))
            );
            assert!(
                view.looked_at() - before <= FRAME,
                "what is found is laid out, not what lies before it"
            );
            // What comes later costs what came, not what is there.
            text.push_str(line);
            assert!(work(&mut view, &text, None) <= FRAME + line.len() as u64);
            assert!(
                view.starts.count() <= text.len() / line.len().min(SEGMENT / 2) + 2,
                "the index is small beside the text"
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_searched_is_found_where_it_stands(text in "[aAbBéÉ ]{0,40}", query in "[aAbBéÉ]{1,3}", from in 0_usize..40) {
            let stands = |at: &usize| text.is_char_boundary(*at) && stands_at(&text, &query, *at);
            let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
            prop_assert_eq!(next_in(&text, &query, from), (from..text.len()).find(stands));
            prop_assert_eq!(previous_in(&text, &query, from), (0..from).rev().find(stands));
            for sizes in [(100, 100), (0, 1), (5, 3), (0, 7)] {
                let mut answer = AnswerText::with_sizes(sizes.0, sizes.1);
                text.split_inclusive(' ').for_each(|piece| answer.push_str(piece));
                prop_assert_eq!(next_in_answer(&answer, &query, from), next_in(&text, &query, from));
                prop_assert_eq!(previous_in_answer(&answer, &query, from), previous_in(&text, &query, from));
            }
        }

        #[test]
        fn rows_fit_and_join_to_the_line(line in "[^\n\r]{0,80}", cells in 2_usize..20) {
            let rows = wrap_rows(&line, cells);
            let joined: String = rows.iter().map(|range| &line[range.clone()]).collect();
            prop_assert_eq!(&joined, &line);
            for range in rows {
                prop_assert!(text_width(&visible_text(line[range.clone()].trim_end())) <= cells, "{:?}", &line[range]);
            }
        }

        #[test]
        fn indexing_piece_by_piece_is_indexing_at_once(pieces in prop::collection::vec("[a-z \n]{0,30}|[x]{3000}", 0..12), whole in 0_usize..4_000) {
            let mut growing = TextView::default();
            let mut text = AnswerText::with_sizes(whole, 50);
            for piece in &pieces {
                text.push_str(piece);
                growing.index_text(&text);
            }
            let mut at_once = TextView::default();
            at_once.index_text(&text.whole().as_ref().into());
            let lines = |view: &TextView| (0..view.starts.count()).map(|row| view.segment(&text, row).into_owned()).collect::<String>();
            prop_assert_eq!(lines(&growing), lines(&at_once));
        }

        #[test]
        fn any_text_can_be_walked_through(text in "(\\PC|\n|\x1b|\t){0,200}", keys in prop::collection::vec(0_usize..6, 0..20)) {
            let (mut view, text) = (TextView::default(), AnswerText::from(text.as_str()));
            for key in keys {
                let code = [Code::Up, Code::Down, Code::PageUp, Code::PageDown, Code::Home, Code::End][key];
                view.handle_key(Key::plain(code), &text);
                screen(&mut view, &text, 7, 4);
                view.search(&text, "a", Search::Next);
            }
        }
    }
}
