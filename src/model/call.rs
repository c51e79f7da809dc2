//! A call: one use of a tool; its request, its events with their times, its outcome.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use super::{
    clock::Millis,
    entry::{EntryId, SystemId},
    problem::Problem,
};

/// Unique in this session; counts from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(pub u64);

/// The request exactly as it will be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub tool: EntryId,
    /// The system that rendered it and reads its answer.
    pub system: SystemId,
    /// The tool's model-facing name.
    pub name: String,
    /// Queue address as in the descriptor: `non-persistent://tg/request/joke`.
    pub to: String,
    /// Queue address that answers come on, beside the transport's own inbox.
    pub reply: Option<String>,
    pub headers: Vec<(String, String)>,
    /// The value of header `id`.
    pub correlation: String,
    /// The arguments that it was made from, as a JSON object; numbers as they were typed.
    pub arguments: Arc<str>,
    pub body: Arc<str>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    Succeeded,
    /// The service answered with an error.
    Failed,
    Cancelled,
    TimedOut,
    /// Nothing could answer: no server, no responders, refused, the connection ended, the reply made no sense.
    Lost,
}

impl Outcome {
    pub const ALL: [Self; 5] = [Self::Succeeded, Self::Failed, Self::Cancelled, Self::TimedOut, Self::Lost];

    #[must_use]
    pub fn word(self) -> &'static str {
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
        Self::ALL.into_iter().find(|known| known.word() == word)
    }
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
}

impl StrayCause {
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::ForeignId => "id of another caller",
            Self::UnknownId => "id \"unknown\": the service could not read the request",
            Self::NoId => "no id",
            Self::Late => "came after the end",
            Self::Duplicate => "came twice",
            Self::Unreadable => "cannot be understood",
        }
    }

    /// The cause of those words.
    #[must_use]
    pub fn of_words(words: &str) -> Option<Self> {
        let known = [Self::ForeignId, Self::UnknownId, Self::NoId, Self::Late, Self::Duplicate, Self::Unreadable];
        known.into_iter().find(|cause| cause.words() == words)
    }
}

/// Names and values that come beside a message's body, in their order; a name may stand there more than once.
pub type Headers = Arc<[(String, String)]>;

#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// The connection was there and the request went out.
    Sent {
        bytes: usize,
    },
    /// What the messages of the answer carry beside their body, from here on; told when it comes and when it changes, without secrets.
    Headers(Headers),
    /// A piece of the answer; empty pieces are kept.
    Chunk {
        text: Arc<str>,
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
        problem: Option<CallProblem>,
    },
}

/// Something on a call's way from its request to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// What it is, stable for scripts: `accepted`, `result-card`.
    pub name: Arc<str>,
    /// The same for people.
    pub words: String,
    /// What came with it, as JSON; empty where nothing did.
    pub body: Arc<str>,
}

/// Why a call did not succeed: the wire's `{type, message}`, or ours, with what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallProblem {
    /// The service's error type, or one of ours: `no-responders`, `no-server`, `too-large`, `not-json`, …
    pub kind: String,
    pub message: String,
    pub remedy: String,
}

impl From<Problem> for CallProblem {
    fn from(problem: Problem) -> Self {
        Self { kind: format!("{:?}", problem.kind).to_lowercase(), message: problem.cause, remedy: problem.remedy }
    }
}

/// What happened in a call, `at_ms` milliseconds after it began.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub at_ms: u64,
    pub kind: EventKind,
}

/// How many of a call's first events stay in memory.
pub const FIRST_EVENTS: usize = 200;
/// How many of its last events stay in memory.
pub const LAST_EVENTS: usize = 5_000;

/// A call's events: the first and the last, and a count of those let go between.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    first: Vec<Event>,
    last: VecDeque<Event>,
    let_go: u64,
}

impl EventLog {
    pub fn push(&mut self, event: Event) {
        if self.first.len() < FIRST_EVENTS {
            self.first.push(event);
            return;
        }
        if self.last.len() == LAST_EVENTS {
            self.last.pop_front();
            self.let_go += 1;
        }
        self.last.push_back(event);
    }

    /// Events in memory, in order; the gap of [`EventLog::let_go`] lies after the first [`FIRST_EVENTS`].
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Event> + Clone {
        self.first.iter().chain(&self.last)
    }

    #[must_use]
    pub fn get(&self, row: usize) -> Option<&Event> {
        self.first.get(row).or_else(|| self.last.get(row.checked_sub(self.first.len())?))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.first.len() + self.last.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// How many events between the first and the last are no longer in memory.
    #[must_use]
    pub fn let_go(&self) -> u64 {
        self.let_go
    }
}

/// How long a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From the start to the first message of the answer.
    pub first: Duration,
    /// Between two messages of the answer.
    pub idle: Duration,
    /// From the start to the end.
    pub total: Duration,
    /// How long to listen for strays after the end.
    pub linger: Duration,
    /// How many bytes of text an answer may have.
    pub answer: u64,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { first: seconds(30), idle: seconds(30), total: seconds(600), linger: seconds(2), answer: 256 * 1024 * 1024 }
    }
}

/// Where a call is in its life.
#[derive(Clone, Debug, PartialEq)]
pub enum CallState {
    /// Asked for; nothing has gone out yet.
    Opening,
    /// Sent; chunks may come.
    Waiting,
    Streaming,
    Ended {
        outcome: Outcome,
        problem: Option<CallProblem>,
        at_ms: u64,
    },
}

/// One use of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    pub id: CallId,
    pub request: Request,
    pub connection: String,
    pub started: Millis,
    pub state: CallState,
    pub events: EventLog,
    /// The answer so far: chunks joined without a separator.
    pub text: String,
    pub chunks: u64,
    pub strays: u64,
    pub first_chunk_ms: Option<u64>,
}

impl Call {
    #[must_use]
    pub fn new(id: CallId, request: Request, connection: impl Into<String>, started: Millis) -> Self {
        Self {
            id,
            request,
            connection: connection.into(),
            started,
            state: CallState::Opening,
            events: EventLog::default(),
            text: String::new(),
            chunks: 0,
            strays: 0,
            first_chunk_ms: None,
        }
    }

    /// Takes an event in. Only strays count after the end.
    pub fn take(&mut self, event: Event) {
        let ended = matches!(self.state, CallState::Ended { .. });
        match &event.kind {
            EventKind::Stray { .. } => self.strays += 1,
            _ if ended => return,
            EventKind::Sent { .. } => self.state = CallState::Waiting,
            EventKind::Chunk { text, .. } => {
                self.state = CallState::Streaming;
                self.text.push_str(text);
                self.chunks += 1;
                self.first_chunk_ms.get_or_insert(event.at_ms);
            }
            EventKind::Headers(_) | EventKind::Notice(_) | EventKind::Stage(_) => {}
            EventKind::End { outcome, problem } => {
                self.state = CallState::Ended { outcome: *outcome, problem: problem.clone(), at_ms: event.at_ms };
            }
        }
        self.events.push(event);
    }

    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        match &self.state {
            CallState::Ended { outcome, .. } => Some(*outcome),
            _ => None,
        }
    }
}
