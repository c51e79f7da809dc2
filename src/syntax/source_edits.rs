//! Edits of a text: what it is after one of them, after a patch, or without one of its documents.

use std::sync::Arc;

use serde_json::Value;

use super::{
    change::{self, Splice},
    edit::{Edit, EditError, Patch},
    edit_strategies::{self, TextStyle},
    minimal_edits,
    page::TextPage,
    place::{Note, NoteKind, Span},
    source::Source,
    value,
};
use crate::schema::pointer::Pointer;

impl Source {
    /// The text after an edit, and the patch that leads there. Only the lines of what is edited
    /// change.
    ///
    /// A value set to what it is already changes nothing. On the way to a place `null` counts as
    /// missing, and a text without a document takes the first value as its document 0. An edit
    /// below an anchor shows at its aliases too. The new text is read again and held against what
    /// was meant: what would come out otherwise is refused.
    pub fn apply(&self, document: usize, edit: &Edit) -> Result<(Source, Patch), EditError> {
        if document >= self.document_count().max(1) {
            return Err(EditError::NoDocument(document));
        }
        if let Some(done) = self.apply_alone(document, edit) {
            return Ok(done);
        }
        let before = self.value(document).map(|value| &**value);
        let expected = value::with_edit(before, edit)?;
        if before == Some(&expected) && !self.changes_spelling(document, edit) {
            return Ok((self.clone(), change::patch_from_splices(self.text(), Vec::new())));
        }
        if let Some(done) = self.apply_gently(document, edit, &expected) {
            return Ok(done);
        }
        let (mut refused, learned) = (None, self.style_of_edits(document));
        for splices in edit_strategies::list_strategies(
            self.format(),
            self.text(),
            self.document_at(document),
            edit,
            &expected,
            learned.as_deref(),
        )? {
            match self.splice_checked(document, &expected, splices) {
                Ok((after, patch)) => return Ok((after.with_style(learned), patch)),
                Err(error) => drop(refused.get_or_insert(error)),
            }
        }
        Err(refused.unwrap_or_else(|| EditError::Broken("there is no way to write it".into())))
    }

    /// The same within a segment, which is all that is read; `None` where the edit is not within
    /// one, or cannot be made there.
    fn apply_alone(&self, document: usize, edit: &Edit) -> Option<(Source, Patch)> {
        // An edit of a segment as a whole is one of its section.
        let (row, alone) = self
            .parse_segment(document, edit.pointer())
            .filter(|_| edit.pointer().tokens().len() > 2)?;
        let within =
            edit.strip_prefix(&edit.pointer().tokens()[..alone.depth].iter().cloned().collect())?;
        let learned = self.style_of_edits(document);
        let part = Self::parse_whole(self.format(), alone.text.as_str().into()).ok()?;
        let part = part.with_style(learned);
        let (_, patch) = part.apply(0, &within).ok()?;
        let patch = Patch { at: patch.at + alone.ahead, ..patch };
        if patch.old == patch.new {
            return Some((self.clone(), change::patch_from_splices(self.text(), Vec::new())));
        }
        Some((self.patched_in(row, &patch)?, patch))
    }

    /// The manner in which an edit of a document is written. Documents beside each other may differ
    /// in theirs, so that each of them is looked at for each edit.
    fn style_of_edits(&self, document: usize) -> Option<Arc<TextStyle>> {
        if let Some(learned) = self.learned().filter(|_| self.document_count() == 1) {
            return Some(Arc::clone(learned));
        }
        if let Some(cut) = self.as_cut() {
            return cut.learned_style(self.format(), self.shared_text());
        }
        let (page, root) =
            (TextPage::new(self.text(), self.format()), &self.document_at(document)?.root);
        TextStyle::from_page(&page, self.format(), root, self.text()).map(Arc::new)
    }

    /// The text with splices that were found elsewhere, if they do what the edit means.
    pub(super) fn apply_splices(
        &self,
        document: usize,
        edit: &Edit,
        splices: Vec<Splice>,
    ) -> Result<(Source, Patch), EditError> {
        let expected = value::with_edit(self.value(document).map(|value| &**value), edit)?;
        self.splice_checked(document, &expected, splices)
    }

    /// A list or an object set again by the few edits in which it differs, so that the rest of it
    /// stays as written.
    fn apply_gently(
        &self,
        document: usize,
        edit: &Edit,
        expected: &Value,
    ) -> Option<(Source, Patch)> {
        let Edit::Set { at, to } = edit else { return None };
        let steps = minimal_edits::edits_between(at, at.get(self.value(document)?)?, to)?;
        let mut now = self.clone();
        for step in &steps {
            now = now.apply(document, step).ok()?.0;
        }
        let patch = change::patch_from_splices(
            self.text(),
            vec![Splice::new(0, self.shared_text().len(), &**now.text())],
        );
        edit_strategies::matches_expected(now.document_at(document)?, expected)
            .then_some((now, patch))
    }

    /// The text with the splices made, if it means what is expected.
    fn splice_checked(
        &self,
        document: usize,
        expected: &Value,
        splices: Vec<Splice>,
    ) -> Result<(Source, Patch), EditError> {
        let patch = change::patch_from_splices(self.text(), splices);
        let after = self.with_patch(&patch)?;
        let count = self.document_count().max(document + 1);
        let others = (0..count).filter(|other| *other != document);
        let holds = after.document_count() == count
            && after
                .document_at(document)
                .is_some_and(|now| edit_strategies::matches_expected(now, expected))
            && others.into_iter().all(|other| self.value(other) == after.value(other));
        match holds {
            true => Ok((after, patch)),
            false => Err(EditError::Broken(format!(
                "{} would read it differently",
                self.format().name()
            ))),
        }
    }

    /// Whether the text changes although the value stays: another spelling of a number, equal items
    /// that change places.
    fn changes_spelling(&self, document: usize, edit: &Edit) -> bool {
        match edit {
            Edit::Set { at, to } => match (to.value(), to.source_text()) {
                (Value::Number(_), Some(spelling)) => {
                    self.written_text(document, at) != Some(spelling)
                }
                (Value::String(_), _) => self.is_ambiguous(document, at, false),
                _ => false,
            },
            Edit::Rename { at, key } => {
                at.last() == Some(key) && self.is_ambiguous(document, at, true)
            }
            Edit::Move { at, to } => {
                let row = |object: &Value| {
                    Some(object.as_object()?.keys().position(|key| at.last() == Some(key)))
                };
                let object = at.parent().and_then(|parent| self.value_at(document, &parent));
                object.as_ref().and_then(row).unwrap_or_else(|| at.last_index()) != Some(*to)
            }
            _ => false,
        }
    }

    /// Whether readers take the value (or the key) at a place for different things, as it is
    /// written.
    fn is_ambiguous(&self, document: usize, at: &Pointer, key: bool) -> bool {
        let here = |note: &&Note| {
            note.kind == NoteKind::ReadsDifferently && note.document == document && note.at == *at
        };
        self.notes().iter().filter(here).any(|note| self.is_key(note) == key)
    }

    /// The text without one of its documents; the others stay as they are written.
    ///
    /// # Errors
    /// When there is no such document, or the rest would read otherwise without it.
    pub fn without_document(&self, document: usize) -> Result<Self, EditError> {
        let extent = self.document_at(document).ok_or(EditError::NoDocument(document))?.extent;
        let patch = change::patch_from_splices(
            self.text(),
            vec![Splice::new(extent.start, extent.end, "")],
        );
        let after = self.with_patch(&patch)?;
        let rest = (0..self.document_count()).filter(|row| *row != document);
        let same = after.document_count() + 1 == self.document_count()
            && rest.enumerate().all(|(now, row)| after.value(now) == self.value(row));
        if same {
            Ok(after)
        } else {
            Err(EditError::Broken("its other documents would read differently without it".into()))
        }
    }

    /// The text after a patch (an edit taken back or made again).
    pub fn with_patch(&self, patch: &Patch) -> Result<Self, EditError> {
        let span = Span { start: patch.at, end: patch.at + patch.old.len() };
        let within = self
            .as_cut()
            .and_then(|cut| cut.segments.row_around(span))
            .and_then(|row| self.patched_in(row, patch));
        if let Some(after) = within {
            return Ok(after);
        }
        let text = patch
            .apply(self.text())
            .ok_or_else(|| EditError::Broken("the text has changed since".into()))?;
        let after = Self::parse(self.format(), text)
            .map_err(|error| EditError::Broken(error.to_string()))?;
        Ok(after.with_style(self.learned().cloned()))
    }

    /// The text after a patch within a segment.
    fn patched_in(&self, row: usize, patch: &Patch) -> Option<Source> {
        let cut = self.as_cut()?;
        let span = cut.segments.row_span(row)?;
        let text = self.shared_text().with_patch(patch, span)?;
        let Span { start, end } = span;
        let segments = cut.segments.replace_segment(
            row,
            &text,
            end - start + patch.new.len() - patch.old.len(),
        )?;
        let lines = self.lines().with_patch(patch);
        let after = Self::of_cut(self.format(), text, lines, cut.with_segments(segments));
        Some(after.with_style(self.learned().cloned()))
    }
}
