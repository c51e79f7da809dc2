//! What differs between two workflows: states, arrows, and what runs no longer reach.

use std::collections::BTreeSet;

use super::{
    analysis::Analysis,
    graph::{Link, Workflow},
};
use crate::{
    engine::{filter::AskedGroups, gated::Gated},
    model::context::UNDEFINED,
};

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WorkflowChange {
    /// A tool, by its key, that leads nowhere any more: none of its states is reached.
    NeverRuns(String),
    Unreachable(String),
    DeadEnd(String),
    StateRemoved(String),
    ArrowRemoved(Arrow),
    ArrowAdded(Arrow),
    StateAdded(String),
}

/// Where a tool leads from a state, or from any.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arrow {
    pub tool: String,
    /// `paid → shipped`.
    pub words: String,
}

/// What differs, what matters most first; a request for all groups is what both are seen by.
#[must_use]
pub(crate) fn compare_workflows<T: Gated>(old: &[T], new: &[T]) -> Vec<WorkflowChange> {
    let (old, new) = (Facts::of(old), Facts::of(new));
    let came = |facts: fn(&Facts) -> &BTreeSet<String>| {
        facts(&new).difference(facts(&old)).cloned().collect::<Vec<_>>()
    };
    let stayed = |name: &String| old.states.contains(name);
    let mut changes: Vec<WorkflowChange> = Vec::new();
    let known = |tool: &String| old.tools.contains(tool);
    let stuck = came(|facts| &facts.never_run).into_iter().filter(known);
    changes.extend(stuck.map(WorkflowChange::NeverRuns));
    let lost = came(|facts| &facts.unreachable).into_iter().filter(stayed);
    changes.extend(lost.map(WorkflowChange::Unreachable));
    changes.extend(came(|facts| &facts.dead_ends).into_iter().map(WorkflowChange::DeadEnd));
    let gone = old.states.difference(&new.states).cloned();
    changes.extend(gone.map(WorkflowChange::StateRemoved));
    let removed = old.arrows.difference(&new.arrows).cloned();
    changes.extend(removed.map(WorkflowChange::ArrowRemoved));
    let added = new.arrows.difference(&old.arrows).cloned();
    changes.extend(added.map(WorkflowChange::ArrowAdded));
    changes.extend(came(|facts| &facts.states).into_iter().map(WorkflowChange::StateAdded));
    changes
}

/// A workflow by names.
struct Facts {
    tools: BTreeSet<String>,
    states: BTreeSet<String>,
    arrows: BTreeSet<Arrow>,
    unreachable: BTreeSet<String>,
    dead_ends: BTreeSet<String>,
    never_run: BTreeSet<String>,
}

impl Facts {
    fn of<T: Gated>(tools: &[T]) -> Self {
        let workflow = Workflow::for_groups(tools, &AskedGroups::Every, UNDEFINED);
        let analysis: Analysis = workflow.analysis();
        let state = |row: usize| workflow.states()[row].to_string();
        let key = |row: usize| tools[row].key().to_owned();
        let rows = 0..workflow.states().len();
        let arrow = |link: Link| match link {
            Link::Between { from, to } => Some(format!("{} → {}", state(from), state(to))),
            Link::FromAny { to } => Some(format!("any → {}", state(to))),
            Link::StayAny => None,
        };
        let arrows = workflow.edges().into_iter().flat_map(|edge| {
            let words = arrow(edge.link);
            edge.tools.into_iter().filter_map(move |tool| words.clone().map(|words| (tool, words)))
        });
        Self {
            tools: (0..tools.len()).map(key).collect(),
            arrows: arrows.map(|(tool, words)| Arrow { tool: key(tool), words }).collect(),
            unreachable: rows.clone().filter(|row| !analysis.reaches(*row)).map(state).collect(),
            dead_ends: analysis.dead_ends.iter().map(|row| state(*row)).collect(),
            never_run: analysis.never_run.iter().map(|(tool, _)| key(*tool)).collect(),
            states: rows.map(state).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::gated::Slot,
        model::{
            context::Name,
            tool::{Gate, States},
        },
    };

    fn tool(key: &str, states: &[&str], next: Option<&str>) -> Slot {
        let states = match states {
            [] => States::Every,
            listed => States::Only(listed.iter().map(|name| Name::from(*name)).collect()),
        };
        let gate = Gate { states, next: next.map(Name::from), ..Gate::open() };
        Slot { key: key.into(), name: key.into(), gate }
    }

    #[test]
    fn what_a_change_of_an_arrow_leaves_stuck_is_said() {
        let order = |target: &str| {
            vec![
                tool("pay", &["undefined"], Some("paid")),
                tool("ship", &["paid"], Some(target)),
                tool("confirm", &["shipped"], Some("undefined")),
            ]
        };
        let arrow = |tool: &str, words: &str| Arrow { tool: tool.into(), words: words.into() };
        assert_eq!(
            compare_workflows(&order("shipped"), &order("sent")),
            [
                WorkflowChange::NeverRuns("confirm".into()),
                WorkflowChange::Unreachable("shipped".into()),
                WorkflowChange::DeadEnd("sent".into()),
                WorkflowChange::ArrowRemoved(arrow("ship", "paid → shipped")),
                WorkflowChange::ArrowAdded(arrow("ship", "paid → sent")),
                WorkflowChange::StateAdded("sent".into()),
            ]
        );
        assert_eq!(compare_workflows(&order("sent"), &order("sent")), []);
    }

    #[test]
    fn a_tool_for_every_state_that_stays_in_it_is_no_arrow() {
        let with = vec![tool("a", &[], None), tool("b", &[], None)];
        assert_eq!(compare_workflows(&with[..1], &with), []);
        let leads = vec![tool("a", &[], Some("x"))];
        assert_eq!(
            compare_workflows(&with[..1], &leads),
            [
                WorkflowChange::ArrowAdded(Arrow { tool: "a".into(), words: "any → x".into() }),
                WorkflowChange::StateAdded("x".into()),
            ]
        );
    }
}
