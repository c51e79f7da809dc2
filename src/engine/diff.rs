//! Two texts compared line by line.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, sources};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Same,
    Added,
    Removed,
}

/// A line of a comparison, without its line end; rows count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub kind: LineKind,
    pub old_row: Option<usize>,
    pub new_row: Option<usize>,
    pub text: String,
}

/// All lines of both texts, in order.
#[must_use]
pub(crate) fn diff_lines(old: &str, new: &str) -> Vec<Line> {
    let input = InternedInput::new(sources::lines(old), sources::lines(new));
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    let mut lines = Lines { input: &input, done: Vec::new(), old: 0, new: 0 };
    for hunk in diff.hunks() {
        lines.keep_until(hunk.before.start);
        lines.change(hunk.before, hunk.after);
    }
    lines.keep_until(u32::try_from(input.before.len()).unwrap_or(u32::MAX));
    lines.done
}

/// The lines of a comparison as they come, with how many of both texts are done.
struct Lines<'a> {
    input: &'a InternedInput<&'a str>,
    done: Vec<Line>,
    old: u32,
    new: u32,
}

impl Lines<'_> {
    fn push(&mut self, kind: LineKind, old: Option<u32>, new: Option<u32>) {
        let row = |row: u32| usize::try_from(row).unwrap_or(usize::MAX);
        let (old, new) = (old.map(row), new.map(row));
        let before = old.and_then(|row| self.input.before.get(row));
        let Some(token) = before.or_else(|| self.input.after.get(new?)) else { return };
        let text = self.input.interner[*token].trim_end_matches(['\n', '\r']).to_owned();
        self.done.push(Line { kind, old_row: old, new_row: new, text });
    }

    /// The same lines of both texts, up to a line of the old one.
    fn keep_until(&mut self, end: u32) {
        while self.old < end {
            self.push(LineKind::Same, Some(self.old), Some(self.new));
            (self.old, self.new) = (self.old + 1, self.new + 1);
        }
    }

    fn change(&mut self, old: Range<u32>, new: Range<u32>) {
        (self.old, self.new) = (old.end, new.end);
        old.for_each(|row| self.push(LineKind::Removed, Some(row), None));
        new.for_each(|row| self.push(LineKind::Added, None, Some(row)));
    }
}

/// The rows of `new` that are not in `old`, counted from 0.
#[must_use]
pub(crate) fn changed_rows(old: &str, new: &str) -> Vec<usize> {
    let head =
        common_prefix_len(old.as_bytes().chunks(STEP), new.as_bytes().chunks(STEP), |bytes| {
            Box::new(bytes.iter())
        });
    let head =
        old.as_bytes()[..head].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let first = new.as_bytes()[..head].iter().filter(|byte| **byte == b'\n').count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail =
        common_prefix_len(old.as_bytes().rchunks(STEP), new.as_bytes().rchunks(STEP), |bytes| {
            Box::new(bytes.iter().rev())
        });
    let same = &old.as_bytes()[old.len() - tail..];
    let tail = same.iter().position(|byte| *byte == b'\n').map_or(0, |at| tail - at - 1);
    let added = diff_lines(&old[..old.len() - tail], &new[..new.len() - tail]).into_iter();
    added
        .filter(|line| line.kind == LineKind::Added)
        .filter_map(|line| Some(first + line.new_row?))
        .collect()
}

/// How many bytes are compared at once.
const STEP: usize = 4096;

type Bytes<'t> = Box<dyn Iterator<Item = &'t u8> + 't>;

/// How many bytes two texts begin with in common, each in pieces of [`STEP`].
fn common_prefix_len<'t>(
    one: impl Iterator<Item = &'t [u8]>,
    other: impl Iterator<Item = &'t [u8]>,
    bytes: impl Fn(&'t [u8]) -> Bytes<'t>,
) -> usize {
    let mut same = 0;
    for (one, other) in one.zip(other) {
        if one != other {
            return same
                + bytes(one).zip(bytes(other)).take_while(|(one, other)| one == other).count();
        }
        same += one.len();
    }
    same
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn changed_rows_are_the_added_lines(old in "[ab\n]{0,12}", new in "[ab\n]{0,12}", around in 0_usize..3) {
            let around = "same\n".repeat(around * STEP / 4);
            let (old, new) = (format!("{around}{old}{around}"), format!("{around}{new}{around}"));
            let added = diff_lines(&old, &new).into_iter().filter(|line| line.kind == LineKind::Added);
            let added: Vec<_> = added.filter_map(|line| line.new_row).collect();
            proptest::prop_assert_eq!(changed_rows(&old, &new).len(), added.len());
        }
    }

    proptest::proptest! {
        #[test]
        fn both_texts_are_read_off_a_comparison(old in "[ab\r\n]{0,12}", new in "[ab\r\n]{0,12}") {
            let lines = diff_lines(&old, &new);
            let rows = |text: &str| -> Vec<String> {
                text.split_inclusive('\n').map(|line| line.trim_end_matches(['\n', '\r']).to_owned()).collect()
            };
            let read = |row: fn(&Line) -> Option<usize>| -> Vec<String> {
                let of: Vec<_> = lines.iter().filter(|line| row(line).is_some()).collect();
                assert!(of.iter().enumerate().all(|(at, line)| row(line) == Some(at)));
                of.into_iter().map(|line| line.text.clone()).collect()
            };
            proptest::prop_assert_eq!(read(|line| line.old_row), rows(&old));
            proptest::prop_assert_eq!(read(|line| line.new_row), rows(&new));
            let same = lines.iter().filter(|line| line.old_row.is_some() && line.new_row.is_some());
            proptest::prop_assert!(same.clone().all(|line| line.kind == LineKind::Same));
            proptest::prop_assert!(old != new || same.count() == lines.len());
        }
    }

    #[test]
    fn changed_rows_are_those_of_the_new_text() {
        assert_eq!(changed_rows("a\nb\nc\n", "a\nB\nc\nd\n"), [1, 3]);
        assert_eq!(changed_rows("a\r\nb", "a\nb"), [0]);
        assert_eq!(changed_rows("a\nb\n", "a\n"), Vec::<usize>::new());
    }
}
