//! A text that shares with its earlier revisions what an edit left as it was, so that an edit
//! copies no more than a few lines.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use super::{edit::Patch, place::Span};

/// So many pieces are put together to one.
const MOST_PIECES: usize = 512;

/// A line that is longer than this is parted.
const LONGEST_LINE: usize = 4 * 1024;

/// A text in pieces. Immutable, and cheap to clone. Only [`SharedText::whole_text`] puts it together,
/// once for all of its clones; it is asked for by name, so that nothing that happens with each key
/// does so unseen.
#[derive(Clone)]
pub struct SharedText(Arc<TextPieces>);

struct TextPieces {
    all: Vec<TextPiece>,
    len: usize,
    whole: OnceLock<Arc<str>>,
}

/// A part of a text that is kept elsewhere.
#[derive(Clone)]
struct TextPiece {
    /// Where it begins in the whole.
    start: usize,
    kept: Arc<str>,
    /// Where it is in what is kept.
    span: Span,
}

impl TextPiece {
    fn as_str(&self) -> &str {
        &self.kept[self.span.start..self.span.end]
    }

    fn as_bytes(&self) -> &[u8] {
        &self.kept.as_bytes()[self.span.start..self.span.end]
    }

    fn end(&self) -> usize {
        self.start + self.span.end - self.span.start
    }

    /// The part of it that lies within a span of the whole.
    fn clip_to(&self, span: Span) -> Option<Self> {
        let (start, end) = (self.start.max(span.start), self.end().min(span.end));
        let moved = |offset: usize| offset - self.start + self.span.start;
        (start < end).then(|| Self {
            start,
            kept: Arc::clone(&self.kept),
            span: Span { start: moved(start), end: moved(end) },
        })
    }
}

impl SharedText {
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text in one piece.
    #[must_use]
    pub fn whole_text(&self) -> &Arc<str> {
        self.0
            .whole
            .get_or_init(|| self.0.all.iter().map(TextPiece::as_str).collect::<String>().into())
    }

    /// A part of the text. Only one that lies in several pieces makes the whole be put together.
    #[must_use]
    pub fn slice(&self, start: usize, end: usize) -> Option<&str> {
        let piece = self
            .0
            .all
            .partition_point(|piece| piece.start <= start)
            .checked_sub(1)
            .map(|row| &self.0.all[row]);
        match piece {
            Some(piece) if end <= piece.end() => {
                piece.as_str().get(start - piece.start..end.checked_sub(piece.start)?)
            }
            _ => self.whole_text().get(start..end),
        }
    }

    /// The text that a part is kept in, and where it is there. Only a part that lies in several
    /// pieces makes the whole be put together.
    pub(super) fn piece_around(&self, span: Span) -> (Arc<str>, Span) {
        let row = self.0.all.partition_point(|piece| piece.start <= span.start).checked_sub(1);
        match row.map(|row| &self.0.all[row]).filter(|piece| span.end <= piece.end()) {
            Some(piece) => {
                let moved = |offset: usize| offset - piece.start + piece.span.start;
                let span = Span { start: moved(span.start), end: moved(span.end) };
                (Arc::clone(&piece.kept), span)
            }
            None => (Arc::clone(self.whole_text()), span),
        }
    }

    /// The spaces that the line of an offset begins with, which is not among them.
    #[must_use]
    pub fn line_indent(&self, offset: usize) -> &str {
        let start = self.line_start(Span { start: 0, end: offset }).unwrap_or(0);
        let line = self.slice(start, offset).unwrap_or_default();
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Whether both are the same revision of a text.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether it reads as a text that it may share pieces with; those are not compared.
    #[must_use]
    pub fn equals_text(&self, other: &Arc<str>) -> bool {
        let is_there = |piece: &TextPiece| {
            let is_shared = Arc::ptr_eq(&piece.kept, other) && piece.span.start == piece.start;
            is_shared || other.get(piece.start..piece.end()) == Some(piece.as_str())
        };
        self.len() == other.len() && self.0.all.iter().all(is_there)
    }

    /// The text after a patch within a span, which reads as one piece from then on, with the lines
    /// that it begins and ends in. `None` where the text at the patch's place is not the one that
    /// it replaces.
    #[must_use]
    pub fn with_patch(&self, patch: &Patch, span: Span) -> Option<Self> {
        let end = patch.at.checked_add(patch.old.len())?;
        if span.start > patch.at
            || end > span.end
            || self.slice_to_string(Span { start: patch.at, end })? != patch.old
        {
            return None;
        }
        let lines = self.lines_around(span);
        let old = self.slice_to_string(lines)?;
        let (head, tail) = (old.get(..patch.at - lines.start)?, old.get(end - lines.start..)?);
        let new: Arc<str> = [head, &patch.new, tail].concat().into();
        let after = lines.start + new.len();
        let moved =
            |piece: TextPiece| TextPiece { start: after + piece.start - lines.end, ..piece };
        let before =
            self.0.all.iter().map_while(|piece| piece.clip_to(Span { start: 0, end: lines.start }));
        let behind = self
            .0
            .all
            .iter()
            .filter_map(|piece| piece.clip_to(Span { start: lines.end, end: self.len() }));
        let piece =
            TextPiece { start: lines.start, span: Span { start: 0, end: new.len() }, kept: new };
        let new = [piece].into_iter().filter(|piece| piece.end() > piece.start);
        let all: Vec<_> = before.chain(new).chain(behind.map(moved)).collect();
        let len = all.last().map_or(0, TextPiece::end);
        let parted = Self(Arc::new(TextPieces { all, len, whole: OnceLock::new() }));
        Some(if parted.0.all.len() > MOST_PIECES {
            parted.whole_text().clone().into()
        } else {
            parted
        })
    }

    /// A span and the rest of the lines that it begins and ends in.
    fn lines_around(&self, Span { start, end }: Span) -> Span {
        let (from, to) = (start.saturating_sub(LONGEST_LINE), self.len().min(end + LONGEST_LINE));
        let begun = self.line_start(Span { start: from, end: start });
        // The line ends where the span does, or in what follows.
        let last = end.saturating_sub(1).max(start);
        let tail =
            self.0.all.iter().filter_map(|piece| piece.clip_to(Span { start: last, end: to }));
        let ended = tail
            .into_iter()
            .find_map(|piece| Some(piece.start + piece.as_bytes().iter().position(is_break)? + 1));
        Span {
            start: begun.unwrap_or(if from == 0 { 0 } else { start }),
            end: ended.unwrap_or(if to == self.len() { to } else { end }),
        }
    }

    /// Where the last line of a span begins, if it begins there.
    fn line_start(&self, span: Span) -> Option<usize> {
        let pieces = self.0.all.iter().rev().filter_map(|piece| piece.clip_to(span));
        pieces
            .into_iter()
            .find_map(|piece| Some(piece.start + piece.as_bytes().iter().rposition(is_break)? + 1))
    }

    /// A part of the text, put together from its pieces.
    fn slice_to_string(&self, span: Span) -> Option<String> {
        self.0
            .all
            .iter()
            .filter_map(|piece| piece.clip_to(span))
            .map(|piece| piece.kept.get(piece.span.start..piece.span.end).map(str::to_owned))
            .collect()
    }
}

fn is_break(byte: &u8) -> bool {
    *byte == b'\n'
}

impl From<Arc<str>> for SharedText {
    fn from(text: Arc<str>) -> Self {
        let len = text.len();
        let all = vec![TextPiece {
            start: 0,
            kept: Arc::clone(&text),
            span: Span { start: 0, end: len },
        }];
        Self(Arc::new(TextPieces { all, len, whole: text.into() }))
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        Arc::<str>::from(text).into()
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        Arc::<str>::from(text).into()
    }
}

impl Default for SharedText {
    fn default() -> Self {
        "".into()
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
            || (self.len() == other.len() && self.whole_text() == other.whole_text())
    }
}

impl Eq for SharedText {}

impl PartialEq<Arc<str>> for SharedText {
    fn eq(&self, other: &Arc<str>) -> bool {
        self.equals_text(other)
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.whole_text(), f)
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.all.iter().try_for_each(|piece| f.write_str(piece.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_after_patches_is_what_they_make_of_it(
            text in "[aé\n]{0,40}",
            patches in prop::collection::vec((0..40_usize, 0..6_usize, 0..9_usize, "[bö\n]{0,3}"), 1..8),
        ) {
            let read: Arc<str> = text.as_str().into();
            let (mut shared, mut plain) = (SharedText::from(Arc::clone(&read)), text);
            for (at, len, around, new) in patches {
                let near = |offset: usize| (offset.min(plain.len())..=plain.len()).find(|at| plain.is_char_boundary(*at)).unwrap_or(0);
                let (start, end) = (near(at), near(at + len));
                let patch = Patch { at: start, old: plain[start..end].into(), new };
                let span = Span { start: near(start.saturating_sub(around)).min(start), end: near(end + around) };
                plain = patch.apply(&plain).unwrap();
                let after = shared.with_patch(&patch, span).unwrap();
                let other = Patch { old: "x".into(), ..patch };
                prop_assert_eq!(shared.with_patch(&other, span), None);
                shared = after;
                prop_assert_eq!(shared.to_string(), plain.as_str());
                prop_assert_eq!(shared.len(), plain.len());
                prop_assert_eq!(shared.equals_text(&read), *read == *plain);
                for start in 0..=plain.len() {
                    for end in start..=plain.len() {
                        prop_assert_eq!(shared.slice(start, end), plain.get(start..end));
                    }
                }
            }
            prop_assert_eq!(&**shared.whole_text(), plain.as_str());
        }
    }

    #[test]
    fn what_was_edited_is_read_without_putting_the_whole_together() {
        let text: String = (0..1000).map(|row| format!("row {row}\n")).collect();
        let mut shared = SharedText::from(text.as_str());
        for row in [500, 2, 998, 500] {
            let at = text.find(&format!("row {row}\n")).unwrap();
            let patch = Patch { at, old: "r".into(), new: "R".into() };
            let back = Patch { at, old: "R".into(), new: "r".into() };
            shared = shared.with_patch(&patch, Span { start: at, end: at + 3 }).unwrap();
            assert_eq!(shared.slice(at, at + 4), Some("Row "));
            assert_eq!(shared.slice(at - 8, at - 1).map(str::len), Some(7));
            shared = shared.with_patch(&back, Span { start: at, end: at + 3 }).unwrap();
        }
        assert!(shared.0.whole.get().is_none());
    }

    #[test]
    fn many_pieces_are_put_together() {
        let text: Arc<str> = "a\n".repeat(2000).into();
        let mut shared = SharedText::from(Arc::clone(&text));
        for row in 0..1000 {
            let at = row * 4;
            shared = shared
                .with_patch(
                    &Patch { at, old: "a".into(), new: "b".into() },
                    Span { start: at, end: at + 1 },
                )
                .unwrap();
            assert!(shared.0.all.len() <= MOST_PIECES);
        }
        assert_eq!(shared.to_string(), "b\na\n".repeat(1000));
    }
}
