//! A trace: a call as it is kept, its head and its events.

use std::sync::Arc;

use super::{
    call::{Event, EventKind, Outcome, Request},
    clock::Millis,
    connection::Connection,
    error_kind::ErrorKind,
};

/// The correlation of its request, which no other call has.
pub(crate) type TraceId = Arc<str>;

/// What is known of a kept call from its beginning; secrets are masked in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub id: TraceId,
    pub at: Millis,
    /// The tool's model-facing name.
    pub tool: Arc<str>,
    pub system: Arc<str>,
    pub connection: Arc<str>,
    /// `nats`, `embedded`, …
    pub transport: Arc<str>,
    pub to: Arc<str>,
    pub reply: Option<Arc<str>>,
    pub headers: Vec<(String, String)>,
    /// The arguments as a JSON object.
    pub arguments: Arc<str>,
    pub body: Arc<str>,
    /// Something in the request was masked, so it cannot be sent as it is kept.
    pub masked: bool,
}

impl Head {
    /// The head of a call that begins now.
    #[must_use]
    pub fn from_request(request: &Request, connection: &Connection, at: Millis) -> Self {
        Self {
            id: request.correlation.as_str().into(),
            at,
            tool: request.name.as_str().into(),
            system: request.system.into(),
            connection: request.connection_name(&connection.name).into(),
            transport: connection.transport().as_str().into(),
            to: request.to.as_str().into(),
            reply: request.reply.as_deref().map(Into::into),
            headers: request.headers.clone(),
            arguments: request.arguments.clone(),
            body: request.body.clone(),
            masked: false,
        }
    }
}

/// A kept call with everything that happened in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    pub head: Head,
    pub events: Vec<Event>,
}

impl Trace {
    /// When its request was sent, which is after its connection was opened; `None`: it wasn't.
    #[must_use]
    pub fn sent_ms(&self) -> Option<u64> {
        let sent = |event: &&Event| matches!(event.kind, EventKind::Sent { .. });
        self.events.iter().find(sent).map(|event| event.at_ms)
    }

    /// The stages on its way: name and body.
    #[must_use]
    pub fn stage_bodies(&self) -> Vec<(String, String)> {
        let stage = |event: &Event| match &event.kind {
            EventKind::Stage(stage) => Some((stage.name.to_string(), stage.body.to_string())),
            _ => None,
        };
        self.events.iter().filter_map(stage).collect()
    }
}

/// A kept call in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub id: TraceId,
    pub at: Millis,
    pub tool: Arc<str>,
    pub connection: Arc<str>,
    /// The beginning of its arguments, with what its variables were.
    pub arguments: Arc<str>,
    /// `None`: it has not ended, or its program was killed.
    pub outcome: Option<Outcome>,
    /// What went wrong, where something did.
    pub error: Option<ErrorKind>,
    /// When the request was sent, which is after its connection was opened; `None`: it wasn't.
    pub sent_ms: Option<u64>,
    /// How long it took; of one without an end, as far as it is kept.
    pub took_ms: u64,
    pub first_ms: Option<u64>,
    pub chunks: u64,
    /// Bytes of text.
    pub size: u64,
    pub strays: u64,
    /// Whether the case passed that it was called for; `None`: it was no test.
    pub has_passed: Option<bool>,
}

impl Summary {
    /// From sending on, in milliseconds: how long the connection took to open, and its server to
    /// start, says nothing about a tool.
    #[must_use]
    pub fn answered_in(&self) -> u64 {
        self.took_ms.saturating_sub(self.sent_ms.unwrap_or(0))
    }

    /// The same where it is known: nothing may be kept of a call without an end but that it began.
    #[must_use]
    pub fn known_duration(&self) -> Option<u64> {
        let ms = self.answered_in();
        (self.outcome.is_some() || ms > 0).then_some(ms)
    }

    /// How it ended, in words.
    #[must_use]
    pub fn ending_words(&self) -> &'static str {
        self.outcome.map_or(Self::UNFINISHED, |outcome| {
            outcome.ending_words(self.error.as_ref(), self.chunks)
        })
    }

    /// The word for a call without an outcome.
    pub const UNFINISHED: &str = "unfinished";
}

/// Kept calls, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub calls: Vec<Summary>,
    /// How many fit what was looked for and are older than those listed.
    pub older: usize,
    /// How many lines could not be read.
    pub unread: usize,
}
