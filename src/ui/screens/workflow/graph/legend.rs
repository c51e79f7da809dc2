//! What the signs of the picture mean.

use crate::{
    engine::layout::marks::BoxMark,
    ui::{
        overlays::page::{Line, PageOverlay},
        styles::Role,
    },
};

/// Arrows and what they mean.
const ARROWS: [(&str, &str); 10] = [
    ("─▶", "tools that change the state; green: available now"),
    ("╌▷", "tools whose groups aren't requested"),
    ("━▶", "the selected arrow ([ and ] select)"),
    ("┼", "arrows that cross; none joins another"),
    ("a, 2 more", "a bundle: that many more tools lead the same way (o opens it)"),
    ("a +2", "the same, shorter"),
    ("── 3 ─▶", "a bundle of three tools, whose names have no room"),
    ("any: a", "tools that lead here from every state"),
    ("stays: a", "tools that keep the state, where it has no frame"),
    ("╰──▶  ◀╯", "at the bottom or the side of a state: tools that keep the state"),
];

/// The page of all signs.
pub(crate) fn legend_page() -> PageOverlay {
    let row = |sign: &str, words: &str| -> Line {
        vec![(Role::Accent, format!("{sign:<10}")), (Role::Text, words.to_owned())]
    };
    let mut lines: Vec<Line> =
        BoxMark::ALL.into_iter().map(|mark| row(mark.sign(), mark.description())).collect();
    lines.push(Line::new());
    lines.extend(ARROWS.into_iter().map(|(sign, words)| row(sign, words)));
    PageOverlay::new("Legend", lines)
}
