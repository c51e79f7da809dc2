//! Holds what came of a call against what a case expects.

use std::sync::Arc;

use serde_json::{Value, json, value::RawValue};

use super::script::{Case, Expect};
use crate::{
    engine::{
        mask::Mask,
        subset::{missing_parts, quoted_start},
    },
    model::{
        call::{Call, CallState, Event, EventKind, Outcome},
        duration,
        error_kind::ErrorKind,
        piece_times::PieceTimes,
        problem::{Problem, ProblemKind},
        stage::Stage,
    },
    schema::{
        pointer::Pointer,
        validate::{Checker, Issue},
    },
};

/// What came of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// `None`: it has not ended.
    pub outcome: Option<Outcome>,
    /// The kind and the words of its problem.
    pub error: Option<(String, String)>,
    /// What to do about a problem of this side; empty where there is none.
    pub remedy: String,
    pub text: String,
    /// The JSON of the data that came beside the text.
    pub structured: Option<Arc<str>>,
    pub took_ms: u64,
    /// When the request was sent, which is after its connection was opened; `None`: it wasn't.
    pub sent_ms: Option<u64>,
    /// How many pieces with a text came.
    pub chunks: u64,
    /// When the first and the last piece came, and the longest time between two of them.
    pub times: PieceTimes,
}

impl Answer {
    /// Takes an event in; what comes after the end changes nothing.
    pub fn apply_event(&mut self, event: &Event) {
        if self.outcome.is_some() {
            return;
        }
        match &event.kind {
            EventKind::Sent { .. } => self.sent_ms = Some(event.at_ms),
            EventKind::Chunk { text, .. } => {
                self.text.push_str(text);
                self.chunks += u64::from(!text.is_empty());
                self.times.note_piece(text, event.at_ms);
            }
            EventKind::Stage(stage) if &*stage.name == Stage::STRUCTURED => {
                self.structured = Some(Arc::clone(&stage.body));
            }
            EventKind::End { outcome, problem } => {
                self.outcome = Some(*outcome);
                self.error = problem
                    .as_ref()
                    .map(|problem| (problem.kind.to_string(), problem.message.clone()));
                self.remedy =
                    problem.as_ref().map_or_else(String::new, |problem| problem.remedy.clone());
                self.took_ms = event.at_ms;
            }
            _ => {}
        }
    }

    /// What came of a call of this session.
    #[must_use]
    pub fn from_call(call: &Call) -> Self {
        let mut answer = Self {
            text: call.text.whole().into_owned(),
            structured: call.stage_body(Stage::STRUCTURED).map(Arc::clone),
            chunks: call.chunks - call.empty_chunks,
            times: call.times,
            ..Self::default()
        };
        let mut events = call.events.iter();
        let sent = events.find(|event| matches!(event.kind, EventKind::Sent { .. }));
        answer.sent_ms = sent.map(|event| event.at_ms);
        if let CallState::Ended { outcome, problem, at_ms } = &call.state {
            answer.outcome = Some(*outcome);
            answer.error =
                problem.as_ref().map(|problem| (problem.kind.to_string(), problem.message.clone()));
            answer.remedy =
                problem.as_ref().map_or_else(String::new, |problem| problem.remedy.clone());
            answer.took_ms = *at_ms;
        }
        answer
    }

    /// Whether nobody was there to answer: nothing of an answer came.
    #[must_use]
    pub fn is_unanswered(&self) -> bool {
        let kind = self.error.as_ref().map(|(kind, _)| ErrorKind::parse(kind));
        self.outcome == Some(Outcome::Lost)
            && self.times.first_ms.is_none()
            && !kind.is_some_and(|kind| kind.is_unreadable())
    }

    /// Whether nothing was sent because something here is at fault: what the command line names, or
    /// what the user has not allowed.
    #[must_use]
    pub fn is_own_fault(&self) -> bool {
        let kind = self.error.as_ref().map(|(kind, _)| ErrorKind::parse(kind).problem_kind());
        self.outcome == Some(Outcome::Lost) && kind == Some(ProblemKind::Input)
    }

    /// From the request to the end, in milliseconds: how long the connection took to open, and its
    /// server to start, says nothing about a tool.
    #[must_use]
    pub fn answered_in(&self) -> u64 {
        self.took_ms.saturating_sub(self.sent_ms.unwrap_or(0))
    }

    /// From the request to the first piece, in milliseconds.
    #[must_use]
    pub fn first_after(&self) -> Option<u64> {
        Some(self.times.first_ms?.saturating_sub(self.sent_ms.unwrap_or(0)))
    }

    /// What is read as JSON of it: the text, or where that is none, the data that came beside it.
    #[must_use]
    pub fn json_text(&self) -> &str {
        self.structured
            .as_deref()
            .filter(|_| serde_json::from_str::<&RawValue>(&self.text).is_err())
            .unwrap_or(&self.text)
    }
}

/// One expectation and what came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The key in the case: `outcome`, `json`, …
    pub what: &'static str,
    pub expected: String,
    /// How the answer differs; `None`: it holds.
    pub difference: Option<String>,
}

/// A case as it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub answer: Answer,
    pub findings: Vec<Finding>,
}

impl Verdict {
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.differences().next().is_none()
    }

    /// Of a case whose call could not even be made.
    #[must_use]
    pub fn not_called(problem: &Problem) -> Self {
        Self::without_answer("call", "a request", problem)
    }

    /// Of a file that holds no case that can be read.
    #[must_use]
    pub fn unreadable(problem: &Problem) -> Self {
        Self::without_answer("file", "a case", problem)
    }

    fn without_answer(what: &'static str, expected: &str, problem: &Problem) -> Self {
        let why = if problem.remedy.is_empty() {
            problem.cause.clone()
        } else {
            format!("{}: {}", problem.cause, problem.remedy)
        };
        let finding = Finding { what, expected: expected.into(), difference: Some(why) };
        Self { answer: Answer::default(), findings: vec![finding] }
    }

    /// What does not hold, each in a sentence.
    pub fn differences(&self) -> impl Iterator<Item = String> {
        let told = |finding: &Finding| {
            Some(format!(
                "{}: expected {}: {}",
                finding.what,
                finding.expected,
                finding.difference.as_deref()?
            ))
        };
        self.findings.iter().filter_map(told)
    }

    /// For scripts; `answer` is the text, or the structured data where there is no text.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let of = |finding: &Finding| json!({"what": finding.what, "expected": finding.expected, "difference": finding.difference});
        json!({
            "holds": self.has_passed(),
            "outcome": self.answer.outcome.map(Outcome::as_str),
            "took_ms": self.answer.took_ms,
            "chunks": self.answer.chunks,
            "first_ms": self.answer.first_after(),
            "gap_ms": self.answer.times.longest_wait_ms(),
            "answer": match (self.answer.text.as_str(), &self.answer.structured) {
                ("", Some(structured)) => structured,
                (text, _) => text,
            },
            "error": self.answer.error.as_ref().map(|(kind, message)| json!({"type": kind, "message": message})),
            "expectations": self.findings.iter().map(of).collect::<Value>(),
        })
    }
}

impl Verdict {
    /// The same without the secrets in what was answered.
    #[must_use]
    pub fn without_secrets(mut self, mask: &Mask) -> Self {
        let hide = |text: &mut String| *text = mask.mask_text(text).into_owned();
        hide(&mut self.answer.text);
        if let Some(structured) = &mut self.answer.structured {
            *structured = mask.mask_text(structured).as_ref().into();
        }
        self.answer.error.iter_mut().for_each(|(_, message)| hide(message));
        self.findings.iter_mut().filter_map(|finding| finding.difference.as_mut()).for_each(hide);
        self
    }
}

/// Holds an answer against a case. Where it says nothing of the outcome, the call must succeed,
/// unless an error is expected.
#[must_use]
pub(crate) fn check_answer(case: &Case, answer: Answer) -> Verdict {
    let expect = &case.expect;
    let wanted = expect.expected_outcome().map(|outcome| outcome_finding(outcome, &answer));
    let mut findings: Vec<Finding> = wanted.into_iter().collect();
    let is_wrong_outcome = findings.iter().any(|finding| finding.difference.is_some());
    let mut add =
        |what, expected: String, difference| findings.push(Finding { what, expected, difference });
    // Nothing came that the rest could be about.
    let only_error = Expect { error: expect.error.clone(), ..Expect::default() };
    let is_empty = answer.is_unanswered() && answer.text.is_empty();
    let expect = if is_empty { &only_error } else { expect };
    if let Some(wanted) = &expect.error {
        let found = answer.error.as_ref().map_or("there was none".to_owned(), |(kind, message)| {
            format!("it was {kind}: {message}")
        });
        let holds = answer.error.as_ref().is_some_and(|(kind, _)| kind == wanted);
        add("error", wanted.clone(), (!holds).then_some(found));
    }
    for wanted in &expect.contains {
        let holds = answer.text.contains(wanted.as_str());
        add(
            "contains",
            format!("{wanted:?}"),
            (!holds).then(|| format!("it is not in {}", quoted_start(&answer.text))),
        );
    }
    let parsed = (expect.json.is_some() || expect.schema.is_some())
        .then(|| serde_json::from_str::<Value>(answer.json_text()));
    // What a failure says is seldom JSON, and the failure is what differs.
    let has_failed = answer.outcome == Some(Outcome::Failed);
    let parsed = parsed.filter(|parsed| parsed.is_ok() || !(has_failed && is_wrong_outcome));
    let parsed = parsed.map(|parsed| {
        parsed.map_err(|error| {
            format!("the answer is not JSON ({error}): {}", quoted_start(&answer.text))
        })
    });
    if let (Some(wanted), Some(parsed)) = (&expect.json, &parsed) {
        let difference = match parsed {
            Ok(value) => json_difference(wanted, value),
            Err(why) => Some(why.clone()),
        };
        add("json", wanted.to_string(), difference);
    }
    if let (Some(schema), Some(parsed)) = (&expect.schema, &parsed) {
        let difference = match parsed {
            Ok(value) => schema_difference(schema, value),
            Err(why) => Some(why.clone()),
        };
        add("schema", "an answer that matches".into(), difference);
    }
    if let Some(under) = expect.under {
        let took = answer.answered_in();
        let late = u128::from(took) >= under.as_millis();
        add("under", duration::print_duration(under), late.then(|| format!("it took {took} ms")));
    }
    let times = [
        ("first", expect.first, answer.first_after(), "the first piece came after"),
        ("gap", expect.gap, answer.times.longest_wait_ms(), "the longest wait between pieces was"),
    ];
    for (what, wanted, found, words) in times {
        let Some(wanted) = wanted else { continue };
        let difference = match found {
            Some(ms) => {
                let is_late = u128::from(ms) >= wanted.as_millis();
                is_late.then(|| format!("{words} {ms} ms"))
            }
            None if what == "first" => Some("no piece came".to_owned()),
            None => None,
        };
        add(what, duration::print_duration(wanted), difference);
    }
    if let Some(least) = expect.chunks {
        let few = answer.chunks < least;
        add("chunks", format!("{least} or more"), few.then(|| format!("{} came", answer.chunks)));
    }
    Verdict { answer, findings }
}

fn outcome_finding(wanted: Outcome, answer: &Answer) -> Finding {
    let difference = match answer.outcome {
        Some(outcome) if outcome == wanted => None,
        Some(outcome) => {
            let why = answer
                .error
                .as_ref()
                .map_or_else(String::new, |(kind, message)| format!(" ({kind}: {message})"));
            let remedy = match answer.remedy.as_str() {
                remedy if outcome == Outcome::Lost && !remedy.is_empty() => format!("; {remedy}"),
                _ => String::new(),
            };
            let phrase = match outcome {
                Outcome::Lost if answer.sent_ms.is_none() => "was not sent",
                outcome => outcome_phrase(outcome),
            };
            Some(format!("it {phrase}{why}{remedy}"))
        }
        None => Some("it hasn't ended".into()),
    };
    Finding { what: "outcome", expected: wanted.as_str().into(), difference }
}

/// What became of a call, behind "it".
pub(super) fn outcome_phrase(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded => "succeeded",
        Outcome::Failed => "failed",
        Outcome::Cancelled => "was cancelled",
        Outcome::TimedOut => "timed out",
        Outcome::Lost => "was lost",
    }
}

/// What of a wanted value an answer lacks.
fn json_difference(wanted: &Value, value: &Value) -> Option<String> {
    named_parts(missing_parts(&Pointer::root(), "the answer", wanted, value, NAMED + 1))
}

/// So many parts are named at most.
const NAMED: usize = 8;

fn named_parts(mut parts: Vec<String>) -> Option<String> {
    if parts.len() > NAMED {
        parts.truncate(NAMED);
        parts.push("…".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn schema_difference(schema: &Value, value: &Value) -> Option<String> {
    match Checker::compile(schema) {
        Ok(checker) => {
            let told = |issue: &Issue| match issue.at.is_root() {
                true => format!("the answer {}", issue.words),
                false => format!("{} {}", issue.at, issue.words),
            };
            named_parts(checker.issues(value).iter().map(told).collect())
        }
        Err(findings) => Some(format!(
            "not a schema: {}",
            findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::case::script::Case,
        syntax::source::{Format, Source},
    };

    fn differences(expect: &str, answer: Answer) -> Vec<String> {
        let case = Case::from_source(
            &Source::parse(Format::Yaml, format!("call: a\nexpect: {expect}")).unwrap(),
        )
        .unwrap();
        check_answer(&case, answer).differences().collect()
    }

    fn answer(text: &str) -> Answer {
        Answer {
            outcome: Some(Outcome::Succeeded),
            text: text.into(),
            took_ms: 500,
            sent_ms: Some(10),
            chunks: 2,
            times: PieceTimes {
                first_ms: Some(100),
                last_ms: Some(400),
                longest_wait: Some((300, 2)),
                count: 2,
            },
            ..Answer::default()
        }
    }

    #[test]
    fn what_holds_says_nothing() {
        let json = r#"{"a": 1.0, "b": [1, {"c": null, "d": 2}], "more": true}"#;
        let expect = "{json: {a: 1, b: [1, {c: null}]}, contains: [more], schema: {required: [a]}, under: 491ms, chunks: 2, first: 91ms, gap: 301ms}";
        assert_eq!(differences(expect, answer(json)), Vec::<String>::new());
        assert_eq!(differences("{}", answer("")), Vec::<String>::new());
        let failed = Answer {
            outcome: Some(Outcome::Failed),
            error: Some(("cold".into(), "m".into())),
            ..answer("")
        };
        assert_eq!(differences("{outcome: failed, error: cold}", failed), Vec::<String>::new());
    }

    #[test]
    fn data_beside_a_text_is_read_where_the_text_is_none() {
        let with = |text: &str| Answer { structured: Some("{\"n\": 1}".into()), ..answer(text) };
        assert_eq!(differences("{json: {n: 1}, contains: [one]}", with("one")), [""; 0]);
        assert!(differences("{json: {n: 1}}", with("{\"n\": 2}"))[0].contains("/n is 2, not 1"));
        assert!(differences("{contains: n}", with("w"))[0].contains("it is not in"));
        let stage = |name: &str| {
            EventKind::Stage(Stage {
                name: name.into(),
                words: String::new(),
                body: "{\"n\": 3}".into(),
                frame: None,
            })
        };
        let mut heard = answer("text");
        heard.outcome = None;
        heard.apply_event(&Event { at_ms: 1, kind: stage("other") });
        assert_eq!(heard.json_text(), "text");
        heard.apply_event(&Event { at_ms: 1, kind: stage("structured") });
        assert_eq!(heard.json_text(), "{\"n\": 3}");
    }

    #[test]
    fn a_stream_that_is_cut_was_answered() {
        let lost = |first_ms| Answer {
            outcome: Some(Outcome::Lost),
            error: Some(("connection-lost".into(), "it broke".into())),
            times: PieceTimes { first_ms, ..PieceTimes::default() },
            ..Answer::default()
        };
        assert!(lost(None).is_unanswered() && !lost(Some(5)).is_unanswered());
        assert_eq!(
            differences("{first: 1s}", Answer { times: PieceTimes::default(), ..answer("") }),
            ["first: expected 1s: no piece came"]
        );
        assert_eq!(
            differences("{gap: 1ms}", Answer { times: PieceTimes::default(), ..answer("") }),
            [""; 0]
        );
    }

    #[test]
    fn pieces_are_timed_and_an_end_marker_is_none() {
        let mut heard = Answer::default();
        let chunk = |text: &str| EventKind::Chunk { text: text.into(), bytes: text.len() };
        for (at_ms, kind) in [
            (10, EventKind::Sent { bytes: 1 }),
            (60, chunk("a")),
            (560, chunk("b")),
            (9_000, chunk("")),
        ] {
            heard.apply_event(&Event { at_ms, kind });
        }
        assert_eq!(
            (heard.chunks, heard.first_after(), heard.times.longest_wait_ms()),
            (2, Some(50), Some(500))
        );
    }

    #[test]
    fn an_expected_error_leaves_the_outcome_open() {
        let failed = |outcome| Answer {
            outcome: Some(outcome),
            error: Some(("cold".into(), "m".into())),
            ..answer("")
        };
        for outcome in [Outcome::Failed, Outcome::Lost] {
            assert_eq!(differences("{error: cold}", failed(outcome)), [""; 0]);
        }
        assert_eq!(differences("{error: warm}", failed(Outcome::Failed)).len(), 1);
        assert_eq!(differences("{contains: x}", failed(Outcome::Failed)).len(), 2);
    }

    #[test]
    fn what_differs_says_how() {
        let json = r#"{"a": 1, "b": [1, 2]}"#;
        for (expect, words) in [
            ("{outcome: failed}", "outcome: expected failed: it succeeded"),
            ("{error: cold}", "error: expected cold: there was none"),
            ("{contains: late}", "contains: expected \"late\": it is not in"),
            ("{json: {a: 2}}", "/a is 1, not 2"),
            ("{json: {c: 2}}", "there is no \"c\" in the answer"),
            ("{json: {b: [1]}}", "/b has 2 items, not 1"),
            ("{json: {b: {x: 1}}}", "/b is"),
            (
                "{schema: {properties: {a: {type: string}}}}",
                "schema: expected an answer that matches: /a",
            ),
            ("{under: 490ms}", "it took 490 ms"),
            ("{chunks: 3}", "2 came"),
            ("{first: 90ms}", "first: expected 90ms: the first piece came after 90 ms"),
            ("{gap: 300ms}", "the longest wait between pieces was 300 ms"),
        ] {
            let found = differences(expect, answer(json));
            assert!(found.len() == 1 && found[0].contains(words), "{expect}: {found:?}");
        }
        let hidden = differences(
            "{json: {password: x}, contains: nope}",
            answer(r#"{"password": "hunter2hunter2"}"#),
        );
        assert!(
            hidden.len() == 2 && hidden.iter().all(|told| !told.contains("hunter2")),
            "{hidden:?}"
        );
        assert!(differences("{json: {}}", answer("text"))[0].contains("not JSON"));
        let lost = Answer {
            outcome: Some(Outcome::Lost),
            error: Some(("no-server".into(), "nobody".into())),
            ..answer("")
        };
        assert!(differences("{}", lost)[0].contains("it was lost (no-server: nobody)"));
        assert!(differences("{}", Answer::default())[0].contains("hasn't ended"));
    }
}
