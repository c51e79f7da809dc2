//! Where a key leads from a box: along its arrows first, then to the nearest box in that direction.

use super::layout::LaidGraph;
use crate::engine::layout::picture::BoxArea;

/// A direction on the screen: to the right and down are positive.
pub(crate) type Step = (i32, i32);

/// The box that lies next in a direction.
pub(crate) fn next_box(laid: &LaidGraph, from: usize, step: Step) -> Option<usize> {
    let linked = laid.states.arrows.iter().filter_map(|strand| {
        match (strand.from == from, strand.to == from) {
            (true, false) => Some(strand.to),
            (false, true) => Some(strand.from),
            _ => None,
        }
    });
    let areas = |row: usize| laid.picture.boxes.get(row).map(|placed| placed.area);
    nearest_box(from, linked, areas, step)
        .or_else(|| nearest_box(from, 0..laid.picture.boxes.len(), areas, step))
}

/// The nearest of some boxes that lies in a direction rather than beside it; what lies aside counts
/// as farther.
fn nearest_box(
    from: usize,
    among: impl Iterator<Item = usize>,
    area: impl Fn(usize) -> Option<BoxArea>,
    (right, down): Step,
) -> Option<usize> {
    let here = area(from)?;
    let reach = |row: usize| {
        let there = area(row)?;
        let (ahead, aside) = if right != 0 {
            (
                gap_between((here.x, here.width), (there.x, there.width), right)?,
                sideways_offset((here.y, here.height), (there.y, there.height)) * 2,
            )
        } else {
            (
                gap_between((here.y, here.height), (there.y, there.height), down)? * 2,
                sideways_offset((here.x, here.width), (there.x, there.width)),
            )
        };
        (aside <= 3 * ahead + 12).then_some((ahead + 2 * aside, row))
    };
    among.filter(|row| *row != from).filter_map(reach).min().map(|(_, row)| row)
}

/// How far apart two boxes are in a direction; `None` where the other does not lie there. Each is
/// given by its begin and its size.
fn gap_between(here: (usize, usize), there: (usize, usize), sign: i32) -> Option<usize> {
    let (first, second) = if sign > 0 { (here, there) } else { (there, here) };
    second.0.checked_sub(first.0 + first.1)
}

/// How far the middle of the other lies aside.
fn sideways_offset(here: (usize, usize), there: (usize, usize)) -> usize {
    (2 * here.0 + here.1).abs_diff(2 * there.0 + there.1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lead_to_what_lies_in_their_direction() {
        let area = |x, y| BoxArea { x, y, width: 10, height: 4 };
        let areas = [area(0, 10), area(20, 10), area(20, 0), area(0, 20), area(60, 11)];
        let to = |from: usize, step: Step| {
            nearest_box(from, 0..areas.len(), |row| areas.get(row).copied(), step)
        };
        assert_eq!(to(0, (1, 0)), Some(1));
        assert_eq!(to(1, (1, 0)), Some(4));
        assert_eq!(to(1, (0, -1)), Some(2));
        assert_eq!(to(0, (0, 1)), Some(3));
        assert_eq!(to(0, (-1, 0)), None);
        assert_eq!(
            nearest_box(0, [4].into_iter(), |row| areas.get(row).copied(), (1, 0)),
            Some(4),
            "among the linked ones"
        );
    }
}
