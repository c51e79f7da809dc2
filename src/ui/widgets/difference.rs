//! What a change does to a text: its lines with their numbers, signs and a little of what is
//! around them.

use std::borrow::Cow;

use crate::{
    engine::{
        diff::{self, LineKind},
        mask::Mask,
    },
    ui::styles::Role,
};

/// A line in pieces, each with its role.
pub(crate) type Line = Vec<(Role, String)>;

/// Lines around a change that are shown with it.
const AROUND: usize = 2;

/// A line of so many letters fits where differences are shown, also at 80 columns.
const FITS: usize = 64;

/// Of what a long line has in common with its other version, so many letters are shown at its
/// beginning, and so many before the difference.
const BEGINNING: usize = 24;
const LEAD: usize = 16;

/// The lines that differ between two texts, with those around them; of long ones what they have in
/// common is cut.
#[must_use]
pub(crate) fn diff_with_context(before: &str, after: &str) -> Vec<Line> {
    let mut all = masked_lines(before, after);
    cut_long_lines(&mut all);
    with_context(&all)
}

/// The same with whole lines, for where they are wrapped.
#[must_use]
pub(crate) fn diff_of_whole_lines(before: &str, after: &str) -> Vec<Line> {
    with_context(&masked_lines(before, after))
}

fn with_context(all: &[diff::Line]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut last = 0;
    for (row, line) in all.iter().enumerate() {
        let near = all[row.saturating_sub(AROUND)..(row + AROUND + 1).min(all.len())].iter();
        if near.clone().all(|line| line.kind == LineKind::Same) {
            continue;
        }
        if row > last {
            lines.push(vec![(Role::Dim, "  ⋯".into())]);
        }
        last = row + 1;
        lines.push(render_line(line));
    }
    lines
}

/// Only the lines that differ.
#[must_use]
pub(crate) fn changed_lines(before: &str, after: &str) -> Vec<Line> {
    let mut all = masked_lines(before, after);
    cut_long_lines(&mut all);
    all.iter().filter(|line| line.kind != LineKind::Same).map(render_line).collect()
}

/// All lines; what looks like a secret is masked in those that differ.
fn masked_lines(before: &str, after: &str) -> Vec<diff::Line> {
    let mut all = diff::diff_lines(before, after);
    let mask = Mask::default();
    for line in all.iter_mut().filter(|line| line.kind != LineKind::Same) {
        line.text = mask.mask_text(&line.text).into_owned();
    }
    all
}

/// Where a long line and the one that takes its place begin alike, both lose the middle of that.
fn cut_long_lines(all: &mut [diff::Line]) {
    let mut at = 0;
    while at < all.len() {
        let removed = count_kind(&all[at..], LineKind::Removed);
        let added = count_kind(&all[at + removed..], LineKind::Added);
        for pair in 0..removed.min(added) {
            let (old, new) = (at + pair, at + removed + pair);
            let is_short = |row: usize| all[row].text.chars().count() <= FITS;
            if is_short(old) && is_short(new) {
                continue;
            }
            let same = common_letters(&all[old].text, &all[new].text);
            for row in [old, new] {
                all[row].text = without_middle(&all[row].text, same);
            }
        }
        at += (removed + added).max(1);
    }
}

fn count_kind(lines: &[diff::Line], kind: LineKind) -> usize {
    lines.iter().take_while(|line| line.kind == kind).count()
}

fn common_letters(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

/// A text without the middle of its first `same` letters, where that leaves something out.
fn without_middle(text: &str, same: usize) -> String {
    if same <= BEGINNING + LEAD + 1 {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(BEGINNING).collect();
    let rest: String = text.chars().skip(same - LEAD).collect();
    format!("{beginning}…{rest}")
}

fn render_line(line: &diff::Line) -> Line {
    let number = line.new_row.or(line.old_row).map_or(0, |row| row + 1);
    let (sign, role) = match line.kind {
        LineKind::Same => (' ', Role::Text),
        LineKind::Added => ('+', Role::Added),
        LineKind::Removed => ('-', Role::Removed),
    };
    let text = match line.kind {
        LineKind::Same => Mask::default().mask_text(&line.text),
        LineKind::Added | LineKind::Removed => Cow::Borrowed(&*line.text),
    };
    vec![(Role::LineNumber, format!("{number:>5} ")), (role, format!("{sign} {text}"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(before: &str, after: &str) -> Vec<String> {
        changed_lines(before, after).into_iter().map(|line| line[1].1.clone()).collect()
    }

    #[test]
    fn long_lines_are_shown_where_they_differ() {
        let line = |end: &str| format!("\"description\": \"{} {end}\"\n", "long ".repeat(30));
        let shown = texts(&line("before"), &line("after"));
        assert_eq!(
            shown,
            [
                "- \"description\": \"long lon…long long long  before\"",
                "+ \"description\": \"long lon…long long long  after\""
            ]
        );
        assert_eq!(texts("short a\n", "short b\n"), ["- short a", "+ short b"]);
        let (before, after) = (
            "    applicable-states: [\"undefined\", \"findings\"]",
            "    applicable-states: [\"undefined\", \"findings\", \"figures\"]",
        );
        assert_eq!(texts(before, after), [format!("- {before}"), format!("+ {after}")]);
        let alone = texts("", &line("added"));
        assert!(alone[0].starts_with("+ \"description\""), "{alone:?}");
    }
}
