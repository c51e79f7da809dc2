//! Answering by hand: for which tools, the calls and the questions of servers that wait, and what is
//! written as their answers.

use std::sync::Arc;

use serde_json::Value;

use super::edited_text::EditedText;
use crate::{
    model::{call::CallError, clock::Millis, entry::EntryId},
    syntax::edit::Edit,
    systems::facets::by_hand::WaitingCall,
};

/// A call that waits: the turn of its stand, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AskId {
    pub turn: u64,
    pub number: u64,
}

/// The turn of what servers ask during calls, which comes without a stand.
pub const SERVERS: u64 = 0;

/// What a user asks of it, and what comes back.
#[derive(Clone, Debug)]
pub enum AnsweringMessage {
    /// Answer for that tool too, through the connection that calls use.
    Begin(EntryId),
    /// Answer for it no longer; calls that wait are left without an answer.
    Stop {
        turn: u64,
    },
    Choose(AskId),
    /// Edits of the answer, as one step of undo.
    Edit {
        ask: AskId,
        edits: Vec<Edit>,
    },
    Undo(AskId),
    Redo(AskId),
    /// Give the call its answer as it is.
    Send(AskId),
    /// Leave the call without an answer.
    Leave(AskId),

    /// Commands are taken.
    Began {
        turn: u64,
        subject: String,
        warnings: Vec<String>,
    },
    /// A call waits, or waits again as its answer could not be written.
    Asked(Box<WaitingQuestion>),
    /// What became of a command, and whether that is as it should be.
    Told {
        ask: AskId,
        words: String,
        good: bool,
    },
    /// Time goes by while calls wait.
    Tick,
    Ended {
        turn: u64,
        problem: CallError,
    },
}

/// A call that waits for its result, as it comes.
#[derive(Clone, Debug)]
pub struct WaitingQuestion {
    pub ask: AskId,
    pub waiting: Arc<dyn WaitingCall>,
    /// As JSON, without what is secret.
    pub arguments: String,
    /// Why the answer before could not be written.
    pub failed: Option<CallError>,
}

/// The same with its answer.
#[derive(Clone, Debug)]
pub struct Open {
    pub asked: WaitingQuestion,
    /// Since when it waits here.
    pub since: Millis,
    /// When its caller stops waiting, about.
    pub due: Option<Millis>,
    pub answer: EditedText,
    /// It is on its way.
    pub sent: bool,
    /// The user was informed that it waits too long.
    pub alarmed: bool,
}

impl Open {
    /// The answer as a value.
    #[must_use]
    pub fn answer_value(&self) -> Arc<Value> {
        self.answer.value().cloned().unwrap_or_default()
    }
}

/// A tool that is answered for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredTool {
    pub turn: u64,
    pub tool: String,
    pub connection: String,
    /// What is listened to; `None`: not yet.
    pub subject: Option<String>,
}

/// Everything about it.
#[derive(Clone, Debug, Default)]
pub struct Answering {
    pub stands: Vec<AnsweredTool>,
    /// In the order in which they came.
    pub open: Vec<Open>,
    pub chosen: Option<AskId>,
    /// What the clock showed at the last message about it.
    pub now: Millis,
    /// The turn of the newest stand: distinguishes one from another of the same tool.
    pub turn: u64,
}

impl Answering {
    /// Whether nothing is answered for.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.stands.is_empty()
    }

    /// Whether what waits of that turn is taken.
    #[must_use]
    pub fn takes(&self, turn: u64) -> bool {
        turn == SERVERS || self.stands.iter().any(|stand| stand.turn == turn)
    }

    #[must_use]
    pub fn stand_of(&self, tool: &str) -> Option<&AnsweredTool> {
        self.stands.iter().find(|stand| stand.tool == tool)
    }

    /// The call that is shown: the chosen one, else the one that waits longest.
    #[must_use]
    pub fn shown_call(&self) -> Option<&Open> {
        self.chosen.and_then(|chosen| self.get(chosen)).or_else(|| self.open.first())
    }

    #[must_use]
    pub fn get(&self, ask: AskId) -> Option<&Open> {
        self.open.iter().find(|open| open.asked.ask == ask)
    }

    pub fn get_mut(&mut self, ask: AskId) -> Option<&mut Open> {
        self.open.iter_mut().find(|open| open.asked.ask == ask)
    }
}
