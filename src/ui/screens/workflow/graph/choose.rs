//! How much is shown: detail, extent, bundles and folded boxes; and which arrow is chosen.

use super::super::facts::Facts;
use super::pane::{Graph, Zoom};
use crate::{
    engine::{
        layout::{
            extent::{Node, Scale},
            states::Detail,
        },
        workflow::graph::Link,
    },
    ui::view::Reply,
};

/// Above this many states a picture of all of them would not come within a key's time.
const MOST_AT_ONCE: usize = 400;

impl Graph {
    pub fn zoom(&mut self, way: Zoom) -> Reply {
        let at = Detail::ALL.iter().position(|detail| *detail == self.shown.detail).unwrap_or(0);
        let next = match way {
            Zoom::In => at.checked_sub(1),
            Zoom::Out => Some(at + 1),
        };
        let Some(detail) = next.and_then(|next| Detail::ALL.get(next)) else {
            let amount = if way == Zoom::In { "more" } else { "less" };
            return Reply::Refused(format!("no {amount} detail to show"));
        };
        (self.shown.detail, self.detail_before, self.is_zoomed) = (*detail, None, true);
        Reply::Handled
    }

    pub fn next_scale(&mut self, facts: &Facts) -> Reply {
        let count = facts.workflow.states().len();
        let scale = match self.shown.scale {
            Scale::Fitting => Scale::Near,
            Scale::Near => Scale::Folded,
            Scale::Folded if count <= MOST_AT_ONCE => Scale::All,
            Scale::Folded | Scale::All => Scale::Fitting,
        };
        self.shown.scale = scale;
        Reply::hint(match scale {
            Scale::Fitting => "shown: automatic, by the number of states",
            Scale::Near => "shown: the states around the selected one",
            Scale::Folded => "shown: cycles and separate parts as one box each",
            Scale::All => "shown: every state",
        })
    }

    /// Chooses the next arrow of the selected state: the outgoing ones first, last those at the state
    /// alone.
    pub fn next_arrow(&mut self, facts: &Facts, by: isize) -> Reply {
        let (Some(row), Some(laid)) = (self.selected_state(facts), &self.laid) else {
            return Reply::Refused("there is no state".into());
        };
        let Some(node) = laid.box_of(row) else {
            return Reply::Refused("this state is not in the picture".into());
        };
        let strands = || laid.states.arrows.iter();
        let leaving = strands().filter(|strand| strand.from == node);
        let between = leaving
            .chain(strands().filter(|strand| strand.to == node))
            .filter_map(|strand| Some(strand.edges.first()?.link));
        let feet = [Link::Between { from: row, to: row }, Link::FromAny { to: row }];
        let feet = feet.into_iter().filter(|link| laid.edge_of(*link).is_some());
        let links: Vec<Link> = between.chain(feet).collect();
        let count = isize::try_from(links.len()).unwrap_or(0);
        let at = self
            .selected_link(facts)
            .and_then(|link| links.iter().position(|other| *other == link))
            .and_then(|at| isize::try_from(at).ok());
        let next =
            at.map_or(if by > 0 { 0 } else { count - 1 }, |at| (at + by).rem_euclid(count.max(1)));
        let Some(link) = usize::try_from(next).ok().and_then(|at| links.get(at)).copied() else {
            return Reply::Refused("this state has no arrows".into());
        };
        self.select_link(link, row, facts);
        Reply::Handled
    }

    /// Opens what is chosen, or folds it again: a bundle of tools, a folded box, the neighbours of
    /// a state.
    pub fn toggle_chosen(&mut self, facts: &Facts) -> Reply {
        if let Some(edge) = self.selected_edge(facts) {
            // Only what joins two states has room for an arrow of each tool.
            let ends = self.arrow.clone().and_then(|(from, to)| Some((from?, to)));
            let Some(ends) = ends.filter(|(from, to)| from != to) else {
                return Reply::Refused("the tools of this arrow are always drawn together".into());
            };
            if self.shown.unbundled.as_ref() == Some(&ends) {
                self.shown.unbundled = None;
                return Reply::Handled;
            }
            if edge.tools.len() < 2 {
                return Reply::Refused("this arrow is a single tool".into());
            }
            self.shown.unbundled = Some(ends);
            return Reply::Handled;
        }
        let (Some(row), Some(laid)) = (self.selected_state(facts), &self.laid) else {
            return Reply::Refused("there is no state".into());
        };
        let name = facts.workflow.states()[row].clone();
        if self.shown.opened.remove(&name) {
            return Reply::Handled;
        }
        let node = laid.box_of(row);
        let is_closed = node.is_some_and(|node| {
            matches!(laid.extent.nodes[node], Node::Folded(_)) || laid.extent.beyond[node] > 0
        });
        if !is_closed {
            return Reply::Refused(
                "nothing is folded here: select an arrow first to open its bundle".into(),
            );
        }
        self.selected = Some(name.clone());
        self.shown.opened.insert(name);
        Reply::Handled
    }
}
