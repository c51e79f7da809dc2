//! What a user asks of the workflow: its run, what the run starts from, changes that are only tried.

use super::what_if::WhatIf;
use crate::{
    engine::{
        gate_edit::GateEdit,
        groups::CustomGroups,
        simulate::{
            run::{Simulation, StepId},
            stop::Stop,
        },
    },
    model::{
        call::{CallId, Outcome},
        context::{Name, Profile},
        entry::EntryId,
    },
};

/// Groups, states and the run through them.
#[derive(Debug)]
pub struct WorkflowState {
    pub profiles: Vec<Profile>,
    pub custom_groups: CustomGroups,
    /// States that the settings file keeps although no tool may name them.
    pub listed_states: Vec<Name>,
    pub simulation: Simulation,
    /// Where a run stops by itself.
    pub stops: Vec<Stop>,
    /// Changes that are only looked at.
    pub what_if: Option<WhatIf>,
    /// What it was before each change of it, the newest last.
    pub what_ifs_before: Vec<WhatIf>,
    /// A tool whose live step waits for its arguments: sending its call takes the step.
    pub fill_first: Option<EntryId>,
    /// A step that waits for its call.
    pub live: Option<LiveStep>,
    /// A live step has sent something to a service of somebody else: no further one asks first.
    pub has_gone_live: bool,
    /// The call whose live step waits at a breakpoint.
    pub paused: Option<CallId>,
}

#[derive(Clone, Debug)]
pub enum WorkflowMessage {
    ToggleGroup(Name),
    SetGroups(Option<Vec<Name>>),
    SetUser(Option<Name>),
    SetStart(Name),
    Step {
        tool: EntryId,
        outcome: Outcome,
    },
    StepLive {
        tool: EntryId,
    },
    /// Take the step with the next call of the tool, whose arguments are filled in first.
    FillFirst {
        tool: EntryId,
    },
    /// Take these tools one after another, all with success, up to a stop.
    Walk {
        tools: Vec<EntryId>,
    },
    /// Show this run, of a scenario, in place of the present one.
    ShowRun(Box<Simulation>),
    SetQuestion(Option<String>),
    /// Stop there from now on, or no longer.
    ToggleStop(Stop),
    /// Look at changes before they are made; from now on groups and edits are only tried.
    WhatIf,
    TryEdits(Vec<(EntryId, GateEdit)>),
    /// Make what was tried.
    AcceptWhatIf,
    DropWhatIf,
    /// Go back (or over) to a step; `None`: to the start.
    StepTo(Option<StepId>),
    StepBack,
    RestartRun,
}

/// A step of the run that is taken when its call has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveStep {
    pub call: CallId,
    pub tool: EntryId,
    /// Where in the run it was begun.
    pub at: Option<StepId>,
    /// The groups asked for then.
    pub groups: Option<Vec<Name>>,
    /// The step of the tool that has a breakpoint: the call stops before it.
    pub stops_before: Option<String>,
}
