//! Two changes of one text put together, line by line.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, sources};

/// Lines of the old text that became others.
#[derive(PartialEq, Eq)]
struct Replaced<'t> {
    rows: Range<u32>,
    with: Vec<&'t str>,
}

/// The text with what both made of `base`; `None` where they changed the same lines in two ways, or
/// one added or removed lines right beside those that the other changed.
#[must_use]
pub(crate) fn merge_lines(base: &str, mine: &str, theirs: &str) -> Option<String> {
    let lines: Vec<&str> = base.split_inclusive('\n').collect();
    let (mine, theirs) = (changes(base, mine), changes(base, theirs));
    let (mut mine, mut theirs) = (mine.into_iter().peekable(), theirs.into_iter().peekable());
    let (mut out, mut done) = (String::with_capacity(base.len()), 0);
    loop {
        let next = match (mine.peek(), theirs.peek()) {
            (Some(one), Some(other)) if one == other => {
                theirs.next();
                mine.next()
            }
            (Some(one), Some(other)) if one.collides_with(other) => return None,
            (Some(one), Some(other)) if other.rows.start < one.rows.start => theirs.next(),
            (Some(_), _) => mine.next(),
            (None, _) => theirs.next(),
        };
        let Some(Replaced { rows, with }) = next else { break };
        let (start, end) = (rows.start as usize, rows.end as usize);
        // What was made of the lines before may end beside these.
        out.extend(lines.get(done..start)?.iter().copied());
        out.extend(with);
        done = end;
    }
    out.extend(lines.get(done..)?.iter().copied());
    Some(out)
}

/// The new text with lines of `base` back where changes touch these rows of it, or those of `new`.
#[must_use]
pub(crate) fn restore_lines(
    base: &str,
    new: &str,
    of_base: &Range<usize>,
    of_new: &Range<usize>,
) -> String {
    let lines: Vec<&str> = base.split_inclusive('\n').collect();
    let touch = |one: &Range<usize>, rows: &Range<usize>| {
        one.start <= rows.end && rows.start <= one.end && !(one.is_empty() && rows.is_empty())
    };
    let share = |one: &Range<usize>, rows: &Range<usize>| match one.is_empty() || rows.is_empty() {
        true => touch(one, rows),
        false => one.start < rows.end && rows.start < one.end,
    };
    let (mut out, mut done, mut row_of_new) = (String::with_capacity(new.len()), 0, 0);
    for Replaced { rows, with } in changes(base, new).into_iter().flat_map(Replaced::by_lines) {
        let rows = rows.start as usize..rows.end as usize;
        let kept = lines.get(done..rows.start).unwrap_or_default();
        row_of_new += kept.len();
        out.extend(kept.iter().copied());
        let now = row_of_new..row_of_new + with.len();
        row_of_new = now.end;
        match share(&rows, of_base) || share(&now, of_new) {
            true => out.extend(lines.get(rows.clone()).unwrap_or_default().iter().copied()),
            false => out.extend(with),
        }
        done = rows.end;
    }
    out.extend(lines.get(done..).unwrap_or_default().iter().copied());
    out
}

impl<'t> Replaced<'t> {
    /// The same line by line, where as many lines took the place of these.
    fn by_lines(self) -> Vec<Self> {
        if !self.is_in_place() {
            return vec![self];
        }
        let each = self.rows.zip(self.with);
        each.map(|(row, line)| Replaced { rows: row..row + 1, with: vec![line] }).collect()
    }
}

impl Replaced<'_> {
    /// Whether it isn't known which is whose: they are of the same lines, or beside each other, where
    /// only lines that became as many others are sure to be different ones.
    fn collides_with(&self, other: &Self) -> bool {
        let (one, two) = (&self.rows, &other.rows);
        let touch = one.start <= two.end && two.start <= one.end;
        let share = one.start < two.end && two.start < one.end;
        touch && (share || !self.is_in_place() || !other.is_in_place())
    }

    fn is_in_place(&self) -> bool {
        self.rows.len() == self.with.len()
    }
}

fn changes<'t>(base: &'t str, new: &'t str) -> Vec<Replaced<'t>> {
    let input = InternedInput::new(sources::lines(base), sources::lines(new));
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    let text = |row: u32| input.after.get(row as usize).map(|token| input.interner[*token]);
    let replaced = |hunk: imara_diff::Hunk| Replaced {
        rows: hunk.before,
        with: hunk.after.filter_map(text).collect(),
    };
    diff.hunks().map(replaced).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BASE: &str = "a\nb\nc\nd\ne\n";

    #[test]
    fn changes_of_different_lines_are_put_together() {
        let merged = merge_lines(BASE, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\nf\n");
        assert_eq!(merged.as_deref(), Some("A\nb\nc\nd\nE\nf\n"));
        assert_eq!(
            merge_lines(BASE, "a\nb\nc\nd\n", "x\nb\nc\nd\ne\n").as_deref(),
            Some("x\nb\nc\nd\n")
        );
        assert_eq!(
            merge_lines(BASE, "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne").as_deref(),
            Some("a\nX\nc\nd\ne")
        );
        assert_eq!(
            merge_lines(BASE, "a\nB\nc\nd\ne\n", "a\nb\nC\nD\ne\n").as_deref(),
            Some("a\nB\nC\nD\ne\n"),
            "one beside the other"
        );
    }

    #[test]
    fn changes_of_the_same_lines_are_not() {
        assert_eq!(merge_lines(BASE, "A\nb\nc\nd\ne\n", "B\nb\nc\nd\ne\n"), None);
        assert_eq!(merge_lines(BASE, "a\nb\nx\nc\nd\ne\n", "a\nb\ny\nc\nd\ne\n"), None);
        assert_eq!(
            merge_lines(BASE, "a\nB\nx\nc\nd\ne\n", "a\nb\nC\nd\ne\n"),
            None,
            "one beside the other, with a line more"
        );
        assert_eq!(merge_lines(BASE, "a\nc\nd\ne\n", "a\nb\nC\nd\ne\n"), None, "one is gone");
        assert_eq!(merge_lines("", "a\n", "b\n"), None);
    }

    proptest! {
        #[test]
        fn one_change_alone_is_that_text(base in "[abc\n]{0,24}", new in "[abc\n]{0,24}") {
            prop_assert_eq!(merge_lines(&base, &base, &new), Some(new.clone()));
            prop_assert_eq!(merge_lines(&base, &new, &base), Some(new.clone()));
            prop_assert_eq!(merge_lines(&base, &new, &new), Some(new));
        }

        #[test]
        fn it_is_the_same_for_both(base in "[ab\n]{0,24}", one in "[ab\n]{0,24}", other in "[ab\n]{0,24}") {
            prop_assert_eq!(merge_lines(&base, &one, &other), merge_lines(&base, &other, &one));
        }
    }
}
