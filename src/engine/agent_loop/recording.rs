//! A run that is kept: what the model said and what the tools gave, so that it can be run again
//! without either.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::{
    event::AgentEvent,
    outline::{Outline, Place},
    run::{Answered, CallResult},
    turn::ModelReply,
};
use crate::model::{call::Outcome, trace::Trace};

/// A recorded run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    pub replies: VecDeque<ModelReply>,
    pub results: VecDeque<RecordedResult>,
}

/// The recorded runs of a case: with the workspace's own tools, and with others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedRuns {
    /// The model's name.
    pub model: String,
    pub runs: Vec<Recording>,
    pub against: Vec<Recording>,
}

impl RecordedRuns {
    /// What a file holds; `None` where it has no runs.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let runs = |name: &str| {
            value[name].as_array().into_iter().flatten().filter_map(Recording::from_json).collect()
        };
        let model = value["model"].as_str().unwrap_or_default().to_owned();
        let recorded = Self { model, runs: runs("runs"), against: runs("against") };
        (!recorded.runs.is_empty() || !recorded.against.is_empty()).then_some(recorded)
    }

    #[must_use]
    pub fn to_json(&self) -> Value {
        let runs = |runs: &[Recording]| runs.iter().map(Recording::to_json).collect::<Value>();
        let mut value = json!({"model": self.model, "runs": runs(&self.runs)});
        if !self.against.is_empty() {
            value["against"] = runs(&self.against);
        }
        value
    }
}

/// What a tool gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedResult {
    pub tool: String,
    pub outcome: Outcome,
    pub text: String,
}

impl Recording {
    /// What a trace of a run kept; `None` where it is of something else.
    #[must_use]
    pub fn from_trace(trace: &Trace) -> Option<Self> {
        let mut recording = Self::default();
        // How many replies and results there were when each turn began, and whose results are kept.
        let mut outline = Outline::new((0, 0));
        let mut places: Vec<Place> = Vec::new();
        for event in trace.events.iter().filter_map(|event| AgentEvent::from_trace(&event.kind)) {
            if let AgentEvent::WentBack { turns, result, .. } = &event {
                if let Some((replies, results)) = outline.known_at(*turns).copied() {
                    recording.replies.truncate(replies);
                    recording.results.truncate(results);
                    places.truncate(results);
                }
                if let Some((row, text)) = result
                    && let at = (Place { turn: turns.saturating_sub(1), row: *row })
                    && let Some(changed) = places.iter().position(|place| *place == at)
                {
                    recording.results[changed].text.clone_from(text);
                }
            }
            let known = (recording.replies.len(), recording.results.len());
            let place = outline.note_event(&event, known);
            match event {
                AgentEvent::Replied { reply, .. } => recording.replies.push_back(reply),
                AgentEvent::Returned { tool, answered, outcome, text, .. }
                    if answered.is_answer() =>
                {
                    recording.results.push_back(RecordedResult { tool, outcome, text });
                    places.extend(place);
                }
                _ => {}
            }
        }
        (!recording.replies.is_empty()).then_some(recording)
    }

    /// A run of a file; `None` where it has no replies.
    #[must_use]
    pub fn from_json(value: &Value) -> Option<Self> {
        let items = |name: &str| value[name].as_array().into_iter().flatten();
        let recording = Self {
            replies: items("replies").map(ModelReply::from_json).collect(),
            results: items("results").filter_map(RecordedResult::from_json).collect(),
        };
        (!recording.replies.is_empty()).then_some(recording)
    }

    #[must_use]
    pub fn to_json(&self) -> Value {
        let result = |result: &RecordedResult| json!({"tool": result.tool, "outcome": result.outcome.as_str(), "text": result.text});
        json!({
            "replies": self.replies.iter().map(ModelReply::to_json).collect::<Value>(),
            "results": self.results.iter().map(result).collect::<Value>(),
        })
    }

    /// The next result that this tool gave, which is not given again.
    pub fn take_result(&mut self, tool: &str) -> Option<CallResult> {
        let row = self.results.iter().position(|result| result.tool == tool)?;
        let RecordedResult { outcome, text, .. } = self.results.remove(row)?;
        Some(CallResult { answered: Answered::Recorded, outcome, text, took_ms: 0 })
    }
}

impl RecordedResult {
    /// `None` of a call that nothing answered: it is not answered again either.
    fn from_json(value: &Value) -> Option<Self> {
        let answered = value["answered"].as_str().and_then(Answered::of_word);
        if answered.is_some_and(|answered| !answered.is_answer()) {
            return None;
        }
        Some(Self {
            tool: value["tool"].as_str()?.to_owned(),
            outcome: value["outcome"]
                .as_str()
                .and_then(Outcome::of_word)
                .unwrap_or(Outcome::Succeeded),
            text: match &value["text"] {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                value => value.to_string(),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::agent_loop::turn::{StopReason, ToolCall},
        model::{call::Event, trace::Head},
    };

    fn reply() -> ModelReply {
        let call = ToolCall { id: "a".into(), name: "sum".into(), arguments: "{\"a\":1}".into() };
        ModelReply { calls: vec![call], stop: StopReason::ToolCalls, ..ModelReply::default() }
    }

    #[test]
    fn a_trace_gives_back_what_was_said_and_what_tools_gave() {
        let returned = |answered, text: &str| AgentEvent::Returned {
            tool: "sum".into(),
            answered,
            outcome: Outcome::Succeeded,
            text: text.into(),
            took_ms: 3,
            trace: None,
        };
        let events = [
            AgentEvent::Replied { turn: 1, reply: reply(), first_ms: None, took_ms: 2 },
            returned(Answered::Refused, "no"),
            returned(Answered::Mocked, "1"),
        ];
        let events = events.iter().map(|event| Event { at_ms: 0, kind: event.to_trace() });
        let trace = Trace { head: Head::default(), events: events.collect() };
        let mut recording = Recording::from_trace(&trace).unwrap();
        assert_eq!(recording.replies, [reply()]);
        assert_eq!(Recording::from_json(&recording.to_json()), Some(recording.clone()));
        assert_eq!(recording.take_result("other"), None);
        assert_eq!(recording.take_result("sum").map(|result| result.text), Some("1".into()));
        assert_eq!(recording.take_result("sum"), None);
        assert_eq!(Recording::from_trace(&Trace::default()), None);
    }

    #[test]
    fn what_was_left_behind_by_going_back_is_not_in_a_recording() {
        let replied = |turn, text: &str| AgentEvent::Replied {
            turn,
            reply: ModelReply { text: text.into(), ..ModelReply::default() },
            first_ms: None,
            took_ms: 2,
        };
        let returned = |text: &str| AgentEvent::Returned {
            tool: "sum".into(),
            answered: Answered::Called,
            outcome: Outcome::Succeeded,
            text: text.into(),
            took_ms: 3,
            trace: None,
        };
        let back = |turns, result| AgentEvent::WentBack {
            reply: 2,
            state: "a".into(),
            turns,
            message: None,
            result,
        };
        let read = |events: &[AgentEvent]| {
            let events = events.iter().map(|event| Event { at_ms: 0, kind: event.to_trace() });
            let trace = Trace { head: Head::default(), events: events.collect() };
            let Recording { replies, results } = Recording::from_trace(&trace).unwrap();
            let replies: Vec<String> = replies.into_iter().map(|reply| reply.text).collect();
            let results: Vec<String> = results.into_iter().map(|result| result.text).collect();
            (replies.join(" "), results.join(" "))
        };
        let begin = [replied(1, "one"), returned("1"), replied(2, "two"), returned("2")];
        let then = |events: &[AgentEvent]| read(&[&begin[..], events].concat());
        let pair = |replies: &str, results: &str| (replies.to_owned(), results.to_owned());
        // Before the second reply; before the calls of the first; with another first result.
        assert_eq!(then(&[back(3, None), replied(2, "other")]), pair("one other", "1"));
        assert_eq!(then(&[back(2, None), returned("3")]), pair("one", "3"));
        assert_eq!(then(&[back(3, Some((0, "4".into())))]), pair("one", "4"));
    }
}
