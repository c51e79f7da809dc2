//! What a change does to a text: its lines with their numbers, signs and a little of what is
//! around them.

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

/// The lines that differ between two texts, with those around them.
#[must_use]
pub(crate) fn diff_with_context(before: &str, after: &str) -> Vec<Line> {
    let all = diff::diff_lines(before, after);
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
    let all =
        diff::diff_lines(before, after).into_iter().filter(|line| line.kind != LineKind::Same);
    all.map(|line| render_line(&line)).collect()
}

/// Masks what looks like a secret.
fn render_line(line: &diff::Line) -> Line {
    let number = line.new_row.or(line.old_row).map_or(0, |row| row + 1);
    let (sign, role) = match line.kind {
        LineKind::Same => (' ', Role::Text),
        LineKind::Added => ('+', Role::Added),
        LineKind::Removed => ('-', Role::Removed),
    };
    let text = Mask::default().mask_text(&line.text).into_owned();
    vec![(Role::LineNumber, format!("{number:>5} ")), (role, format!("{sign} {text}"))]
}
