//! Where lines begin, so that a byte offset can be known as line and column.

use std::sync::Arc;

use super::{edit::Patch, shared_text::SharedText};

/// So many lines are shared by two revisions of a text, or are not.
const BLOCK: usize = 512;

/// The start offset of every line of one text, cheap to clone. Behind a last line end begins a line
/// too.
#[derive(Clone, Debug)]
pub struct Lines(Vec<Block>);

/// Lines that follow each other.
#[derive(Clone, Debug)]
struct Block {
    /// Where the first of them begins; the others count from here.
    start: usize,
    /// The row of the first.
    row: usize,
    starts: Arc<[usize]>,
}

impl Block {
    fn line_starts(&self) -> impl Iterator<Item = usize> {
        self.starts.iter().map(|start| self.start + start)
    }
}

impl Lines {
    pub fn new(text: &str) -> Self {
        let mut starts = Vec::with_capacity(text.bytes().filter(|byte| *byte == b'\n').count() + 1);
        starts.push(0);
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        Self(split_blocks(&starts, 0).collect())
    }

    /// The same after a patch of the text.
    #[must_use]
    pub fn with_patch(&self, patch: &Patch) -> Self {
        let end = patch.at + patch.old.len();
        let moved = |offset: usize| offset - patch.old.len() + patch.new.len();
        let (first, last) = (self.block_at(patch.at), self.block_at(end));
        let touched = &self.0[first..=last];
        let before =
            touched.iter().flat_map(Block::line_starts).take_while(|start| *start <= patch.at);
        let new = patch.new.match_indices('\n').map(|(at, _)| patch.at + at + 1);
        let behind =
            touched.iter().flat_map(Block::line_starts).filter(|start| *start > end).map(moved);
        let starts: Vec<usize> = before.chain(new).chain(behind).collect();
        let row = touched.first().map_or(0, |block| block.row);
        let old: usize = touched.iter().map(|block| block.starts.len()).sum();
        let mut all = Vec::with_capacity(self.0.len() + 1);
        all.extend_from_slice(&self.0[..first]);
        all.extend(split_blocks(&starts, row));
        let later = self.0[last + 1..].iter();
        all.extend(later.map(|block| Block {
            start: moved(block.start),
            row: block.row - old + starts.len(),
            starts: Arc::clone(&block.starts),
        }));
        Self(all)
    }

    /// How many lines of a text so long have something on them, or an end.
    #[must_use]
    pub fn line_count(&self, len: usize) -> usize {
        let Some(last) = self.0.last() else { return 0 };
        let rows = last.row + last.starts.len();
        rows - usize::from(rows > 1 && last.line_starts().last() == Some(len))
    }

    /// The text of a line without its end; rows count from 0.
    #[must_use]
    pub fn line_text<'t>(&self, text: &'t SharedText, row: usize) -> &'t str {
        let start = self.find_line_start(row).unwrap_or(text.len());
        let end = self.find_line_start(row + 1).unwrap_or(text.len());
        text.slice(start, end).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// Where a line begins; rows count from 0.
    #[must_use]
    pub fn line_start(&self, row: usize) -> usize {
        self.find_line_start(row).unwrap_or_default()
    }

    /// The row of the line that an offset is on, from 0.
    #[must_use]
    pub fn row_of_offset(&self, offset: usize) -> usize {
        let Block { start, row, starts } = &self.0[self.block_at(offset)];
        row + starts.partition_point(|line| start + line <= offset).saturating_sub(1)
    }

    /// Line and column of an offset, both from 1; columns count characters, a byte order mark is
    /// none.
    pub fn position(&self, text: &str, offset: usize) -> (usize, usize) {
        let row = self.row_of_offset(offset);
        (row + 1, column_after(text.get(self.line_start(row)..offset)))
    }

    /// The same in a text that may be in pieces.
    pub fn position_in(&self, text: &SharedText, offset: usize) -> (usize, usize) {
        let row = self.row_of_offset(offset);
        (row + 1, column_after(text.slice(self.line_start(row), offset)))
    }

    fn find_line_start(&self, row: usize) -> Option<usize> {
        let block = &self.0[self.0.partition_point(|block| block.row <= row).checked_sub(1)?];
        block.starts.get(row - block.row).map(|start| block.start + start)
    }

    /// The block of the line that an offset is on.
    fn block_at(&self, offset: usize) -> usize {
        self.0.partition_point(|block| block.start <= offset).saturating_sub(1)
    }
}

fn split_blocks(starts: &[usize], row: usize) -> impl Iterator<Item = Block> {
    starts.chunks(BLOCK).enumerate().map(move |(at, starts)| Block {
        start: starts[0],
        row: row + at * BLOCK,
        starts: starts.iter().map(|start| start - starts[0]).collect(),
    })
}

/// The column behind what is before an offset on its line.
fn column_after(before: Option<&str>) -> usize {
    before.unwrap_or_default().trim_start_matches('\u{feff}').chars().count() + 1
}

impl PartialEq for Lines {
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().flat_map(Block::line_starts).eq(other.0.iter().flat_map(Block::line_starts))
    }
}

impl Eq for Lines {}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_patch_moves_lines_as_reading_anew_does(head in "[a\n]{0,6}", old in "[a\n]{0,4}", new in "[a\n]{0,4}", tail in "[a\n]{0,6}") {
            let lines = Lines::new(&format!("{head}{old}{tail}"));
            let after = lines.with_patch(&Patch { at: head.len(), old, new: new.clone() });
            proptest::prop_assert_eq!(after, Lines::new(&format!("{head}{new}{tail}")));
        }

        #[test]
        fn many_patches_of_a_long_text_move_lines_as_reading_anew_does(
            patches in proptest::collection::vec((0..4000_usize, 0..900_usize, "[a\n]{0,3}", 0..700_usize), 1..5),
        ) {
            let mut text = "ab\n".repeat(1200);
            let mut lines = Lines::new(&text);
            for (at, len, new, times) in patches {
                let start = at.min(text.len());
                let old = text[start..(start + len).min(text.len())].to_owned();
                let patch = Patch { at: start, old, new: new.repeat(times) };
                (text, lines) = (patch.apply(&text).unwrap(), lines.with_patch(&patch));
                proptest::prop_assert_eq!(&lines, &Lines::new(&text));
                let starts: Vec<usize> = Lines::new(&text).0.iter().flat_map(Block::line_starts).collect();
                for (row, start) in starts.iter().enumerate() {
                    proptest::prop_assert_eq!((lines.line_start(row), lines.row_of_offset(*start)), (*start, row));
                }
                proptest::prop_assert_eq!(lines.line_count(text.len()), text.lines().count().max(1));
            }
        }
    }

    #[test]
    fn counts_characters_from_one() {
        let text = "\u{feff}ab\r\nä→c\n";
        let lines = Lines::new(text);
        assert_eq!(lines.position(text, 3), (1, 1));
        assert_eq!(lines.position(text, text.find('c').unwrap()), (2, 3));
        assert_eq!(lines.position(text, text.len()), (3, 1));
    }
}
