//! Where lines begin, so that a byte offset can be told as line and column.

use std::sync::Arc;

use super::edit::Patch;

/// The start offset of every line of one text, cheap to clone. Behind a last line end begins a line too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines(Arc<Vec<usize>>);

impl Lines {
    pub fn of(text: &str) -> Self {
        let begun = text.match_indices('\n').map(|(at, _)| at + 1);
        Self(Arc::new(std::iter::once(0).chain(begun).collect()))
    }

    /// The same after a patch of the text.
    #[must_use]
    pub fn patched(&self, patch: &Patch) -> Self {
        let (end, grown) = (patch.at + patch.old.len(), patch.new.len());
        let (before, rest) = self.0.split_at(self.0.partition_point(|start| *start <= patch.at));
        let behind = &rest[rest.partition_point(|start| *start <= end)..];
        let mut starts = Vec::with_capacity(self.0.len() + 8);
        starts.extend_from_slice(before);
        starts.extend(patch.new.match_indices('\n').map(|(at, _)| patch.at + at + 1));
        starts.extend(behind.iter().map(|start| start - patch.old.len() + grown));
        Self(Arc::new(starts))
    }

    /// How many lines have something on them, or an end.
    #[must_use]
    pub fn count(&self, text: &str) -> usize {
        self.0.len() - usize::from(self.0.last() == Some(&text.len()) && self.0.len() > 1)
    }

    /// The text of a line without its end; rows count from 0.
    #[must_use]
    pub fn line<'t>(&self, text: &'t str, row: usize) -> &'t str {
        let start = self.0.get(row).copied().unwrap_or(text.len());
        let end = self.0.get(row + 1).copied().unwrap_or(text.len());
        text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// Where a line begins; rows count from 0.
    #[must_use]
    pub fn start(&self, row: usize) -> usize {
        self.0.get(row).copied().unwrap_or_default()
    }

    /// The row of the line that an offset is on, from 0.
    #[must_use]
    pub fn row(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// Line and column of an offset, both from 1; columns count characters, a byte order mark is none.
    pub fn position(&self, text: &str, offset: usize) -> (usize, usize) {
        let line = self.0.partition_point(|start| *start <= offset).max(1);
        let before = text.get(self.0[line - 1]..offset).unwrap_or_default();
        (line, before.trim_start_matches('\u{feff}').chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_patch_moves_lines_as_reading_anew_does(head in "[a\n]{0,6}", old in "[a\n]{0,4}", new in "[a\n]{0,4}", tail in "[a\n]{0,6}") {
            let lines = Lines::of(&format!("{head}{old}{tail}"));
            let after = lines.patched(&Patch { at: head.len(), old, new: new.clone() });
            proptest::prop_assert_eq!(after, Lines::of(&format!("{head}{new}{tail}")));
        }
    }

    #[test]
    fn counts_characters_from_one() {
        let text = "\u{feff}ab\r\nä→c\n";
        let lines = Lines::of(text);
        assert_eq!(lines.position(text, 3), (1, 1));
        assert_eq!(lines.position(text, text.find('c').unwrap()), (2, 3));
        assert_eq!(lines.position(text, text.len()), (3, 1));
    }
}
