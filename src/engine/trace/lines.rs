//! The lines of the history: `{"call":"<id>","event":…}`. The first is the call's head, the others
//! are its events as scripts get them.
//!
//! Each event's line is written when it happens. The end of a chunk's text that may be the
//! beginning of a secret is not in it, but follows once that is decided, in a line of its own:
//! `{"call":"<id>","event":"rest","chunk":0,"text":…}`, with the chunk's number from 0.

use std::{borrow::Cow, fmt::Write as _};

use serde_json::{Map, Value, json};

use crate::{
    engine::{
        events::{self, StageParts},
        mask::Mask,
        stream_redactor::{RedactedPieces, StreamEnd},
    },
    model::{
        call::{Event, EventKind},
        clock::Millis,
        stage::without_data,
        trace::{Head, TraceId},
    },
};

/// What a line holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Record {
    Head(Box<Head>),
    Event(TraceId, Event),
    /// What follows in the text of the chunk with that number.
    Rest(TraceId, usize, String),
}

/// The line of a call's beginning, with its line end.
#[must_use]
pub fn of_head(head: &Head) -> String {
    // Those that are no JSON are kept as the text that they are.
    let arguments: Value =
        serde_json::from_str(&head.arguments).unwrap_or_else(|_| Value::from(&*head.arguments));
    let value = json!({
        "call": &*head.id,
        "event": "call",
        "at": head.at.0,
        "tool": &*head.tool,
        "system": &*head.system,
        "connection": &*head.connection,
        "transport": &*head.transport,
        "to": &*head.to,
        "reply": head.reply.as_deref(),
        "headers": events::header_pairs(&head.headers),
        "arguments": arguments,
        "body": &*head.body,
        "masked": head.masked,
    });
    format!("{value}\n")
}

/// The line of an event, with its line end.
#[must_use]
pub fn of_event(id: &str, event: &Event) -> String {
    if let EventKind::Chunk { text, bytes } = &event.kind {
        let mut line = String::new();
        write_chunk(&mut line, id, (event.at_ms, *bytes), text);
        return line;
    }
    let mut members = Map::new();
    members.insert("call".into(), id.into());
    if let Value::Object(event) = events::event_json(event) {
        // A stray's own id keeps its name; the call's is under another.
        members.extend(event);
    }
    format!("{}\n", Value::Object(members))
}

/// The same of a chunk, of which there may be millions: written without being made a value first.
fn write_chunk(lines: &mut String, id: &str, (at_ms, bytes): (u64, usize), text: &str) {
    lines.push_str("{\"call\":");
    events::push_quoted(lines, id);
    // What is written into memory cannot fail.
    let _ = write!(lines, ",\"event\":\"chunk\",\"at_ms\":{at_ms},\"bytes\":{bytes},\"text\":");
    events::push_quoted(lines, text);
    lines.push_str("}\n");
}

/// The line of what follows in a chunk's text.
fn of_rest(id: &str, chunk: u64, text: &str) -> String {
    format!("{}\n", json!({"call": id, "event": "rest", "chunk": chunk, "text": text}))
}

/// What a line holds; `None` where it is none of ours, or not whole.
#[must_use]
pub(crate) fn parse_line(line: &str) -> Option<Record> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let id: TraceId = text("call")?.into();
    match text("event")? {
        "call" => {}
        "rest" => {
            let chunk = value.get("chunk").and_then(Value::as_u64)?;
            return Some(Record::Rest(id, usize::try_from(chunk).ok()?, text("text")?.to_owned()));
        }
        _ => return Some(Record::Event(id, events::of_json(&value)?)),
    }
    Some(Record::Head(Box::new(Head {
        id,
        at: Millis(value.get("at")?.as_u64()?),
        tool: text("tool")?.into(),
        system: text("system").unwrap_or_default().into(),
        connection: text("connection").unwrap_or_default().into(),
        transport: text("transport").unwrap_or_default().into(),
        to: text("to").unwrap_or_default().into(),
        reply: text("reply").map(Into::into),
        headers: events::of_pairs(value.get("headers")),
        arguments: value
            .get("arguments")
            .map_or_else(|| "{}".into(), |arguments| arguments.to_string().into()),
        body: text("body").unwrap_or_default().into(),
        masked: value.get("masked").and_then(Value::as_bool).unwrap_or_default(),
    })))
}

/// The call and the kind of event that a line is about, without reading all of it.
#[must_use]
pub(crate) fn peek_line(line: &str) -> Option<(&str, &str, &str)> {
    let rest = line.strip_prefix("{\"call\":\"")?;
    let (id, rest) = rest.split_once('"')?;
    let rest = rest.strip_prefix(",\"event\":\"")?;
    let (event, rest) = rest.split_once('"')?;
    Some((id, event, rest))
}

/// The head without its secrets.
#[must_use]
pub(crate) fn masked_head(head: &Head, mask: &Mask) -> Head {
    let (arguments, body) = (mask.mask_text(&head.arguments), mask.mask_text(&head.body));
    let headers: Vec<(String, String)> = mask.mask_headers(&head.headers).collect();
    let masked = matches!(body, Cow::Owned(_)) || headers != head.headers || head.masked;
    Head {
        headers,
        arguments: arguments.as_ref().into(),
        body: body.as_ref().into(),
        to: mask.mask_text(&head.to).as_ref().into(),
        reply: head.reply.as_ref().map(|reply| mask.mask_text(reply).as_ref().into()),
        masked,
        ..head.clone()
    }
}

/// The lines of a call's next events without their secrets, also those that are split over several
/// chunks: one for each event, in their order, and before them what followed in earlier chunks.
/// Read in their order, the texts of all lines are the answer.
#[must_use]
pub(crate) fn of_events(
    id: &str,
    events: &[Event],
    mask: &Mask,
    pieces: &mut RedactedPieces,
) -> String {
    let texts = events.iter().filter_map(|event| match &event.kind {
        EventKind::Chunk { text, .. } => Some(&**text),
        _ => None,
    });
    let ends = events.iter().any(|event| matches!(event.kind, EventKind::End { .. }));
    let now =
        pieces.redact_next(mask, texts, if ends { StreamEnd::None } else { StreamEnd::MayCome });
    let mut texts = now.pieces.into_iter();
    let mut lines: String = rest_lines(id, &now.earlier).collect();
    for event in events {
        match &event.kind {
            EventKind::Chunk { bytes, text } => {
                let seen = texts.next().unwrap_or_default();
                if *seen != **text {
                    pieces.note_hidden();
                }
                write_chunk(&mut lines, id, (event.at_ms, *bytes), &seen);
            }
            EventKind::Stage(stage) => {
                let body = match stage.is_wire() && pieces.take_hidden() {
                    true => without_data(&stage.body).into(),
                    false => Cow::Borrowed(&*stage.body),
                };
                let (words, body) = (mask.mask_text(&stage.words), mask.mask_text(&body));
                let stage = StageParts {
                    name: &stage.name,
                    words: &words,
                    body: &body,
                    frame: stage.frame,
                };
                lines.push_str("{\"call\":");
                events::push_quoted(&mut lines, id);
                lines.push(',');
                events::write_stage(&mut lines, event.at_ms, stage);
                lines.push_str("}\n");
            }
            other => lines.push_str(&of_event(
                id,
                &Event { at_ms: event.at_ms, kind: mask_event(other, mask) },
            )),
        }
    }
    lines
}

/// The lines of what follows in the text of the last chunk.
#[must_use]
pub(crate) fn of_more(id: &str, text: &str, mask: &Mask, pieces: &mut RedactedPieces) -> String {
    rest_lines(id, &pieces.go_on(mask, text)).collect()
}

/// The lines of what is left of a call that has no end.
#[must_use]
pub(crate) fn of_end(id: &str, mask: &Mask, pieces: &mut RedactedPieces) -> String {
    rest_lines(id, &pieces.redact_next(mask, [], StreamEnd::None).earlier).collect()
}

fn rest_lines(id: &str, earlier: &[(u64, String)]) -> impl Iterator<Item = String> {
    earlier.iter().map(move |(chunk, text)| of_rest(id, *chunk, text))
}

/// What happened, without its secrets; a chunk is masked together with those before it.
fn mask_event(kind: &EventKind, mask: &Mask) -> EventKind {
    match kind {
        EventKind::Headers { way, headers } => {
            EventKind::Headers { way: *way, headers: mask.mask_headers(headers).collect() }
        }
        EventKind::Stray { cause, id, headers, body } => EventKind::Stray {
            cause: *cause,
            id: id.clone(),
            headers: mask.mask_headers(headers).collect(),
            body: mask.mask_text(body).as_ref().into(),
        },
        EventKind::Notice(words) => EventKind::Notice(mask.mask_text(words).into_owned()),
        EventKind::End { outcome, problem: Some(problem) } => {
            let mut problem = problem.clone();
            problem.message = mask.mask_text(&problem.message).into_owned();
            EventKind::End { outcome: *outcome, problem: Some(problem) }
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{
        call::{CallError, Outcome, StrayCause},
        error_kind::ErrorKind,
        stage::{FrameWay, Stage},
    };

    fn head() -> Head {
        Head {
            id: "7f1c".into(),
            at: Millis(1_700_000_000_123),
            tool: "tell-joke".into(),
            system: "trustgraph".into(),
            connection: "local".into(),
            transport: "nats".into(),
            to: "request:tg:joke".into(),
            reply: Some("response:tg:joke".into()),
            headers: vec![
                ("id".into(), "7f1c".into()),
                ("authorization".into(), "Bearer abc".into()),
            ],
            arguments: r#"{"topic":"llamas","password":"pw"}"#.into(),
            body: r#"{"arguments":"{\"topic\":\"llamas\",\"password\":\"pw\"}"}"#.into(),
            masked: false,
        }
    }

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let line = of_head(&head());
        assert!(line.ends_with("}\n") && line.matches('\n').count() == 1);
        assert_eq!(parse_line(&line), Some(Record::Head(Box::new(head()))));
        assert_eq!(peek_line(&line).map(|(id, event, _)| (id, event)), Some(("7f1c", "call")));
    }

    #[test]
    fn a_head_has_no_secrets_and_says_that_it_had() {
        let masked = masked_head(&head(), &Mask::default());
        assert!(masked.masked);
        assert!(
            !of_head(&masked).contains("pw") && !of_head(&masked).contains("abc"),
            "{masked:?}"
        );
        assert!(masked.body.contains(r#"\"topic\":\"llamas\""#));
        let number = Head { arguments: r#"{"password":1234567,"b":"keep"}"#.into(), ..head() };
        let line = of_head(&masked_head(&number, &Mask::default()));
        assert!(line.contains(r#""arguments":{"password":"***","b":"keep"}"#), "{line}");
        let odd = Head { arguments: "no JSON".into(), ..head() };
        assert!(of_head(&odd).contains(r#""arguments":"no JSON""#), "{}", of_head(&odd));
        let harmless =
            Head { headers: Vec::new(), arguments: "{}".into(), body: "{}".into(), ..head() };
        assert_eq!(masked_head(&harmless, &Mask::default()), harmless);
    }

    #[test]
    fn events_have_no_secrets_either() {
        let mask = Mask::new(["hunter2hunter2".to_owned()]);
        let kinds = [
            EventKind::Chunk { text: "it is hun".into(), bytes: 9 },
            EventKind::Sent { bytes: 3 },
            EventKind::Chunk { text: "ter2hunter2".into(), bytes: 9 },
            EventKind::Headers {
                way: FrameWay::In,
                headers: [
                    ("x-note".into(), "hunter2hunter2".into()),
                    ("api-key".into(), "is hun".into()),
                ]
                .into(),
            },
            EventKind::Stray {
                cause: StrayCause::Late,
                id: None,
                headers: [("x-note".into(), "hunter2hunter2".into())].into(),
                body: "hunter2hunter2".into(),
            },
            EventKind::Notice("hunter2hunter2".into()),
            EventKind::End {
                outcome: Outcome::Failed,
                problem: Some(CallError {
                    kind: ErrorKind::parse("k"),
                    message: "hunter2hunter2".into(),
                    remedy: String::new(),
                }),
            },
        ];
        let events: Vec<Event> = kinds.map(|kind| Event { at_ms: 1, kind }).into();
        let text = of_events("x", &events, &mask, &mut RedactedPieces::default());
        assert!(!text.contains("hunter") && !text.contains("is hun"), "{text}");
        assert_eq!(text.lines().count(), 7);
    }

    #[test]
    fn what_crossed_the_wire_has_no_part_of_a_secret_that_is_split() {
        let wire = |body: &str| {
            EventKind::Stage(Stage {
                name: Stage::WIRE.into(),
                words: String::new(),
                body: body.into(),
                frame: Some(FrameWay::In),
            })
        };
        let chunk = |text: &str| EventKind::Chunk { text: text.into(), bytes: 1 };
        let sent = [
            chunk("one "),
            wire("event: piece\ndata: one "),
            chunk("sk-abcdefghijklmnop"),
            wire("id: 7\ndata: sk-abcdefghijklmnop"),
            chunk("qrstuvwxyz0123456789ABCD"),
            wire("{\"piece\":\"qrstuvwxyz0123456789ABCD\"}"),
            wire(": ping"),
            chunk(" three"),
            wire("data:  three"),
        ];
        let event = |kind: &EventKind| Event { at_ms: 1, kind: kind.clone() };
        // Whether they are written at once, or one by one.
        for size in [1, 2, sent.len()] {
            let (mask, mut pieces) = (Mask::default(), RedactedPieces::default());
            let all: String = sent
                .chunks(size)
                .map(|some| {
                    let some: Vec<Event> = some.iter().map(event).collect();
                    of_events("7", &some, &mask, &mut pieces)
                })
                .collect();
            for kept in ["event: piece\\ndata: one ", "id: 7\\ndata: (", ": ping", "data:  three"] {
                assert!(all.contains(kept), "{size}: {kept}: {all}");
            }
            assert!(!all.contains("abcdefgh") && !all.contains("qrstuv"), "{size}: {all}");
        }
    }

    #[test]
    fn every_event_is_written_as_it_happens_and_what_may_begin_a_secret_follows() {
        let mask = Mask::new(["hunter2hunter2".to_owned()]);
        let mut pieces = RedactedPieces::default();
        let mut write = |texts: &[&str]| {
            let events = texts.iter().map(|text| Event {
                at_ms: 1,
                kind: EventKind::Chunk { text: (*text).into(), bytes: 9 },
            });
            of_events("x", &events.collect::<Vec<_>>(), &mask, &mut pieces)
        };
        let chunk = |text: &str| {
            format!(
                "{{\"call\":\"x\",\"event\":\"chunk\",\"at_ms\":1,\"bytes\":9,\"text\":\"{text}\"}}\n"
            )
        };
        let rest = |number: u8, text: &str| {
            format!(
                "{{\"call\":\"x\",\"event\":\"rest\",\"chunk\":{number},\"text\":\"{text}\"}}\n"
            )
        };
        assert_eq!(write(&["with"]), chunk("wit"));
        assert_eq!(write(&["un"]), chunk(""));
        assert_eq!(write(&["less"]), [rest(0, "h"), rest(1, "un"), chunk("less")].concat());
        assert_eq!(write(&["oh"]), chunk("o"));
        assert_eq!(of_end("x", &mask, &mut pieces), rest(3, "h"));
        let line = rest(3, "h");
        assert_eq!(parse_line(&line), Some(Record::Rest("x".into(), 3, "h".into())));
        assert_eq!(peek_line(&line).map(|(id, event, _)| (id, event)), Some(("x", "rest")));
    }

    #[test]
    fn a_stray_keeps_its_id_beside_the_calls() {
        let (id, headers) = (Some("r-9".into()), [("id".into(), "r-9".into())].into());
        let kind =
            EventKind::Stray { cause: StrayCause::ForeignId, id, headers, body: "{}".into() };
        let event = Event { at_ms: 7, kind };
        assert_eq!(
            parse_line(&of_event("7f1c", &event)),
            Some(Record::Event("7f1c".into(), event))
        );
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_one_line_and_read_again(text in ".*", at_ms: u32) {
            let event = Event { at_ms: at_ms.into(), kind: EventKind::Chunk { bytes: text.len(), text: text.into() } };
            let line = of_event("id", &event);
            prop_assert_eq!(line.matches('\n').count(), 1);
            prop_assert_eq!(parse_line(&line), Some(Record::Event("id".into(), event)));
        }

        #[test]
        fn a_part_of_a_line_is_none(cut in 1_usize..400) {
            let line = of_head(&head());
            let cut = cut.min(line.len() - 2);
            prop_assert_eq!(parse_line(&line[..cut]), None);
        }

        #[test]
        fn no_line_causes_a_panic(line in r#"\{?("call"|"event"|:|"|,|[a-z0-9é])*"#) {
            let _ = (parse_line(&line), peek_line(&line));
        }
    }
}
