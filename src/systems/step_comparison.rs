//! Two runs of steps beside each other, step by step.

use serde_json::{Value, json};

use super::{calling::steps_of_system, facets::steps::StepReport};
use crate::model::trace::Trace;

/// A step of two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ComparedStep {
    /// From 1.
    pub number: usize,
    pub name: String,
    /// Whether each of the runs has made it.
    pub made: [bool; 2],
    /// What is not the same in both, where both have made it.
    pub differences: Vec<StepDifference>,
}

/// Something that differs; `None` where one of the runs has nothing of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StepDifference {
    pub what: &'static str,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl ComparedStep {
    /// What there is to say of it in a word or two.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        match self.made {
            [true, false] => "only the first made it",
            [false, _] => "only the second made it",
            _ if self.differences.is_empty() => "the same",
            _ => "differs",
        }
    }

    /// For scripts.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let of = |one: &StepDifference| json!({"what": one.what, "before": one.before, "after": one.after});
        json!({
            "step": self.number, "name": self.name, "before": self.made[0], "after": self.made[1],
            "differences": self.differences.iter().map(of).collect::<Value>(),
        })
    }
}

/// The steps that two calls have made, by their numbers; none where neither has made any here.
#[must_use]
pub(crate) fn compare_steps(before: &Trace, after: &Trace) -> Vec<ComparedStep> {
    let reports = [before, after].map(step_reports);
    let mut numbers: Vec<usize> = reports.iter().flatten().map(|report| report.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let of = |run: usize, number: usize| reports[run].iter().find(|one| one.number == number);
    numbers
        .into_iter()
        .filter_map(|number| {
            let (one, other) = (of(0, number), of(1, number));
            Some(ComparedStep {
                number,
                name: one.or(other)?.name.clone(),
                made: [one.is_some(), other.is_some()],
                differences: one
                    .zip(other)
                    .map_or_else(Vec::new, |(one, other)| differing_parts(one, other)),
            })
        })
        .collect()
}

fn step_reports(trace: &Trace) -> Vec<StepReport> {
    let steps = steps_of_system(&trace.head.system);
    steps.map(|steps| steps.report_steps(&trace.stage_bodies())).unwrap_or_default()
}

fn differing_parts(before: &StepReport, after: &StepReport) -> Vec<StepDifference> {
    let parts = [before, after].map(report_parts);
    let [before, after] = parts;
    before
        .into_iter()
        .zip(after)
        .filter(|((_, before), (_, after))| before != after)
        .map(|((what, before), (_, after))| StepDifference { what, before, after })
        .collect()
}

/// What is compared of a step; the same names for every one.
fn report_parts(report: &StepReport) -> [(&'static str, Option<String>); 6] {
    let (sent, result) = (report.sent.as_ref(), report.result.as_ref());
    [
        ("sends", sent.map(|sent| format!("{} {}", sent.method, sent.path))),
        ("body", sent.and_then(|sent| sent.body.clone())),
        ("status", result.map(|result| result.status.to_string())),
        ("answer", result.map(|result| result.raw.clone())),
        ("stores", result.map(|result| result.filtered.clone())),
        ("problem", result.and_then(|result| result.problem.clone())),
    ]
}
