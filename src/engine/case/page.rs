//! A case as the text of a YAML file, with comments for who reads it.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{
    script::{Case, CaseSteps, RunCount},
    verdict::{Answer, outcome_phrase},
};
use crate::{
    engine::mask::MASKED,
    model::{call::Outcome, duration, error_kind::ErrorKind},
    schema::{count::count_text, literal::Literal},
    syntax::{place::Format, print},
};

/// Where a workspace keeps its cases.
pub(crate) const FOLDER: &str = "cases";

const HEAD: &str = "\
# A call saved as a test case: `toolcrib test FILE` runs it again and reports differences.
# expect may have: outcome (one, or a list of those that will do), error (its type, or type and message), contains,
# lacks and matches (texts, and regular expressions), json (all of it must be in the answer) and ignore (places of that
# which may differ: /at), schema (that the answer matches), under (a time: 500ms, 30s, 2m), first (the time to the first
# piece), gap (the longest time between two pieces), chunks and progress (minimum numbers of pieces, and of times that
# the tool said how far it was).
";

const HIDDEN: &str =
    "# Secrets in its arguments are masked: use variables in their place, such as {{env.NAME}}.\n";

/// What a call said.
pub(crate) struct SentParts {
    pub arguments: Literal,
    /// Beside them, in `_meta`.
    pub meta: Option<Literal>,
    /// The connection of the call: no file defines the tool, or it isn't the tool's own.
    pub connection: Option<String>,
    /// The way that it took, where that is not the usual one.
    pub route: Option<String>,
    /// Which of the tool's steps were run, where not all.
    pub steps: Option<CaseSteps>,
}

/// The text of a new case. The user stays open, and the connection where none is given.
#[must_use]
pub(crate) fn render_yaml(
    name: &str,
    tool: &str,
    sent: &SentParts,
    expect: &Map<String, Value>,
    answer: &Answer,
) -> String {
    let mut text = HEAD.to_owned();
    text.push_str(&print::print_value(Format::Yaml, &json!({"case": name, "call": tool})));
    if let Some(connection) = &sent.connection {
        text.push_str(&print::print_value(Format::Yaml, &json!({"connection": connection})));
    }
    // Numbers stay as they were typed.
    let arguments = sent.arguments.to_json();
    let meta = sent.meta.as_ref().map(|meta| format!(",\"meta\":{}", meta.to_json()));
    let route = sent.route.as_ref().map(|route| format!(",\"route\":{}", json!(route)));
    let steps = sent.steps.as_ref().map(|steps| format!(",\"steps\":{}", steps.to_json()));
    let beside: String = [meta, route, steps].into_iter().flatten().collect();
    let sent = format!("{{\"arguments\":{arguments}{beside}}}");
    if sent.contains(MASKED) {
        text.push_str(HIDDEN);
    }
    let sent = Literal::parse(&sent).unwrap_or_else(|_| json!({"arguments": {}}).into());
    text.push_str(&print::print_literal(Format::Yaml, &sent));
    if let Some(limit) = time_limit(answer) {
        let limit = json!({"timeout": duration::print_duration(limit)});
        text.push_str(&print::print_value(Format::Yaml, &limit));
    }
    let took = answer.outcome.map_or_else(String::new, |outcome| {
        format!(
            "# when it was kept it {} after {} ms, with {}\n",
            outcome_phrase(outcome),
            answer.answered_in(),
            count_text(answer.chunks, "chunk", "chunks")
        )
    });
    text.push_str(&took);
    text.push_str(&print::print_value(Format::Yaml, &json!({"expect": expect})));
    text
}

/// The time limit that a call ran into: with another one it would end otherwise. The call ended a
/// little after it.
fn time_limit(answer: &Answer) -> Option<Duration> {
    const STEP: u64 = 100;
    let (kind, _) = answer.error.as_ref()?;
    let steps = answer.answered_in() / STEP;
    (ErrorKind::parse(kind) == ErrorKind::TimedOutTotal && steps > 0)
        .then(|| Duration::from_millis(steps * STEP))
}

/// A case in one line, for a list.
#[must_use]
pub(crate) fn case_summary(case: &Case) -> String {
    let expect = &case.expect;
    let steps = case.steps.as_ref().map(|steps| match (&steps.from, &steps.until) {
        (Some(from), Some(until)) if from == until => format!("step {from}"),
        (from, until) => {
            let part = |word, step: &Option<String>| {
                step.as_ref().map_or_else(String::new, |step| format!(" {word} {step}"))
            };
            format!("steps{}{}", part("from", from), part("until", until))
        }
    });
    // A list of cases is searched for those that failed.
    let ending = |outcome: &Outcome| match outcome {
        Outcome::Failed => "an error",
        outcome => outcome.as_str(),
    };
    let endings: Vec<&str> = expect.expected_outcomes().iter().map(ending).collect();
    let error = expect.error.as_ref().map(|error| {
        let parts = [&error.kind, &error.message].into_iter().flatten();
        format!("error {}", parts.cloned().collect::<Vec<_>>().join(": "))
    });
    let RunCount { runs, pass } = case.count;
    let parts = [
        (runs > 1).then(|| format!("{pass} of {runs} runs pass")),
        steps,
        (!endings.is_empty()).then(|| endings.join(" or ")),
        error,
        expect.json.is_some().then(|| match expect.ignore.as_slice() {
            [] => "json".to_owned(),
            ignored => {
                let places: Vec<String> = ignored.iter().map(ToString::to_string).collect();
                format!("json but {}", places.join(" and "))
            }
        }),
        (!expect.contains.is_empty()).then(|| "contains".to_owned()),
        (!expect.lacks.is_empty()).then(|| "lacks".to_owned()),
        (!expect.matches.is_empty()).then(|| "matches".to_owned()),
        expect.schema.is_some().then(|| "schema".to_owned()),
        expect.under.map(|under| format!("under {}", duration::print_duration(under))),
        expect.first.map(|first| format!("first under {}", duration::print_duration(first))),
        expect.gap.map(|gap| format!("gaps under {}", duration::print_duration(gap))),
        expect.chunks.map(|chunks| format!("at least {}", count_text(chunks, "chunk", "chunks"))),
        expect.progress.map(|count| format!("progress {}", count_text(count, "time", "times"))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::{
            case::{
                expected::ExpectedValues,
                offer::{chosen_expectations, suggest_expectations},
                verdict::check_answer,
            },
            mask::Mask,
        },
        syntax::source::Source,
    };

    fn part_of_steps() -> CaseSteps {
        let outputs = json!({"one.output": {"step": 0, "stored": "a: \"b\""}});
        CaseSteps {
            from: Some("two".into()),
            until: Some("3".into()),
            outputs: outputs.as_object().cloned().unwrap(),
        }
    }

    fn kept(answer: &Answer) -> String {
        let arguments = Literal::parse(
            r#"{"question": "Why: # \"so\"?", "share": 1.50, "deep": {"list": [1, null]}}"#,
        )
        .unwrap();
        let meta = Literal::parse(r#"{"com.example/limit": 1.50}"#).ok();
        render_yaml(
            "why # not",
            "ask",
            &SentParts {
                arguments,
                meta,
                connection: None,
                route: Some("server".into()),
                steps: Some(part_of_steps()),
            },
            &chosen_expectations(&suggest_expectations(answer, &Mask::default()), |offer| {
                offer.usual
            }),
            answer,
        )
    }

    #[test]
    fn what_is_secret_is_not_expected() {
        let mask = Mask::new(["hunter2hunter2".to_owned()]);
        for (text, expected) in [
            ("your key is hunter2hunter2, use it", json!({"contains": ["your key is"]})),
            ("hunter2hunter2", json!({})),
            (
                r#"{"a": {"token": "0123abcd", "b": 1}, "c": ["x", "hunter2hunter2"]}"#,
                json!({"json": {"a": {"b": 1}}}),
            ),
        ] {
            let answer = Answer {
                outcome: Some(Outcome::Succeeded),
                text: text.into(),
                ..Answer::default()
            };
            let mut expect =
                chosen_expectations(&suggest_expectations(&answer, &mask), |offer| offer.usual);
            expect.remove("outcome");
            assert_eq!(Value::Object(expect), expected, "{text}");
        }
        let arguments = Literal::parse(r#"{"token": "***"}"#).unwrap();
        let sent = SentParts { arguments, meta: None, connection: None, route: None, steps: None };
        assert!(
            render_yaml("n", "ask", &sent, &Map::new(), &Answer::default())
                .contains("{{env.NAME}}")
        );
    }

    #[test]
    fn a_kept_case_is_read_again_and_holds() {
        for answer in [
            Answer {
                outcome: Some(Outcome::Succeeded),
                text: "late deliveries\n(41 %)".into(),
                took_ms: 91,
                chunks: 3,
                ..Answer::default()
            },
            Answer {
                outcome: Some(Outcome::Succeeded),
                text: r#"{"a": [1, "x: y"]}"#.into(),
                took_ms: 9,
                chunks: 1,
                ..Answer::default()
            },
            Answer {
                outcome: Some(Outcome::Failed),
                error: Some(("cold".into(), "m".into())),
                ..Answer::default()
            },
            Answer {
                outcome: Some(Outcome::Succeeded),
                text: "- 'odd': {".into(),
                ..Answer::default()
            },
        ] {
            let text = kept(&answer);
            let case = Case::from_source(&Source::parse(Format::Yaml, text.as_str()).unwrap())
                .unwrap_or_else(|issue| panic!("{issue}\n{text}"));
            assert_eq!((case.name.as_str(), case.tool.as_str()), ("why # not", "ask"));
            assert_eq!(
                case.arguments.to_json(),
                r#"{"question":"Why: # \"so\"?","share":1.50,"deep":{"list":[1,null]}}"#
            );
            let meta = case.meta.as_ref().map(Literal::to_json);
            assert_eq!(meta.as_deref(), Some(r#"{"com.example/limit":1.50}"#));
            assert_eq!(
                (case.route.as_deref(), &case.steps),
                (Some("server"), &Some(part_of_steps()))
            );
            let verdict = check_answer(&case, answer, ExpectedValues::default());
            assert!(verdict.has_passed(), "{:?}\n{text}", verdict.findings);
        }
    }

    #[test]
    fn a_case_of_a_call_that_ran_into_its_time_limit_has_that_limit() {
        let ended = |kind: &str| {
            kept(&Answer {
                outcome: Some(Outcome::TimedOut),
                error: Some((kind.into(), "m".into())),
                took_ms: 2_043,
                ..Answer::default()
            })
        };
        let text = ended("timed-out-total");
        assert!(text.contains("\ntimeout: 2s\n") && text.contains("it timed out after"), "{text}");
        let case = Case::from_source(&Source::parse(Format::Yaml, text.as_str()).unwrap()).unwrap();
        assert_eq!(case.timeout, Some(Duration::from_secs(2)));
        assert!(!ended("timed-out-first").contains("timeout:"));
    }
}
