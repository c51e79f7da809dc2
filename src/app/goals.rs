//! Where views are asked to go.

use crate::{model::entry::EntryId, schema::pointer::Pointer};

/// The place that a view was asked to go to; `turn` distinguishes two requests for one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewTarget {
    pub entry: EntryId,
    pub pointer: Pointer,
    pub turn: u64,
    pub takes_keys: bool,
}

/// The step of a tool's request that Invoke was asked to show, from 0; `turn` distinguishes two
/// requests for one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepGoal {
    pub tool: EntryId,
    pub step: usize,
    pub turn: u64,
}
