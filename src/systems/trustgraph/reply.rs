//! Replies of a tool service: what each message means to the caller, and how a service writes one.

use std::collections::HashMap;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Map, Value, json, value::RawValue};

use super::request::ID;
use crate::{
    model::{
        call::{CallError, StrayCause},
        error_kind::ErrorKind,
        shown::not_utf8_words,
    },
    syntax::json::dialect::unescape_text,
    systems::facets::calls::{Message, Reply},
};

/// The id under which a service answers a request that it could not read.
const UNKNOWN: &str = "unknown";

/// What one received message means to the caller who sent `correlation`. Missing fields have their
/// defaults: no error, empty text, not last.
#[must_use]
pub fn decode(correlation: &str, message: &Message<'_>) -> Reply {
    let id = message
        .headers
        .iter()
        .find(|(name, _)| name == ID)
        .map(|(_, value)| value.as_str())
        .filter(|id| !id.is_empty());
    match id {
        Some(id) if id == correlation && is_foreign(message.body) => {
            Reply::Stray { cause: StrayCause::NoFields, id: Some(id.into()) }
        }
        Some(id) if id == correlation => parse_body(message.body).unwrap_or_else(Reply::Unreadable),
        None => Reply::Stray { cause: StrayCause::NoId, id: None },
        Some(UNKNOWN) => Reply::Stray { cause: StrayCause::UnknownId, id: Some(UNKNOWN.into()) },
        Some(id) => Reply::Stray { cause: StrayCause::ForeignId, id: Some(id.into()) },
    }
}

/// A piece of text as nearly all replies are; any other is looked at more closely.
#[derive(Deserialize)]
struct ReplyPiece<'b> {
    error: Option<IgnoredAny>,
    #[serde(borrow)]
    response: Option<&'b RawValue>,
    end_of_stream: Option<bool>,
}

/// The string that a piece of valid JSON is. serde_json's own would gather one with escapes once
/// more beside it, and an answer may be large.
fn string_of(json: &RawValue) -> Option<String> {
    let written = json.get().strip_prefix('"')?.strip_suffix('"')?;
    unescape_text(written).ok()
}

fn parse_body(body: &[u8]) -> Result<Reply, CallError> {
    let text = std::str::from_utf8(body)
        .map_err(|_| unreadable_error(ErrorKind::NotUtf8, not_utf8_words(body, "reply")))?;
    if let Ok(ReplyPiece { response, end_of_stream, error: None }) = serde_json::from_str(text)
        && let Some(text) = response.map_or_else(|| Some(String::new()), string_of)
    {
        return Ok(Reply::Chunk { text, last: end_of_stream.unwrap_or_default() });
    }
    let value: Value = serde_json::from_str(text).map_err(|error| {
        unreadable_error(ErrorKind::NotJson, format!("the reply is not JSON: {error}"))
    })?;
    let Value::Object(fields) = value else {
        return Err(unreadable_error(
            ErrorKind::NotAReply,
            "the reply is JSON, but not an object".into(),
        ));
    };
    if let Some(error) = error_of(&fields) {
        return Ok(Reply::Error(error));
    }
    let last = match fields.get("end_of_stream") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(last)) => *last,
        Some(other) => {
            return Err(unreadable_error(
                ErrorKind::NotAReply,
                format!("end_of_stream is {other}, not true or false"),
            ));
        }
    };
    Ok(Reply::Chunk { text: text_of(fields), last })
}

/// Whether it is a JSON object that has nothing of a reply in it, such as the receipt of a server
/// that stores what passes by.
#[must_use]
pub(crate) fn is_foreign(body: &[u8]) -> bool {
    let fields: Option<HashMap<String, IgnoredAny>> = serde_json::from_slice(body).ok();
    fields.is_some_and(|fields| {
        !fields.is_empty()
            && !["error", "response", "end_of_stream"].iter().any(|name| fields.contains_key(*name))
    })
}

/// The answer's text; an answer that is not text is shown as its JSON.
#[must_use]
pub(crate) fn text_of(mut fields: Map<String, Value>) -> String {
    match fields.remove("response") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text,
        Some(other) => other.to_string(),
    }
}

/// The error that a reply carries, if it does.
#[must_use]
pub(crate) fn error_of(fields: &Map<String, Value>) -> Option<CallError> {
    let error = fields.get("error").filter(|error| !error.is_null())?;
    let part = |name: &str| match error.get(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let (kind, message) = match error {
        Value::Object(_) => (part("type"), part("message")),
        Value::String(text) => (String::new(), text.clone()),
        other => (String::new(), other.to_string()),
    };
    Some(CallError {
        kind: if kind.is_empty() { ErrorKind::Unspecified } else { ErrorKind::parse(&kind) },
        message: if message.is_empty() {
            "the service reported an error without details".into()
        } else {
            message
        },
        remedy: "the service returned an error; check the arguments and configuration it received"
            .into(),
    })
}

fn unreadable_error(kind: ErrorKind, message: String) -> CallError {
    let remedy = "check the raw reply; the service must answer with {\"error\", \"response\", \
        \"end_of_stream\"} as UTF-8 JSON";
    CallError::new(kind, message, remedy)
}

/// The body of a piece of an answer.
#[must_use]
pub fn chunk_body(text: &str, last: bool) -> String {
    json!({"error": null, "response": text, "end_of_stream": last}).to_string()
}

/// The body of a service's error, which ends its answer.
#[must_use]
pub(crate) fn error_body(kind: &str, message: &str) -> String {
    json!({"error": {"type": kind, "message": message}, "response": "", "end_of_stream": true})
        .to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answer(id: Option<&str>, body: &[u8]) -> Reply {
        let headers: Vec<(String, String)> =
            id.map(|id| (ID.to_owned(), id.to_owned())).into_iter().collect();
        decode("r-1", &Message { headers: &headers, body })
    }

    fn ours(body: &str) -> Reply {
        answer(Some("r-1"), body.as_bytes())
    }

    fn whole(text: &str, last: bool) -> Reply {
        Reply::Chunk { text: text.into(), last }
    }

    #[test]
    fn missing_fields_have_defaults() {
        assert_eq!(ours("{}"), whole("", false));
        assert_eq!(
            ours(r#"{"response": null, "end_of_stream": null, "error": null}"#),
            whole("", false)
        );
        assert_eq!(ours(r#"{"end_of_stream": true}"#), whole("", true));
    }

    #[test]
    fn an_answer_that_is_not_text_is_its_json() {
        assert_eq!(
            ours(r#"{"response": {"b": 1, "a": [2]}, "end_of_stream": true}"#),
            whole(r#"{"b":1,"a":[2]}"#, true)
        );
    }

    #[test]
    fn a_receipt_is_no_reply() {
        assert!(is_foreign(br#"{"stream": "TG", "seq": 7}"#));
        assert!(!is_foreign(br#"{"response": "x", "seq": 7}"#));
        assert!(!is_foreign(b"{}") && !is_foreign(b"nonsense"));
    }

    #[test]
    fn an_error_ends_whatever_else_is_there() {
        let Reply::Error(problem) = ours(
            r#"{"error": {"type": "t", "message": "m"}, "response": "x", "end_of_stream": false}"#,
        ) else {
            panic!("not an error");
        };
        assert_eq!((problem.kind.as_str(), problem.message.as_str()), ("t", "m"));
        assert!(
            matches!(ours(r#"{"error": {}}"#), Reply::Error(problem) if problem.kind == ErrorKind::Unspecified)
        );
        assert!(
            matches!(ours(r#"{"error": "broken"}"#), Reply::Error(problem) if problem.message == "broken")
        );
    }

    #[test]
    fn other_ids_are_strays_and_never_read() {
        let stray = |cause, id: Option<&str>| Reply::Stray { cause, id: id.map(Into::into) };
        assert_eq!(answer(None, b"{}"), stray(StrayCause::NoId, None));
        let other = br#"{"text": "hi", "done": true}"#;
        assert_eq!(answer(Some("r-1"), other), stray(StrayCause::NoFields, Some("r-1")));
        assert_eq!(answer(Some(""), b"{}"), stray(StrayCause::NoId, None));
        assert_eq!(answer(Some("unknown"), b"\xff"), stray(StrayCause::UnknownId, Some("unknown")));
        assert_eq!(answer(Some("r-9"), b"not json"), stray(StrayCause::ForeignId, Some("r-9")));
        assert_eq!(answer(Some("R-1"), b"{}"), stray(StrayCause::ForeignId, Some("R-1")));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (body, kind) in [
            (&b"nonsense"[..], "not-json"),
            (b"", "not-json"),
            (b"{\"response\": \"\xff\"}", "not-utf8"),
            (b"[1]", "not-a-reply"),
            (br#"{"end_of_stream": "yes"}"#, "not-a-reply"),
        ] {
            let Reply::Unreadable(problem) = answer(Some("r-1"), body) else {
                panic!("{body:?} was read")
            };
            assert_eq!(problem.kind.as_str(), kind);
            assert!(!problem.remedy.is_empty());
        }
    }

    proptest! {
        #[test]
        fn a_written_chunk_reads_back(text in ".*", last: bool) {
            prop_assert_eq!(ours(&chunk_body(&text, last)), whole(&text, last));
        }

        #[test]
        fn no_bytes_cause_a_panic(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = answer(Some("r-1"), &body);
        }
    }
}
