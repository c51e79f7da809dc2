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
pub struct Line {
    pub kind: LineKind,
    pub old_row: Option<usize>,
    pub new_row: Option<usize>,
    pub text: String,
}

/// All lines of both texts, in order.
#[must_use]
pub fn lines(old: &str, new: &str) -> Vec<Line> {
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
pub fn changed_rows(old: &str, new: &str) -> Vec<usize> {
    lines(old, new).into_iter().filter(|line| line.kind == LineKind::Added).filter_map(|line| line.new_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_rows_are_those_of_the_new_text() {
        assert_eq!(changed_rows("a\nb\nc\n", "a\nB\nc\nd\n"), [1, 3]);
        assert_eq!(changed_rows("a\r\nb", "a\nb"), [0]);
        assert_eq!(changed_rows("a\nb\n", "a\n"), Vec::<usize>::new());
    }
}
