//! What came of scenarios as suites of cases, for reports in CI.

use super::trial::{ScenarioRun, TrialStep};
use crate::engine::junit::{Checked, Suite};

/// A suite of a scenario, by name and file, and a case for each of its steps.
#[must_use]
pub(crate) fn scenario_suite(name: String, file: String, trial: &ScenarioRun) -> Suite {
    let steps = trial.steps.iter().enumerate();
    let cases = steps.map(|(row, step)| step_case(row + 1, step)).collect();
    Suite { name, file, cases, started: None }
}

fn step_case(number: usize, step: &TrialStep) -> Checked {
    let tool = step.tool.as_deref().unwrap_or("(looks only)");
    let difference = |found: &super::trial::Expectation| {
        Some(format!(
            "{}: expected {}: {}",
            found.what,
            found.expected,
            found.difference.as_deref()?
        ))
    };
    Checked {
        name: format!("{number}. {tool} in {}", step.before),
        differences: step.expectations.iter().filter_map(difference).collect(),
        ..Checked::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        engine::{
            gated::Slot,
            junit::render_report,
            scenario::{script::Scenario, trial},
        },
        model::{clock::Millis, context::Mode, tool::Gate},
    };

    #[test]
    fn a_failed_step_is_a_failure_with_its_difference() {
        let tools = [Slot { key: "a".into(), name: "a".into(), gate: Gate::open() }];
        let steps =
            json!({"steps": [{"tool": "a"}, {"tool": "a", "expect": {"after": "<s>\u{1b}"}}]});
        let trial = trial::run_scenario(
            &Scenario::from_value(&steps).unwrap(),
            &tools,
            &[],
            Mode::Document,
            Millis(0),
        );
        let suite = scenario_suite("a \"run\"".into(), "s.yaml".into(), &trial);
        let text = render_report("toolcrib simulate", &[suite]);
        assert!(text.contains("tests=\"2\" failures=\"1\""), "{text}");
        assert!(text.contains("name=\"a &quot;run&quot;\" file=\"s.yaml\""), "{text}");
        assert!(
            text.contains("<testcase classname=\"a &quot;run&quot;\" name=\"1. a in undefined\"/>"),
            "{text}"
        );
        assert!(text.contains("the state is undefined, not &lt;s&gt;\u{fffd}"), "{text}");
        assert!(!text.contains('\u{1b}'));
    }
}
