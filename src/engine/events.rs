//! Events of a call as data for scripts: one JSON object a line.

use std::fmt::Write as _;

use serde_json::{Value, json, value::RawValue};

use crate::model::{
    call::{CallError, Event, EventKind, Headers, Outcome, StrayCause},
    error_kind::ErrorKind,
    shown::is_plain,
    stage::{FrameWay, Stage},
};

/// An event in its stable shape:
/// `{event: "request"|"headers"|"chunk"|"stray"|"notice"|"stage"|"end", at_ms, …}`.
#[must_use]
pub(crate) fn event_json(event: &Event) -> Value {
    let at_ms = event.at_ms;
    match &event.kind {
        EventKind::Sent { bytes } => json!({"event": "request", "at_ms": at_ms, "bytes": bytes}),
        EventKind::Chunk { text, bytes } => {
            json!({"event": "chunk", "at_ms": at_ms, "bytes": bytes, "text": &**text})
        }
        EventKind::Headers { way, headers } => {
            let headers = header_pairs(headers);
            json!({"event": "headers", "at_ms": at_ms, "way": way.as_str(), "headers": headers})
        }
        EventKind::Stray { cause, id, headers, body } => {
            let headers = header_pairs(headers);
            json!({"event": "stray", "at_ms": at_ms, "cause": cause.message(), "id": id, "headers": headers, "body": &**body})
        }
        EventKind::Notice(words) => json!({"event": "notice", "at_ms": at_ms, "text": words}),
        EventKind::Stage(Stage { name, words, body, frame }) => {
            let body = body_json(body);
            let mut stage = json!({"event": "stage", "at_ms": at_ms, "stage": &**name, "text": words, "body": body});
            if let Some(way) = frame {
                stage["frame"] = way.as_str().into();
            }
            stage
        }
        EventKind::End { outcome, problem } => {
            let error = problem
                .as_ref()
                .map(|problem| json!({"type": problem.kind.as_str(), "message": problem.message, "remedy": problem.remedy}));
            json!({"event": "end", "at_ms": at_ms, "outcome": outcome.as_str(), "error": error})
        }
    }
}

/// A stage on the way to an answer, in parts that may stand elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct StageParts<'s> {
    pub name: &'s str,
    pub words: &'s str,
    pub body: &'s str,
    pub frame: Option<FrameWay>,
}

impl<'s> From<&'s Stage> for StageParts<'s> {
    fn from(Stage { name, words, body, frame }: &'s Stage) -> Self {
        Self { name, words, body, frame: *frame }
    }
}

/// Writes the members of a stage, of which there may be millions, as [`event_json`] has them: its
/// body as it came where that is JSON that can stand in a line.
pub(crate) fn write_stage(line: &mut String, at_ms: u64, stage: StageParts<'_>) {
    // What is written into memory cannot fail.
    let _ = write!(line, "\"event\":\"stage\",\"at_ms\":{at_ms},\"stage\":");
    push_quoted(line, stage.name);
    line.push_str(",\"text\":");
    push_quoted(line, stage.words);
    line.push_str(",\"body\":");
    match is_plain_json(stage.body) {
        true => line.push_str(stage.body),
        false => line.push_str(&body_json(stage.body).to_string()),
    }
    if let Some(way) = stage.frame {
        line.extend([",\"frame\":\"", way.as_str(), "\""]);
    }
}

/// Adds a text as JSON.
pub(crate) fn push_quoted(line: &mut String, text: &str) {
    if is_plain(text.as_bytes()) && !text.contains('"') && !text.contains('\\') {
        return line.extend(["\"", text, "\""]);
    }
    // A text can always be JSON.
    line.push_str(&serde_json::to_string(text).unwrap_or_default());
}

fn body_json(body: &str) -> Value {
    match serde_json::from_str(body) {
        // A text within quotes is read back without them.
        Ok(Value::String(_)) | Err(_) => body.into(),
        Ok(value) => value,
    }
}

/// Whether a text is JSON that every reader takes as part of a line: on one line, not nested deeply,
/// without letters that are written as halves of pairs.
fn is_plain_json(body: &str) -> bool {
    const DEEPEST: usize = 100;
    // Each looks for one letter, which takes many bytes at once.
    let opens = || body.matches('{').count() + body.matches('[').count();
    body.starts_with('{')
        && (is_plain(body.as_bytes()) || !(body.contains('\n') || body.contains('\r')))
        && !(body.contains('\\') && body.contains("\\u"))
        // A short one holds no more.
        && (body.len() < DEEPEST || opens() < DEEPEST)
        && serde_json::from_str::<&RawValue>(body).is_ok()
}

/// Headers as `[[name, value], …]`: a name may stand there twice.
#[must_use]
pub(crate) fn header_pairs(headers: &[(String, String)]) -> Value {
    headers.iter().map(|(name, value)| json!([name, value])).collect()
}

/// Headers in one line, for people.
#[must_use]
pub(crate) fn format_headers(headers: &[(String, String)]) -> String {
    headers.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join(", ")
}

/// The headers of such a list; none where it is no list.
#[must_use]
pub(crate) fn of_pairs(value: Option<&Value>) -> Vec<(String, String)> {
    let pair =
        |pair: &Value| Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.as_str()?.to_owned()));
    value.and_then(Value::as_array).into_iter().flatten().filter_map(pair).collect()
}

/// The event of such an object; `None` where it is none.
#[must_use]
pub(crate) fn of_json(value: &Value) -> Option<Event> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let number = |name: &str| value.get(name).and_then(Value::as_u64);
    let bytes = || usize::try_from(number("bytes")?).ok();
    // What was kept before there were any has none.
    let headers = || Headers::from(of_pairs(value.get("headers")));
    let kind = match text("event")? {
        "request" => EventKind::Sent { bytes: bytes()? },
        "chunk" => EventKind::Chunk { text: text("text")?.into(), bytes: bytes()? },
        "stray" => EventKind::Stray {
            cause: StrayCause::of_words(text("cause")?)?,
            id: text("id").map(str::to_owned),
            headers: headers(),
            body: text("body")?.into(),
        },
        // Those that were kept before there was a way are the answer's.
        "headers" => EventKind::Headers {
            way: text("way").and_then(FrameWay::of_word).unwrap_or(FrameWay::In),
            headers: headers(),
        },
        "notice" => EventKind::Notice(text("text")?.to_owned()),
        "stage" => EventKind::Stage(Stage {
            name: text("stage")?.into(),
            words: text("text")?.to_owned(),
            body: value
                .get("body")
                .map_or_else(String::new, |body| {
                    body.as_str().map_or_else(|| body.to_string(), str::to_owned)
                })
                .into(),
            frame: value.get("frame").and_then(Value::as_str).and_then(FrameWay::of_word),
        }),
        "end" => EventKind::End {
            outcome: Outcome::of_word(text("outcome")?)?,
            problem: value.get("error").and_then(parse_call_error),
        },
        _ => return None,
    };
    Some(Event { at_ms: number("at_ms")?, kind })
}

fn parse_call_error(error: &Value) -> Option<CallError> {
    let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    error.is_object().then(|| CallError {
        kind: ErrorKind::parse(&part("type")),
        message: part("message"),
        remedy: part("remedy"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_that_is_written_is_the_same_as_its_value() {
        let deep = "[".repeat(120) + &"]".repeat(120);
        for body in [
            r#"{"n":1.10,"s":"a\"b","l":[1,{"x":null}]}"#,
            "{\n \"n\": 1}",
            r#"{"half":"\ud800"}"#,
            r#"{"whole":"\u00e9"}"#,
            "[1,2]",
            "no JSON {",
            "{",
            "",
            &deep,
        ] {
            for frame in [None, Some(FrameWay::In)] {
                let (name, words) = ("progress".into(), "1 of \"2\"".to_owned());
                let stage = Stage { name, words, body: body.into(), frame };
                let mut line = String::from("{");
                write_stage(&mut line, 7, (&stage).into());
                line.push('}');
                assert!(!line.contains('\n'), "{line}");
                let written: Value = serde_json::from_str(&line).unwrap();
                let event = Event { at_ms: 7, kind: EventKind::Stage(stage) };
                assert_eq!(written, event_json(&event), "{body}");
            }
        }
    }

    #[test]
    fn events_are_read_again() {
        let problem =
            CallError { kind: ErrorKind::parse("k"), message: "m".into(), remedy: "r".into() };
        for kind in [
            EventKind::Sent { bytes: 3 },
            EventKind::Chunk { text: "a\u{1b}\n".into(), bytes: 60 },
            EventKind::Headers {
                way: FrameWay::In,
                headers: [("id".into(), "r-1".into()), ("id".into(), "\u{7}".into())].into(),
            },
            EventKind::Headers {
                way: FrameWay::Out,
                headers: [("accept".into(), "*/*".into())].into(),
            },
            EventKind::Stray {
                cause: StrayCause::ForeignId,
                id: Some("r-9".into()),
                headers: [("id".into(), "r-9".into())].into(),
                body: "{}".into(),
            },
            EventKind::Stray {
                cause: StrayCause::Late,
                id: None,
                headers: [].into(),
                body: "".into(),
            },
            EventKind::Notice("reconnecting".into()),
            EventKind::Stage(Stage {
                name: "accepted".into(),
                words: "by ui_1".into(),
                body: "".into(),
                frame: None,
            }),
            EventKind::Stage(Stage {
                name: "result-card".into(),
                words: "r".into(),
                body: "{\"a\":[1,null]}".into(),
                frame: Some(FrameWay::In),
            }),
            EventKind::End { outcome: Outcome::TimedOut, problem: Some(problem) },
            EventKind::End { outcome: Outcome::Succeeded, problem: None },
        ] {
            let event = Event { at_ms: 7, kind };
            assert_eq!(of_json(&event_json(&event)), Some(event));
        }
        assert_eq!(of_json(&json!({"event": "chunk", "at_ms": 1})), None);
        assert_eq!(of_json(&json!("chunk")), None);
    }

    #[test]
    fn events_have_their_shape() {
        let chunk = Event { at_ms: 38, kind: EventKind::Chunk { text: "a\n".into(), bytes: 60 } };
        assert_eq!(
            event_json(&chunk).to_string(),
            r#"{"event":"chunk","at_ms":38,"bytes":60,"text":"a\n"}"#
        );
        let problem =
            CallError { kind: ErrorKind::NoServer, message: "m".into(), remedy: "r".into() };
        let end = Event {
            at_ms: 5,
            kind: EventKind::End { outcome: Outcome::Lost, problem: Some(problem) },
        };
        let expected = json!({"event": "end", "at_ms": 5, "outcome": "lost", "error": {"type": "no-server", "message": "m", "remedy": "r"}});
        assert_eq!(event_json(&end), expected);
        let kind =
            EventKind::Headers { way: FrameWay::In, headers: [("id".into(), "r-1".into())].into() };
        let headers = Event { at_ms: 5, kind };
        assert_eq!(
            event_json(&headers).to_string(),
            r#"{"event":"headers","at_ms":5,"way":"in","headers":[["id","r-1"]]}"#
        );
        let of_before =
            json!({"event": "stray", "at_ms": 1, "cause": "no id", "id": null, "body": "{}"});
        assert!(
            of_json(&of_before).is_some(),
            "a history that was written before strays had headers is read"
        );
        let of_before = json!({"event": "headers", "at_ms": 5, "headers": [["id", "r-1"]]});
        assert_eq!(of_json(&of_before), Some(headers), "and one whose headers had no way");
    }
}
