//! What a set of groups never gets to: tools never reachable, states never reached, places where a
//! run is stuck.

use crate::{
    engine::{
        filter::join_names,
        gated::ToolRow,
        workflow::{
            analysis::{Analysis, NeverRuns},
            graph::Workflow,
        },
    },
    model::context::Name,
};

/// The ends that a request can come to, and what it never reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestView {
    /// Tools that no run under these groups can take, each with the reason in words.
    pub never_run: Vec<(ToolRow, String)>,
    /// Unreachable states.
    pub never_reached: Vec<Name>,
    /// States that a run can come to and that offer no tool.
    pub dead_ends: Vec<Name>,
    /// Sets of states that a run can come to and not leave again, though they offer tools.
    pub traps: Vec<Vec<Name>>,
    /// States that a run can come to and from which no way leads back to the start.
    pub no_way_back: Vec<Name>,
}

impl RequestView {
    #[must_use]
    pub fn from_analysis(workflow: &Workflow, analysis: &Analysis) -> Self {
        let rows = || 0..workflow.states().len();
        let name = |row: usize| workflow.states()[row].clone();
        let reached = |row: &usize| analysis.reaches(*row);
        Self {
            never_run: analysis
                .never_run
                .iter()
                .map(|(tool, why)| (*tool, never_runs_message(why, workflow)))
                .collect(),
            never_reached: rows().filter(|row| !reached(row)).map(name).collect(),
            dead_ends: analysis.dead_ends.iter().copied().filter(reached).map(name).collect(),
            traps: (analysis.traps.iter().filter(|trap| trap.iter().any(reached)))
                .map(|trap| trap.iter().copied().map(name).collect())
                .collect(),
            no_way_back: rows()
                .filter(reached)
                .filter(|row| !analysis.returns[*row])
                .map(name)
                .collect(),
        }
    }
}

/// Why a tool can never run, in words.
fn never_runs_message(why: &NeverRuns, workflow: &Workflow) -> String {
    match why {
        NeverRuns::NotAsked => "none of its groups is requested".into(),
        NeverRuns::NoGroup => "it is in no group, and * isn't requested".into(),
        NeverRuns::NotLoaded => "it isn't loaded".into(),
        NeverRuns::NoState => "it lists no state".into(),
        NeverRuns::Unreachable { waits_for } => {
            let names: Vec<Name> =
                waits_for.iter().map(|row| workflow.states()[*row].clone()).collect();
            format!("{} is unreachable", join_names(&names))
        }
    }
}
