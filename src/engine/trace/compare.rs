//! Two calls beside each other: what differs in their answers' JSON, and their times.

use serde_json::Value;

use crate::{
    model::{
        call::{CallError, Event, EventKind, Outcome},
        size,
        trace::Trace,
    },
    schema::pointer::Pointer,
};

/// The stage that holds a result with more than text.
const WHOLE_RESULT: &str = "result";

/// A place where two values differ; `None` where one has nothing there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub at: Pointer,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Where two values differ, in the order of the first, then what only the second has. Lists are
/// held against each other item by item.
#[must_use]
pub(crate) fn compare_json(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare_values(&Pointer::root(), Some(before), Some(after), &mut found);
    found
}

fn compare_values(
    at: &Pointer,
    before: Option<&Value>,
    after: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    match (before, after) {
        (Some(before), Some(after)) if before == after => {}
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            for (name, value) in before {
                compare_values(&at.child(name), Some(value), after.get(name), found);
            }
            for (name, value) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
                compare_values(&at.child(name), None, Some(value), found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            for row in 0..before.len().max(after.len()) {
                compare_values(&at.child(row.to_string()), before.get(row), after.get(row), found);
            }
        }
        (before, after) => {
            let written = |value: Option<&Value>| value.map(Value::to_string);
            found.push(Difference {
                at: at.clone(),
                before: written(before),
                after: written(after),
            });
        }
    }
}

/// In the place of a measure that a call doesn't have.
pub(crate) const NOTHING: &str = "–";

/// One measure of both calls, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ComparedMeasure {
    pub name: &'static str,
    pub before: String,
    pub after: String,
}

/// The times and counts of two calls.
#[must_use]
pub(crate) fn compare_times(before: &Trace, after: &Trace) -> Vec<ComparedMeasure> {
    let (one, other) = (Times::from_events(&before.events), Times::from_events(&after.events));
    let row = |name, of: &dyn Fn(&Times) -> String| ComparedMeasure {
        name,
        before: of(&one),
        after: of(&other),
    };
    let ms = |ms: Option<u64>| ms.map_or_else(|| NOTHING.to_owned(), |ms| format!("{ms} ms"));
    // How long the connection took to open, and its server to start, says nothing about a tool.
    let since_sent = |times: &Times, at: Option<u64>| {
        ms(at.map(|at| at.saturating_sub(times.sent.unwrap_or(0))))
    };
    let mut rows = vec![
        row("outcome", &|times| times.outcome.map_or("unfinished", Outcome::as_str).to_owned()),
        row("connected after", &|times| ms(times.sent)),
        row("first chunk after", &|times| since_sent(times, times.first)),
        row("longest wait", &|times| ms(times.longest)),
        row("end after", &|times| since_sent(times, times.end)),
        row("chunks", &|times| times.chunks.to_string()),
        row("text", &|times| size::format_size(times.text)),
        row("strays", &|times| times.strays.to_string()),
    ];
    if one.error.is_some() || other.error.is_some() {
        rows.insert(
            1,
            row("error", &|times| times.error.clone().unwrap_or_else(|| NOTHING.into())),
        );
    }
    rows
}

/// How the call of a trace ended, if it did.
#[must_use]
pub(crate) fn outcome(trace: &Trace) -> Option<Outcome> {
    Times::from_events(&trace.events).outcome
}

/// The answer that a trace holds.
#[must_use]
pub(crate) fn answer_text(trace: &Trace) -> String {
    let of = |event: &Event| match &event.kind {
        EventKind::Chunk { text, .. } => Some(text.to_string()),
        _ => None,
    };
    trace.events.iter().filter_map(of).collect()
}

/// The answers of two calls as they are compared: their texts, or where these are the same, the whole
/// results that came beside them, which say more than their texts.
#[must_use]
pub(crate) fn compared_texts(before: &Trace, after: &Trace) -> [String; 2] {
    let texts = [answer_text(before), answer_text(after)];
    match (whole_result(before), whole_result(after)) {
        (Some(before), Some(after)) if texts[0] == texts[1] && before != after => {
            [&before, &after].map(|result| format!("{result:#}"))
        }
        _ => texts,
    }
}

/// What came of a call as a whole, where that is more than its text.
fn whole_result(trace: &Trace) -> Option<Value> {
    let body = |event: &Event| match &event.kind {
        EventKind::Stage(stage) if &*stage.name == WHOLE_RESULT => Some(stage.body.clone()),
        _ => None,
    };
    serde_json::from_str(&trace.events.iter().rev().find_map(body)?).ok()
}

#[derive(Default)]
struct Times {
    sent: Option<u64>,
    first: Option<u64>,
    /// The longest time between two chunks.
    longest: Option<u64>,
    end: Option<u64>,
    outcome: Option<Outcome>,
    /// Its kind and its message.
    error: Option<String>,
    chunks: u64,
    text: u64,
    strays: u64,
}

impl Times {
    fn from_events(events: &[Event]) -> Self {
        let mut times = Self::default();
        let mut last = None;
        for event in events {
            match &event.kind {
                EventKind::Sent { .. } => _ = times.sent.get_or_insert(event.at_ms),
                EventKind::Chunk { text, .. } => {
                    times.first.get_or_insert(event.at_ms);
                    if let Some(last) = last.replace(event.at_ms) {
                        times.longest = times.longest.max(Some(event.at_ms.saturating_sub(last)));
                    }
                    times.chunks += 1;
                    times.text += text.len() as u64;
                }
                EventKind::Stray { .. } => times.strays += 1,
                EventKind::Headers { .. } | EventKind::Notice(_) | EventKind::Stage(_) => {}
                EventKind::End { outcome, problem } => {
                    (times.end, times.outcome) = (Some(event.at_ms), Some(*outcome));
                    let words =
                        |problem: &CallError| format!("{}: {}", problem.kind, problem.message);
                    times.error = problem.as_ref().map(words);
                }
            }
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::stage::Stage;

    #[test]
    fn json_differs_at_places() {
        let found = compare_json(
            &json!({"a": 1, "b": [1, 2], "c": {"d": "x"}}),
            &json!({"a": 1, "b": [1, 3, 4], "e": null}),
        );
        let rows: Vec<_> = found
            .iter()
            .map(|one| (one.at.to_string(), one.before.as_deref(), one.after.as_deref()))
            .collect();
        let expected = [
            ("/b/1".to_owned(), Some("2"), Some("3")),
            ("/b/2".to_owned(), None, Some("4")),
            ("/c".to_owned(), Some("{\"d\":\"x\"}"), None),
            ("/e".to_owned(), None, Some("null")),
        ];
        assert_eq!(rows, expected);
        assert_eq!(compare_json(&json!([1, {"a": 2}]), &json!([1, {"a": 2}])), []);
    }

    #[test]
    fn times_stand_side_by_side() {
        let chunk = |at_ms, text: &str| Event {
            at_ms,
            kind: EventKind::Chunk { text: text.into(), bytes: 1 },
        };
        let end = Event {
            at_ms: 90,
            kind: EventKind::End { outcome: Outcome::Succeeded, problem: None },
        };
        let sent = Event { at_ms: 3, kind: EventKind::Sent { bytes: 1 } };
        let one = Trace {
            events: vec![sent, chunk(5, "a"), chunk(50, "b"), chunk(60, "c"), end],
            ..Trace::default()
        };
        let rows = compare_times(&one, &Trace::default());
        let of = |name| {
            rows.iter()
                .find(|row| row.name == name)
                .map(|row| (row.before.as_str(), row.after.as_str()))
        };
        assert_eq!(of("longest wait"), Some(("45 ms", "–")));
        assert_eq!(of("connected after"), Some(("3 ms", "–")));
        assert_eq!(of("first chunk after"), Some(("2 ms", "–")), "from the request on");
        assert_eq!(of("end after"), Some(("87 ms", "–")));
        assert_eq!(of("outcome"), Some(("succeeded", "unfinished")));
        assert_eq!(answer_text(&one), "abc");
    }

    #[test]
    fn what_came_beside_the_text_is_compared_where_the_texts_are_the_same() {
        let called = |text: &str, result: &Value| {
            let stage = Stage {
                name: WHOLE_RESULT.into(),
                words: String::new(),
                body: result.to_string().into(),
                frame: None,
            };
            let kinds = [EventKind::Chunk { text: text.into(), bytes: 1 }, EventKind::Stage(stage)];
            let events = kinds.map(|kind| Event { at_ms: 1, kind }).to_vec();
            Trace { events, ..Trace::default() }
        };
        let png = called("label", &json!({"structuredContent": {"format": "png"}}));
        let pdf = called("label", &json!({"structuredContent": {"format": "pdf"}}));
        let [before, after] = compared_texts(&png, &pdf);
        assert!(before.contains("png") && after.contains("pdf"), "{before}\n{after}");
        assert_eq!(compared_texts(&png, &png), ["label", "label"]);
        let other = called("other", &json!({"structuredContent": {"format": "pdf"}}));
        assert_eq!(compared_texts(&png, &other), ["label", "other"]);
        assert_eq!(compared_texts(&png, &Trace::default()), ["label", ""]);
    }
}
