//! What becomes of a call that a model wants, and where a run goes on from when somebody goes back.

use crate::engine::stub::mock::MockOptions;

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    Call,
    /// These arguments are put in the place of the model's; then it is decided again.
    Edit(String),
    /// The model gets these words.
    Refuse(String),
    Mock(MockOptions),
    /// The recording answers; without one, the call is refused.
    Recorded,
    /// The run goes on from an earlier place.
    Back(Branch),
    /// The run ends.
    Stop,
}

/// Another way from an earlier place of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    pub from: BranchPoint,
    pub change: Change,
}

/// Where a run goes on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchPoint {
    /// Before the reply of that number, from 1.
    Reply(u32),
    /// So many turns stay; the first is the question.
    Turns(usize),
}

/// What is different from then on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Nothing,
    /// The model gets a message more.
    Message(String),
    /// A result of the last turn that stays, by its row, is this text.
    Result {
        row: usize,
        text: String,
    },
}
