//! Holds what a model chose against what an ask case expects, and counts it tool by tool.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::ask::{AskCase, CallOrder, ExpectedCall};
use crate::schema::validate::Checker;

/// What a model did in one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedRun {
    pub calls: Vec<ObservedCall>,
    pub answer: String,
    /// The state at the end.
    pub state: String,
    /// Why the run ended without an answer.
    pub problem: Option<String>,
    pub took_ms: u64,
}

/// A call that a model wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedCall {
    /// The name that the model sees.
    pub tool: String,
    /// The tool's key; the name where there is no such tool.
    pub key: String,
    pub arguments: Value,
    /// Why it could not be made: stable word, and words for people.
    pub fault: Option<(String, String)>,
}

impl ObservedCall {
    fn is_of(&self, tool: &str) -> bool {
        self.tool == tool || self.key == tool
    }

    /// Whether the model was offered the tool.
    fn is_offered(&self) -> bool {
        !self.fault.as_ref().is_some_and(|(word, _)| word == "hidden" || word == "no-tool")
    }
}

/// How one tool did. What a model wants beyond what is expected is a wrong pick, unless that tool
/// is expected too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolTally {
    /// How often it was expected.
    pub expected: u32,
    /// How often it was chosen then, with arguments that are right.
    pub hits: u32,
    /// How often it was chosen although it was not expected, or not even offered.
    pub wrong_picks: u32,
    /// How often its arguments were not right.
    pub bad_arguments: u32,
}

impl ToolTally {
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            expected: self.expected + other.expected,
            hits: self.hits + other.hits,
            wrong_picks: self.wrong_picks + other.wrong_picks,
            bad_arguments: self.bad_arguments + other.bad_arguments,
        }
    }

    #[must_use]
    pub fn to_json(self) -> Value {
        json!({
            "expected": self.expected, "hits": self.hits,
            "wrong_picks": self.wrong_picks, "bad_arguments": self.bad_arguments,
        })
    }
}

/// The tallies of several tools, by name.
pub type Tallies = BTreeMap<String, ToolTally>;

/// Adds tallies to others.
pub fn add_tallies(to: &mut Tallies, more: &Tallies) {
    for (tool, tally) in more {
        let sum = to.entry(tool.clone()).or_default();
        *sum = sum.plus(*tally);
    }
}

/// One run, judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunVerdict {
    /// What does not hold, each in a sentence; none: the run holds.
    pub differences: Vec<String>,
    pub tallies: Tallies,
    pub took_ms: u64,
    /// The tools that it wanted, in order.
    pub called: Vec<String>,
}

/// All runs of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskVerdict {
    pub runs: Vec<RunVerdict>,
    /// So many have to hold.
    pub pass: u32,
    /// Why there are no runs, or why they can't be kept.
    pub problem: Option<String>,
}

impl AskVerdict {
    /// How many runs hold.
    #[must_use]
    pub fn held(&self) -> u32 {
        let held = self.runs.iter().filter(|run| run.differences.is_empty()).count();
        u32::try_from(held).unwrap_or(u32::MAX)
    }

    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.problem.is_none() && self.held() >= self.pass
    }

    #[must_use]
    pub fn tallies(&self) -> Tallies {
        let mut all = Tallies::new();
        self.runs.iter().for_each(|run| add_tallies(&mut all, &run.tallies));
        all
    }

    #[must_use]
    pub fn took_ms(&self) -> u64 {
        self.runs.iter().map(|run| run.took_ms).sum()
    }

    /// Each difference with the run that it is of.
    #[must_use]
    pub fn differences(&self) -> Vec<String> {
        let of_run = |(row, run): (usize, &RunVerdict)| {
            let several = self.runs.len() > 1;
            let line = move |words: &String| match several {
                true => format!("run {}: {words}", row + 1),
                false => words.clone(),
            };
            run.differences.iter().map(line).collect::<Vec<_>>()
        };
        let runs = self.runs.iter().enumerate().flat_map(of_run);
        self.problem.iter().cloned().chain(runs).collect()
    }

    /// For scripts.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let run = |run: &RunVerdict| json!({"holds": run.differences.is_empty(), "differences": run.differences, "called": run.called, "took_ms": run.took_ms});
        let tallies = self.tallies();
        let tools: serde_json::Map<String, Value> =
            tallies.iter().map(|(tool, tally)| (tool.clone(), tally.to_json())).collect();
        json!({
            "holds": self.has_passed(), "held": self.held(), "pass": self.pass,
            "problem": self.problem, "runs": self.runs.iter().map(run).collect::<Value>(),
            "tools": tools,
        })
    }
}

/// Holds a run against what is expected.
#[must_use]
pub fn judge_run(case: &AskCase, run: &ObservedRun) -> RunVerdict {
    let expect = &case.expect;
    let mut differences: Vec<String> = run.problem.iter().cloned().collect();
    let mut tallies = Tallies::new();
    let matched = match_calls(&expect.tools, &run.calls, expect.order);
    for (expected, found) in expect.tools.iter().zip(&matched) {
        let tally = tallies.entry(name_of(expected, run)).or_default();
        tally.expected += 1;
        match found {
            Some(row) => match argument_fault(expected, &run.calls[*row]) {
                None => tally.hits += 1,
                Some(fault) => differences.push(format!("{}: {fault}", expected.tool)),
            },
            None => {
                let called = called_words(&run.calls);
                let place = match expect.order {
                    CallOrder::InOrder
                        if run.calls.iter().any(|call| call.is_of(&expected.tool)) =>
                    {
                        " there"
                    }
                    _ => "",
                };
                differences
                    .push(format!("expected {}{place}: the model called {called}", expected.tool));
            }
        }
    }
    for (row, call) in run.calls.iter().enumerate() {
        let is_expected = expect.tools.iter().any(|expected| call.is_of(&expected.tool));
        let found = matched.iter().position(|found| *found == Some(row));
        let fault = match found {
            Some(at) => argument_fault(&expect.tools[at], call),
            None => call.fault.as_ref().map(|(_, words)| words.clone()),
        };
        let tally = tallies.entry(call.key.clone()).or_default();
        let is_there = call.is_offered();
        tally.bad_arguments += u32::from(fault.is_some() && is_there);
        let is_never = expect.never.iter().any(|never| call.is_of(never));
        // A case that expects nothing else than its absence says nothing of a tool.
        let is_wrong = !is_expected && (is_never || expect.only || !expect.tools.is_empty());
        tally.wrong_picks += u32::from(is_wrong || !is_there);
        if is_never {
            differences.push(format!("called {}, which it never should", call.tool));
        } else if expect.only && !is_expected {
            differences.push(format!("called {}, which is not expected", call.tool));
        }
    }
    for wanted in expect.contains.iter().filter(|wanted| !run.answer.contains(wanted.as_str())) {
        differences.push(format!("the answer does not contain {wanted:?}"));
    }
    if let Some(state) = expect.state.as_deref().filter(|state| *state != run.state) {
        differences.push(format!("expected state {state} at the end, it is {}", run.state));
    }
    let called = run.calls.iter().map(|call| call.tool.clone()).collect();
    RunVerdict { differences, tallies, took_ms: run.took_ms, called }
}

/// The key of an expected tool, where the run knows it.
fn name_of(expected: &ExpectedCall, run: &ObservedRun) -> String {
    let call = run.calls.iter().find(|call| call.is_of(&expected.tool));
    call.map_or_else(|| expected.tool.clone(), |call| call.key.clone())
}

fn called_words(calls: &[ObservedCall]) -> String {
    let names: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}

/// For each expected call the row of the call that it is: the first that is right in all, else the
/// first of its tool. Each call is one at most.
fn match_calls(
    expected: &[ExpectedCall],
    calls: &[ObservedCall],
    order: CallOrder,
) -> Vec<Option<usize>> {
    let mut taken = vec![false; calls.len()];
    let mut from = 0;
    let mut matched = Vec::with_capacity(expected.len());
    for wanted in expected {
        let start = if order == CallOrder::InOrder { from } else { 0 };
        let rows =
            || (start..calls.len()).filter(|row| !taken[*row] && calls[*row].is_of(&wanted.tool));
        let right = rows().find(|row| argument_fault(wanted, &calls[*row]).is_none());
        let found = right.or_else(|| rows().next());
        if let Some(row) = found {
            taken[row] = true;
            from = row + 1;
        }
        matched.push(found);
    }
    matched
}

/// What is wrong with a call of an expected tool.
fn argument_fault(expected: &ExpectedCall, call: &ObservedCall) -> Option<String> {
    if let Some((_, words)) = &call.fault {
        return Some(words.clone());
    }
    if let Some(wanted) = expected.arguments.as_ref().filter(|wanted| **wanted != call.arguments) {
        return Some(format!("expected the arguments {wanted}, they are {}", call.arguments));
    }
    let schema = expected.schema.as_ref()?;
    let Ok(checker) = Checker::compile(schema) else {
        return Some("the schema of the case is not a JSON Schema".into());
    };
    let issues = checker.issues(&call.arguments);
    let first = issues.first()?;
    Some(format!(
        "the arguments {} don't fit the case's schema: {}: {}",
        call.arguments, first.at, first.words
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::case::ask::AskCase,
        syntax::source::{Format, Source},
    };

    fn case(expect: &str) -> AskCase {
        let text = format!("ask: Why?\nexpect: {expect}\n");
        AskCase::from_source(&Source::parse(Format::Yaml, text).unwrap()).unwrap()
    }

    fn call(tool: &str, arguments: Value) -> ObservedCall {
        ObservedCall { tool: tool.into(), key: tool.into(), arguments, fault: None }
    }

    fn judge(expect: &str, calls: &[ObservedCall]) -> RunVerdict {
        let (answer, state) = ("It is 42.".into(), "figures".into());
        judge_run(
            &case(expect),
            &ObservedRun { calls: calls.to_vec(), answer, state, ..ObservedRun::default() },
        )
    }

    #[test]
    fn tools_are_expected_in_order_in_any_order_or_never() {
        let calls =
            [call("find", json!({})), call("look", json!({})), call("sum", json!({"a": 1}))];
        for (expect, held) in [
            ("{tools: [find, sum]}", true),
            ("{tools: [sum, find]}", false),
            ("{tools: [sum, find], order: any-order}", true),
            ("{tools: [find, find], order: any-order}", false),
            ("{tools: [find, sum], only: true}", false),
            ("{tools: [find, look, sum], only: true}", true),
            ("{tools: find, never: joke}", true),
            ("{tools: find, never: [look]}", false),
            ("{tools: [{call: sum, arguments: {a: 1}}]}", true),
            ("{tools: [{call: sum, arguments: {a: 2}}]}", false),
            ("{tools: [{call: sum, schema: {properties: {a: {minimum: 1}}}}]}", true),
            ("{tools: [{call: sum, schema: {properties: {a: {minimum: 2}}}}]}", false),
            ("{contains: '42', state: figures}", true),
            ("{contains: '43'}", false),
            ("{state: findings}", false),
        ] {
            let verdict = judge(expect, &calls);
            assert_eq!(verdict.differences.is_empty(), held, "{expect}: {:?}", verdict.differences);
        }
    }

    #[test]
    fn tools_are_counted_each() {
        let fault = ObservedCall {
            fault: Some(("bad-arguments".into(), "topic is missing".into())),
            ..call("joke", json!({}))
        };
        let calls = [call("find", json!({})), fault, call("sum", json!({"a": 2}))];
        let tallies = judge("{tools: [find, {call: sum, arguments: {a: 1}}]}", &calls).tallies;
        let tally = |expected, hits, wrong_picks, bad_arguments| ToolTally {
            expected,
            hits,
            wrong_picks,
            bad_arguments,
        };
        assert_eq!(tallies["find"], tally(1, 1, 0, 0));
        assert_eq!(tallies["sum"], tally(1, 0, 0, 1));
        assert_eq!(tallies["joke"], tally(0, 0, 1, 1));
        let picks = |expect: &str, tool: &str| judge(expect, &calls).tallies[tool].wrong_picks;
        assert_eq!((picks("{never: joke}", "find"), picks("{never: joke}", "joke")), (0, 1));
        assert_eq!((picks("{}", "find"), picks("{only: true, tools: []}", "find")), (0, 1));
        let missed = judge("{tools: [find]}", &[]);
        assert_eq!(missed.tallies["find"], tally(1, 0, 0, 0));
        assert_eq!(missed.differences, ["expected find: the model called nothing"]);
    }

    #[test]
    fn some_of_several_runs_have_to_hold() {
        let run = |holds: bool| RunVerdict {
            differences: if holds { Vec::new() } else { vec!["no".into()] },
            ..RunVerdict::default()
        };
        let verdict =
            |pass| AskVerdict { runs: vec![run(true), run(false), run(true)], pass, problem: None };
        assert!(verdict(2).has_passed() && !verdict(3).has_passed());
        assert_eq!(verdict(3).differences(), ["run 2: no"]);
    }
}
