//! What came of scenarios as a JUnit report, for CI.

use std::fmt::Write;

use super::trial::{Trial, TrialStep};

/// A report: a suite for each scenario, by name and file, and a case for each of its steps.
#[must_use]
pub fn report<'t>(trials: impl IntoIterator<Item = (&'t str, &'t str, &'t Trial)>) -> String {
    let trials: Vec<(&str, &str, &Trial)> = trials.into_iter().collect();
    let tests: usize = trials.iter().map(|(.., trial)| trial.steps.len()).sum();
    let failures: usize = trials.iter().map(|(.., trial)| failed(trial)).sum();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(text, "<testsuites name=\"toolcrib simulate\" tests=\"{tests}\" failures=\"{failures}\">");
    for (name, file, trial) in trials {
        let (steps, failures) = (trial.steps.len(), failed(trial));
        let (name, file) = (escaped(name), escaped(file));
        let _ = writeln!(text, "  <testsuite name=\"{name}\" file=\"{file}\" tests=\"{steps}\" failures=\"{failures}\">");
        for (row, step) in trial.steps.iter().enumerate() {
            case(&mut text, &name, row + 1, step);
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn failed(trial: &Trial) -> usize {
    trial.steps.iter().filter(|step| differences(step).next().is_some()).count()
}

fn differences(step: &TrialStep) -> impl Iterator<Item = (&'static str, &str, &str)> {
    step.expectations.iter().filter_map(|found| Some((found.what, found.expected.as_str(), found.difference.as_deref()?)))
}

fn case(text: &mut String, suite: &str, number: usize, step: &TrialStep) {
    let tool = step.tool.as_deref().unwrap_or("(looks only)");
    let name = escaped(&format!("{number}. {tool} in {}", step.before));
    let lines: Vec<String> =
        differences(step).map(|(what, expected, difference)| format!("{what}: expected {expected}: {difference}")).collect();
    let Some(first) = lines.first() else {
        let _ = writeln!(text, "    <testcase classname=\"{suite}\" name=\"{name}\"/>");
        return;
    };
    let _ = writeln!(text, "    <testcase classname=\"{suite}\" name=\"{name}\">");
    let _ = writeln!(text, "      <failure message=\"{}\">{}</failure>", escaped(first), escaped(&lines.join("\n")));
    text.push_str("    </testcase>\n");
}

/// Text as XML has it; what XML 1.0 cannot hold becomes a replacement sign.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            sign if sign.is_control() || matches!(sign, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            sign => escaped.push(sign),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        engine::{
            gated::Slot,
            scenario::{script::Scenario, trial},
        },
        model::{clock::Millis, context::Mode, tool::Gate},
    };

    #[test]
    fn a_failed_step_is_a_failure_with_its_difference() {
        let tools = [Slot { key: "a".into(), name: "a".into(), gate: Gate::open() }];
        let steps = json!({"steps": [{"tool": "a"}, {"tool": "a", "expect": {"after": "<s>\u{1b}"}}]});
        let trial = trial::run(&Scenario::read(&steps).unwrap(), &tools, &[], Mode::Document, Millis(0));
        let text = report([("a \"run\"", "s.yaml", &trial)]);
        assert!(text.contains("tests=\"2\" failures=\"1\""), "{text}");
        assert!(text.contains("name=\"a &quot;run&quot;\" file=\"s.yaml\""), "{text}");
        assert!(text.contains("<testcase classname=\"a &quot;run&quot;\" name=\"1. a in undefined\"/>"), "{text}");
        assert!(text.contains("the state is undefined, not &lt;s&gt;\u{fffd}"), "{text}");
        assert!(!text.contains('\u{1b}'));
    }
}
