//! Two texts compared line by line.

use similar::{ChangeTag, TextDiff};

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
    let diff = TextDiff::from_lines(old, new);
    let line = |change: similar::Change<&str>| Line {
        kind: match change.tag() {
            ChangeTag::Equal => LineKind::Same,
            ChangeTag::Insert => LineKind::Added,
            ChangeTag::Delete => LineKind::Removed,
        },
        old_row: change.old_index(),
        new_row: change.new_index(),
        text: change.value().trim_end_matches(['\n', '\r']).to_owned(),
    };
    diff.iter_all_changes().map(line).collect()
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

    #[test]
    fn changed_rows_are_those_of_the_new_text() {
        assert_eq!(changed_rows("a\nb\nc\n", "a\nB\nc\nd\n"), [1, 3]);
        assert_eq!(changed_rows("a\r\nb", "a\nb"), [0]);
        assert_eq!(changed_rows("a\nb\n", "a\n"), Vec::<usize>::new());
    }
}
