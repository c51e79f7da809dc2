//! What happens in a run: as data for scripts, and as stages of the trace that the history keeps.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{run::Answered, turn::ModelReply};
use crate::model::{
    call::{EventKind, Outcome},
    stage::Stage,
    trace::TraceId,
};

/// How a run is called in the history, before the name of its model's connection.
pub const RUN_PREFIX: &str = "ask:";

/// Something that happens in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentEvent {
    /// The model is asked.
    Asked {
        turn: u32,
        state: String,
        tools: Vec<String>,
        bytes: usize,
        /// What it is sent, for who looks on; neither scripts nor the history get it, as each
        /// request repeats the one before. Empty where nothing is sent.
        body: Arc<str>,
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
    /// The run goes on from an earlier place, and that reply is the next one.
    WentBack {
        reply: u32,
        state: String,
        /// So many turns stay.
        turns: usize,
        /// What the model gets more.
        message: Option<String>,
        /// A result of the last of them that is different now, by its row.
        result: Option<(usize, String)>,
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

    /// The event that a trace keeps so; `None` of one that is no run's.
    #[must_use]
    pub fn from_trace(kind: &EventKind) -> Option<Self> {
        let stage = match kind {
            EventKind::Chunk { text, .. } => return Some(Self::Text(text.to_string())),
            EventKind::Notice(words) => return Some(Self::Notice(words.clone())),
            EventKind::Stage(stage) => stage,
            _ => return None,
        };
        let body: Value = serde_json::from_str(&stage.body).ok()?;
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        let number = |name: &str| body[name].as_u64();
        let small = |name: &str| number(name).and_then(|number| u32::try_from(number).ok());
        let size = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        Some(match &*stage.name {
            ASKED => Self::Asked {
                turn: small("turn")?,
                state: text("state"),
                tools: body["tools"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|tool| tool.as_str().map(str::to_owned))
                    .collect(),
                bytes: size(&body["bytes"]).unwrap_or_default(),
                body: Arc::default(),
            },
            REPLIED => Self::Replied {
                turn: small("turn")?,
                reply: ModelReply::from_json(&body["reply"]),
                first_ms: number("first_ms"),
                took_ms: number("took_ms").unwrap_or_default(),
            },
            CALLED => Self::Called {
                tool: text("tool"),
                arguments: body["arguments"].clone(),
                fault: body["fault"]["message"].as_str().map(|message| {
                    let kind = body["fault"]["type"].as_str().unwrap_or_default();
                    (kind.to_owned(), message.to_owned())
                }),
                edited: body["edited"].as_bool().unwrap_or_default(),
            },
            RETURNED => Self::Returned {
                tool: text("tool"),
                answered: Answered::of_word(body["answered"].as_str()?)?,
                outcome: Outcome::of_word(body["outcome"].as_str()?)?,
                text: text("text"),
                took_ms: number("took_ms").unwrap_or_default(),
                trace: body["call"].as_str().map(Into::into),
            },
            MOVED => Self::Moved { from: text("from"), to: text("to") },
            WENT_BACK => Self::WentBack {
                reply: small("reply")?,
                state: text("state"),
                turns: size(&body["turns"])?,
                message: body["message"].as_str().map(str::to_owned),
                result: body["result"]["text"]
                    .as_str()
                    .and_then(|text| Some((size(&body["result"]["row"])?, text.to_owned()))),
            },
            _ => return None,
        })
    }

    fn name_and_body(&self) -> (&'static str, Value) {
        match self {
            Self::Asked { turn, state, tools, bytes, body: _ } => {
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
            Self::WentBack { reply, state, turns, message, result } => (
                WENT_BACK,
                json!({
                    "reply": reply, "state": state, "turns": turns, "message": message,
                    "result": result.as_ref().map(|(row, text)| json!({"row": row, "text": text})),
                }),
            ),
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
            Self::WentBack { reply, state, message, result, .. } => {
                let other = result.as_ref().map(|(_, text)| format!("the result {text}"));
                let change = message.clone().or(other);
                let change = change.map_or_else(String::new, |text| format!(": {text}"));
                format!("back to before reply {reply}, in state {state}{change}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_from_a_trace_as_they_were_kept() {
        let call = |fault: Option<(String, String)>| AgentEvent::Called {
            tool: "sum".into(),
            arguments: json!({"a": 1}),
            edited: fault.is_none(),
            fault,
        };
        let back = |message: Option<&str>, result| AgentEvent::WentBack {
            reply: 2,
            state: "found".into(),
            turns: 3,
            message: message.map(str::to_owned),
            result,
        };
        let events = [
            AgentEvent::Asked {
                turn: 1,
                state: "a".into(),
                tools: vec!["sum".into()],
                bytes: 7,
                body: Arc::default(),
            },
            AgentEvent::Text("Let me see.".into()),
            AgentEvent::Notice("asked again".into()),
            AgentEvent::Replied {
                turn: 1,
                reply: ModelReply::from_json(&json!({"text": "Hi", "calls": [{"name": "sum"}]})),
                first_ms: Some(1),
                took_ms: 2,
            },
            call(None),
            call(Some(("hidden".into(), "it is hidden".into()))),
            AgentEvent::Returned {
                tool: "sum".into(),
                answered: Answered::Mocked,
                outcome: Outcome::Failed,
                text: "8".into(),
                took_ms: 3,
                trace: Some("id".into()),
            },
            AgentEvent::Moved { from: "a".into(), to: "b".into() },
            back(Some("Look again."), None),
            back(None, Some((1, "9".into()))),
        ];
        for event in events {
            let read = AgentEvent::from_trace(&event.to_trace()).unwrap();
            assert_eq!(read.to_trace(), event.to_trace());
        }
        let end = EventKind::End { outcome: Outcome::Succeeded, problem: None };
        assert_eq!(AgentEvent::from_trace(&end), None);
    }
}
