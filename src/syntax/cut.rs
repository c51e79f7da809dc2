//! A long text that is read in segments, with what is found out about it when that is asked.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::Value;

use super::{
    edit_strategies::TextStyle,
    lines::Lines,
    page::TextPage,
    place::{Format, Note},
    segments::{ParsedSegment, Segments},
    shared_text::SharedText,
    tree::Tree,
    whole::ParsedText,
};
use crate::schema::pointer::Pointer;

#[derive(Debug)]
pub(crate) struct SegmentedText {
    pub segments: Segments,
    whole: OnceLock<Option<ParsedText>>,
    value: OnceLock<Arc<Value>>,
    notes: OnceLock<Vec<Note>>,
    /// The manner of the text as it was before the first edit, for all of its revisions.
    learned: Arc<OnceLock<Option<Arc<TextStyle>>>>,
    /// The segment that was last asked about.
    last: Mutex<Option<(usize, Arc<ParsedSegment>)>>,
}

impl SegmentedText {
    /// A text that was just read.
    pub fn new(segments: Segments) -> Self {
        let (whole, value, notes, last) = Default::default();
        Self { segments, whole, value, notes, learned: Arc::default(), last }
    }

    /// A later revision of the text.
    pub fn with_segments(&self, segments: Segments) -> Self {
        Self { learned: Arc::clone(&self.learned), ..Self::new(segments) }
    }

    pub fn value(&self, text: &SharedText) -> &Arc<Value> {
        self.value.get_or_init(|| Arc::new(self.segments.whole_value(text)))
    }

    pub fn whole_tree(&self, format: Format, text: &SharedText, lines: &Lines) -> Option<&Tree> {
        self.parsed_whole(format, text, lines).map(|whole| &whole.tree)
    }

    fn parsed_whole(
        &self,
        format: Format,
        text: &SharedText,
        lines: &Lines,
    ) -> Option<&ParsedText> {
        self.whole.get_or_init(|| ParsedText::parse(format, text.whole_text(), lines).ok()).as_ref()
    }

    pub fn notes(&self, format: Format, text: &SharedText, lines: &Lines) -> &[Note] {
        self.notes.get_or_init(|| {
            // Nearly always there is none.
            let is_odd = self.segments.odd_rows().next().is_some();
            let whole = is_odd.then(|| self.parsed_whole(format, text, lines)).flatten();
            whole.map_or_else(Vec::new, |whole| whole.notes.clone())
        })
    }

    pub fn learned_style(&self, format: Format, text: &SharedText) -> Option<Arc<TextStyle>> {
        let learn = || {
            let sample = self.segments.sample_text(text.whole_text())?;
            let whole = ParsedText::parse(format, &sample, &Lines::new(&sample)).ok()?;
            let root = &whole.tree.documents.first()?.root;
            TextStyle::from_page(&TextPage::new(&sample, format), format, root, text.whole_text())
                .map(Arc::new)
        };
        self.learned.get_or_init(learn).clone()
    }

    /// The segment that a pointer leads to or into, read alone.
    pub fn parse_segment(
        &self,
        text: &SharedText,
        at: &Pointer,
    ) -> Option<(usize, Arc<ParsedSegment>)> {
        let row = self.segments.row_at(at)?;
        // Held only for a look: threads read different segments at the same time.
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last().as_ref().filter(|(known, _)| *known == row).cloned();
        if known.is_some() {
            return known;
        }
        let alone = Arc::new(self.segments.parse_segment(text, row)?);
        *last() = Some((row, Arc::clone(&alone)));
        Some((row, alone))
    }
}
