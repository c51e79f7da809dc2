//! Shortest sequences of tools from one state to every other.

use std::collections::VecDeque;

use super::graph::{Origin, StateRow, Workflow};
use crate::engine::gated::ToolRow;

/// One tool taken, and the states on both sides of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathStep {
    pub from: StateRow,
    pub tool: ToolRow,
    pub to: StateRow,
}

/// The shortest way from one state to each that can be reached from it.
#[derive(Clone, Debug)]
pub struct Paths {
    from: StateRow,
    last: Vec<Option<PathStep>>,
    distance: Vec<Option<usize>>,
}

impl Workflow {
    /// The shortest ways from a state; of several equally short, the one whose tools come first.
    #[must_use]
    pub fn paths_from(&self, from: StateRow) -> Paths {
        self.paths_by(from, |_| true)
    }

    /// The same, by those tools alone that `may` lets pass.
    #[must_use]
    pub fn paths_by(&self, from: StateRow, may: impl Fn(ToolRow) -> bool) -> Paths {
        let count = self.states().len();
        let mut paths = Paths { from, last: vec![None; count], distance: vec![None; count] };
        paths.distance[from] = Some(0);
        let mut waiting = VecDeque::from([from]);
        // What any state offers is as near from the first as it will ever be, so it is looked at
        // only once.
        let mut everywhere = self.tools_everywhere();
        while let Some(state) = waiting.pop_front() {
            let next = paths.distance[state].map(|distance| distance + 1);
            for tool in self
                .tools_listing(state)
                .iter()
                .chain(std::mem::take(&mut everywhere))
                .filter(|tool| may(**tool))
            {
                let to = self.target_state(state, *tool);
                if paths.distance[to].is_none() {
                    paths.distance[to] = next;
                    paths.last[to] = Some(PathStep { from: state, tool: *tool, to });
                    waiting.push_back(to);
                }
            }
        }
        paths
    }

    /// For each state, whether `goal` can be reached from it.
    #[must_use]
    pub fn states_leading_to(&self, goal: StateRow) -> Vec<bool> {
        let mut into: Vec<Vec<StateRow>> = vec![Vec::new(); self.states().len()];
        for state in 0..self.states().len() {
            for tool in self.tools_listing(state) {
                into[self.target_state(state, *tool)].push(state);
            }
        }
        let mut reached_from_any = vec![false; self.states().len()];
        for target in self.tools_everywhere().iter().filter_map(|tool| self.members()[*tool].target)
        {
            reached_from_any[target] = true;
        }
        let mut leads = vec![false; self.states().len()];
        leads[goal] = true;
        let mut waiting = vec![goal];
        while let Some(state) = waiting.pop() {
            if reached_from_any[state] {
                return vec![true; self.states().len()];
            }
            for from in &into[state] {
                if !leads[*from] {
                    leads[*from] = true;
                    waiting.push(*from);
                }
            }
        }
        leads
    }
}

impl Paths {
    #[must_use]
    pub fn reaches(&self, state: StateRow) -> bool {
        self.distance[state].is_some()
    }

    /// How many tools lead to a state.
    #[must_use]
    pub fn distance(&self, state: StateRow) -> Option<usize> {
        self.distance[state]
    }

    /// The tools that lead to a state; none of them when already there.
    #[must_use]
    pub fn to_state(&self, state: StateRow) -> Option<Vec<PathStep>> {
        let mut hops = Vec::with_capacity(self.distance[state]?);
        let mut at = state;
        while let Some(hop) = self.last[at] {
            hops.push(hop);
            at = hop.from;
        }
        hops.reverse();
        Some(hops)
    }

    /// The nearest state in which a tool is available, whatever its groups.
    #[must_use]
    pub fn nearest_for(&self, workflow: &Workflow, tool: ToolRow) -> Option<StateRow> {
        match &workflow.members()[tool].origin {
            Origin::Every => Some(self.from),
            Origin::Only(rows) => rows
                .iter()
                .copied()
                .filter(|row| self.reaches(*row))
                .min_by_key(|row| self.distance[*row]),
        }
    }

    /// The tools to take before a tool becomes available; the tool itself is not among them.
    #[must_use]
    pub fn to_tool(&self, workflow: &Workflow, tool: ToolRow) -> Option<Vec<PathStep>> {
        self.to_state(self.nearest_for(workflow, tool)?)
    }
}
