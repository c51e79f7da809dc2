//! What passes on a bus, as somebody hears it who takes no part: messages, gaps, and words about the connection.

use std::{borrow::Cow, sync::Arc};

use super::{call::CallProblem, clock::Millis, entry::SystemId};

/// A message that crossed the bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// When it was heard.
    pub at: Millis,
    /// Where it went, as the transport spells it: a subject, an exchange, a topic.
    pub subject: Arc<str>,
    /// Where an answer may go, where the transport says so.
    pub reply: Option<Arc<str>>,
    pub headers: Vec<(String, String)>,
    /// Secrets in it are masked; of a very large one only the start is kept.
    pub body: Arc<[u8]>,
    /// How many bytes the body had on the wire.
    pub size: u64,
    pub kept: Kept,
}

/// What is kept of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// All of it, to the letter.
    Whole,
    /// A secret in it was masked.
    Masked,
    /// Only the start of its body.
    Start,
}

impl Crossing {
    /// What keeping it costs, in bytes.
    #[must_use]
    pub fn weight(&self) -> usize {
        const FRAME: usize = 320;
        let headers: usize = self.headers.iter().map(|(name, value)| name.len() + value.len() + 48).sum();
        FRAME + headers + self.body.len()
    }

    /// The body as text; what is not UTF-8 is shown as a sign.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What a tap hears, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tapped {
    Crossing(Arc<Crossing>),
    /// Messages came faster than they were taken and were let go here; how many, where that is known.
    Gap {
        at: Millis,
        messages: Option<u64>,
    },
    /// About the connection, in words.
    Notice {
        at: Millis,
        words: String,
    },
}

impl Tapped {
    /// When it was heard.
    #[must_use]
    pub fn at(&self) -> Millis {
        match self {
            Self::Crossing(crossing) => crossing.at,
            Self::Gap { at, .. } | Self::Notice { at, .. } => *at,
        }
    }
}

/// What a message is to the conversation that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Asks for something.
    Request,
    /// An agent asks itself to go on, with what it knows so far.
    Step,
    /// A piece of the answer; `last` where it says that it is the last.
    Answer { last: bool },
    /// The answer is an error, which ends it.
    Error(CallProblem),
    /// For everybody, and nobody answers.
    Broadcast,
    /// It stands where a message of a system stands, and cannot be understood.
    Unreadable(CallProblem),
    /// Nothing that a system knows.
    Other,
}

impl Part {
    /// A stable word for scripts and lists.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Step => "step",
            Self::Answer { .. } => "answer",
            Self::Error(_) => "error",
            Self::Broadcast => "broadcast",
            Self::Unreadable(_) => "unreadable",
            Self::Other => "message",
        }
    }
}

/// A message as its system reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The system whose message it is; `None`: nobody's.
    pub system: Option<SystemId>,
    /// What ties it to the others of its conversation.
    pub id: Option<String>,
    pub part: Part,
    /// What it is, in a word or three: `request`, `thought`, `step 2`.
    pub label: Cow<'static, str>,
    /// What it says, in the words of its system.
    pub text: String,
    /// The state that it names, where the wire shows one.
    pub state: Option<String>,
}

/// What was heard, with what its system makes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Witnessed {
    Crossing(Arc<Crossing>, Reading),
    Gap { at: Millis, messages: Option<u64> },
    Notice { at: Millis, words: String },
}

impl Witnessed {
    /// When it was heard.
    #[must_use]
    pub fn at(&self) -> Millis {
        match self {
            Self::Crossing(crossing, _) => crossing.at,
            Self::Gap { at, .. } | Self::Notice { at, .. } => *at,
        }
    }
}
