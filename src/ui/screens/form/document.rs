//! The document as it will be saved: changed lines marked, long lines wrapped, secrets masked, the
//! line of the field in view.

use std::{ops::Range, sync::Arc};

use ratatui::{Frame, layout::Rect};
use unicode_segmentation::UnicodeSegmentation;

use crate::{
    app::{form_file::FormFile, input::Input, state::State},
    engine::diff,
    schema::pointer::Pointer,
    syntax::source::Source,
    ui::{
        canvas::{Pen, text_width},
        form::view::Form,
        styles::{Role, Styles},
        view::{Look, Reply},
        widgets::{code, list::ListCursor, pane::Pane},
    },
};

/// Replaces a secret, however long.
const MASK: &str = "••••";

#[derive(Default)]
pub(super) struct DocumentPane {
    rows: ListCursor,
    area: Rect,
    /// The text and what is known of it.
    known: Option<WrappedText>,
    /// The field that was last brought into view, in which text.
    followed: Option<(Pointer, Arc<str>)>,
}

struct WrappedText {
    text: Arc<str>,
    before: Arc<str>,
    cells: usize,
    rows: Vec<Row>,
    changed: Vec<usize>,
    /// Bytes that are not shown.
    secrets: Vec<Range<usize>>,
}

/// A line of the text, or a piece of one that is longer than the pane is wide.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    line: usize,
    bytes: Range<usize>,
    first: bool,
}

impl WrappedText {
    fn from_text(text: &Arc<str>, before: &Arc<str>, cells: usize) -> Self {
        let changed = if text == before { Vec::new() } else { diff::changed_rows(before, text) };
        Self {
            text: Arc::clone(text),
            before: Arc::clone(before),
            cells,
            rows: wrap_rows(text, cells),
            changed,
            secrets: Vec::new(),
        }
    }

    /// The row that shows a byte.
    fn row_of(&self, byte: usize) -> usize {
        self.rows.partition_point(|row| row.bytes.start <= byte).saturating_sub(1)
    }

    fn hide_secrets(&mut self, form: Option<&Form>, source: Option<&Source>) {
        let places =
            form.into_iter().flat_map(Form::secrets).filter_map(|at| source?.find_place(0, at));
        self.secrets = places.map(|place| place.value.start..place.value.end).collect();
        self.secrets.sort_by_key(|span| span.start);
    }
}

/// How a text is broken into rows of so many cells: where a word or a member ends, as far as there
/// is such a place.
fn wrap_rows(text: &str, cells: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut start = 0;
    for (line, whole) in text.split_inclusive('\n').enumerate() {
        let shown = whole.trim_end_matches(['\n', '\r']);
        let (mut from, mut first) = (0, true);
        while first || from < shown.len() {
            let length = fitting_len(&shown[from..], cells);
            rows.push(Row { line, bytes: start + from..start + from + length, first });
            from += length;
            first = false;
        }
        start += whole.len();
    }
    rows
}

/// How many bytes of a line go into one row.
fn fitting_len(line: &str, cells: usize) -> usize {
    if line.len() <= cells {
        return line.len();
    }
    let (mut taken, mut end, mut rest) = (0, 0, None);
    for (at, letter) in line.grapheme_indices(true) {
        taken += text_width(letter);
        if taken > cells && at > 0 {
            rest = Some(at);
            break;
        }
        end = at + letter.len();
    }
    let Some(at) = rest else { return end };
    let gap = line[..at].rfind([',', ' ']).map(|gap| gap + 1);
    gap.filter(|gap| *gap > at / 2).unwrap_or(at)
}

impl DocumentPane {
    /// Draws the document; the line of the form's field is brought into view while the form has the
    /// keys.
    pub(super) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        look: Look<'_>,
        (task, state): (&FormFile, &State),
        (focused, form): (bool, Option<&Form>),
    ) {
        let Some(document) = state.documents.get(&task.file) else { return };
        let digits = document.text.whole_text().lines().count().to_string().len().max(2);
        let cells = usize::from(area.width).saturating_sub(4 + digits).max(8);
        let is_known = |known: &WrappedText| {
            known.cells == cells
                && Arc::ptr_eq(&known.text, document.text.whole_text())
                && Arc::ptr_eq(&known.before, &task.before)
        };
        let source = document.source.as_ref().ok();
        if !self.known.as_ref().is_some_and(is_known) {
            self.known =
                Some(WrappedText::from_text(document.text.whole_text(), &task.before, cells));
        }
        let Some(known) = &mut self.known else { return };
        known.hide_secrets(form, source);
        let at = form.filter(|_| !focused).map(Form::focused_place);
        let here =
            at.zip(source).and_then(|(at, source)| find_nearest(at, |at| source.find_place(0, at)));
        let here = here.map(|place| known.row_of(place.key.unwrap_or(place.value).start));
        let follows = at.map(|at| (at.clone(), Arc::clone(document.text.whole_text())));
        if let Some(row) = here.filter(|_| self.followed != follows) {
            self.rows.row = row;
            self.followed = follows;
        }
        let note = document.format.name();
        let pane = Pane { title: &task.target, note, focused, ..Pane::default() };
        let styles = look.styles;
        let inside = pane.draw(frame.buffer_mut(), area, styles);
        self.area = inside;
        let mut line = Line::default();
        let window = self.rows.visible_rows(known.rows.len(), inside.height);
        self.rows.draw_position(known.rows.len(), frame.buffer_mut(), area, styles);
        for (y, number) in (0_u16..).zip(window) {
            let row = &known.rows[number];
            let mut pen = Pen::new(frame.buffer_mut(), inside, y);
            let is_changed = known.changed.binary_search(&row.line).is_ok();
            pen.put_text(if is_changed { "▌" } else { " " }, styles[Role::Changed]);
            let style = styles[if here == Some(number) { Role::Accent } else { Role::LineNumber }];
            let label = if row.first {
                format!("{:>digits$} ", row.line + 1)
            } else {
                " ".repeat(digits + 1)
            };
            pen.put_text(&label, style);
            line.update_pieces(known, row);
            line.draw(known, row, &mut pen, styles);
        }
        if known.rows.is_empty() {
            Pen::new(frame.buffer_mut(), inside, 0).skip(2).put_text("empty", styles[Role::Ghost]);
        }
    }

    pub(super) fn handle_input(&mut self, input: &Input) -> Reply {
        let rows = self.known.as_ref().map_or(0, |known| known.rows.len());
        let taken = match input {
            Input::Key(key) => self.rows.handle_key(*key, rows),
            Input::Mouse(mouse) => {
                self.rows.handle_mouse(*mouse, self.area, rows);
                true
            }
            Input::Paste(_) => false,
        };
        if taken { Reply::Handled } else { Reply::Ignored }
    }
}

/// The coloured pieces of a line, kept for the next row of it.
#[derive(Default)]
struct Line {
    number: Option<usize>,
    pieces: Vec<(Role, Range<usize>)>,
}

impl Line {
    fn update_pieces(&mut self, known: &WrappedText, row: &Row) {
        if self.number == Some(row.line) {
            return;
        }
        let start = known.text[..row.bytes.start].rfind('\n').map_or(0, |end| end + 1);
        let end = known.text[row.bytes.end..]
            .find('\n')
            .map_or(known.text.len(), |end| row.bytes.end + end);
        let mut at = start;
        let pieces = code::highlight_line(known.text[start..end].trim_end_matches('\r'));
        self.pieces = pieces
            .into_iter()
            .map(|(role, piece)| {
                at += piece.len();
                (role, at - piece.len()..at)
            })
            .collect();
        self.number = Some(row.line);
    }

    fn draw(&self, known: &WrappedText, row: &Row, pen: &mut Pen<'_>, styles: &Styles) {
        let first = self.pieces.partition_point(|(_, piece)| piece.end <= row.bytes.start);
        let mut hidden = None;
        for (role, piece) in
            self.pieces[first..].iter().take_while(|(_, piece)| piece.start < row.bytes.end)
        {
            let (mut at, end) = (piece.start.max(row.bytes.start), piece.end.min(row.bytes.end));
            while at < end {
                let next = known.secrets.partition_point(|span| span.end <= at);
                match known.secrets.get(next).filter(|span| span.start < end) {
                    Some(span) if span.start <= at => {
                        if hidden != Some(next) {
                            pen.put_text(MASK, styles[Role::Dim]);
                        }
                        hidden = Some(next);
                        at = span.end.min(end);
                    }
                    Some(span) => {
                        pen.put_text(&known.text[at..span.start], styles[*role]);
                        at = span.start;
                    }
                    None => {
                        pen.put_text(&known.text[at..end], styles[*role]);
                        at = end;
                    }
                }
            }
        }
    }
}

/// What is known of a place, or of the nearest one above it that is there.
fn find_nearest<T>(at: &Pointer, find: impl Fn(&Pointer) -> Option<T>) -> Option<T> {
    let mut place = Some(at.clone());
    while let Some(here) = place {
        if let Some(found) = find(&here) {
            return Some(found);
        }
        place = here.parent();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_and_nothing_of_them_is_lost() {
        let text =
            "{\"a\": [1, 2, 3], \"long\": \"wwwwwwwwwwwwwwwwwwwwwwwwww漢字漢字\"}\r\n\nshort\n";
        for cells in 1..40 {
            let rows = wrap_rows(text, cells);
            let shown: String = rows.iter().map(|row| &text[row.bytes.clone()]).collect();
            assert_eq!(shown, text.replace(['\r', '\n'], ""), "{cells}");
            let widest = rows.iter().map(|row| text_width(&text[row.bytes.clone()])).max();
            assert!(widest <= Some(cells.max(2)), "{cells}: {widest:?}");
            assert_eq!(rows.iter().filter(|row| row.first).count(), 3);
        }
        let broken = wrap_rows(text, 20);
        assert_eq!(&text[broken[0].bytes.clone()], "{\"a\": [1, 2, 3], ");
    }
}
