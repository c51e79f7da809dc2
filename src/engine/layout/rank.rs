//! Breaks cycles and puts boxes in layers.

use super::{
    diagram::{Diagram, Direction},
    picture::BoxPosition,
};
use crate::schema::ordering::PutInOrder;

/// Each box's layer, and which arrows run against the layers.
#[derive(Debug)]
pub(crate) struct Ranks {
    pub layer: Vec<usize>,
    pub reversed: Vec<bool>,
}

/// Follows the arrows from the first box, then from the others as they come; an arrow back to a box
/// on the way is reversed, and so is one to the first box, before which there is none. Then every box
/// is one layer behind the last that leads to it, and boxes that nothing leads to are right before
/// those they lead to. Top down, boxes without any arrow are below all others. Where boxes had places
/// `earlier`, arrows keep the direction that they had.
#[must_use]
pub(crate) fn rank_boxes(diagram: &Diagram, earlier: &[Option<BoxPosition>]) -> Ranks {
    let count = diagram.boxes.len();
    let links = find_links(diagram);
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (row, (from, _)) in links.iter().enumerate() {
        leaving[*from].push(row);
    }
    let (mut reversed, finished) = if earlier.iter().any(Option::is_some) {
        keep_directions(diagram.first, &links, &leaving, earlier)
    } else {
        break_cycles(diagram.first, &links, &leaving)
    };
    let ends = |row: usize| {
        let (from, to) = links[row];
        if reversed[row] { (to, from) } else { (from, to) }
    };
    let mut entering: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut following: Vec<Vec<usize>> = vec![Vec::new(); count];
    for row in 0..links.len() {
        let (from, to) = ends(row);
        entering[to].push(from);
        following[from].push(to);
    }
    let mut layer = vec![0; count];
    for at in finished.iter().rev() {
        layer[*at] = entering[*at].iter().map(|from| layer[*from] + 1).max().unwrap_or(0);
    }
    for at in &finished {
        if entering[*at].is_empty() && *at != diagram.first {
            layer[*at] =
                following[*at].iter().map(|to| layer[*to]).min().map_or(0, |nearest| nearest - 1);
        }
    }
    if diagram.direction == Direction::TopDown {
        let below = layer.iter().max().map_or(0, |last| last + 1);
        let is_loose = |at: &usize| {
            entering[*at].is_empty() && following[*at].is_empty() && *at != diagram.first
        };
        (0..count).filter(is_loose).for_each(|at| layer[at] = below);
    }
    reversed.truncate(diagram.arrows.len());
    Ranks { layer, reversed }
}

/// The arrows as the boxes that they join. Where none leaves the first box, those that come from any
/// box follow it.
fn find_links(diagram: &Diagram) -> Vec<(usize, usize)> {
    let mut links: Vec<_> = diagram.arrows.iter().map(|arrow| (arrow.from, arrow.to)).collect();
    if links.iter().all(|(from, _)| *from != diagram.first) {
        let boxes = diagram.boxes.iter().enumerate();
        let from_any = boxes.filter(|(row, it)| it.from_any.is_some() && *row != diagram.first);
        links.extend(from_any.map(|(row, _)| (diagram.first, row)));
    }
    links
}

/// Arrows that ran against the layers still do; a new box is behind the first known one that leads
/// to it, else before the first that it leads to, or behind the first of all. Since all boxes are
/// then in one order and arrows against it are reversed, no cycle is left.
fn keep_directions(
    first: usize,
    links: &[(usize, usize)],
    leaving: &[Vec<usize>],
    earlier: &[Option<BoxPosition>],
) -> (Vec<bool>, Vec<usize>) {
    let count = leaving.len();
    // Layers are taken twice, so that a new box finds room between two.
    let mut level: Vec<Option<usize>> =
        (0..count).map(|row| Some(2 * earlier.get(row).copied()??.layer + 2)).collect();
    let mut waiting: Vec<usize> = (0..count).filter(|row| level[*row].is_some()).collect();
    while let Some(at) = waiting.pop() {
        let Some(here) = level[at] else { continue };
        for arrow in &leaving[at] {
            let (_, to) = links[*arrow];
            if level[to].is_none() {
                level[to] = Some(here + 1);
                waiting.push(to);
            }
        }
    }
    for (from, to) in links.iter().rev() {
        if let (None, Some(there)) = (level[*from], level[*to]) {
            level[*from] = Some(if *to == first { there + 1 } else { there.saturating_sub(1) });
        }
    }
    let order = |row: usize| (level[row].unwrap_or(usize::MAX), row);
    let reversed = links.iter().map(|(from, to)| order(*from) > order(*to)).collect();
    let mut finished: Vec<usize> = (0..count).collect();
    finished.order_by_key(|row| std::cmp::Reverse(order(*row)));
    (reversed, finished)
}

/// Depth first, without recursion. Which arrows to reverse, and the boxes in the order in which
/// they were done with.
fn break_cycles(
    first: usize,
    links: &[(usize, usize)],
    leaving: &[Vec<usize>],
) -> (Vec<bool>, Vec<usize>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnTheWay,
        Done,
    }
    let count = leaving.len();
    let mut reversed = vec![false; links.len()];
    let mut mark = vec![Mark::New; count];
    let mut finished = Vec::with_capacity(count);
    for root in std::iter::once(first).chain(0..count) {
        if mark[root] != Mark::New {
            continue;
        }
        let mut way = vec![(root, 0)];
        mark[root] = Mark::OnTheWay;
        while let Some((at, next)) = way.last_mut() {
            let at = *at;
            match leaving[at].get(*next) {
                Some(row) => {
                    *next += 1;
                    let (_, to) = links[*row];
                    match mark[to] {
                        Mark::New => {
                            mark[to] = Mark::OnTheWay;
                            way.push((to, 0));
                        }
                        Mark::OnTheWay => reversed[*row] = true,
                        Mark::Done => reversed[*row] = to == first,
                    }
                }
                None => {
                    mark[at] = Mark::Done;
                    finished.push(at);
                    way.pop();
                }
            }
        }
    }
    // Every arrow to the first box is reversed now, also one from a box that was found later.
    finished.retain(|row| *row != first);
    finished.push(first);
    (reversed, finished)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::layout::diagram::{ArrowSpec, BoxSpec, char_count};

    #[test]
    fn nothing_is_before_the_first_box() {
        let boxes = ["start", "found", "review"]
            .map(|name| BoxSpec { lines: vec![name.to_owned()], ..BoxSpec::default() });
        let arrow = |from, to| ArrowSpec { from, to, label: String::new() };
        let diagram = Diagram {
            boxes: boxes.into(),
            arrows: vec![arrow(0, 1), arrow(2, 0)],
            first: 0,
            direction: Direction::TopDown,
            measure: char_count,
        };
        let at = |layer| Some(BoxPosition { layer, across: 0 });
        // Without earlier places, and with a box that is new.
        for earlier in [&[][..], &[at(0), at(1), None]] {
            let ranks = rank_boxes(&diagram, earlier);
            assert_eq!((ranks.layer, ranks.reversed), (vec![0, 1, 1], vec![false, true]));
        }
    }

    #[test]
    fn a_box_that_leads_to_the_first_is_before_those_it_leads_to_as_well() {
        let boxes = ["start", "found", "review"]
            .map(|name| BoxSpec { lines: vec![name.to_owned()], ..BoxSpec::default() });
        let arrow = |from, to| ArrowSpec { from, to, label: String::new() };
        let diagram = Diagram {
            boxes: boxes.into(),
            arrows: vec![arrow(0, 1), arrow(2, 0), arrow(2, 1)],
            first: 0,
            direction: Direction::TopDown,
            measure: char_count,
        };
        assert_eq!(rank_boxes(&diagram, &[]).layer, [0, 2, 1]);
    }

    #[test]
    fn a_start_that_only_any_state_is_left_for_comes_first() {
        let boxes = ["start", "found", "closed"].map(|name| BoxSpec {
            lines: vec![name.to_owned()],
            from_any: (name == "found").then(|| "any: find".to_owned()),
            ..BoxSpec::default()
        });
        let arrow = |from, to| ArrowSpec { from, to, label: String::new() };
        let mut diagram = Diagram {
            boxes: boxes.into(),
            arrows: vec![arrow(1, 2), arrow(2, 0)],
            first: 0,
            direction: Direction::TopDown,
            measure: char_count,
        };
        let ranks = rank_boxes(&diagram, &[]);
        assert_eq!((ranks.layer, ranks.reversed), (vec![0, 1, 2], vec![false, true]));
        // One that arrows leave is followed by them alone.
        diagram.arrows.push(arrow(0, 2));
        let ranks = rank_boxes(&diagram, &[]);
        assert_eq!(ranks.layer[0], 0);
        assert_eq!(ranks.reversed.len(), 3);
    }
}
