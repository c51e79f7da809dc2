//! What a state is marked with, each mark by a sign of its own, so that none is recognized by
//! colour alone.

use std::collections::BTreeSet;

use crate::engine::workflow::{
    analysis::Analysis,
    graph::{StateRow, Workflow},
};

/// A mark on a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BoxMark {
    Start,
    Current,
    DeadEnd,
    Trap,
    Far,
    Folded,
    Beyond,
    /// Behind a name or number that has no frame: tools keep the state, or lead to it from any.
    Itself,
    FromAny,
    /// None of the others.
    Plain,
}

impl BoxMark {
    pub const ALL: [Self; 10] = [
        Self::Start,
        Self::Current,
        Self::DeadEnd,
        Self::Trap,
        Self::Far,
        Self::Folded,
        Self::Beyond,
        Self::Itself,
        Self::FromAny,
        Self::Plain,
    ];

    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Start => "▶",
            Self::Current => "●",
            Self::DeadEnd => "■",
            Self::Trap => "↻",
            Self::Far => "·",
            Self::Folded => "▣",
            Self::Beyond => "⋯",
            Self::Itself => "↺",
            Self::FromAny => "⇠",
            Self::Plain => "○",
        }
    }

    /// What it says of a state.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Start => "the run starts here",
            Self::Current => "the current state; its box has a heavy edge",
            Self::DeadEnd => "dead end: no tool is available",
            Self::Trap => "trap: tools lead only among these states",
            Self::Far => "unreachable; its box has a dashed edge",
            Self::Folded => "several states folded into one box",
            Self::Beyond => "linked to states that aren't shown",
            Self::Itself => "after a name: tools keep the state (select it to see which)",
            Self::FromAny => "after a name: tools lead here from every state",
            Self::Plain => "a state, drawn as a dot",
        }
    }
}

/// The marks of all states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateMarks {
    pub start: StateRow,
    pub current: Option<StateRow>,
    pub dead_ends: BTreeSet<StateRow>,
    pub traps: BTreeSet<StateRow>,
    pub far: BTreeSet<StateRow>,
}

impl StateMarks {
    /// As the analysis of a workflow says, seen from its start.
    #[must_use]
    pub fn from_analysis(
        workflow: &Workflow,
        analysis: &Analysis,
        current: Option<StateRow>,
    ) -> Self {
        Self {
            start: workflow.start(),
            current,
            dead_ends: analysis.dead_ends.iter().copied().collect(),
            // What holds most of the states is the workflow itself: its sign would be on every box.
            traps: (analysis.traps.iter().filter(|trap| 2 * trap.len() <= workflow.states().len()))
                .flatten()
                .copied()
                .collect(),
            far: (0..workflow.states().len()).filter(|state| !analysis.reaches(*state)).collect(),
        }
    }

    #[must_use]
    pub fn has_mark(&self, state: StateRow, mark: BoxMark) -> bool {
        match mark {
            BoxMark::Start => self.start == state,
            BoxMark::Current => self.current == Some(state),
            BoxMark::DeadEnd => self.dead_ends.contains(&state),
            BoxMark::Trap => self.traps.contains(&state),
            BoxMark::Far => self.far.contains(&state),
            BoxMark::Folded
            | BoxMark::Beyond
            | BoxMark::Itself
            | BoxMark::FromAny
            | BoxMark::Plain => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::{filter::AskedGroups, gated::Slot},
        model::tool::{Gate, States},
    };

    fn marked_traps(arrows: &[(&str, &str)]) -> usize {
        let slot = |(from, to): &(&str, &str)| Slot {
            key: format!("{from}-{to}").into(),
            name: (*from).into(),
            gate: Gate {
                states: States::Only(vec![(*from).into()]),
                next: Some((*to).into()),
                ..Gate::open()
            },
        };
        let tools: Vec<Slot> = arrows.iter().map(slot).collect();
        let workflow = Workflow::for_groups(&tools, &AskedGroups::Every, "undefined");
        StateMarks::from_analysis(&workflow, &workflow.analysis(), None).traps.len()
    }

    #[test]
    fn a_trap_is_marked_where_it_is_a_part_of_the_workflow() {
        let small = [("undefined", "a"), ("a", "undefined"), ("a", "b"), ("b", "b")];
        assert_eq!(marked_traps(&small), 1);
        let most = [("undefined", "a"), ("a", "b"), ("b", "c"), ("c", "a")];
        assert_eq!(marked_traps(&most), 0);
    }
}
