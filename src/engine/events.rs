//! Events of a call as data for scripts: one JSON object a line.

use serde_json::{Value, json};

use crate::model::call::{Event, EventKind};

/// An event in its stable shape: `{event: "request"|"chunk"|"stray"|"notice"|"end", at_ms, …}`.
#[must_use]
pub fn json(event: &Event) -> Value {
    let at_ms = event.at_ms;
    match &event.kind {
        EventKind::Sent { bytes } => json!({"event": "request", "at_ms": at_ms, "bytes": bytes}),
        EventKind::Chunk { text, bytes } => json!({"event": "chunk", "at_ms": at_ms, "bytes": bytes, "text": &**text}),
        EventKind::Stray { cause, id, body } => {
            json!({"event": "stray", "at_ms": at_ms, "cause": cause.words(), "id": id, "body": &**body})
        }
        EventKind::Notice(words) => json!({"event": "notice", "at_ms": at_ms, "text": words}),
        EventKind::End { outcome, problem } => {
            let error = problem
                .as_ref()
                .map(|problem| json!({"type": problem.kind, "message": problem.message, "remedy": problem.remedy}));
            json!({"event": "end", "at_ms": at_ms, "outcome": outcome.word(), "error": error})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::call::{CallProblem, Outcome};

    #[test]
    fn events_have_their_shape() {
        let chunk = Event { at_ms: 38, kind: EventKind::Chunk { text: "a\n".into(), bytes: 60 } };
        assert_eq!(json(&chunk).to_string(), r#"{"event":"chunk","at_ms":38,"bytes":60,"text":"a\n"}"#);
        let problem = CallProblem { kind: "no-server".into(), message: "m".into(), remedy: "r".into() };
        let end = Event { at_ms: 5, kind: EventKind::End { outcome: Outcome::Lost, problem: Some(problem) } };
        let expected =
            json!({"event": "end", "at_ms": 5, "outcome": "lost", "error": {"type": "no-server", "message": "m", "remedy": "r"}});
        assert_eq!(json(&end), expected);
    }
}
