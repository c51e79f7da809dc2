//! A file of the user in its versions: the text as it would be saved, and those on disk.

use std::sync::Arc;

use crate::{
    engine::{
        diff,
        merge_lines::{merge_lines, restore_lines},
    },
    model::entry::FileId,
    schema::pointer::Pointer,
    syntax::{
        edit::{Edit, Patch},
        shared_text::SharedText,
        source::{Format, Source, Span, SyntaxError},
    },
};

/// A file: its text now and as it is on disk.
#[derive(Clone, Debug)]
pub struct Document {
    pub format: Format,
    pub text: SharedText,
    /// The text parsed; an error while it cannot be.
    pub source: Result<Source, SyntaxError>,
    /// The text on disk; `None`: there is no such file.
    pub saved: Option<Arc<str>>,
    /// Saving takes the file away.
    pub gone: bool,
    /// What was last read from disk, parsed.
    pub(super) on_disk: Option<Source>,
    /// The text that somebody else has put on disk since, which saving would overwrite.
    pub changed_elsewhere: Option<Arc<str>>,
}

/// What was typed in a form and is no value, so that it is in no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadText {
    /// The file that the form is for.
    pub file: FileId,
    /// The field, and why it is no value.
    pub words: String,
}

impl Document {
    /// A file as read.
    #[must_use]
    pub fn from_disk(format: Format, text: Arc<str>, source: Result<Source, SyntaxError>) -> Self {
        let on_disk = source.as_ref().ok().cloned();
        let (saved, changed_elsewhere) = (Some(text.clone()), None);
        Self { format, saved, text: text.into(), source, gone: false, on_disk, changed_elsewhere }
    }

    /// The text on disk parsed, where it is known and can be.
    #[must_use]
    pub fn saved_source(&self) -> Option<&Source> {
        self.on_disk.as_ref().filter(|source| {
            self.saved.as_ref().is_some_and(|saved| Arc::ptr_eq(saved, source.text()))
        })
    }

    /// The text on disk that the unsaved one was typed over; `None`: there was no file, or it isn't
    /// known what it held.
    #[must_use]
    pub fn typed_over(&self) -> Option<&Arc<str>> {
        self.saved.as_ref().filter(|saved| self.changed_elsewhere.as_ref() != Some(saved))
    }

    /// The text on disk that is another one than is shown without unsaved changes: somebody changed
    /// it before these were undone.
    #[must_use]
    pub fn differs_on_disk(&self) -> bool {
        let elsewhere = self.changed_elsewhere.as_ref();
        !self.is_changed() && elsewhere.is_some() && elsewhere != self.saved.as_ref()
    }

    /// Both what was typed and what somebody else wrote to disk meanwhile; `None` where they changed
    /// the same lines, or it isn't known what it was typed over.
    #[must_use]
    pub fn merged_with(&self, disk: &str) -> Option<Arc<str>> {
        let base = self.typed_over().filter(|_| !self.gone)?;
        let merged = merge_lines(base, self.text.whole_text(), disk)?;
        let is_readable =
            |text: &str| Source::of_format(self.format, Arc::<str>::from(text)).is_ok();
        (is_readable(&merged) || !is_readable(disk) || self.source.is_err()).then(|| merged.into())
    }

    /// What it was typed over becomes this; where the disk is known to hold another text, that is
    /// somebody else's.
    pub(super) fn type_over(&mut self, text: Option<Arc<str>>) {
        let disk = self.changed_elsewhere.take().or_else(|| self.saved.take());
        self.changed_elsewhere = disk.filter(|disk| text.as_ref() != Some(disk));
        // Entries are held against it, to mark those that are changed.
        self.on_disk = text.clone().and_then(|text| Source::of_format(self.format, text).ok());
        self.saved = text;
    }

    /// The file was read again while this has unsaved changes: they stay, and so does what they were
    /// typed over, unless the disk holds the same.
    pub(super) fn meet_disk(&mut self, read: Self) {
        let Some(disk) = read.saved else { return };
        self.changed_elsewhere = match self.saved.as_ref() == Some(&disk) {
            _ if self.text.equals_text(&disk) && !self.gone => None,
            // What was restored over another text goes on asking.
            true => self.changed_elsewhere.take().filter(|text| *text == disk),
            false => return self.changed_elsewhere = Some(disk),
        };
        (self.saved, self.on_disk) = (Some(disk), read.on_disk);
    }

    /// Whether saving would change the disk.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        match &self.saved {
            Some(_) if self.gone => true,
            // As read, the two are one.
            Some(saved) => !self.text.equals_text(saved),
            None => !self.gone,
        }
    }

    /// Rows of the text that differ from the disk, counted from 0.
    #[must_use]
    pub fn changed_rows(&self) -> Vec<usize> {
        let Some(saved) = &self.saved else {
            return (0..self.text.whole_text().lines().count()).collect();
        };
        if self.text.equals_text(saved) {
            return Vec::new();
        }
        self.changed_in_pieces()
            .unwrap_or_else(|| diff::changed_rows(saved, self.text.whole_text()))
    }

    /// The same by the pieces that were written again, where those are known.
    fn changed_in_pieces(&self) -> Option<Vec<usize>> {
        let (now, then) = (self.source.as_ref().ok()?, self.saved_source()?);
        let rows = now.pieces_beside(then)?.into_iter().flat_map(|(new, old)| {
            let first = now.lines().row_of_offset(new.start);
            // A piece may begin in the middle of a line.
            let start = |source: &Source, span: Span| {
                source.lines().line_start(source.lines().row_of_offset(span.start)).min(span.start)
            };
            let piece = |source: &Source, span: Span| {
                source
                    .shared_text()
                    .slice(start(source, span), span.end)
                    .unwrap_or_default()
                    .to_owned()
            };
            let rows = diff::changed_rows(&piece(then, old), &piece(now, new));
            rows.into_iter().map(move |row| first + row)
        });
        Some(rows.collect())
    }

    /// What an edit made of it, as the text on disk has it where it gives a place the value that
    /// it has there: comments, spelling and order come back with the value.
    pub(super) fn as_saved(
        &self,
        document: usize,
        edit: &Edit,
        edited: (Source, Patch),
    ) -> (Source, Patch) {
        let restored = || self.restored(document, edit.pointer(), &edited);
        match edit {
            Edit::Set { .. } | Edit::Remove { .. } if self.is_changed() => {
                restored().unwrap_or(edited)
            }
            _ => edited,
        }
    }

    fn restored(
        &self,
        document: usize,
        at: &Pointer,
        (edited, patch): &(Source, Patch),
    ) -> Option<(Source, Patch)> {
        let saved = self.saved_source()?;
        let value = |source: &Source| source.value_at(document, at);
        if value(saved) != value(edited) || edited.text() == saved.text() {
            return None;
        }
        let rows = |source: &Source| {
            let place = source.find_place(document, at)?;
            let row = |offset| source.position(offset).0.saturating_sub(1);
            let last = row(place.value.end.saturating_sub(1).max(place.value.start));
            Some(row(place.key.unwrap_or(place.value).start)..last + 1)
        };
        let around = edited.position(patch.at).0.saturating_sub(1);
        let now = rows(edited).unwrap_or(around..around);
        let then = rows(saved).unwrap_or_default();
        let lines = restore_lines(saved.text(), edited.text(), &then, &now);
        let is_same = |source: &Source| {
            let count = source.document_count();
            count == edited.document_count()
                && (0..count).all(|document| source.value(document) == edited.value(document))
        };
        let read = |text: String| {
            Source::parse(edited.format(), text).ok().filter(|source| is_same(source))
        };
        let source = read(lines).or_else(|| read(piece_of_saved(saved, edited, document, at)?))?;
        let patch = Patch::between(self.text.whole_text(), source.text());
        Some((source, patch))
    }

    pub(super) fn set_text(&mut self, text: impl Into<Arc<str>>) {
        let text = text.into();
        self.text = text.clone().into();
        self.source = Source::of_format(self.format, text);
    }

    /// What an edit made of it.
    pub(super) fn set_source(&mut self, source: Source) {
        self.text = source.shared_text().clone();
        self.source = Ok(source);
    }
}

/// The text with the member at a place as the saved text writes it, where only the line is shared
/// with others.
fn piece_of_saved(saved: &Source, now: &Source, document: usize, at: &Pointer) -> Option<String> {
    let (then, here) = (saved.find_place(document, at)?, now.find_place(document, at)?);
    let piece = saved.text().get(then.value.start..then.value.end)?;
    let (before, rest) = (now.text().get(..here.value.start)?, now.text().get(here.value.end..)?);
    Some([before, piece, rest].concat())
}
