//! A text over several lines with a real editor: wrap, selection, undo, word moves, paste, mouse.

use std::ops::Range;

use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use super::cell::{ANYWHERE, ClickArea, DrawContext, Look};
use crate::{
    app::input::{Code, Input, Key},
    ui::{
        canvas::{text_width, visible_text},
        line_wrap::{RowWidths, line_rows},
        styles::Role,
        widgets::editing::{Clip, Editing, MoveMode},
    },
};

/// Lines that the box has at least and at most.
const LEAST: u16 = 4;
const MOST: u16 = 14;
/// Cells that a tab takes.
const TAB: usize = 2;

/// The editor. It keeps `\r\n` line ends of the text it was given.
pub(crate) struct TextArea {
    editing: Editing,
    line_end: &'static str,
    /// The lines as they are drawn, for a width.
    rows: Vec<Range<usize>>,
    laid: (usize, String),
    top: usize,
    /// Rows seen at the last drawing.
    seen: usize,
    /// The next drawing brings the cursor into view.
    follow: bool,
    /// The column that up and down keep to.
    column: Option<usize>,
    /// A place in the text that is wrong.
    pub wrong: Option<usize>,
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyOutcome {
    /// Not a key of text editing.
    Ignored,
    Moved,
    Changed,
}

fn normalize_newlines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn cluster_width(cluster: &str) -> usize {
    if cluster == "\t" { TAB } else { text_width(&visible_text(cluster)) }
}

impl TextArea {
    #[must_use]
    pub fn new(text: &str) -> Self {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        // A lone carriage return that is part of the text stays one.
        let text = text.replace(line_end, "\n");
        Self {
            editing: Editing::new(text),
            line_end,
            rows: Vec::new(),
            laid: (0, String::new()),
            top: 0,
            seen: 1,
            follow: true,
            column: None,
            wrong: None,
        }
    }

    #[must_use]
    pub fn text(&self) -> String {
        self.editing.text().replace('\n', self.line_end)
    }

    /// The text with plain line breaks, as [`TextArea::wrong`] counts in it.
    #[must_use]
    pub fn plain_text(&self) -> &str {
        self.editing.text()
    }

    /// The same before the cursor and behind it.
    #[must_use]
    pub fn text_at_cursor(&self) -> (&str, &str) {
        self.editing.text().split_at(self.editing.cursor())
    }

    /// Puts the cursor at a byte offset of the text.
    pub fn move_cursor(&mut self, to: usize) {
        self.editing.move_cursor(to, MoveMode::Move);
        self.follow = true;
    }

    /// Selects the whole text: what is typed replaces it.
    pub fn select_all(&mut self) {
        self.editing.select_all();
        self.follow = true;
    }

    /// The same with the beginning of the text in view.
    pub fn select_from_top(&mut self) {
        self.editing.select_all();
        self.follow = false;
    }

    /// The selection, which a cut takes out.
    pub fn take_clip(&mut self, clip: Clip) -> Option<String> {
        self.follow |= clip == Clip::Cut;
        self.editing.take_clip(clip)
    }

    /// Takes another text, with the cursor where it was as far as that is possible.
    pub fn replace(&mut self, text: &str) {
        self.editing.replace(&text.replace(self.line_end, "\n"));
        self.follow = true;
    }

    #[must_use]
    pub fn line_count(&self, cells: u16) -> u16 {
        let rows = wrap_rows(
            self.editing.text(),
            usize::from(cells.saturating_sub(1).max(1)),
            usize::from(MOST) + 1,
        );
        u16::try_from(rows.len() + 1).unwrap_or(MOST).clamp(LEAST, MOST)
    }

    pub fn handle_input(&mut self, input: &Input) -> KeyOutcome {
        let before = self.editing.text().to_owned();
        let taken = match input {
            Input::Paste(text) => {
                self.editing.insert(&normalize_newlines(text));
                true
            }
            Input::Key(key) => self.handle_key(*key),
            Input::Mouse(_) => false,
        };
        if taken {
            self.follow = true;
        }
        match (taken, self.editing.text() == before) {
            (false, _) => KeyOutcome::Ignored,
            (true, true) => KeyOutcome::Moved,
            (true, false) => KeyOutcome::Changed,
        }
    }

    fn handle_key(&mut self, key: Key) -> bool {
        // Alt with a letter, Enter or an arrow up or down is for the form and the screen.
        let vertical = matches!(key.code, Code::Char(_) | Code::Enter | Code::Up | Code::Down);
        if vertical && (key.mods.alt || (key.mods.ctrl && key.code == Code::Enter)) {
            return false;
        }
        let rows = match key.code {
            Code::Up => -1,
            Code::Down => 1,
            Code::PageUp => -to_isize(self.seen.saturating_sub(1).max(1)),
            Code::PageDown => to_isize(self.seen.saturating_sub(1).max(1)),
            _ => {
                self.column = None;
                return match key.code {
                    Code::Enter => {
                        self.editing.insert("\n");
                        true
                    }
                    _ => self.editing.handle_key(key),
                };
            }
        };
        if key.mods.ctrl {
            return false;
        }
        self.go_rows(rows, if key.mods.shift { MoveMode::Select } else { MoveMode::Move });
        true
    }

    fn layout_rows(&mut self, cells: usize) {
        let (before, text) = (&self.laid.1, self.editing.text());
        if self.laid.0 != cells {
            self.rows = wrap_rows(text, cells, usize::MAX);
        } else if before != text {
            self.rows = rows_after(&self.rows, (before, text), cells);
        } else {
            return;
        }
        self.laid = (cells, text.to_owned());
    }

    /// Lays out the text as it is now: it may be another one than was drawn.
    fn lay_again(&mut self) {
        self.layout_rows(self.laid.0.max(1));
    }

    /// The row and column of the cursor.
    fn cursor_position(&self) -> (usize, usize) {
        let cursor = self.editing.cursor();
        let row = self.rows.partition_point(|row| row.start <= cursor).saturating_sub(1);
        let start = self.rows.get(row).map_or(0, |row| row.start);
        (row, self.editing.text()[start..cursor].graphemes(true).map(cluster_width).sum())
    }

    fn go_rows(&mut self, by: isize, reach: MoveMode) {
        self.lay_again();
        let (row, column) = self.cursor_position();
        let column = *self.column.get_or_insert(column);
        let last = self.rows.len().saturating_sub(1);
        let to = match row.checked_add_signed(by) {
            None => 0,
            Some(to) if to > last && row == last => self.editing.text().len(),
            Some(to) => self.offset_at(to.min(last), column),
        };
        let kept = self.column;
        self.editing.move_cursor(to, reach);
        self.column = kept;
    }

    /// The offset at a cell of a row.
    fn offset_at(&self, row: usize, column: usize) -> usize {
        let Some(range) = self.rows.get(row.min(self.rows.len().saturating_sub(1))) else {
            return 0;
        };
        let text = &self.editing.text()[range.clone()];
        let mut taken = 0;
        for (offset, cluster) in text.grapheme_indices(true) {
            let wide = cluster_width(cluster);
            if cluster == "\n" || taken + wide > column {
                return range.start + offset;
            }
            taken += wide;
        }
        // The end of a wrapped row is the start of the next; stay on this one.
        let is_last = row + 1 >= self.rows.len();
        let last = text.grapheme_indices(true).next_back().map_or(0, |(offset, _)| offset);
        range.start + if is_last { text.len() } else { last }
    }

    pub fn draw(&mut self, context: &mut DrawContext<'_>, line: u16) -> Vec<ClickArea> {
        let height = context.area.height.saturating_sub(line);
        let wide = usize::from(context.area.width.saturating_sub(1).max(1));
        self.layout_rows(wide);
        self.seen = usize::from(height).max(1);
        let most = self.rows.len().saturating_sub(self.seen);
        if std::mem::take(&mut self.follow) {
            let (row, _) = self.cursor_position();
            self.top = self.top.clamp((row + 1).saturating_sub(self.seen), row);
        }
        self.top = self.top.min(most);
        for place in 0..height {
            let ground = context.fill_background(line + place);
            self.draw_row(context, line + place, self.top + usize::from(place), ground);
        }
        let key = context.style(Role::Key);
        let edge = context.area.width.saturating_sub(1);
        let area = context.area;
        let mut hits = Vec::new();
        if self.top > 0 {
            context.pen(line).move_to(area, edge).put_text("↑", key);
        }
        if self.top < most && height > 0 {
            context.pen(line + height - 1).move_to(area, edge).put_text("↓", key);
        }
        hits.extend((line..context.area.height).map(|line| context.line_hit(line, ANYWHERE)));
        hits
    }

    fn draw_row(&self, context: &mut DrawContext<'_>, line: u16, row: usize, ground: Style) {
        let Some(range) = self.rows.get(row) else { return };
        let cursor = self.editing.cursor();
        let is_here = context.look == Look::Active && self.cursor_position().0 == row;
        let selection = self.editing.selected_range().unwrap_or(0..0);
        let (cursor_style, wrong) = (context.style(Role::Cursor), context.style(Role::Error));
        let mut pen = context.pen(line);
        for (offset, cluster) in self.editing.text()[range.clone()].grapheme_indices(true) {
            let at = range.start + offset;
            let style = match () {
                () if is_here && at == cursor => cursor_style,
                () if selection.contains(&at) => ground.add_modifier(Modifier::REVERSED),
                () if self.wrong == Some(at) => {
                    wrong.patch(Style { bg: ground.bg, ..Style::default() }).underlined()
                }
                () => ground,
            };
            match cluster {
                "\n" if style == ground => {}
                "\n" => drop(pen.put_text(" ", style)),
                "\t" => drop(pen.put_text("  ", style)),
                other => drop(pen.put_text(other, style)),
            }
        }
        let is_end = range.end == self.editing.text().len() && row + 1 == self.rows.len();
        if is_here && is_end && cursor == range.end {
            pen.put_text(" ", cursor_style);
        } else if is_end && self.wrong == Some(range.end) {
            pen.put_text("▁", wrong);
        }
    }

    /// Selects the word at the cursor.
    pub fn select_word(&mut self) {
        self.editing.select_word();
    }

    /// Puts the cursor at a cell of the drawn text.
    pub fn click(&mut self, line: u16, column: u16) {
        self.place_cursor(line, column, MoveMode::Move);
    }

    /// Selects as far as a cell of the drawn text; beyond its edges the text moves on.
    pub fn drag(&mut self, line: i32, column: i32) {
        self.lay_again();
        if line < 0 {
            self.top = self.top.saturating_sub(1);
        } else if usize::try_from(line).is_ok_and(|line| line >= self.seen) {
            self.top = (self.top + 1).min(self.rows.len().saturating_sub(self.seen));
        }
        let line = line.clamp(0, i32::try_from(self.seen.saturating_sub(1)).unwrap_or(0));
        self.place_cursor(
            u16::try_from(line).unwrap_or(0),
            u16::try_from(column.max(0)).unwrap_or(u16::MAX),
            MoveMode::Select,
        );
    }

    fn place_cursor(&mut self, line: u16, column: u16, reach: MoveMode) {
        self.lay_again();
        self.column = None;
        let row = self.top + usize::from(line);
        let to = if row < self.rows.len() {
            self.offset_at(row, usize::from(column))
        } else {
            self.editing.text().len()
        };
        self.editing.move_cursor(to, reach);
    }

    /// Moves the text under the pointer; whether there is more of it than is seen.
    pub fn scroll(&mut self, lines: isize) -> bool {
        self.lay_again();
        let most = self.rows.len().saturating_sub(self.seen);
        let to = self.top.saturating_add_signed(lines).min(most);
        let moved = to != self.top;
        self.top = to;
        moved
    }
}

fn to_isize(count: usize) -> isize {
    isize::try_from(count).unwrap_or(isize::MAX)
}

/// The rows of a text that were those of another one: only the lines that differ are broken again.
fn rows_after(
    known: &[Range<usize>],
    (before, text): (&str, &str),
    wide: usize,
) -> Vec<Range<usize>> {
    let (old, new) = (before.as_bytes(), text.as_bytes());
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let most = old.len().min(new.len()) - head;
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(most)
        .take_while(|(old, new)| old == new)
        .count();
    let start = new[..head].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let same = new[new.len() - tail..]
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(0, |end| tail - end - 1);
    let (old_end, new_end) = (old.len() - same, new.len() - same);
    let mut rows_now: Vec<_> = known[..known.partition_point(|row| row.start < start)].to_vec();
    let mut changed = wrap_rows(&text[start..new_end], wide, usize::MAX);
    let kept = &known[known.partition_point(|row| row.start < old_end)..];
    if same > 0 {
        // Lines follow, so the empty one after the last line break is none.
        changed.pop();
    }
    rows_now.extend(changed.into_iter().map(|row| row.start + start..row.end + start));
    if same > 0 {
        rows_now.extend(
            kept.iter().map(|row| row.start - old_end + new_end..row.end - old_end + new_end),
        );
    }
    rows_now
}

/// The text in rows of at most `wide` cells; a row ends with its line break. At most `most` rows.
fn wrap_rows(text: &str, wide: usize, most: usize) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let words = line.strip_suffix('\n').unwrap_or(line);
        let broken = line_rows(words, RowWidths::all(wide), cluster_width);
        rows.extend(broken.take(most - rows.len()).map(|row| start + row.start..start + row.end));
        start += line.len();
        match rows.last_mut().filter(|last| last.end + line.len() - words.len() == start) {
            Some(last) => last.end = start,
            None => return rows,
        }
        if rows.len() == most {
            return rows;
        }
    }
    if text.is_empty() || text.ends_with('\n') {
        rows.push(text.len()..text.len());
    }
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn press(area: &mut TextArea, keys: &str) {
        for key in keys.split_whitespace() {
            assert_ne!(
                area.handle_input(&Input::Key(key.parse().unwrap())),
                KeyOutcome::Ignored,
                "{key}"
            );
        }
    }

    #[test]
    fn line_ends_stay_and_undo_works() {
        let mut area = TextArea::new("a\r\nb");
        assert_eq!(
            area.handle_input(&Input::Key(Key::plain(Code::Char('c')))),
            KeyOutcome::Changed
        );
        assert_eq!(area.text(), "a\r\nbc");
        assert_eq!(area.handle_input(&Input::Key(Key::ctrl('z'))), KeyOutcome::Changed);
        assert_eq!(area.text(), "a\r\nb");
        assert_eq!(area.handle_input(&Input::Paste("x\ny".into())), KeyOutcome::Changed);
        assert_eq!(area.text(), "a\r\nbx\r\ny");
    }

    #[test]
    fn rows_break_at_blanks_and_up_and_down_keep_the_column() {
        let mut area = TextArea::new("one two three\nfour\nfive six");
        area.layout_rows(8);
        let shown: Vec<&str> =
            area.rows.iter().map(|row| &area.editing.text()[row.clone()]).collect();
        assert_eq!(shown, ["one two ", "three\n", "four\n", "five six"]);
        press(&mut area, "up up up");
        assert_eq!(area.cursor_position(), (0, 7));
        press(&mut area, "down");
        assert_eq!(area.cursor_position(), (1, 5));
        press(&mut area, "down down");
        assert_eq!(area.cursor_position(), (3, 8));
        press(&mut area, "down shift+up");
        assert_eq!(area.editing.selected_text(), Some("\nfive six"));
    }

    #[test]
    fn a_drag_beyond_the_edge_moves_on() {
        let mut area = TextArea::new(&"line\n".repeat(30));
        (area.seen, area.top) = (5, 0);
        area.layout_rows(20);
        area.click(0, 2);
        for _ in 0..3 {
            area.drag(9, 1);
        }
        assert_eq!(area.top, 3);
        assert_eq!(area.editing.selected_text().map(str::len), Some(7 * 5 - 1));
        assert!(area.scroll(3) && !area.scroll(0));
    }

    proptest! {
        #[test]
        fn rows_hold_the_whole_text_and_fit(text in "[a-z 日👩‍👧\t\n]{0,60}", wide in 2_usize..12) {
            let rows = wrap_rows(&text, wide, usize::MAX);
            let joined: String = rows.iter().map(|row| &text[row.clone()]).collect();
            prop_assert_eq!(&joined, &text);
            for row in rows {
                let row = text[row].trim_end_matches([' ', '\n']);
                // A single sign may be wider than a very narrow box.
                prop_assert!(row.graphemes(true).count() == 1 || row.graphemes(true).map(cluster_width).sum::<usize>() <= wide, "{:?}", row);
            }
        }
    }

    proptest! {
        #[test]
        fn rows_after_an_edit_are_those_of_the_new_text(
            before in "[ab é\n]{0,40}", new in "[ab é\n]{0,5}", from in 0_usize..40, len in 0_usize..6, wide in 2_usize..9,
        ) {
            let border = |at: usize| before.char_indices().map(|(at, _)| at).chain([before.len()]).nth(at).unwrap_or(before.len());
            let (from, to) = (border(from), border(from + len));
            let text = format!("{}{new}{}", &before[..from], &before[to..]);
            let known = wrap_rows(&before, wide, usize::MAX);
            prop_assert_eq!(rows_after(&known, (&before, &text), wide), wrap_rows(&text, wide, usize::MAX));
        }
    }

    #[test]
    fn a_press_meets_the_text_that_is_there_though_another_one_was_drawn() {
        let mut area = TextArea::new(&"some words in rows\n".repeat(9));
        area.layout_rows(10);
        area.replace("ab");
        area.click(7, 3);
        assert_eq!(area.editing.cursor(), 2);
        area.layout_rows(10);
        area.replace("é");
        area.drag(-1, 5);
        assert!(area.scroll(3) || area.top == 0);
    }
}
