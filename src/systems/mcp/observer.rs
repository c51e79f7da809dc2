//! What passes between toolcrib and a server, as conversations: a request with its progress, what
//! the server says and asks while it works on it, and its answer.

use serde_json::Value;

use super::{
    calls::CALL,
    keys, notice,
    rpc::{
        frame::{Frame, Kind},
        id::Id,
    },
    settings,
};
use crate::{
    engine::traffic::conversation::CANCELLED,
    model::{
        call::CallError,
        connection::Connection,
        error_kind::ErrorKind,
        problem::Problem,
        traffic::{
            DIRECTION, Decoded, FRAMES, MessageLinks, ObservedMessage, ParentConversation, Part,
        },
        transport::TransportKind,
    },
    systems::facets::observer::{Follower, Observer, Place, SeenCall, Usual},
};

/// The methods whose requests people wait for.
const WORK: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

/// How members of `_meta` begin that a client of the modern era gives each request.
const OWN_META: &str = "io.modelcontextprotocol/";

pub struct McpObserver;

/// Who sent a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameSide {
    Client,
    Server,
}

impl FrameSide {
    fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }

    /// The name of the conversation that a request of this side begins: both sides count their own.
    fn conversation_name(self, id: &Id) -> String {
        let sign = if self == Self::Client { "→" } else { "←" };
        format!("{sign}{}", id.as_text())
    }
}

impl Observer for McpObserver {
    fn classify_message(&self, crossing: &ObservedMessage) -> Option<Decoded> {
        let text = crossing.body_text();
        let side = match crossing.header(DIRECTION)? {
            "out" => FrameSide::Client,
            "in" => FrameSide::Server,
            _ => {
                let label = "stderr";
                return Some(Decoded::new(Some(keys::SYSTEM), Part::Broadcast, label, text));
            }
        };
        Some(classify_frame(&Frame::parse(text), side))
    }

    fn seen_call(&self, crossing: &ObservedMessage) -> Option<SeenCall> {
        let is_ours = crossing.header(DIRECTION)? == "out";
        let frame = Frame::parse(crossing.body_text());
        let is_call = matches!(&frame.kind, Kind::Request { method, .. } if method == CALL);
        let Value::Object(mut params) = frame.params() else { return None };
        let tool = params.get("name")?.as_str().filter(|_| is_ours && is_call)?.to_owned();
        if let Some(Value::Object(meta)) = params.get_mut("_meta") {
            // These the next request has of its own.
            meta.retain(|key, _| key != "progressToken" && !key.starts_with(OWN_META));
            if meta.is_empty() {
                params.shift_remove("_meta");
            }
        }
        Some(SeenCall { tool, to: CALL.to_owned(), body: Value::Object(params).to_string() })
    }

    fn follower(&self) -> Box<dyn Follower> {
        Box::new(McpFollower::default())
    }

    fn owns(&self, subject: &str) -> bool {
        subject == FRAMES
    }

    fn parse_place(&self, text: &str, transport: TransportKind) -> Option<Result<Place, Problem>> {
        let is_server = matches!(transport, TransportKind::Stdio | TransportKind::Http);
        (is_server && text == FRAMES).then(|| Ok(frames_place()))
    }

    fn default_watch(&self, connection: &Connection) -> Option<Usual> {
        settings::is_at(connection).then(|| Usual {
            words: format!("every frame of {}, both ways", connection.name),
            places: vec![frames_place()],
        })
    }
}

fn frames_place() -> Place {
    Place { name: FRAMES.to_owned(), kept: false }
}

/// What one frame is, without those before it.
fn classify_frame(frame: &Frame, side: FrameSide) -> Decoded {
    let decoded =
        |part, label: String, text: String| Decoded::new(Some(keys::SYSTEM), part, label, text);
    match &frame.kind {
        Kind::Request { id, method, .. } => {
            let params = frame.params();
            Decoded {
                id: Some(side.conversation_name(id)),
                topic: Some(topic_of(method, &params)),
                routine: method == "ping",
                ..decoded(Part::Request, method.clone(), shown_params(&params))
            }
        }
        Kind::Reply { id, result, error } => {
            let result = result.as_ref().map(|span| frame.parse_value(span));
            let error = error.as_ref().map(|span| frame.parse_value(span));
            let (part, label, text) = read_reply(result.as_ref(), error.as_ref());
            Decoded {
                id: id.as_ref().map(|id| side.other().conversation_name(id)),
                ..decoded(part, label.to_owned(), text)
            }
        }
        Kind::Notification { method, .. } => {
            let params = frame.params();
            let id = notice_request(method, &params, side);
            let part = match (&id, method.as_str()) {
                (Some(_), "notifications/cancelled") => Part::Outcome(Some(cancelled(side))),
                (Some(_), _) => Part::Note,
                (None, _) => Part::Broadcast,
            };
            let label = method.strip_prefix("notifications/").unwrap_or(method);
            let topic = Some(label.to_owned());
            Decoded { id, topic, ..decoded(part, label.to_owned(), notice_text(method, &params)) }
        }
        Kind::Batch(_) => decoded(Part::Other, "batch".to_owned(), frame.text().to_owned()),
        Kind::Several(_) | Kind::Foreign | Kind::Noise => {
            let message = "this is no message of the protocol";
            let remedy = "standard output belongs to the protocol alone: print to standard error";
            let problem = CallError::new(ErrorKind::NotAReply, message, remedy);
            decoded(Part::Unreadable(problem), "noise".to_owned(), frame.text().to_owned())
        }
    }
}

/// What a request is about: the tool, prompt or resource, else its method.
fn topic_of(method: &str, params: &Value) -> String {
    let named = WORK.contains(&method).then(|| params.get("name").or_else(|| params.get("uri")));
    named.flatten().and_then(Value::as_str).unwrap_or(method).to_owned()
}

fn shown_params(params: &Value) -> String {
    let shown = params.get("arguments").unwrap_or(params);
    if shown.is_null() { String::new() } else { shown.to_string() }
}

/// The request that a notification is about.
fn notice_request(method: &str, params: &Value, side: FrameSide) -> Option<String> {
    let (member, asker) = match method {
        "notifications/progress" => ("progressToken", side.other()),
        "notifications/cancelled" => ("requestId", side),
        _ => return notice::subscription(params).map(|id| side.other().conversation_name(&id)),
    };
    Some(asker.conversation_name(&Id::from_value(params.get(member)?)?))
}

fn notice_text(method: &str, params: &Value) -> String {
    let text = |member: &str| match params.get(member) {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    match method {
        "notifications/progress" => {
            let total = params.get("total").map(|total| format!(" of {total}")).unwrap_or_default();
            let message = params.get("message").and_then(Value::as_str);
            let message = message.map(|message| format!(": {message}")).unwrap_or_default();
            format!("{}{total}{message}", text("progress"))
        }
        "notifications/message" => format!("{} {}", text("level"), text("data")),
        "notifications/cancelled" => text("reason"),
        _ if params.is_null() => String::new(),
        _ => params.to_string(),
    }
}

fn cancelled(side: FrameSide) -> CallError {
    let who = if side == FrameSide::Client { "toolcrib" } else { "the server" };
    CallError::new(ErrorKind::parse(CANCELLED), format!("{who} cancelled it"), "")
}

/// How an answer ends its request, what it is, and what it says.
fn read_reply(result: Option<&Value>, error: Option<&Value>) -> (Part, &'static str, String) {
    if let Some(error) = error {
        let message = error["message"].as_str().unwrap_or_default();
        let kind = ErrorKind::parse(&error["code"].to_string());
        return (Part::Error(CallError::new(kind, message, "")), "error", error.to_string());
    }
    let Some(result) = result else {
        let message = "the answer has neither a result nor an error";
        let problem = CallError::new(ErrorKind::NotAReply, message, "");
        return (Part::Unreadable(problem), "reply", String::new());
    };
    let blocks = result.get("content").and_then(Value::as_array);
    let texts: Vec<&str> =
        blocks.into_iter().flatten().filter_map(|block| block["text"].as_str()).collect();
    let text = if texts.is_empty() { result.to_string() } else { texts.join("\n") };
    if result.get("isError") == Some(&Value::Bool(true)) {
        let kind = ErrorKind::parse("mcp-tool-error");
        return (Part::Error(CallError::new(kind, text.clone(), "")), "isError", text);
    }
    let label = match result.get("resultType").and_then(Value::as_str) {
        Some("input_required") => "asks",
        Some("task") => "task",
        _ => "result",
    };
    (Part::Answer { last: true }, label, text)
}

/// Knows which request a server works on, so that what it says and asks meanwhile is received with
/// it.
#[derive(Default)]
struct McpFollower {
    /// Requests that people wait for, and what they are about.
    working: Vec<ParentConversation>,
}

impl Follower for McpFollower {
    fn observe_message(&mut self, crossing: &ObservedMessage, reading: &mut Decoded) {
        let is_ours = crossing.header(DIRECTION) == Some("out");
        match &reading.part {
            Part::Request if is_ours => {
                if WORK.contains(&&*reading.label)
                    && let Some(id) = reading.id.clone()
                {
                    self.working.push(ParentConversation { id, topic: reading.topic.clone() });
                }
            }
            Part::Answer { .. } | Part::Error(_) | Part::Outcome(_) => {
                self.working.retain(|work| Some(&work.id) != reading.id.as_ref());
            }
            // Nothing says which of several it is about.
            Part::Request => {
                if let [work] = &*self.working {
                    reading.ties =
                        MessageLinks { within: Some(work.clone()), ..MessageLinks::default() };
                }
            }
            Part::Broadcast => {
                if let [work] = &*self.working {
                    reading.id = Some(work.id.clone());
                    reading.part = Part::Note;
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::traffic::{
            conversation::ConversationState,
            record::{Record, RecordBounds},
        },
        model::{
            clock::Millis,
            traffic::{KeptMessage, Tapped},
        },
        systems::watched::TrafficWitness,
    };

    /// The conversations of these frames: what each is about, how it is, and its messages.
    fn conversations(frames: &[(&str, &str)]) -> Vec<(String, String, u64)> {
        let mut record = Record::new(RecordBounds::default());
        let mut witness = TrafficWitness::default();
        for (at, (direction, text)) in (1_000..).zip(frames) {
            let tapped = Tapped::ObservedMessage(std::sync::Arc::new(ObservedMessage {
                at: Millis(at),
                subject: FRAMES.into(),
                reply: None,
                headers: vec![(DIRECTION.to_owned(), (*direction).to_owned())],
                body: text.as_bytes().into(),
                size: text.len() as u64,
                kept: KeptMessage::Whole,
                about: None,
            }));
            record.add_witnessed(witness.observe_message(tapped));
        }
        let told = |number: u64| {
            let conversation = record.conversation(number).unwrap();
            let standing = match &conversation.standing {
                ConversationState::Failed(problem) => format!("failed: {}", problem.message),
                other => other.as_str().to_owned(),
            };
            (conversation.topic.clone().unwrap_or_default(), standing, conversation.count)
        };
        (1..).map_while(|number| record.conversation(number).map(|it| told(it.number))).collect()
    }

    #[test]
    fn a_call_that_was_seen_can_be_made_again() {
        let seen = |direction: &str, text: &str| {
            McpObserver.seen_call(&ObservedMessage {
                at: Millis(1),
                subject: FRAMES.into(),
                reply: None,
                headers: vec![(DIRECTION.to_owned(), direction.to_owned())],
                body: text.as_bytes().into(),
                size: text.len() as u64,
                kept: KeptMessage::Whole,
                about: None,
            })
        };
        let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"a":1},"_meta":{"progressToken":2,"io.modelcontextprotocol/clientInfo":{},"chat":"c"}}}"#;
        let expected = SeenCall {
            tool: "ask".into(),
            to: "tools/call".into(),
            body: r#"{"name":"ask","arguments":{"a":1},"_meta":{"chat":"c"}}"#.into(),
        };
        assert_eq!(seen("out", call), Some(expected));
        assert_eq!(seen("in", call), None);
        assert_eq!(seen("out", r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#), None);
    }

    fn row(topic: &str, standing: &str, count: u64) -> (String, String, u64) {
        (topic.to_owned(), standing.to_owned(), count)
    }

    #[test]
    fn what_a_server_says_and_asks_during_a_call_is_heard_with_it() {
        let frames = [
            ("out", r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#),
            ("in", r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}"#),
            ("out", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            (
                "out",
                r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"a":1}}}"#,
            ),
            (
                "in",
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1,"total":3}}"#,
            ),
            (
                "in",
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hello"}}"#,
            ),
            ("stderr", "a line"),
            // The server counts its own requests.
            (
                "in",
                r#"{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"who?"}}"#,
            ),
            ("out", r#"{"jsonrpc":"2.0","id":2,"result":{"action":"decline"}}"#),
            (
                "in",
                r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}"#,
            ),
            (
                "in",
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"bye"}}"#,
            ),
            ("in", "Listening on stdio"),
        ];
        assert_eq!(
            conversations(&frames),
            [
                row("initialize", "succeeded", 2),
                row("initialized", "single", 1),
                // With those of the server's question.
                row("ask", "failed: no", 7),
                row("elicitation/create", "succeeded", 2),
                row("message", "single", 1),
                row("", "unreadable", 1),
            ]
        );
    }

    #[test]
    fn errors_and_cancelled_calls_end_their_requests() {
        let frames = [
            ("out", r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow"}}"#),
            (
                "out",
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
            ),
            ("out", r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"gone"}}"#),
            ("in", r#"{"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"no such tool"}}"#),
            ("in", r#"{"jsonrpc":"2.0","id":99,"result":{}}"#),
        ];
        assert_eq!(
            conversations(&frames),
            [
                row("slow", "failed: toolcrib cancelled it", 2),
                row("gone", "failed: no such tool", 2),
                row("", "orphan", 1),
            ]
        );
    }
}
