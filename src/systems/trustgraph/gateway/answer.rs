//! Reads the answer to one request, message by message.

use serde_json::{Map, Value};

use super::{
    endpoints::Endpoint,
    messages::{self, GatewayError},
};
use crate::{
    model::{call::StrayCause, error_kind::ErrorKind, shown::not_utf8_words},
    systems::facets::calls::Reply,
};

/// What has come so far of an answer.
#[derive(Debug)]
pub(crate) struct Answer {
    service: String,
    said_something: bool,
}

/// How messages are wrapped on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapping<'w> {
    /// `{"id", "response", "complete"}` or `{"id", "error", "complete"}`.
    Framed { id: &'w str },
    /// One response of several; which is the last is in it.
    Piece,
    /// The response itself, with a status of HTTP; it is the only one.
    Bare { status: Option<u16> },
}

impl Answer {
    /// Nothing yet of the answer to a request that goes to this path.
    #[must_use]
    pub fn for_path(path: &str) -> Self {
        let service = Endpoint::parse(path).map(|endpoint| endpoint.service).unwrap_or_default();
        Self { service, said_something: false }
    }

    /// What a message means to the caller.
    pub fn read_message(&mut self, body: &[u8], wrapping: Wrapping<'_>) -> Reply {
        let value: Value = match (serde_json::from_slice(body), std::str::from_utf8(body), wrapping)
        {
            (_, Err(_), _) => {
                let message = not_utf8_words(body, "message");
                return Reply::Unreadable(messages::unreadable_error(ErrorKind::NotUtf8, message));
            }
            (Ok(value), ..) => value,
            // A page of some other server says more by its status.
            (Err(_), _, Wrapping::Bare { status: Some(status @ 300..) }) => {
                return error_reply(&Value::Null, Some(status));
            }
            // On a socket that calls share, nobody knows whose it is.
            (Err(_), _, Wrapping::Framed { .. }) => {
                return Reply::Stray { cause: StrayCause::NoId, id: None };
            }
            (Err(error), ..) => {
                return Reply::Unreadable(messages::unreadable_error(
                    ErrorKind::NotJson,
                    format!("the message is not JSON: {error}"),
                ));
            }
        };
        let Value::Object(members) = value else {
            return Reply::Unreadable(messages::unreadable_error(
                ErrorKind::NotAReply,
                "the message is JSON, but not an object".into(),
            ));
        };
        match wrapping {
            Wrapping::Framed { id } => self.read_frame(members, id),
            Wrapping::Piece => {
                let ends = ["end_of_stream", "end_of_session", "end_of_dialog"];
                let last = ends.iter().any(|name| members.get(*name) == Some(&Value::Bool(true)));
                self.read_response(members, last, None)
            }
            Wrapping::Bare { status } => match status {
                Some(300..) => error_reply(members.get("error").unwrap_or(&Value::Null), status),
                _ => self.read_response(members, true, status),
            },
        }
    }

    fn read_frame(&mut self, mut members: Map<String, Value>, own: &str) -> Reply {
        match members.get("id").and_then(Value::as_str) {
            Some(id) if id == own => {}
            Some(id) => {
                return Reply::Stray { cause: StrayCause::ForeignId, id: Some(id.to_owned()) };
            }
            None => return Reply::Stray { cause: StrayCause::NoId, id: None },
        }
        if let Some(error) = members.get("error").filter(|error| !error.is_null()) {
            return error_reply(error, None);
        }
        let last = members.get("complete").and_then(Value::as_bool).unwrap_or(false);
        match members.remove("response") {
            Some(Value::Object(response)) => self.read_response(response, last, None),
            _ => Reply::Unreadable(messages::unreadable_error(
                ErrorKind::NotAReply,
                "the message has neither response nor error".into(),
            )),
        }
    }

    fn read_response(
        &mut self,
        response: Map<String, Value>,
        last: bool,
        status: Option<u16>,
    ) -> Reply {
        if let Some(error) = response.get("error").filter(|error| !error.is_null()) {
            return error_reply(error, status);
        }
        let text = match self.service.as_str() {
            // What is asked for by other parts of this program comes whole.
            "agent" | "config" | "iam" | "flow" => Value::Object(response).to_string(),
            "structured-query" => structured_text(&response),
            _ => response_text(response),
        };
        self.said_something |= !text.is_empty();
        if let Some(error) =
            (self.service == "mcp-tool").then(|| messages::mcp_error(&text)).flatten()
        {
            return Reply::Error(error);
        }
        if last
            && !self.said_something
            && ["mcp-tool", "prompt", "text-completion"].contains(&self.service.as_str())
        {
            return Reply::Error(messages::empty_answer_error(&self.service));
        }
        Reply::Chunk { text, last }
    }
}

fn error_reply(error: &Value, status: Option<u16>) -> Reply {
    match messages::classify_error(error, status) {
        GatewayError::Service(problem) => Reply::Error(problem),
        GatewayError::Refused(problem) => Reply::Refused(problem),
    }
}

/// The text of a piece, under whichever name the service has for it.
/// What a frame says: the rest of it is the same in each. `None` where it is no answer.
pub(crate) fn frame_label(frame: &str) -> Option<String> {
    let mut frame: Map<String, Value> = serde_json::from_str(frame).ok()?;
    let has_error =
        |members: &Map<String, Value>| members.get("error").is_some_and(|error| !error.is_null());
    if has_error(&frame) {
        return Some("error".to_owned());
    }
    let is_last = frame.get("complete") == Some(&Value::Bool(true));
    match frame.remove("response")? {
        Value::Object(response) if has_error(&response) => Some("error".to_owned()),
        Value::Object(response) => match response_text(response) {
            text if text.is_empty() && is_last => Some("end".to_owned()),
            text => Some(Value::from(text).to_string()),
        },
        _ => None,
    }
}

fn response_text(mut response: Map<String, Value>) -> String {
    let found =
        ["text", "response", "content", "object"].iter().filter_map(|name| response.remove(*name));
    let mut texts = found.filter_map(|value| match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    });
    texts.find(|text| !text.is_empty()).unwrap_or_default()
}

fn structured_text(response: &Map<String, Value>) -> String {
    let errors =
        response.get("errors").and_then(Value::as_array).filter(|errors| !errors.is_empty());
    let value =
        errors.map(|errors| Value::Array(errors.clone())).or_else(|| response.get("data").cloned());
    value.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FRAMED: Wrapping<'static> = Wrapping::Framed { id: "r-1" };
    const BARE: Wrapping<'static> = Wrapping::Bare { status: Some(200) };

    fn of(service: &str) -> Answer {
        Answer::for_path(&format!("/api/v1/flow/default/service/{service}"))
    }

    fn chunk(text: &str, last: bool) -> Reply {
        Reply::Chunk { text: text.into(), last }
    }

    fn error_kind(reply: Reply) -> String {
        match reply {
            Reply::Error(problem) => problem.kind.to_string(),
            Reply::Refused(problem) => format!("refused: {}", problem.kind),
            Reply::Unreadable(problem) => format!("unreadable: {}", problem.kind),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_completion_streams_until_it_is_complete() {
        let mut answer = of("prompt");
        let read = |answer: &mut Answer, text: &str| answer.read_message(text.as_bytes(), FRAMED);
        let first = r#"{"id": "r-1", "response": {"text": "Hel", "object": "", "end_of_stream": false}, "complete": false}"#;
        assert_eq!(read(&mut answer, first), chunk("Hel", false));
        let foreign = r#"{"id": "r-2", "response": {"text": "x"}, "complete": true}"#;
        assert_eq!(
            read(&mut answer, foreign),
            Reply::Stray { cause: StrayCause::ForeignId, id: Some("r-2".into()) }
        );
        let last = r#"{"id": "r-1", "response": {"text": "", "object": "", "end_of_stream": true}, "complete": true}"#;
        assert_eq!(read(&mut answer, last), chunk("", true));
    }

    #[test]
    fn an_answer_of_nothing_at_all_is_a_failure() {
        let nothing = br#"{"id": "r-1", "response": {"text": "", "object": "", "end_of_stream": true}, "complete": true}"#;
        assert_eq!(error_kind(of("prompt").read_message(nothing, FRAMED)), "empty-answer");
        assert_eq!(error_kind(of("mcp-tool").read_message(b"{}", BARE)), "empty-answer");
    }

    #[test]
    fn an_mcp_tool_answers_with_text_or_an_object_and_its_errors_are_texts() {
        assert_eq!(
            of("mcp-tool").read_message(br#"{"text": "echo hi"}"#, BARE),
            chunk("echo hi", true)
        );
        assert_eq!(
            of("mcp-tool").read_message(br#"{"object": {"b": 1, "a": 2}}"#, BARE),
            chunk(r#"{"b":1,"a":2}"#, true)
        );
        let failed =
            of("mcp-tool").read_message(br#"{"text": "Error executing tool echo: no"}"#, BARE);
        assert_eq!(error_kind(failed), "mcp-tool-error");
    }

    #[test]
    fn errors_are_found_at_every_level() {
        let outside = br#"{"id": "r-1", "error": {"type": "unknown-service", "message": "unknown service"}, "complete": true}"#;
        assert_eq!(error_kind(of("x").read_message(outside, FRAMED)), "refused: no-service");
        let inside =
            br#"{"id": "r-1", "response": {"error": {"type": "gateway-error", "message": "'value'"}}, "complete": true}"#;
        assert_eq!(error_kind(of("x").read_message(inside, FRAMED)), "gateway-error");
        assert_eq!(
            error_kind(of("x").read_message(br#"{"error": "Invalid flow a/b"}"#, BARE)),
            "refused: no-flow"
        );
        let denied = Wrapping::Bare { status: Some(401) };
        assert_eq!(
            error_kind(of("x").read_message(br#"{"error": "auth failure"}"#, denied)),
            "refused: refused"
        );
        let page = Wrapping::Bare { status: Some(404) };
        assert_eq!(error_kind(of("x").read_message(b"<html>", page)), "refused: no-gateway");
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (body, kind) in
            [(&b"nonsense"[..], "not-json"), (b"[1]", "not-a-reply"), (b"\"\xff\"", "not-utf8")]
        {
            assert_eq!(error_kind(of("x").read_message(body, BARE)), format!("unreadable: {kind}"));
        }
        assert_eq!(
            error_kind(of("x").read_message(br#"{"id": "r-1"}"#, FRAMED)),
            "unreadable: not-a-reply"
        );
    }

    #[test]
    fn configuration_comes_whole() {
        let body = br#"{"version": 2, "values": [], "directory": ["a"], "config": {}}"#;
        let whole = r#"{"version":2,"values":[],"directory":["a"],"config":{}}"#;
        assert_eq!(Answer::for_path("/api/v1/config").read_message(body, BARE), chunk(whole, true));
    }

    #[test]
    fn a_frame_is_labelled_with_what_it_says() {
        for (frame, label) in [
            (
                r#"{"id": "r", "response": {"text": " jumps"}, "complete": false}"#,
                Some(r#"" jumps""#),
            ),
            (r#"{"id": "r", "response": {"text": ""}, "complete": true}"#, Some("end")),
            (r#"{"id": "r", "response": {"error": {"message": "no"}}}"#, Some("error")),
            (r#"{"id": "r", "error": {"message": "no"}, "complete": true}"#, Some("error")),
            (r#"{"id": "r", "service": "prompt", "request": {"id": "x"}}"#, None),
            ("ping", None),
        ] {
            assert_eq!(frame_label(frame).as_deref(), label, "{frame}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_cause_a_panic(body in proptest::collection::vec(any::<u8>(), 0..200), status in proptest::option::of(any::<u16>())) {
            let _ = of("prompt").read_message(&body, Wrapping::Bare { status });
            let _ = of("prompt").read_message(&body, FRAMED);
        }
    }
}
