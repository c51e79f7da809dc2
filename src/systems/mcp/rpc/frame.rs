//! What came from the other side, kept as its text, with what it is. Nothing is refused: what is no
//! message is a frame too.

use std::ops::Range;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, value::RawValue};

use super::id::Id;

/// One frame: a line of stdio, the data of an event, the body of an HTTP answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    text: String,
    pub kind: Kind,
}

/// A part of a frame's text.
pub type Span = Range<usize>;

/// What a frame is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Request {
        id: Id,
        method: String,
        params: Option<Span>,
    },
    Notification {
        method: String,
        params: Option<Span>,
    },
    /// The answer to a request; without an id where the other side could not read one.
    Reply {
        id: Option<Id>,
        result: Option<Span>,
        error: Option<Span>,
    },
    /// Several messages in a list.
    Batch(Vec<Frame>),
    /// Several messages one after the other, which belong into frames of their own.
    Several(Vec<Frame>),
    /// JSON that is no message.
    Foreign,
    /// No JSON: a banner, something that was printed.
    Noise,
}

/// The members of a message, as parts of its text.
#[derive(Deserialize)]
struct Envelope<'t> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'t RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'t RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'t RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'t RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'t RawValue>,
}

/// A member that is null is there all the same.
fn present<'t, D: Deserializer<'t>>(deserializer: D) -> Result<Option<&'t RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl Frame {
    /// Reads a frame; every text is one.
    #[must_use]
    pub fn parse(text: impl Into<String>) -> Self {
        let text = text.into();
        let kind = kind(&text);
        Self { text, kind }
    }

    /// The text, to the byte.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text alone.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// A part of the text, as it was written.
    #[must_use]
    pub fn raw_text(&self, span: &Span) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// A part of the text as a value, its numbers to the digit.
    #[must_use]
    pub fn parse_value(&self, span: &Span) -> Value {
        serde_json::from_str(self.raw_text(span)).unwrap_or_default()
    }

    /// The parameters of a request or a notification, as they were written; null where there are
    /// none.
    #[must_use]
    pub fn params_text(&self) -> &str {
        match &self.kind {
            Kind::Request { params: Some(params), .. }
            | Kind::Notification { params: Some(params), .. } => self.raw_text(params),
            _ => "null",
        }
    }

    /// The same as a value.
    #[must_use]
    pub fn params(&self) -> Value {
        serde_json::from_str(self.params_text()).unwrap_or_default()
    }

    /// The messages of the frame, with what it is itself where it is one.
    #[must_use]
    pub fn into_messages(self) -> Vec<Frame> {
        match self.kind {
            Kind::Batch(frames) | Kind::Several(frames) => frames,
            _ => vec![self],
        }
    }
}

/// The reply that a text is, as an object with its `result` or its `error`; empty where it is none.
#[must_use]
pub fn reply_value(text: &str) -> Value {
    let Kind::Reply { result, error, .. } = kind(text) else { return Value::Object(Map::new()) };
    let value = |span: Span| -> Value {
        serde_json::from_str(text.get(span).unwrap_or_default()).unwrap_or_default()
    };
    let member = |name: &str, span: Option<Span>| Some((name.to_owned(), value(span?)));
    [member("result", result), member("error", error)].into_iter().flatten().collect()
}

fn kind(text: &str) -> Kind {
    let inner = text.trim_start_matches('\u{feff}').trim();
    if inner.starts_with('{')
        && let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(inner)
    {
        return message_kind(text, &envelope);
    }
    if inner.starts_with('[')
        && let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(inner)
    {
        // A batch within a batch is none.
        let frames = items.into_iter().map(|item| Frame::read_alone(item.get()));
        return Kind::Batch(frames.collect());
    }
    let values: Result<Vec<&RawValue>, _> =
        serde_json::Deserializer::from_str(inner).into_iter().collect();
    match values {
        Ok(values)
            if values.len() > 1 && values.iter().all(|value| value.get().starts_with('{')) =>
        {
            Kind::Several(values.into_iter().map(|value| Frame::read_alone(value.get())).collect())
        }
        Ok(values) if values.len() == 1 => Kind::Foreign,
        _ => Kind::Noise,
    }
}

impl Frame {
    /// Reads a message that is not to hold others.
    fn read_alone(text: &str) -> Self {
        let kind = match serde_json::from_str::<Envelope<'_>>(text) {
            Ok(envelope) if text.starts_with('{') => message_kind(text, &envelope),
            _ => Kind::Foreign,
        };
        Self { text: text.to_owned(), kind }
    }
}

fn message_kind(text: &str, envelope: &Envelope<'_>) -> Kind {
    // The parts lie within the text, so that the distance of their addresses is where they begin.
    let span = |part: &RawValue| {
        let start = (part.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        start..start + part.get().len()
    };
    let id = envelope.id.and_then(|id| Id::parse(id.get()));
    let method = envelope.method.map(text_of);
    match (method, id) {
        (Some(Some(method)), Some(id)) => {
            Kind::Request { id, method, params: envelope.params.map(span) }
        }
        (Some(Some(method)), None) => {
            Kind::Notification { method, params: envelope.params.map(span) }
        }
        (None, id) if envelope.result.is_some() || envelope.error.is_some() => {
            Kind::Reply { id, result: envelope.result.map(span), error: envelope.error.map(span) }
        }
        _ => Kind::Foreign,
    }
}

/// The text that a value is; `None` where it is another one. Most are written as they are.
fn text_of(value: &RawValue) -> Option<String> {
    let written = value.get().strip_prefix('"')?.strip_suffix('"')?;
    match written.contains('\\') {
        false => Some(written.to_owned()),
        true => serde_json::from_str(value.get()).ok(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn word(frame: &Frame) -> String {
        let written =
            |span: &Option<Span>| span.as_ref().map_or("-", |span| frame.raw_text(span)).to_owned();
        match &frame.kind {
            Kind::Request { id, method, params } => {
                format!("request {id} {method} {}", written(params))
            }
            Kind::Notification { method, params } => {
                format!("notification {method} {}", written(params))
            }
            Kind::Reply { id, result, error } => {
                let id = id.as_ref().map_or_else(|| "-".into(), ToString::to_string);
                format!("reply {id} {} {}", written(result), written(error))
            }
            Kind::Batch(frames) => {
                format!("batch [{}]", frames.iter().map(word).collect::<Vec<_>>().join(", "))
            }
            Kind::Several(frames) => {
                format!("several [{}]", frames.iter().map(word).collect::<Vec<_>>().join(", "))
            }
            Kind::Foreign => "foreign".into(),
            Kind::Noise => "noise".into(),
        }
    }

    #[test]
    fn frames_are_told_apart() {
        for (text, told) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request 1 ping -"),
            (r#"{"id":"a","method":"x","params":{"n": 1.50}}"#, r#"request "a" x {"n": 1.50}"#),
            (r#"{"method":"n","params":null}"#, "notification n null"),
            (r#"{"method":"a\/\u0062"}"#, "notification a/b -"),
            (r#"{"id":null,"method":"n"}"#, "notification n -"),
            (
                r#"{"id":1,"result":{"a":12345678901234567890123}}"#,
                r#"reply 1 {"a":12345678901234567890123} -"#,
            ),
            (r#"{"id":1.0,"result":null,"error":null}"#, "reply 1.0 null null"),
            (r#" {"id":null,"error":{"code":-1}} "#, r#"reply - - {"code":-1}"#),
            (r#"{"error":{"code":-1},"x":[1]}"#, r#"reply - - {"code":-1}"#),
            ("\u{feff}{\"method\":\"n\"}\r", "notification n -"),
            (r#"{"method":5,"id":1}"#, "foreign"),
            (r#"{"id":1,"id":2,"result":{}}"#, "foreign"),
            ("{}", "foreign"),
            ("[]", "batch []"),
            (
                r#"[{"method":"a"},5,[{"method":"b"}]]"#,
                "batch [notification a -, foreign, foreign]",
            ),
            (
                r#"{"method":"a"}{"id":1,"result":{}}"#,
                r#"several [notification a -, reply 1 {} -]"#,
            ),
            ("5", "foreign"),
            ("5 6", "noise"),
            ("Server listening on stdio", "noise"),
            ("{\"id\":1,", "noise"),
            ("", "noise"),
        ] {
            let frame = Frame::parse(text);
            assert_eq!((word(&frame).as_str(), frame.text()), (told, text));
        }
    }

    #[test]
    fn ids_of_another_type_are_the_same_as_texts() {
        let ids = [Id::from(1), Id::Text("1".into())];
        assert_ne!(ids[0], ids[1]);
        assert_eq!(ids[0].as_text(), ids[1].as_text());
    }

    proptest! {
        #[test]
        fn any_text_is_a_frame(text in "[\\[\\]{}\"a-z:,0-9 ]{0,40}|.*") {
            let frame = Frame::parse(text.clone());
            prop_assert_eq!(frame.text(), text.as_str());
            prop_assert!(frame.params().is_null() || text.contains("params"));
            prop_assert!(!frame.into_messages().iter().any(|frame| matches!(frame.kind, Kind::Several(_))));
        }
    }
}
