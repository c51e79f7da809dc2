//! Where lines begin, so that a byte offset can be known as line and column.

use std::sync::Arc;

use super::{edit::Patch, shared_text::SharedText};

/// So many lines are shared by two revisions of a text, or are not.
const BLOCK: usize = 512;

/// The start offset of every line of one text, cheap to clone. Behind a last line end begins a line
/// too.
#[derive(Clone, Debug)]
pub struct Lines {
    blocks: Vec<Block>,
    /// Columns within long lines, in their order; none after a patch.
    columns: Arc<[ColumnMark]>,
}

/// A long line has a mark each so many bytes.
const MARKED: usize = 8 * 1024;

/// How many characters of its line are before an offset.
#[derive(Clone, Copy, Debug)]
struct ColumnMark {
    offset: usize,
    characters: usize,
}

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
        let columns = mark_columns(text, &starts).into();
        Self { blocks: split_blocks(&starts, 0).collect(), columns }
    }

    /// The same after a patch of the text.
    #[must_use]
    pub fn with_patch(&self, patch: &Patch) -> Self {
        let end = patch.at + patch.old.len();
        let moved = |offset: usize| offset - patch.old.len() + patch.new.len();
        let (first, last) = (self.block_at(patch.at), self.block_at(end));
        let touched = &self.blocks[first..=last];
        let before =
            touched.iter().flat_map(Block::line_starts).take_while(|start| *start <= patch.at);
        let new = patch.new.match_indices('\n').map(|(at, _)| patch.at + at + 1);
        let behind =
            touched.iter().flat_map(Block::line_starts).filter(|start| *start > end).map(moved);
        let starts: Vec<usize> = before.chain(new).chain(behind).collect();
        let row = touched.first().map_or(0, |block| block.row);
        let old: usize = touched.iter().map(|block| block.starts.len()).sum();
        let mut all = Vec::with_capacity(self.blocks.len() + 1);
        all.extend_from_slice(&self.blocks[..first]);
        all.extend(split_blocks(&starts, row));
        let later = self.blocks[last + 1..].iter();
        all.extend(later.map(|block| Block {
            start: moved(block.start),
            row: block.row - old + starts.len(),
            starts: Arc::clone(&block.starts),
        }));
        Self { blocks: all, columns: Arc::default() }
    }

    /// How many lines of a text so long have something on them, or an end.
    #[must_use]
    pub fn line_count(&self, len: usize) -> usize {
        let Some(last) = self.blocks.last() else { return 0 };
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
        let Block { start, row, starts } = &self.blocks[self.block_at(offset)];
        row + starts.partition_point(|line| start + line <= offset).saturating_sub(1)
    }

    /// Line and column of an offset, both from 1; columns count characters, a byte order mark is
    /// none.
    pub fn position(&self, text: &str, offset: usize) -> (usize, usize) {
        let (row, mark) = self.mark_before(offset);
        (row + 1, mark.characters + column_after(text.get(mark.offset..offset)))
    }

    /// The same in a text that may be in pieces.
    pub fn position_in(&self, text: &SharedText, offset: usize) -> (usize, usize) {
        let (row, mark) = self.mark_before(offset);
        (row + 1, mark.characters + column_after(text.slice(mark.offset, offset)))
    }

    /// The row of an offset, and the nearest place before it on its line whose column is known.
    fn mark_before(&self, offset: usize) -> (usize, ColumnMark) {
        let row = self.row_of_offset(offset);
        let start = self.line_start(row);
        let behind = self.columns.partition_point(|mark| mark.offset <= offset);
        let mark = behind.checked_sub(1).map(|last| self.columns[last]);
        let known = mark.filter(|mark| mark.offset >= start);
        (row, known.unwrap_or(ColumnMark { offset: start, characters: 0 }))
    }

    fn find_line_start(&self, row: usize) -> Option<usize> {
        let block =
            &self.blocks[self.blocks.partition_point(|block| block.row <= row).checked_sub(1)?];
        block.starts.get(row - block.row).map(|start| block.start + start)
    }

    /// The block of the line that an offset is on.
    fn block_at(&self, offset: usize) -> usize {
        self.blocks.partition_point(|block| block.start <= offset).saturating_sub(1)
    }
}

fn split_blocks(starts: &[usize], row: usize) -> impl Iterator<Item = Block> {
    starts.chunks(BLOCK).enumerate().map(move |(at, starts)| Block {
        start: starts[0],
        row: row + at * BLOCK,
        starts: starts.iter().map(|start| start - starts[0]).collect(),
    })
}

/// Columns within the lines that are long.
fn mark_columns(text: &str, starts: &[usize]) -> Vec<ColumnMark> {
    let mut marks = Vec::new();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    for (start, end) in starts.iter().copied().zip(ends) {
        let mut mark = ColumnMark { offset: start, characters: 0 };
        while end - mark.offset > MARKED {
            let next = text.floor_char_boundary(mark.offset + MARKED);
            mark.characters += column_after(text.get(mark.offset..next)) - 1;
            mark.offset = next;
            marks.push(mark);
        }
    }
    marks
}

/// The column behind what is before an offset on its line.
fn column_after(before: Option<&str>) -> usize {
    before.unwrap_or_default().trim_start_matches('\u{feff}').chars().count() + 1
}

impl PartialEq for Lines {
    fn eq(&self, other: &Self) -> bool {
        self.blocks
            .iter()
            .flat_map(Block::line_starts)
            .eq(other.blocks.iter().flat_map(Block::line_starts))
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
                let starts: Vec<usize> = Lines::new(&text).blocks.iter().flat_map(Block::line_starts).collect();
                for (row, start) in starts.iter().enumerate() {
                    proptest::prop_assert_eq!((lines.line_start(row), lines.row_of_offset(*start)), (*start, row));
                }
                proptest::prop_assert_eq!(lines.line_count(text.len()), text.lines().count().max(1));
            }
        }
    }

    #[test]
    fn columns_of_long_lines_count_characters_too() {
        let text = format!("\u{feff}{}x\n{}y", "ä→".repeat(20_000), "b🙂".repeat(9_000));
        let lines = Lines::new(&text);
        assert!(lines.columns.len() > 10);
        for (at, _) in text.char_indices().step_by(997) {
            let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let before = text[start..at].trim_start_matches('\u{feff}').chars().count();
            assert_eq!(lines.position(&text, at).1, before + 1, "{at}");
        }
        assert_eq!(lines.position(&text, text.len()), (2, 18_002));
        let patch = Patch { at: 3, old: String::new(), new: "z".into() };
        let after = lines.with_patch(&patch);
        assert_eq!(after.position(&patch.apply(&text).unwrap(), text.len() + 1), (2, 18_002));
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
