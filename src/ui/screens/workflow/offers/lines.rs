//! The lines of the pane of tools: what they are of, and how those that are too long are wrapped.

use crate::ui::canvas::wrap;

/// One line of the pane.
#[derive(Clone)]
pub(super) enum Line {
    /// The heading of the hidden tools.
    Heading,
    /// The name of a tool.
    Name(usize),
    /// Beneath a hidden tool that is not chosen: its reasons, as far as they fit, and what would
    /// show it.
    Why(usize),
    /// The same in several lines, where there is room: one of them.
    WhyPart(usize, String),
    Change(usize),
    ChangePart(usize, ChoicePart, String),
    /// Beneath the chosen hidden tool: its reasons in full, and each change.
    Reason(String),
    Choice(usize, ChoicePart, String),
}

/// A change may take several lines.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ChoicePart {
    First,
    Further,
}

impl ChoicePart {
    /// Of the lines of a change, by their number.
    pub(super) fn of(line: usize) -> Self {
        if line == 0 { Self::First } else { Self::Further }
    }
}

/// Wraps the lines that are too long, as far as there is room for more: what a line says, and how
/// far it is indented.
pub(super) fn wrap_lines(
    lines: Vec<Line>,
    (cells, height): (usize, usize),
    mut words: impl FnMut(&Line) -> Option<(String, usize)>,
) -> Vec<Line> {
    let mut spare = height.saturating_sub(lines.len());
    let wrapped = |line: Line| {
        let Some((text, indent)) = words(&line) else { return vec![line] };
        let parts = wrap(&text, cells.saturating_sub(indent));
        let more = parts.len().saturating_sub(1);
        if more == 0 || more > spare {
            return vec![line];
        }
        spare -= more;
        let part = |(row, words)| match line {
            Line::Change(at) => Line::ChangePart(at, ChoicePart::of(row), words),
            Line::Why(at) => Line::WhyPart(at, words),
            _ => Line::Reason(words),
        };
        parts.into_iter().enumerate().map(part).collect()
    };
    lines.into_iter().flat_map(wrapped).collect()
}
