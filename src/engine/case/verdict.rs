//! Holds what came of a call against what a case expects.

use std::sync::Arc;

use regex::Regex;
use serde_json::{Value, json, value::RawValue};

use super::{
    expected::ExpectedValues,
    script::{Case, Expect, ExpectedError},
};
use crate::{
    engine::{
        mask::Mask,
        subset::{missing_parts, quoted_start, without_ignored},
    },
    model::{
        call::{Call, CallState, Event, EventKind, Outcome},
        duration,
        error_kind::ErrorKind,
        piece_times::PieceTimes,
        problem::{Problem, ProblemKind},
        shown::shorten,
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
    /// How often the tool said how far it was.
    pub progress: u64,
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
            EventKind::Sent { .. } => _ = self.sent_ms.get_or_insert(event.at_ms),
            EventKind::Chunk { text, .. } => {
                self.text.push_str(text);
                self.chunks += u64::from(!text.is_empty());
                self.times.note_piece(text, event.at_ms);
            }
            kind if is_progress(kind) => self.progress += 1,
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
            progress: call.events.iter().filter(|event| is_progress(&event.kind)).count() as u64,
            times: call.times,
            sent_ms: call.sent_ms,
            ..Self::default()
        };
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

    /// Whether the call ended before it was sent: nothing is known of the tool.
    #[must_use]
    pub fn is_unsent(&self) -> bool {
        self.sent_ms.is_none() && self.is_unanswered()
    }

    /// What the tool said: its text, and that of its error where it failed.
    fn said(&self) -> [&str; 2] {
        let failure = self.error.as_ref().filter(|_| self.outcome == Some(Outcome::Failed));
        [&self.text, failure.map_or("", |(_, message)| message)]
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

impl Finding {
    /// What does not hold, in a sentence; `None`: it holds.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let difference = self.difference.as_deref()?;
        Some(format!("{}: expected {}: {difference}", self.what, self.expected))
    }

    /// The same without the secrets in what came, nor the beginning of one where its text is cut.
    #[must_use]
    pub fn without_secrets(&self, mask: &Mask) -> Self {
        const CUT: &str = "…";
        let hide = |text: &String| {
            let masked = mask.mask_text(text);
            let Some((cut, rest)) = masked.rsplit_once(CUT) else { return masked.into_owned() };
            let parts = cut.split(CUT).map(|part| match part.strip_suffix('"') {
                Some(quoted) => format!("{}\"", mask.without_begun(quoted)),
                None => mask.without_begun(part).to_owned(),
            });
            [parts.collect::<Vec<_>>().join(CUT).as_str(), rest].join(CUT)
        };
        Self { difference: self.difference.as_ref().map(hide), ..self.clone() }
    }
}

/// A case as it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub answer: Answer,
    pub findings: Vec<Finding>,
    /// What the variables were that its expectations name.
    pub values: ExpectedValues,
}

impl Verdict {
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.differences().next().is_none()
    }

    /// Whether a tool was called, and answered or failed to.
    #[must_use]
    pub fn has_run(&self) -> bool {
        self.answer.outcome.is_some() && !self.answer.is_unanswered()
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
        let values = ExpectedValues::default();
        Self { answer: Answer::default(), findings: vec![finding], values }
    }

    /// What does not hold, each in a sentence.
    pub fn differences(&self) -> impl Iterator<Item = String> {
        self.findings.iter().filter_map(Finding::sentence)
    }

    /// For scripts; `answer` is the text, or the structured data where there is no text. Times count
    /// from sending on; `connect_ms` is what came before that.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let of = |finding: &Finding| json!({"what": finding.what, "expected": finding.expected, "difference": finding.difference});
        json!({
            "holds": self.has_passed(),
            "outcome": self.answer.outcome.map(Outcome::as_str),
            "took_ms": self.answer.answered_in(),
            "connect_ms": self.answer.sent_ms,
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
        self.findings = self.findings.iter().map(|finding| finding.without_secrets(mask)).collect();
        self
    }
}

/// Holds an answer against a case. Where it says nothing of the outcome, the call must succeed,
/// unless an error is expected. A call that was not sent meets no expectation.
#[must_use]
pub(crate) fn check_answer(case: &Case, answer: Answer, values: ExpectedValues) -> Verdict {
    let expect = &values.fill(&case.expect);
    let mut findings = Vec::new();
    if answer.is_unsent() {
        findings.push(outcome_finding(&expect.expected_outcomes(), &answer));
        return Verdict { answer, findings, values };
    }
    let outcomes = expect.expected_outcomes();
    if !outcomes.is_empty() {
        findings.push(outcome_finding(&outcomes, &answer));
    }
    let is_wrong_outcome = findings.iter().any(|finding| finding.difference.is_some());
    findings.extend(expect.error.as_ref().map(|wanted| error_finding(wanted, &answer)));
    // Nothing came that the rest could be about.
    if !(answer.is_unanswered() && answer.text.is_empty()) {
        add_text_findings(expect, &answer, &mut findings);
        add_json_findings(expect, &answer, is_wrong_outcome, &mut findings);
        add_time_findings(expect, &answer, &mut findings);
    }
    Verdict { answer, findings, values }
}

fn error_finding(wanted: &ExpectedError, answer: &Answer) -> Finding {
    let ExpectedError { kind, message } = wanted;
    let message_words = message.as_ref().map(|message| format!("a message with {message:?}"));
    let expected: Vec<String> = kind.iter().cloned().chain(message_words).collect();
    let holds = answer.error.as_ref().is_some_and(|(found, words)| {
        kind.as_ref().is_none_or(|kind| kind == found)
            && message.as_ref().is_none_or(|part| words.contains(part.as_str()))
    });
    let found = match &answer.error {
        None => "there was none".to_owned(),
        Some((kind, message)) => format!("it was {kind}: {}", shorten(message, MESSAGE)),
    };
    let difference = (!holds).then_some(found);
    Finding { what: "error", expected: expected.join(", "), difference }
}

fn add_text_findings(expect: &Expect, answer: &Answer, findings: &mut Vec<Finding>) {
    let said = answer.said();
    let shown = || quoted_start(said.iter().find(|text| !text.is_empty()).unwrap_or(&""));
    let holds_part = |part: &String| said.iter().any(|text| text.contains(part.as_str()));
    let mut add =
        |what, expected, difference| findings.push(Finding { what, expected, difference });
    for wanted in &expect.contains {
        let difference = (!holds_part(wanted)).then(|| format!("it is not in {}", shown()));
        add("contains", format!("{wanted:?}"), difference);
    }
    for unwanted in &expect.lacks {
        let difference = holds_part(unwanted).then(|| format!("it is in {}", shown()));
        add("lacks", format!("no {unwanted:?}"), difference);
    }
    for pattern in &expect.matches {
        let difference = match Regex::new(pattern) {
            Ok(regex) if said.iter().any(|text| regex.is_match(text)) => None,
            Ok(_) => Some(format!("nothing matches in {}", shown())),
            Err(error) => Some(error.to_string()),
        };
        add("matches", format!("/{pattern}/"), difference);
    }
}

fn add_json_findings(
    expect: &Expect,
    answer: &Answer,
    is_wrong_outcome: bool,
    findings: &mut Vec<Finding>,
) {
    if expect.json.is_none() && expect.schema.is_none() {
        return;
    }
    let parsed = serde_json::from_str::<Value>(answer.json_text());
    // What came of a call that went wrong is seldom JSON, and that it went wrong is what differs.
    if parsed.is_err() && answer.outcome != Some(Outcome::Succeeded) && is_wrong_outcome {
        return;
    }
    let parsed = parsed.map_err(|error| {
        format!("the answer is not JSON ({error}): {}", quoted_start(&answer.text))
    });
    let difference = |check: &dyn Fn(&Value) -> Option<String>| match &parsed {
        Ok(value) => check(value),
        Err(why) => Some(why.clone()),
    };
    if let Some(wanted) = &expect.json {
        let difference = difference(&|value| {
            json_difference(&without_ignored(wanted.clone(), value, &expect.ignore), value)
        });
        findings.push(Finding { what: "json", expected: wanted.to_string(), difference });
    }
    if let Some(schema) = &expect.schema {
        let difference = difference(&|value| schema_difference(schema, value));
        let expected = "an answer that matches".into();
        findings.push(Finding { what: "schema", expected, difference });
    }
}

fn add_time_findings(expect: &Expect, answer: &Answer, findings: &mut Vec<Finding>) {
    let mut add =
        |what, expected: String, difference| findings.push(Finding { what, expected, difference });
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
    if let Some(least) = expect.progress {
        let few = answer.progress < least;
        let found = || format!("the tool said it {} times", answer.progress);
        add("progress", format!("{least} or more"), few.then(found));
    }
}

fn is_progress<T>(kind: &EventKind<T>) -> bool {
    matches!(kind, EventKind::Stage(stage) if &*stage.name == Stage::PROGRESS)
}

fn outcome_finding(wanted: &[Outcome], answer: &Answer) -> Finding {
    let difference = match answer.outcome {
        Some(outcome) if wanted.contains(&outcome) && !answer.is_unsent() => None,
        Some(outcome) => {
            let why = answer.error.as_ref().map_or_else(String::new, |(kind, message)| {
                format!(" ({kind}: {})", shorten(message, MESSAGE))
            });
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
    let expected = outcome_words(wanted).unwrap_or_else(|| "an error".to_owned());
    Finding { what: "outcome", expected, difference }
}

/// So many letters of an error's message are in a sentence: what it is about, and not a whole page.
const MESSAGE: usize = 1_000;

/// The outcomes that will do; `None`: any.
fn outcome_words(wanted: &[Outcome]) -> Option<String> {
    let words: Vec<&str> = wanted.iter().map(|outcome| outcome.as_str()).collect();
    (!words.is_empty()).then(|| words.join(" or "))
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

    #[test]
    fn what_differs_has_no_secret_of_the_call_nor_the_beginning_of_one() {
        let mask = Mask::default().of_call(r#"{"password":"Corr3ct horse"}"#);
        for (difference, hidden) in [
            ("it was x: Corr3ct horse, no", "it was x: ***, no"),
            ("it is not in \"you said Corr3ct h\"…", "it is not in \"you said \"…"),
            ("/a is Corr…, not \"b\"", "/a is …, not \"b\""),
            ("it is not in \"all of it\"…", "it is not in \"all of it\"…"),
        ] {
            let finding = Finding {
                what: "json",
                expected: String::new(),
                difference: Some(difference.into()),
            };
            let shown = finding.without_secrets(&mask).difference;
            assert_eq!(shown.as_deref(), Some(hidden));
        }
    }

    fn differences(expect: &str, answer: Answer) -> Vec<String> {
        let case = Case::from_source(
            &Source::parse(Format::Yaml, format!("call: a\nexpect: {expect}")).unwrap(),
        )
        .unwrap();
        check_answer(&case, answer, ExpectedValues::default()).differences().collect()
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
    fn a_call_that_was_not_sent_meets_no_expectation() {
        let unsent = || Answer {
            outcome: Some(Outcome::Lost),
            error: Some(("no-variable".into(), "it isn't set".into())),
            remedy: "set it".into(),
            ..Answer::default()
        };
        for expect in ["{outcome: lost}", "{error: no-variable}", "{outcome: [lost, succeeded]}"] {
            let told = differences(expect, unsent());
            assert!(
                told.len() == 1 && told[0].contains("it was not sent (no-variable"),
                "{told:?}"
            );
        }
        let sent = Answer { sent_ms: Some(3), ..unsent() };
        assert_eq!(differences("{outcome: lost}", sent), [""; 0]);
    }

    #[test]
    fn the_text_of_an_error_can_be_expected() {
        let failed = || Answer {
            outcome: Some(Outcome::Failed),
            error: Some(("mcp-tool-error".into(), "upstream unavailable: 503".into())),
            ..answer("")
        };
        for expect in [
            "{error: {type: mcp-tool-error, message: upstream}}",
            "{error: {message: unavailable}}",
            "{outcome: failed, contains: [upstream], lacks: nobody, matches: ['\\d{3}$']}",
            "{outcome: [succeeded, failed], error: mcp-tool-error}",
        ] {
            assert_eq!(differences(expect, failed()), [""; 0], "{expect}");
        }
        for (expect, words) in [
            (
                "{error: {type: mcp-tool-error, message: refused}}",
                "error: expected mcp-tool-error, a message with \"refused\": it was mcp-tool-error: \
                 upstream unavailable: 503",
            ),
            ("{error: {type: other, message: upstream}}", "it was mcp-tool-error"),
            (
                "{outcome: failed, lacks: upstream}",
                "lacks: expected no \"upstream\": it is in \"upstream unavailable: 503\"",
            ),
            (
                "{outcome: failed, matches: ^503}",
                "matches: expected /^503/: nothing matches in \"upstream",
            ),
            ("{outcome: [succeeded, lost]}", "outcome: expected succeeded or lost: it failed"),
        ] {
            let told = differences(expect, failed());
            assert!(told.len() == 1 && told[0].contains(words), "{expect}: {told:?}");
        }
        // An answer that succeeded has no error to be read.
        let succeeded = Answer { outcome: Some(Outcome::Succeeded), ..failed() };
        assert_eq!(differences("{contains: upstream}", succeeded).len(), 1);
    }

    #[test]
    fn a_long_message_is_not_said_whole() {
        let failed = || Answer {
            outcome: Some(Outcome::Failed),
            error: Some(("cold".into(), format!("ü{}", "x".repeat(3_000_000)))),
            ..answer("")
        };
        for expect in ["{}", "{error: warm}"] {
            let told = differences(expect, failed());
            assert!(told.len() == 1 && told[0].chars().count() < 1_100, "{}", told[0].len());
            assert!(told[0].contains("cold: üxx"), "{}", &told[0][..200]);
        }
        assert_eq!(differences("{error: {message: xxx}}", failed()), [""; 0]);
    }

    #[test]
    fn where_nothing_came_only_that_is_said() {
        let ended = |outcome, text: &str| Answer { outcome: Some(outcome), ..answer(text) };
        for outcome in [Outcome::TimedOut, Outcome::Cancelled, Outcome::Failed] {
            for text in ["", "{\"half\": "] {
                let told = differences("{json: {a: 1}, schema: {}}", ended(outcome, text));
                assert!(told.len() == 1 && told[0].starts_with("outcome: "), "{told:?}");
            }
        }
        // That it succeeded is no reason for words that aren't JSON.
        let told = differences("{outcome: failed, json: {a: 1}}", answer("words"));
        assert_eq!(told.len(), 2, "{told:?}");
    }

    #[test]
    fn what_is_ignored_may_differ_or_be_missing() {
        let text = r#"{"id": 1, "at": 5, "orders": [{"id": 1, "at": 7}, {"id": 2}]}"#;
        let wanted = "json: {id: 1, at: 4, orders: [{id: 1, at: 6}, {id: 2, at: 6}]}";
        let told =
            |ignore: &str| differences(&format!("{{{wanted}, ignore: {ignore}}}"), answer(text));
        assert_eq!(told("[/at, /orders/*/at]"), [""; 0]);
        assert_eq!(told("[/at, /orders]"), [""; 0]);
        assert_eq!(told("[/at, /orders/0/at, /orders/1]"), [""; 0]);
        let some = told("/at");
        assert!(some.len() == 1 && some[0].contains("/orders/0/at is 7, not 6"), "{some:?}");
        assert!(!some[0].contains("; /at is"), "{some:?}");
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
            ("{progress: 1}", "the tool said it 0 times"),
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
