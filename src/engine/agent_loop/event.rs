//! What happens in a run: as data for scripts, and as stages of the trace that the history keeps.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{run::Answered, turn::ModelReply};
use crate::model::{
    call::{EventKind, Outcome, Stage},
    trace::TraceId,
};

/// Something that happens in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentEvent {
    /// The model is asked.
    Asked {
        turn: u32,
        state: String,
        tools: Vec<String>,
        bytes: usize,
    },
    /// It says something; pieces of one reply follow each other.
    Text(String),
    Notice(String),
    /// Its reply is there.
    Replied {
        turn: u32,
        reply: ModelReply,
        first_ms: Option<u64>,
        took_ms: u64,
    },
    /// A call of its reply is decided.
    Called {
        tool: String,
        arguments: Value,
        fault: Option<(String, String)>,
        edited: bool,
    },
    /// What came of it.
    Returned {
        tool: String,
        answered: Answered,
        outcome: Outcome,
        text: String,
        took_ms: u64,
        /// The call in the history.
        trace: Option<TraceId>,
    },
    Moved {
        from: String,
        to: String,
    },
    /// The run goes on from before that reply, with a message more where there is one.
    WentBack {
        reply: u32,
        state: String,
        message: Option<String>,
    },
}

/// The stages' names.
pub const ASKED: &str = "request";
pub const REPLIED: &str = "reply";
pub const CALLED: &str = "tool-call";
pub const RETURNED: &str = "tool-result";
pub const MOVED: &str = "state";
pub const WENT_BACK: &str = "went-back";

impl AgentEvent {
    /// For scripts: an object whose member `event` says what it is.
    #[must_use]
    pub fn to_json(&self, at_ms: u64) -> Value {
        let (name, body) = match self {
            Self::Text(text) => ("text", json!({"text": text})),
            Self::Notice(words) => ("notice", json!({"message": words})),
            other => other.name_and_body(),
        };
        let mut value = json!({"event": name, "at_ms": at_ms});
        if let (Value::Object(value), Value::Object(body)) = (&mut value, body) {
            value.extend(body);
        }
        value
    }

    /// As the trace keeps it.
    #[must_use]
    pub fn to_trace(&self) -> EventKind {
        match self {
            Self::Text(text) => EventKind::Chunk { text: text.as_str().into(), bytes: text.len() },
            Self::Notice(words) => EventKind::Notice(words.clone()),
            other => {
                let (name, body) = other.name_and_body();
                EventKind::Stage(Stage {
                    name: name.into(),
                    words: other.summary(),
                    body: Arc::from(body.to_string()),
                    frame: None,
                })
            }
        }
    }

    fn name_and_body(&self) -> (&'static str, Value) {
        match self {
            Self::Asked { turn, state, tools, bytes } => {
                (ASKED, json!({"turn": turn, "state": state, "tools": tools, "bytes": bytes}))
            }
            Self::Text(text) => ("text", json!({"text": text})),
            Self::Notice(words) => ("notice", json!({"message": words})),
            Self::Replied { turn, reply, first_ms, took_ms } => (
                REPLIED,
                json!({"turn": turn, "reply": reply.to_json(), "first_ms": first_ms, "took_ms": took_ms}),
            ),
            Self::Called { tool, arguments, fault, edited } => (
                CALLED,
                json!({
                    "tool": tool, "arguments": arguments, "edited": edited,
                    "fault": fault.as_ref().map(|(kind, message)| json!({"type": kind, "message": message})),
                }),
            ),
            Self::Returned { tool, answered, outcome, text, took_ms, trace } => (
                RETURNED,
                json!({
                    "tool": tool, "answered": answered.as_str(), "outcome": outcome.as_str(),
                    "text": text, "took_ms": took_ms, "call": trace.as_deref(),
                }),
            ),
            Self::Moved { from, to } => (MOVED, json!({"from": from, "to": to})),
            Self::WentBack { reply, state, message } => {
                (WENT_BACK, json!({"reply": reply, "state": state, "message": message}))
            }
        }
    }

    /// In a line, for people.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Asked { turn, state, tools, .. } => {
                let tools = if tools.is_empty() { "no tools".into() } else { tools.join(", ") };
                format!("request {turn} in state {state}: {tools}")
            }
            Self::Text(text) | Self::Notice(text) => text.clone(),
            Self::Replied { turn, reply, took_ms, .. } => {
                let tokens = reply.usage.map_or_else(String::new, |usage| {
                    format!(", {} tokens in, {} out", usage.input, usage.output)
                });
                format!("reply {turn}: {} after {took_ms} ms{tokens}", reply.stop.as_str())
            }
            Self::Called { tool, arguments, fault, edited } => {
                let edited = if *edited { " (edited)" } else { "" };
                let fault =
                    fault.as_ref().map_or_else(String::new, |(_, words)| format!(": {words}"));
                format!("{tool} {arguments}{edited}{fault}")
            }
            Self::Returned { tool, answered, outcome, took_ms, .. } => match answered {
                Answered::Called => format!("{tool} {} after {took_ms} ms", outcome.as_str()),
                Answered::Mocked | Answered::Recorded => {
                    format!("{tool} {} ({})", outcome.as_str(), answered.as_str())
                }
                Answered::Refused | Answered::Invalid => format!("{tool} {}", answered.as_str()),
            },
            Self::Moved { from, to } => format!("{from} → {to}"),
            Self::WentBack { reply, state, message } => {
                let message = message.as_ref().map_or_else(String::new, |text| format!(": {text}"));
                format!("back to before reply {reply}, in state {state}{message}")
            }
        }
    }
}
