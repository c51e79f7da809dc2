//! What is at a cell of the picture, in the workflow's own terms: edit mode and mouse go by it.

use super::layout::LaidGraph;
use crate::engine::{
    gated::ToolRow,
    layout::{hit::DiagramHit, picture::Point},
    workflow::graph::{Edge, Link, StateRow},
};

/// What is at a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HitTarget {
    State(StateRow),
    /// A box of several states.
    Folded(Vec<StateRow>),
    /// An arrow's line or head: all tools that it shows.
    Edge(Edge),
    /// An arrow's label, and any part of an arrow at a state's foot.
    Label(Edge),
    /// An arrow to or from a folded box.
    Strand(Vec<Edge>),
    Empty,
}

/// An end of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrowEnd {
    Tail,
    Head,
}

/// The arrow whose line runs through a point, and which of its ends is nearer; only where it is one
/// arrow.
pub(crate) fn arrow_at(laid: &LaidGraph, point: Point) -> Option<(Edge, ArrowEnd)> {
    match (laid.picture.hit_test(point), target_at(laid, point)) {
        (DiagramHit::Arrow(row), HitTarget::Edge(edge)) => {
            let route = &laid.picture.arrows[row];
            let far = |other: Point| point.x.abs_diff(other.x) + 2 * point.y.abs_diff(other.y);
            let nearer = if far(route.head) <= far(route.points[0]) {
                ArrowEnd::Head
            } else {
                ArrowEnd::Tail
            };
            Some((edge, nearer))
        }
        _ => None,
    }
}

/// What is at a point of the picture.
pub(crate) fn target_at(laid: &LaidGraph, point: Point) -> HitTarget {
    let edge = |link: Link, tools: &[ToolRow]| Edge { link, tools: tools.to_vec() };
    let state = |row: usize| laid.extent.nodes[row].single_state();
    let strand =
        |row: usize, spot: fn(Edge) -> HitTarget| match laid.states.arrows[row].edges.as_slice() {
            [only] => spot(only.clone()),
            several => HitTarget::Strand(several.to_vec()),
        };
    let foot = |row: usize, tools: &[ToolRow], link: fn(StateRow) -> Link| match state(row) {
        Some(state) => HitTarget::Label(edge(link(state), tools)),
        None => HitTarget::Folded(laid.extent.nodes[row].states().to_vec()),
    };
    match laid.picture.hit_test(point) {
        DiagramHit::Box(row) => match state(row) {
            Some(state) => HitTarget::State(state),
            None => HitTarget::Folded(laid.extent.nodes[row].states().to_vec()),
        },
        DiagramHit::Arrow(row) => strand(row, HitTarget::Edge),
        DiagramHit::Label(row) => strand(row, HitTarget::Label),
        DiagramHit::Itself(row) => {
            foot(row, &laid.states.feet[row].0, |state| Link::Between { from: state, to: state })
        }
        DiagramHit::FromAny(row) => foot(row, &laid.states.feet[row].1, |to| Link::FromAny { to }),
        DiagramHit::Nothing => HitTarget::Empty,
    }
}
