//! What happens in a call, each event with its time, and how the call ends.

use std::{ops::Range, sync::Arc};

use super::{
    error_kind::ErrorKind,
    problem::{Problem, without_os_number},
    shared_text::SharedText,
    stage::{FrameWay, Stage},
};

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    Succeeded,
    /// The service answered with an error.
    Failed,
    Cancelled,
    TimedOut,
    /// Nothing could answer: no server, no responders, refused, the connection ended, the reply
    /// made no sense.
    Lost,
}

impl Outcome {
    pub const ALL: [Self; 5] =
        [Self::Succeeded, Self::Failed, Self::Cancelled, Self::TimedOut, Self::Lost];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed-out",
            Self::Lost => "lost",
        }
    }

    /// The outcome of that word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }

    /// How a call ended in the words of lists and filters, which part what is [`Self::Lost`]: with
    /// what kind of error, and after how many chunks.
    #[must_use]
    pub fn ending_words(self, kind: Option<&ErrorKind>, chunks: u64) -> &'static str {
        match self {
            Self::Lost if kind.is_some_and(ErrorKind::is_unreadable) => Self::LOST[0],
            Self::Lost if chunks > 0 => Self::LOST[1],
            Self::Lost => Self::LOST[2],
            Self::TimedOut => "timed out",
            other => other.as_str(),
        }
    }

    /// The words of [`Self::ending_words`] for what is [`Self::Lost`].
    pub const LOST: [&'static str; 3] = ["unreadable", "cut off", "no answer"];
}

/// Why a message is not part of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StrayCause {
    /// The id of another call.
    ForeignId,
    /// The id `unknown`: the service could not read the request's id.
    UnknownId,
    /// No id at all.
    NoId,
    /// It came after the end.
    Late,
    /// The same message once more.
    Duplicate,
    /// It is for this call, but it cannot be understood.
    Unreadable,
    /// It is for this call, but has none of the fields that an answer has.
    NoFields,
}

impl StrayCause {
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::ForeignId => "id of a different call",
            Self::UnknownId => "id \"unknown\": the service could not read the request",
            Self::NoId => "no id",
            Self::Late => "came after the end",
            Self::Duplicate => "came twice",
            Self::Unreadable => "can't be read",
            Self::NoFields => "no response, error or end_of_stream in it",
        }
    }

    /// The cause of those words.
    #[must_use]
    pub fn of_words(words: &str) -> Option<Self> {
        let known = [
            Self::ForeignId,
            Self::UnknownId,
            Self::NoId,
            Self::Late,
            Self::Duplicate,
            Self::Unreadable,
            Self::NoFields,
        ];
        known.into_iter().find(|cause| cause.message() == words)
    }
}

/// Names and values that come beside a message's body, in their order; a name may be there more
/// than once.
pub type Headers = Arc<[(String, String)]>;

/// `T` is the text of a chunk: itself, or where in the answer it is.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind<T = SharedText> {
    /// The connection was there and the request went out.
    Sent {
        bytes: usize,
    },
    /// What the messages of that way carry beside their body, from here on: the answer's, and the
    /// request's where its transport adds some. Said when it comes and when it changes, without
    /// secrets.
    Headers {
        way: FrameWay,
        headers: Headers,
    },
    /// A piece of the answer; empty pieces are kept.
    Chunk {
        text: T,
        bytes: usize,
    },
    Stray {
        cause: StrayCause,
        id: Option<String>,
        headers: Headers,
        body: Arc<str>,
    },
    /// Something about the connection, in words: "reconnecting to …".
    Notice(String),
    /// How far the call has come, where its way has several stages.
    Stage(Stage),
    End {
        outcome: Outcome,
        problem: Option<CallError>,
    },
}

impl<T> EventKind<T> {
    /// Whether it may come once the end of a cancelled call was reported: what is sent to cancel it,
    /// and what comes all the same.
    #[must_use]
    pub fn is_beside_end(&self) -> bool {
        matches!(self, Self::Stage(_) | Self::Stray { .. })
    }
}

/// Why a call did not succeed: the wire's `{type, message}`, or ours, with what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    pub kind: ErrorKind,
    pub message: String,
    pub remedy: String,
}

impl CallError {
    pub fn new(kind: ErrorKind, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        let message = without_os_number(message.into());
        Self { kind, message, remedy: remedy.into() }
    }

    /// What went wrong, for people: with the kind where that is the other side's own word.
    #[must_use]
    pub fn words(&self) -> String {
        match &self.kind {
            ErrorKind::Told(kind) => format!("{kind}: {}", self.message),
            _ => self.message.clone(),
        }
    }

    /// The same for whoever was only about to reach the other side; `doing` says what was under
    /// way.
    pub fn while_doing(self, doing: impl Into<String>) -> Problem {
        Problem::new(self.kind.problem_kind(), doing, self.message).with_remedy(self.remedy)
    }
}

impl From<Problem> for CallError {
    fn from(problem: Problem) -> Self {
        Self::new(problem.kind.into(), problem.cause, problem.remedy)
    }
}

/// What happened in a call, `at_ms` milliseconds after it began.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<T = SharedText> {
    pub at_ms: u64,
    pub kind: EventKind<T>,
}

/// An event as a call keeps it: of a chunk's text only its place in that of the answer, which the call holds.
pub type LoggedEvent = Event<Range<usize>>;

impl<T> Event<T> {
    /// The same with another text, where it is a chunk.
    pub fn map_text<U>(self, map: impl FnOnce(T) -> U) -> Event<U> {
        let kind = match self.kind {
            EventKind::Chunk { text, bytes } => EventKind::Chunk { text: map(text), bytes },
            EventKind::Sent { bytes } => EventKind::Sent { bytes },
            EventKind::Headers { way, headers } => EventKind::Headers { way, headers },
            EventKind::Stray { cause, id, headers, body } => {
                EventKind::Stray { cause, id, headers, body }
            }
            EventKind::Notice(words) => EventKind::Notice(words),
            EventKind::Stage(stage) => EventKind::Stage(stage),
            EventKind::End { outcome, problem } => EventKind::End { outcome, problem },
        };
        Event { at_ms: self.at_ms, kind }
    }
}

impl Event {
    /// Bytes of what it carries.
    #[must_use]
    pub fn payload_len(&self) -> usize {
        match &self.kind {
            EventKind::Chunk { text, .. } => text.len(),
            EventKind::Stray { body, .. } => body.len(),
            EventKind::Stage(stage) => stage.body.len(),
            EventKind::Sent { .. }
            | EventKind::Headers { .. }
            | EventKind::Notice(_)
            | EventKind::End { .. } => 0,
        }
    }
}
