//! The gateway's own side: what a request asks of which service, and what that service says, piece
//! by piece.

use serde_json::{Map, Value, json};

use super::{endpoints::WORKSPACE, table};
use crate::{
    model::stub::Fault,
    systems::trustgraph::{agent, request::ServiceRequest},
};

/// Where a request's arguments stand.
#[derive(Clone, Copy)]
enum Arguments {
    /// In a member of their own.
    In(&'static str),
    /// In one member, which tools know under another name.
    As(&'static str, &'static str),
    /// All that is no configuration.
    Rest,
}

/// A piece of an answer: its text, whether it is the last, and whether it is the only one.
type WritePiece = fn(&str, PieceStanding) -> Value;

/// How a service is asked and how it answers.
struct ServiceStyle {
    service: &'static str,
    /// Members that say what is asked, and not with which arguments.
    config: &'static [&'static str],
    /// The one without which it fails.
    needs: Option<&'static str>,
    arguments: Arguments,
    piece: WritePiece,
}

const MANNERS: &[ServiceStyle] = &[
    ServiceStyle {
        service: "mcp-tool",
        config: &["name"],
        needs: Some("name"),
        arguments: Arguments::In("parameters"),
        piece: mcp,
    },
    ServiceStyle {
        service: "prompt",
        config: &["id"],
        needs: Some("id"),
        arguments: Arguments::In("variables"),
        piece: prompt,
    },
    ServiceStyle {
        service: "text-completion",
        config: &[],
        needs: Some("prompt"),
        arguments: Arguments::Rest,
        piece: completion,
    },
    ServiceStyle {
        service: "graph-rag",
        config: &["collection"],
        needs: Some("query"),
        arguments: Arguments::As("query", "question"),
        piece: completion,
    },
    ServiceStyle {
        service: "structured-query",
        config: &["collection"],
        needs: Some("question"),
        arguments: Arguments::As("question", "question"),
        piece: structured,
    },
    ServiceStyle {
        service: table::SERVICE,
        config: &["operation"],
        needs: None,
        arguments: Arguments::Rest,
        piece: json_chunk,
    },
    ServiceStyle {
        service: agent::SERVICE,
        config: &[],
        needs: Some("question"),
        arguments: Arguments::Rest,
        piece: dialogue,
    },
];

/// Every other service.
const OTHER: ServiceStyle = ServiceStyle {
    service: "",
    config: &[],
    needs: None,
    arguments: Arguments::Rest,
    piece: completion,
};

/// Members that are about the way of an answer, not about what is asked.
const ABOUT_THE_WAY: [&str; 2] = [WORKSPACE, "streaming"];

/// The members that say of an event that it is the last.
const ENDS: [&str; 3] = ["end_of_stream", "end_of_session", "end_of_dialog"];

fn find_style(service: &str) -> &'static ServiceStyle {
    MANNERS.iter().find(|manner| manner.service == service).unwrap_or(&OTHER)
}

/// A request to a service as rules read it: what the tool's entry says is configuration, what a
/// model gives are arguments.
///
/// # Errors
/// The name of the member that the service cannot do without.
pub(crate) fn parse_request(
    service: &str,
    body: &Map<String, Value>,
) -> Result<ServiceRequest, &'static str> {
    let manner = find_style(service);
    if let Some(needed) = manner.needs.filter(|needed| !body.contains_key(*needed)) {
        return Err(needed);
    }
    let of = |wanted: &dyn Fn(&str) -> bool| -> Map<String, Value> {
        body.iter()
            .filter(|(name, _)| wanted(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    };
    let is_config = |name: &str| manner.config.contains(&name);
    let arguments = match manner.arguments {
        Arguments::In(member) => {
            body.get(member).and_then(Value::as_object).cloned().unwrap_or_default()
        }
        Arguments::As(member, name) => {
            body.get(member).map(|value| (name.to_owned(), value.clone())).into_iter().collect()
        }
        Arguments::Rest => of(&|name| !is_config(name) && !ABOUT_THE_WAY.contains(&name)),
    };
    Ok(ServiceRequest { user: String::new(), config: of(&is_config), arguments })
}

/// A piece of a service's answer, as it is in a frame of the socket.
#[must_use]
pub fn answer_chunk(service: &str, text: &str, last: bool) -> Value {
    (find_style(service).piece)(text, PieceStanding::Among { last })
}

/// A service's whole answer in one piece.
#[must_use]
pub fn whole_answer(service: &str, text: &str) -> Value {
    (find_style(service).piece)(text, PieceStanding::Alone)
}

/// How a piece is to the answer that it is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PieceStanding {
    /// It is all of it.
    Alone,
    /// Others may come before, and after it where it is not the last.
    Among { last: bool },
}

impl PieceStanding {
    fn is_last(self) -> bool {
        self != Self::Among { last: false }
    }
}

/// The same as one event of a stream, where nothing but itself says whether it is the last.
#[must_use]
pub(crate) fn stream_event(service: &str, text: &str, last: bool) -> Value {
    let mut piece = answer_chunk(service, text, last);
    if let Value::Object(members) = &mut piece
        && !ENDS.iter().any(|end| members.contains_key(*end))
    {
        members.insert("end_of_stream".into(), last.into());
    }
    piece
}

/// Whether the pieces of an answer are joined where only one message is sent. The agent's are
/// messages of their own, of which the last is sent.
#[must_use]
pub(crate) fn joins_chunks(service: &str) -> bool {
    service != agent::SERVICE
}

/// An error of a service. Two of them the gateway says otherwise: as nothing at all, and as a text.
#[must_use]
pub(crate) fn error_answer(service: &str, kind: &str, message: &str) -> Value {
    match (kind, service) {
        ("empty-answer", _) => empty_answer(service),
        ("mcp-tool-error", "mcp-tool") => json!({"text": message}),
        _ => json!({"error": {"type": kind, "message": message}}),
    }
}

/// What the gateway says where a service failed, or what is asked for is not there: nothing.
#[must_use]
pub(crate) fn empty_answer(service: &str) -> Value {
    match service {
        "mcp-tool" => json!({}),
        service if MANNERS.iter().any(|manner| manner.service == service) => {
            whole_answer(service, "")
        }
        _ => timeout_answer(),
    }
}

/// What the gateway says once it has waited long enough for a service.
#[must_use]
pub(crate) fn timeout_answer() -> Value {
    json!({"error": {"type": "gateway-error", "message": ""}})
}

/// One answer, or a part of it, as a frame of the socket.
#[must_use]
pub fn response_frame(id: Option<&str>, response: &Value, complete: bool) -> Value {
    let mut frame: Map<String, Value> =
        id.map(|id| ("id".to_owned(), id.into())).into_iter().collect();
    frame.insert("response".into(), response.clone());
    frame.insert("complete".into(), complete.into());
    frame.into()
}

/// What becomes of an id over HTTP, right or wrong.
pub(crate) const NO_IDS: &str = "over HTTP an answer has no id, since it comes on the connection \
                                 of its request: the caller gets nothing";

/// What becomes of a fault over HTTP that cannot be known there.
#[must_use]
pub(crate) fn over_http(fault: Fault) -> Option<&'static str> {
    matches!(fault, Fault::WrongId | Fault::UnknownId | Fault::NoId).then_some(NO_IDS)
}

/// A text that is nothing but a JSON value written shortest, so that nothing is lost when it
/// travels as that value.
fn as_json(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    serde_json::to_string(&value).is_ok_and(|shortest| shortest == text).then_some(value)
}

/// The text is the answer itself, as JSON.
fn json_chunk(text: &str, _: PieceStanding) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!({}))
}

fn mcp(text: &str, standing: PieceStanding) -> Value {
    match as_json(text).filter(|value| standing == PieceStanding::Alone && value.is_object()) {
        Some(object) => json!({"object": object}),
        None => json!({"text": text}),
    }
}

fn prompt(text: &str, standing: PieceStanding) -> Value {
    json!({"text": text, "object": "", "end_of_stream": standing.is_last()})
}

fn completion(text: &str, standing: PieceStanding) -> Value {
    json!({"response": text, "end_of_stream": standing.is_last()})
}

fn structured(text: &str, _: PieceStanding) -> Value {
    json!({"data": as_json(text).unwrap_or_else(|| text.into()), "errors": []})
}

/// A message of the agent, where the text is one, else a piece of its answer.
fn dialogue(text: &str, standing: PieceStanding) -> Value {
    let last = standing.is_last();
    let message = serde_json::from_str::<Map<String, Value>>(text)
        .ok()
        .filter(|message| message.contains_key("message_type"));
    let mut message = message.unwrap_or_else(|| {
        Map::from_iter([
            ("message_type".into(), "answer".into()),
            ("content".into(), text.into()),
            ("end_of_message".into(), last.into()),
        ])
    });
    message.insert("end_of_dialog".into(), last.into());
    message.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        model::error_kind::ErrorKind,
        systems::{
            facets::calls::Reply,
            trustgraph::gateway::{
                answer::{Answer, Wrapping},
                messages,
            },
        },
    };

    fn map(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    fn read(service: &str, body: &Value, wrapping: Wrapping<'_>) -> Reply {
        Answer::for_path(&format!("/api/v1/flow/f/service/{service}"))
            .read_message(body.to_string().as_bytes(), wrapping)
    }

    #[test]
    fn what_the_entry_says_is_configuration_and_what_the_model_gives_are_arguments() {
        for (service, body, config, arguments) in [
            (
                "mcp-tool",
                json!({"name": "echo", "parameters": {"x": 1}}),
                json!({"name": "echo"}),
                json!({"x": 1}),
            ),
            (
                "prompt",
                json!({"id": "q", "variables": {"a": 1}, "streaming": true}),
                json!({"id": "q"}),
                json!({"a": 1}),
            ),
            (
                "graph-rag",
                json!({"query": "why?", "collection": "c"}),
                json!({"collection": "c"}),
                json!({"question": "why?"}),
            ),
            (
                "text-completion",
                json!({"system": "s", "prompt": "p", "workspace": "w"}),
                json!({}),
                json!({"system": "s", "prompt": "p"}),
            ),
            (
                "agent",
                json!({"question": "?", "state": "x"}),
                json!({}),
                json!({"question": "?", "state": "x"}),
            ),
            ("whatever", json!({"a": 1}), json!({}), json!({"a": 1})),
        ] {
            let asked = parse_request(service, &map(&body)).unwrap();
            assert_eq!(
                (Value::Object(asked.config), Value::Object(asked.arguments)),
                (config, arguments),
                "{service}"
            );
        }
        assert_eq!(parse_request("mcp-tool", &map(&json!({"parameters": {}}))), Err("name"));
    }

    #[test]
    fn errors_are_told_as_the_gateway_tells_them() {
        let bare = Wrapping::Bare { status: Some(200) };
        let failed = |service, kind, message| match read(
            service,
            &error_answer(service, kind, message),
            bare,
        ) {
            Reply::Error(problem) => problem,
            other => panic!("{other:?}"),
        };
        for service in ["mcp-tool", "prompt", "text-completion"] {
            assert_eq!(failed(service, "burnt", "oven").message, "oven");
            assert_eq!(
                failed(service, "empty-answer", "gone"),
                messages::empty_answer_error(service)
            );
        }
        let text = "Error executing tool echo: no";
        assert_eq!(error_answer("mcp-tool", "mcp-tool-error", text), json!({"text": text}));
        assert_eq!(failed("mcp-tool", "mcp-tool-error", text).kind, ErrorKind::McpToolError);
    }

    proptest! {
        #[test]
        fn our_own_reader_gets_what_is_said(
            service in proptest::sample::select(vec!["mcp-tool", "prompt", "text-completion", "graph-rag", "else"]),
            text in prop_oneof!["\\PC{1,9}", Just(r#"{"b":1,"a":[2.5]}"#.to_owned()), Just(r#"{"b": 1}"#.to_owned())],
            last: bool, alone: bool,
        ) {
            let piece = match alone {
                true => whole_answer(service, &text),
                false => answer_chunk(service, &text, last),
            };
            let last = last || alone;
            let framed = response_frame(Some("r"), &piece, last);
            let framed = read(service, &framed, Wrapping::Framed { id: "r" });
            prop_assert_eq!(&framed, &read(service, &stream_event(service, &text, last), Wrapping::Piece));
            prop_assert_eq!(framed, Reply::Chunk { text, last });
        }
    }
}
