//! What goes into and comes out of a [`session`](super::session): settings, frames to be sent,
//! things to do and things that happened.

use serde_json::Value;

use super::{
    asked::ServerRequest,
    fault::Fault,
    negotiate::{EraChoice, Transport},
    notice::{List, Notice},
    rpc::{
        build::{Call, Client, SpokenVersion},
        frame::{Frame, Span},
        id::Id,
        router::RequestEnd,
    },
    version::{Era, Versions},
};

/// How to open a connection.
#[derive(Clone, Debug)]
pub struct Settings {
    pub transport: Transport,
    pub era: EraChoice,
    pub versions: Versions,
    pub client: Client,
    /// The era that the same server spoke the last time.
    pub remembered: Option<Era>,
}

/// A frame to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// One line.
    pub text: String,
    /// The headers of its POST, where it goes over HTTP.
    pub headers: Vec<(String, String)>,
    /// Under which its answer comes, where one is expected.
    pub id: Option<Id>,
    /// Milliseconds after which [`Session::timed_out`](super::session::Session::timed_out) is to be
    /// reported; `None`: as the caller likes. Where no answer is expected: how long to wait until the
    /// server has got it before anything else is sent.
    pub wait: Option<u64>,
}

/// What the transport has to do, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum TransportStep {
    Send(Outgoing),
    /// Start the server's process again.
    Respawn,
    /// Open the GET stream, on which a server of the legacy era speaks unasked.
    Listen,
    /// Open the transport of 2024-11-05, and tell
    /// [`Session::old_sse_opened`](super::session::Session::old_sse_opened).
    OpenOldSse,
    /// Get a token and open again.
    Authorize,
    /// End the stream of that request, which is how it is given up over modern HTTP.
    CloseStream(Id),
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub what: TurnOutcome,
    /// The frame that it came with.
    pub frame: Option<Frame>,
    pub faults: Vec<Fault>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TurnOutcome {
    /// Both sides speak.
    Opened(OpenedServer),
    /// The connection cannot be opened; ids of why, and what the server said.
    Refused {
        findings: Vec<&'static str>,
        error: Option<Value>,
    },
    /// The answer to a request.
    Answer {
        id: Id,
        call: Call,
        result: Option<Span>,
        error: Option<Span>,
    },
    /// HTTP answered a request with what is no reply.
    HttpError {
        id: Id,
        call: Call,
        status: u16,
    },
    /// The server did not take this request, as it no longer knows the session, which has to be
    /// opened again.
    SessionGone {
        id: Id,
    },
    /// An answer to a request that nobody waits for any longer.
    Late {
        id: Id,
        why: RequestEnd,
    },
    /// An answer that nobody asked for.
    Unmatched,
    Notice(Notice),
    /// The server asks, and waits for [`Session::receive_answer`](super::session::Session::answer).
    Asked {
        id: Id,
        asked: ServerRequest,
    },
    /// The server asked what was answered at once: a ping, or what nobody here can do.
    AnsweredAtOnce {
        asked: ServerRequest,
    },
    /// The server no longer wants an answer.
    Withdrawn {
        id: Id,
        reason: Option<String>,
    },
    /// No answer came in time.
    TimedOut {
        id: Id,
        call: Call,
    },
    /// The connection ended before the answer.
    Lost {
        id: Id,
        call: Call,
    },
    /// JSON that is no message.
    Foreign,
    /// No JSON at all.
    Noise,
}

/// What is known of a server when it is connected.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenedServer {
    pub spoken: SpokenVersion,
    /// What it answered to the request that opened the connection.
    pub result: Value,
    pub findings: Vec<&'static str>,
}

impl OpenedServer {
    /// `name`, `version` and so on; null where it does not say.
    #[must_use]
    pub fn server_info(&self) -> &Value {
        let meta = &self.result["_meta"]["io.modelcontextprotocol/serverInfo"];
        if meta.is_null() { &self.result["serverInfo"] } else { meta }
    }

    #[must_use]
    pub fn capabilities(&self) -> &Value {
        &self.result["capabilities"]
    }

    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        self.result["instructions"].as_str()
    }

    /// Whether the server says that it says when a list has changed.
    #[must_use]
    pub fn tells_changes(&self, list: List) -> bool {
        self.capabilities()[list.as_str()]["listChanged"] == Value::Bool(true)
    }
}

/// What comes of one input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    pub todo: Vec<TransportStep>,
    pub events: Vec<Event>,
}

impl Turn {
    pub(super) fn push_event(
        &mut self,
        what: TurnOutcome,
        frame: Option<Frame>,
        faults: Vec<Fault>,
    ) {
        self.events.push(Event { what, frame, faults });
    }
}
