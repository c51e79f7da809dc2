//! The document as it will be saved, with its changed lines marked and the line of the field in view.

use std::sync::Arc;

use ratatui::{Frame, layout::Rect};

use crate::{
    app::{form_file::FormFile, input::Input, state::State},
    engine::diff,
    schema::pointer::Pointer,
    ui::{
        canvas::Pen,
        styles::Role,
        view::{Look, Reply},
        widgets::{code, list::ListCursor, pane::Pane},
    },
};

#[derive(Default)]
pub(super) struct DocumentPane {
    lines: ListCursor,
    area: Rect,
    /// The text and what is known of its lines.
    known: Option<Known>,
}

struct Known {
    text: Arc<str>,
    before: Arc<str>,
    starts: Vec<usize>,
    changed: Vec<usize>,
}

impl Known {
    fn of(text: &Arc<str>, before: &Arc<str>) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).filter(|start| *start < text.len()).collect();
        let changed = if text == before { Vec::new() } else { diff::changed_rows(before, text) };
        Self { text: Arc::clone(text), before: Arc::clone(before), starts, changed }
    }

    fn line(&self, row: usize) -> &str {
        let start = self.starts[row];
        let end = self.starts.get(row + 1).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }
}

impl DocumentPane {
    /// Draws the document; a field's line is brought into view.
    pub(super) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        look: Look<'_>,
        (task, state): (&FormFile, &State),
        (focused, at): (bool, Option<&Pointer>),
    ) {
        let Some(document) = state.documents.get(&task.file) else { return };
        let is_known = |known: &Known| Arc::ptr_eq(&known.text, &document.text) && Arc::ptr_eq(&known.before, &task.before);
        if !self.known.as_ref().is_some_and(is_known) {
            self.known = Some(Known::of(&document.text, &task.before));
        }
        let Some(known) = &self.known else { return };
        let place = at.zip(document.source.as_ref().ok()).and_then(|(at, source)| nearest(at, |at| source.place(0, at)));
        let here = place.map(|place| place.line.saturating_sub(1));
        if let Some(row) = here {
            self.lines.row = row;
        }
        let foot = self.lines.position(known.starts.len()).unwrap_or_default();
        let pane = Pane { title: &task.target, note: document.format.name(), foot: &foot, focused };
        let styles = look.styles;
        let inside = pane.draw(frame.buffer_mut(), area, styles);
        self.area = inside;
        let digits = known.starts.len().to_string().len().max(2);
        for (line, row) in (0_u16..).zip(self.lines.window(known.starts.len(), inside.height)) {
            let mut pen = Pen::new(frame.buffer_mut(), inside, line);
            let is_changed = known.changed.binary_search(&row).is_ok();
            pen.put(if is_changed { "▌" } else { " " }, styles[Role::Changed]);
            let number = styles[if here == Some(row) { Role::Accent } else { Role::LineNumber }];
            pen.put(&format!("{:>digits$} ", row + 1), number);
            for (role, piece) in code::pieces(known.line(row)) {
                pen.put(piece, styles[role]);
            }
        }
        if known.starts.is_empty() {
            Pen::new(frame.buffer_mut(), inside, 0).skip(2).put("empty", styles[Role::Ghost]);
        }
    }

    pub(super) fn input(&mut self, input: &Input) -> Reply {
        let rows = self.known.as_ref().map_or(0, |known| known.starts.len());
        let taken = match input {
            Input::Key(key) => self.lines.key(*key, rows),
            Input::Mouse(mouse) => {
                self.lines.mouse(*mouse, self.area, rows);
                true
            }
            Input::Paste(_) => false,
        };
        if taken { Reply::Handled } else { Reply::Ignored }
    }
}

/// What is known of a place, or of the nearest one above it that is there.
fn nearest<T>(at: &Pointer, find: impl Fn(&Pointer) -> Option<T>) -> Option<T> {
    let mut place = Some(at.clone());
    while let Some(here) = place {
        if let Some(found) = find(&here) {
            return Some(found);
        }
        place = here.parent();
    }
    None
}
