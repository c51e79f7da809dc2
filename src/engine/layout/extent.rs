//! Which states a picture shows: all of them, with parts folded into one box each, or those around
//! one state.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::{
    engine::workflow::graph::{Edge, Link, StateRow},
    schema::ordering::PutInOrder,
};

/// What a box represents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    State(StateRow),
    /// States shown as one: those that lead to each other, or a part that nothing connects with the
    /// rest.
    Folded(Vec<StateRow>),
}

impl Node {
    /// The states that it represents; never empty.
    #[must_use]
    pub fn states(&self) -> &[StateRow] {
        match self {
            Self::State(row) => std::slice::from_ref(row),
            Self::Folded(rows) => rows,
        }
    }

    /// The state that it is, unless it is folded.
    #[must_use]
    pub fn single_state(&self) -> Option<StateRow> {
        match self {
            Self::State(row) => Some(*row),
            Self::Folded(_) => None,
        }
    }
}

/// How states were chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scale {
    /// Whichever of the others suits the number of states: all, else folded, else near.
    #[default]
    Fitting,
    All,
    Folded,
    Near,
}

/// What to choose by.
#[derive(Clone, Debug)]
pub struct Choice<'c> {
    pub scale: Scale,
    /// What the picture is about: the current state.
    pub focus: Option<StateRow>,
    /// States whose part is shown open, and whose neighbours are shown.
    pub opened: &'c BTreeSet<StateRow>,
    /// How many boxes are still a picture.
    pub most: usize,
}

/// The boxes of a picture, and what they leave out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureExtent {
    pub scale: Scale,
    pub nodes: Vec<Node>,
    /// The box of each state, `None` for those that are not shown.
    pub node_of: Vec<Option<usize>>,
    /// For each box, how many states that it is linked to are not shown.
    pub beyond: Vec<usize>,
}

impl PictureExtent {
    /// Every state in a box of its own.
    #[must_use]
    pub fn all_states(count: usize) -> Self {
        Self::from_nodes(Scale::All, count, (0..count).map(Node::State).collect())
    }

    /// Chooses states. Only arrows from state to state count, not those that come from any.
    #[must_use]
    pub fn choose_states(count: usize, edges: &[Edge], choice: &Choice<'_>) -> Self {
        let links = || Links::new(count, edges);
        match choice.scale {
            Scale::All => Self::all_states(count),
            Scale::Folded => links().folded_extent(choice),
            Scale::Near => links().near_extent(choice),
            Scale::Fitting if count <= choice.most => Self::all_states(count),
            Scale::Fitting => {
                let links = links();
                let folded = links.folded_extent(choice);
                if folded.nodes.len() <= choice.most { folded } else { links.near_extent(choice) }
            }
        }
    }

    /// How many states are not shown, not even folded.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.node_of.iter().filter(|node| node.is_none()).count()
    }

    fn from_nodes(scale: Scale, count: usize, mut nodes: Vec<Node>) -> Self {
        nodes.order_by_key(|node| node.states().first().copied());
        let mut node_of = vec![None; count];
        for (row, node) in nodes.iter().enumerate() {
            node.states().iter().for_each(|state| node_of[*state] = Some(row));
        }
        Self { scale, beyond: vec![0; nodes.len()], nodes, node_of }
    }
}

/// Which states an arrow joins, seen from each.
struct Links {
    to: Vec<Vec<StateRow>>,
    from: Vec<Vec<StateRow>>,
}

impl Links {
    fn new(count: usize, edges: &[Edge]) -> Self {
        let mut links = Self { to: vec![Vec::new(); count], from: vec![Vec::new(); count] };
        for edge in edges {
            if let Link::Between { from, to } = edge.link
                && from != to
            {
                links.to[from].push(to);
                links.from[to].push(from);
            }
        }
        links
    }

    fn neighbours(&self, state: StateRow) -> impl Iterator<Item = StateRow> + '_ {
        self.to[state].iter().chain(&self.from[state]).copied()
    }

    /// Parts that nothing connects with the rest, and in what remains the circles, one box each;
    /// opened ones and those of the focus stay open.
    fn folded_extent(&self, choice: &Choice<'_>) -> PictureExtent {
        let count = self.to.len();
        let is_open = |states: &[StateRow]| {
            states.iter().any(|state| Some(*state) == choice.focus || choice.opened.contains(state))
        };
        let (parts, circles) = (self.connected_components(), self.strongly_connected_components());
        let mut by_part: BTreeMap<usize, Vec<StateRow>> = BTreeMap::new();
        (0..count).for_each(|state| by_part.entry(parts[state]).or_default().push(state));
        let mut nodes = Vec::new();
        let whole = by_part.len() == 1;
        for part in by_part.into_values() {
            if part.len() > 1 && !whole && !is_open(&part) {
                nodes.push(Node::Folded(part));
                continue;
            }
            let mut by_circle: BTreeMap<usize, Vec<StateRow>> = BTreeMap::new();
            part.iter()
                .for_each(|state| by_circle.entry(circles[*state]).or_default().push(*state));
            for circle in by_circle.into_values() {
                if circle.len() > 1 && !is_open(&circle) {
                    nodes.push(Node::Folded(circle));
                } else {
                    nodes.extend(circle.into_iter().map(Node::State));
                }
            }
        }
        PictureExtent::from_nodes(Scale::Folded, count, nodes)
    }

    /// The states around the focus, ring by ring, as many as are still a picture; then the
    /// neighbours of each that was opened.
    fn near_extent(&self, choice: &Choice<'_>) -> PictureExtent {
        let count = self.to.len();
        let focus = choice.focus.unwrap_or(0);
        let mut shown = BTreeSet::from([focus]);
        let mut ways = VecDeque::from([focus]);
        while let Some(at) = ways.pop_front() {
            for next in self.neighbours(at) {
                if shown.len() < choice.most / 2 && shown.insert(next) {
                    ways.push_back(next);
                }
            }
        }
        for opened in choice.opened {
            shown.insert(*opened);
            shown.extend(self.neighbours(*opened).take(choice.most / 2));
        }
        let mut extent = PictureExtent::from_nodes(
            Scale::Near,
            count,
            shown.into_iter().filter(|row| *row < count).map(Node::State).collect(),
        );
        for row in 0..extent.nodes.len() {
            let beside: BTreeSet<StateRow> = extent.nodes[row]
                .states()
                .iter()
                .flat_map(|state| self.neighbours(*state))
                .collect();
            extent.beyond[row] =
                beside.into_iter().filter(|state| extent.node_of[*state].is_none()).count();
        }
        extent
    }

    /// For each state a number that it shares with all that arrows connect it with, in whatever
    /// direction.
    fn connected_components(&self) -> Vec<usize> {
        let mut part = vec![usize::MAX; self.to.len()];
        for root in 0..part.len() {
            let mut ways = vec![root];
            while let Some(at) = ways.pop() {
                if part[at] == usize::MAX {
                    part[at] = root;
                    ways.extend(self.neighbours(at));
                }
            }
        }
        part
    }

    /// For each state a number that it shares with all that lead to it and that it leads to: walked
    /// forward to find the order in which states are done with, then backward in the reverse of it.
    fn strongly_connected_components(&self) -> Vec<usize> {
        let count = self.to.len();
        let mut seen = vec![false; count];
        let mut done = Vec::with_capacity(count);
        for root in 0..count {
            let mut way = vec![(root, 0)];
            while let Some((at, next)) = way.pop() {
                if next == 0 && std::mem::replace(&mut seen[at], true) {
                    continue;
                }
                match self.to[at].get(next) {
                    Some(to) => way.extend([(at, next + 1), (*to, 0)]),
                    None => done.push(at),
                }
            }
        }
        let mut circle = vec![usize::MAX; count];
        for root in done.into_iter().rev() {
            let mut ways = vec![root];
            while let Some(at) = ways.pop() {
                if circle[at] == usize::MAX {
                    circle[at] = root;
                    ways.extend(&self.from[at]);
                }
            }
        }
        circle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(pairs: &[(usize, usize)]) -> Vec<Edge> {
        pairs
            .iter()
            .map(|(from, to)| Edge { link: Link::Between { from: *from, to: *to }, tools: vec![0] })
            .collect()
    }

    fn chosen(
        count: usize,
        pairs: &[(usize, usize)],
        scale: Scale,
        focus: usize,
        opened: &[usize],
        most: usize,
    ) -> PictureExtent {
        let opened = opened.iter().copied().collect();
        PictureExtent::choose_states(
            count,
            &edges(pairs),
            &Choice { scale, focus: Some(focus), opened: &opened, most },
        )
    }

    #[test]
    fn circles_and_separate_parts_are_folded_but_not_what_is_looked_at() {
        // A way into a circle of three and out again; beside it a part of two.
        let pairs = [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (5, 6)];
        let states = |extent: &PictureExtent| {
            extent.nodes.iter().map(|node| node.states().to_vec()).collect::<Vec<_>>()
        };
        let folded = chosen(7, &pairs, Scale::Folded, 0, &[], 3);
        assert_eq!(states(&folded), [vec![0], vec![1, 2, 3], vec![4], vec![5, 6]]);
        assert_eq!(folded.node_of[2], Some(1));
        let opened = chosen(7, &pairs, Scale::Folded, 2, &[6], 3);
        assert_eq!(opened.nodes.len(), 7);
        assert_eq!(chosen(7, &pairs, Scale::Fitting, 0, &[], 7).scale, Scale::All);
        assert_eq!(chosen(7, &pairs, Scale::Fitting, 0, &[], 4).scale, Scale::Folded);
        assert_eq!(chosen(7, &pairs, Scale::Fitting, 0, &[], 3).scale, Scale::Near);
    }

    #[test]
    fn what_is_near_is_shown_ring_by_ring_and_says_how_much_it_leaves_out() {
        let chain: Vec<(usize, usize)> = (0..99).map(|row| (row, row + 1)).collect();
        let near = chosen(100, &chain, Scale::Near, 50, &[], 10);
        let rows: Vec<usize> = near.nodes.iter().filter_map(Node::single_state).collect();
        assert_eq!(rows, [48, 49, 50, 51, 52]);
        assert_eq!((near.left_out(), near.beyond), (95, vec![1, 0, 0, 0, 1]));
        let opened = chosen(100, &chain, Scale::Near, 50, &[52], 10);
        assert!(opened.node_of[53].is_some() && opened.node_of[54].is_none());
    }
}
