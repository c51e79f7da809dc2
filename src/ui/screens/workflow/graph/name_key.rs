//! The names of states that the picture shows as numbers, below it.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{super::facts::Facts, layout::LaidGraph};
use crate::{
    engine::layout::{extent::Node, marks::BoxMark},
    ui::{
        canvas::{Pen, text_width, truncate_text, visible_text},
        styles::{Role, Styles},
    },
};

/// The number of a state, its name with its marks, and how it looks.
pub(super) struct NamedNumber {
    number: String,
    name: String,
    role: Role,
}

/// What is between two of them.
const GAP: usize = 2;

/// The names in lines of at most so many cells; none where the picture has them itself.
pub(super) fn lines_of(laid: &LaidGraph, facts: &Facts, width: u16) -> Vec<Vec<NamedNumber>> {
    if !laid.has_numbers() {
        return Vec::new();
    }
    let width = usize::from(width);
    let mut lines: Vec<Vec<NamedNumber>> = Vec::new();
    let mut used = 0;
    for named in laid.extent.nodes.iter().enumerate().map(|(row, node)| name_node(row, node, facts))
    {
        let cells = text_width(&named.number) + 1 + text_width(&named.name);
        match lines.last_mut().filter(|_| used + GAP + cells <= width) {
            Some(line) => {
                line.push(named);
                used += GAP + cells;
            }
            None => {
                lines.push(vec![named]);
                used = cells;
            }
        }
    }
    lines
}

fn name_node(row: usize, node: &Node, facts: &Facts) -> NamedNumber {
    let first = node.states()[0];
    let name = visible_text(&facts.workflow.states()[first]).into_owned();
    let is_current = node.states().iter().any(|state| Some(*state) == facts.current);
    let is_far = !node.states().iter().any(|state| facts.is_reachable(*state));
    let sign = match node.single_state() {
        None => Some(BoxMark::Folded),
        Some(state) if facts.analysis.dead_ends.contains(&state) => Some(BoxMark::DeadEnd),
        Some(_) if is_current => Some(BoxMark::Current),
        Some(_) => None,
    };
    let name = truncate_text(&name, 24).into_owned();
    NamedNumber {
        number: (row + 1).to_string(),
        name: sign.map_or_else(|| name.clone(), |mark| format!("{} {name}", mark.sign())),
        role: match (is_current, is_far) {
            (true, _) => Role::Accent,
            (false, true) => Role::Dim,
            (false, false) => Role::Text,
        },
    }
}

/// Writes them into their lines.
pub(super) fn draw(
    buffer: &mut Buffer,
    area: Rect,
    (laid, facts): (&LaidGraph, &Facts),
    styles: &Styles,
) {
    for (row, line) in (0..area.height).zip(lines_of(laid, facts, area.width)) {
        let mut pen = Pen::new(buffer, area, row);
        for (place, named) in line.iter().enumerate() {
            if place > 0 {
                pen.put_text(&" ".repeat(GAP), styles[Role::Text]);
            }
            pen.put_text(&format!("{} ", named.number), styles[Role::Dim])
                .put_text(&named.name, styles[named.role]);
        }
    }
}
