//! A trace: what a tap said, as JSON lines that are written and read.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::conversation::Conversation;
use crate::model::{
    clock::Millis,
    traffic::{Decoded, KeptMessage, ObservedMessage, Part, Tapped},
};

/// The version of the lines.
const FORMAT: u64 = 1;

/// Where a trace comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub connection: String,
    /// The transport's word.
    pub transport: String,
    pub subjects: Vec<String>,
}

/// What is on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Head(Head),
    Tapped(Tapped),
    /// Something that a later version writes.
    Unknown,
}

/// The first line.
#[must_use]
pub(crate) fn head_line(head: &Head) -> Value {
    let Head { connection, transport, subjects } = head;
    json!({"event": "watch", "format": FORMAT, "connection": connection, "transport": transport, "subjects": subjects})
}

/// A line for what was received.
#[must_use]
pub fn tapped_line(tapped: &Tapped) -> Value {
    match tapped {
        Tapped::ObservedMessage(crossing) => Value::Object(message_line(crossing)),
        Tapped::Gap { at, messages } => {
            json!({"event": "gap", "at_ms": at.0, "messages": messages})
        }
        Tapped::Notice { at, words, breaks } => {
            let mut line = json!({"event": "notice", "at_ms": at.0, "text": words});
            if *breaks {
                line["breaks"] = true.into();
            }
            line
        }
    }
}

/// The same for a message, with what its system makes of it, and its conversation. Who reads the
/// trace decodes again.
#[must_use]
pub(crate) fn decoded_line(
    crossing: &ObservedMessage,
    reading: &Decoded,
    conversation: &Conversation,
) -> Value {
    let mut line = message_line(crossing);
    let body = line.shift_remove("body").map(|body| ("body", body));
    let body = body.or_else(|| line.shift_remove("body_hex").map(|body| ("body_hex", body)));
    let mut add = |name: &str, value: Value| drop(line.insert(name.into(), value));
    add("conversation", conversation.number.into());
    if let Some(whole) = conversation.whole {
        add("within", whole.into());
    }
    add("system", reading.system.into());
    add("id", reading.id.clone().into());
    add("part", reading.part.as_str().into());
    if let Part::Answer { last } = reading.part {
        add("last", last.into());
    }
    if let Part::Error(problem) | Part::Unreadable(problem) | Part::Outcome(Some(problem)) =
        &reading.part
    {
        add("error", json!({"type": problem.kind.as_str(), "message": problem.message}));
    }
    if let Some(state) = &reading.state {
        add("state", state.as_str().into());
    }
    add("label", reading.label.as_ref().into());
    add("text", reading.text.as_str().into());
    if let Some(asked_by) = &reading.ties.asked_by {
        add("asked_by", asked_by.id.as_str().into());
    }
    if !reading.cards.is_empty() {
        add("cards", reading.cards.clone().into());
    }
    let texts = [("topic", &reading.topic), ("trace", &reading.ties.trace)];
    for (name, text) in texts.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?)))
    {
        add(name, text.into());
    }
    if let Some(due) = reading.due {
        add("due_ms", due.0.into());
    }
    if !reading.remarks.is_empty() {
        add("remarks", reading.remarks.clone().into());
    }
    if let Some((name, body)) = body {
        add(name, body);
    }
    Value::Object(line)
}

fn message_line(crossing: &ObservedMessage) -> Map<String, Value> {
    let mut line = Map::new();
    let mut add = |name: &str, value: Value| drop(line.insert(name.into(), value));
    add("event", "message".into());
    add("at_ms", crossing.at.0.into());
    add("subject", (&*crossing.subject).into());
    if let Some(reply) = crossing.reply.as_deref() {
        add("reply", reply.into());
    }
    add("headers", crossing.headers.iter().map(|(name, value)| json!([name, value])).collect());
    add("size", crossing.size.into());
    match crossing.kept {
        KeptMessage::Whole => {}
        KeptMessage::Masked => add("kept", "masked".into()),
        KeptMessage::Start => add("kept", "start".into()),
    }
    match std::str::from_utf8(&crossing.body) {
        Ok(text) => add("body", text.into()),
        Err(_) => add(
            "body_hex",
            crossing.body.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into(),
        ),
    }
    if let Some(about) = &crossing.about {
        line.insert("about".into(), Value::Object(message_line(about)));
    }
    line
}

/// Reads a line.
///
/// # Errors
/// When it is no line of a trace, with the reason.
pub fn parse_line(line: &str) -> Result<Line, String> {
    let value: Value =
        serde_json::from_str(line).map_err(|error| format!("it is not JSON: {error}"))?;
    let event = value.get("event").and_then(Value::as_str).ok_or("it has no \"event\"")?;
    let at = || at_of(&value);
    Ok(match event {
        "watch" => {
            let format = value.get("format").and_then(Value::as_u64).unwrap_or(0);
            if format != FORMAT {
                return Err(format!(
                    "its format is {format}, and this toolcrib reads {FORMAT}: open it with the \
                     newer version that wrote it"
                ));
            }
            let text =
                |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let subjects = value.get("subjects").and_then(Value::as_array).into_iter().flatten();
            let subjects = subjects.filter_map(Value::as_str).map(str::to_owned).collect();
            Line::Head(Head {
                connection: text("connection"),
                transport: text("transport"),
                subjects,
            })
        }
        "gap" => Line::Tapped(Tapped::Gap {
            at: at()?,
            messages: value.get("messages").and_then(Value::as_u64),
        }),
        "notice" => {
            let words = value.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
            let breaks = value.get("breaks").and_then(Value::as_bool).unwrap_or_default();
            Line::Tapped(Tapped::Notice { at: at()?, words, breaks })
        }
        "message" => Line::Tapped(Tapped::ObservedMessage(Arc::new(parse_message(&value, at()?)?))),
        _ => Line::Unknown,
    })
}

fn at_of(value: &Value) -> Result<Millis, String> {
    value
        .get("at_ms")
        .and_then(Value::as_u64)
        .map(Millis)
        .ok_or_else(|| "it has no \"at_ms\"".into())
}

fn parse_message(value: &Value, at: Millis) -> Result<ObservedMessage, String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let body: Arc<[u8]> = match (text("body"), text("body_hex")) {
        (Some(body), _) => body.as_bytes().into(),
        (None, Some(hex)) => parse_hex(hex).ok_or("its \"body_hex\" isn't hexadecimal")?.into(),
        (None, None) => return Err("it has neither \"body\" nor \"body_hex\"".into()),
    };
    let header =
        |pair: &Value| Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.as_str()?.to_owned()));
    let headers = value.get("headers").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let headers: Option<Vec<_>> = headers.iter().map(header).collect();
    Ok(ObservedMessage {
        at,
        subject: text("subject").ok_or("it has no \"subject\"")?.into(),
        reply: text("reply").map(Arc::from),
        headers: headers.ok_or("its \"headers\" aren't pairs of texts")?,
        size: value.get("size").and_then(Value::as_u64).unwrap_or(body.len() as u64),
        body,
        kept: match text("kept") {
            Some("masked") => KeptMessage::Masked,
            Some("start") => KeptMessage::Start,
            _ => KeptMessage::Whole,
        },
        about: value
            .get("about")
            .map(|about| parse_message(about, at_of(about)?).map(Arc::new))
            .transpose()?,
    })
}

fn parse_hex(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = hex
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::traffic::Part;

    fn any_crossing() -> impl Strategy<Value = ObservedMessage> {
        let kept = prop_oneof![
            Just(KeptMessage::Whole),
            Just(KeptMessage::Masked),
            Just(KeptMessage::Start)
        ];
        let headers = prop::collection::vec((".{0,8}", ".{0,8}"), 0..3);
        let body = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            ".{0,40}".prop_map(String::into_bytes)
        ];
        (any::<u64>(), ".{1,20}", prop::option::of(".{1,9}"), headers, body, any::<u64>(), kept)
            .prop_map(|(at, subject, reply, headers, body, size, kept)| ObservedMessage {
                about: None,
                at: Millis(at),
                subject: subject.into(),
                reply: reply.map(Arc::from),
                headers,
                body: body.into(),
                size,
                kept,
            })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(crossing in any_crossing(), words in ".{0,20}", breaks: bool, messages in prop::option::of(any::<u64>())) {
            let reading = Decoded { remarks: vec!["odd".into()], ..Decoded::new(None, Part::Other, "x", words.clone()) };
            let teller = ObservedMessage { about: Some(Arc::new(crossing.clone())), ..crossing.clone() };
            let decoded = decoded_line(&crossing, &reading, &Conversation::new(7, &crossing, &reading)).to_string();
            let (at, crossing) = (crossing.at, Tapped::ObservedMessage(Arc::new(crossing)));
            prop_assert_eq!(parse_line(&decoded), Ok(Line::Tapped(crossing.clone())));
            for tapped in [crossing, Tapped::ObservedMessage(Arc::new(teller)), Tapped::Gap { at, messages }, Tapped::Notice { at, words, breaks }] {
                prop_assert_eq!(parse_line(&tapped_line(&tapped).to_string()), Ok(Line::Tapped(tapped)));
            }
        }

        #[test]
        fn any_line_is_read_or_refused(line in "\\PC{0,60}|\\{\"event\": ?\"(message|gap|watch|x)\",\"(at_ms|body|body_hex|format|headers)\":(1|\"a\"|\\[1\\])\\}") {
            let _ = parse_line(&line);
        }
    }

    #[test]
    fn a_head_reads_back_and_what_is_no_trace_says_why() {
        let written = Head {
            connection: "prod".into(),
            transport: "nats".into(),
            subjects: vec!["tg.>".into()],
        };
        assert_eq!(parse_line(&head_line(&written).to_string()), Ok(Line::Head(written)));
        for (line, word) in [
            ("hello", "JSON"),
            ("{}", "event"),
            (r#"{"event":"watch","format":2}"#, "format is 2"),
            (r#"{"event":"message","at_ms":1}"#, "body"),
            (r#"{"event":"message","at_ms":1,"body":""}"#, "subject"),
            (r#"{"event":"message","at_ms":1,"subject":"s","body_hex":"0g"}"#, "hexadecimal"),
            (r#"{"event":"gap"}"#, "at_ms"),
        ] {
            assert!(parse_line(line).unwrap_err().contains(word), "{line}: {:?}", parse_line(line));
        }
        assert_eq!(parse_line(r#"{"event":"later"}"#), Ok(Line::Unknown));
    }
}
