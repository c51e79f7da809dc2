//! Answering calls by hand: for which tool, and the call that waits for its result.

use crate::model::{call::CallProblem, entry::EntryId};

/// What a user asks of it, and what comes back.
#[derive(Clone, Debug)]
pub enum AnsweringMessage {
    /// Answer for that tool, through the connection that calls use; for another no longer.
    Begin(EntryId),
    Stop,
    /// The result of the call that waits, as it was typed.
    Reply(String),

    /// Commands are taken.
    Began {
        turn: u64,
        subject: String,
        warnings: Vec<String>,
    },
    /// A call waits.
    Asked {
        turn: u64,
        asked: Asked,
    },
    /// What became of a command, and whether that is as it should be.
    Told {
        turn: u64,
        words: String,
        good: bool,
    },
    Ended {
        turn: u64,
        problem: CallProblem,
    },
}

/// A call that waits for its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub tool: String,
    pub call: String,
    pub agent: String,
    /// As JSON, without what is secret.
    pub arguments: String,
}

/// Everything about it.
#[derive(Clone, Debug, Default)]
pub struct Answering {
    /// The tool that is answered for.
    pub tool: Option<String>,
    pub waiting: Option<Asked>,
    /// Tells one beginning from the one before.
    pub turn: u64,
}
