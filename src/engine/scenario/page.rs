//! A scenario as the text of a YAML file, with comments for who reads it; its keys always in the
//! same order.

use serde_json::{Map, Value, json};

use super::{comments::step_comment, script::Scenario};
use crate::{
    engine::scenario::trial::ScenarioRun,
    syntax::{place::Format, print},
};

/// Where a workspace keeps its scenarios.
pub(crate) const FOLDER: &str = "scenarios";

/// What is at the head of every file.
const HEAD: &str = "\
# A run of the workflow, saved as a scenario: `toolcrib simulate FILE` runs it again and reports differences.
# A step may have: groups (from this step on), tool, outcome, and under expect: before, after, available, includes,
# hidden, filtered_by_group, filtered_by_state, refused.
";

/// The text; `trial` is the scenario as it went, for the comments.
#[must_use]
pub(crate) fn render_yaml(scenario: &Scenario, trial: &ScenarioRun) -> String {
    let whole = scenario.to_value();
    let mut text = HEAD.to_owned();
    let mut head: Map<String, Value> = whole.as_object().cloned().unwrap_or_default();
    let steps = head.remove("steps").unwrap_or_default();
    if !head.is_empty() {
        text.push_str(&print::print_value(Format::Yaml, &head.into()));
    }
    let steps: &[Value] = steps.as_array().map_or(&[], Vec::as_slice);
    if steps.is_empty() {
        text.push_str("steps: []\n");
        return text;
    }
    text.push_str("steps:\n");
    for (row, step) in steps.iter().enumerate() {
        if row > 0 {
            text.push('\n');
        }
        if let Some(went) = trial.steps.get(row) {
            text.push_str(&format!("  {}\n", step_comment(row, went)));
        }
        // A list of one step is printed as the step with its dash, and is two spaces deeper here.
        let printed = print::print_value(Format::Yaml, &json!([step]));
        for line in printed.lines() {
            if !line.is_empty() {
                text.push_str("  ");
            }
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// A file name made of a scenario's name: small letters, digits and dashes.
#[must_use]
pub(crate) fn file_name(name: &str) -> String {
    let mut file = String::new();
    for sign in name.chars().flat_map(char::to_lowercase) {
        if sign.is_alphanumeric() {
            file.push(sign);
        } else if !file.is_empty() && !file.ends_with('-') {
            file.push('-');
        }
    }
    let file = file.trim_end_matches('-');
    format!("{}.yaml", if file.is_empty() { "scenario" } else { file })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::{
            gated::Slot,
            scenario::trial,
            simulate::run::{Simulation, Take},
        },
        model::{
            call::Outcome,
            clock::Millis,
            context::{Context, Mode, Name},
            tool::{Gate, States},
        },
        syntax::source::Source,
    };

    fn tools() -> Vec<Slot> {
        let tool = |key: &str, group: &str, state: &str, next: Option<&str>| Slot {
            key: key.into(),
            name: key.into(),
            gate: Gate {
                groups: Some(vec![group.into()]),
                states: States::Only(vec![state.into()]),
                next: next.map(Name::from),
                ..Gate::open()
            },
        };
        vec![
            tool("look\nup", "read", "undefined", Some("found")),
            tool("reset", "admin", "found", Some("undefined")),
        ]
    }

    #[test]
    fn a_run_with_a_refusal_is_kept_with_comments_and_holds_when_read_back() {
        let tools = tools();
        let groups =
            |list: &[&str]| Some(list.iter().map(|name| Name::from(*name)).collect::<Vec<_>>());
        let start = Context { groups: groups(&["read"]), ..Context::default() };
        let mut simulation = Simulation::new(start, Mode::Document, Millis(0));
        simulation.set_question(Some("Who is it: \"you\"?".into()));
        let take = |row, at| Take::simulated(row, Outcome::Succeeded, Millis(at));
        simulation.take_step(&tools, &[], take(0, 1)).unwrap();
        simulation.take_step(&tools, &[], take(1, 2)).unwrap_err();
        simulation.set_groups(groups(&["read", "admin"]));
        simulation.take_step(&tools, &[], take(1, 3)).unwrap();
        let scenario = Scenario::of_simulation("A reset: first try", &simulation);
        let went = trial::run_scenario(&scenario, &tools, &[], Mode::AsDeployed, Millis(0));
        assert!(went.has_passed(), "{:?}", went.steps);
        let text = render_yaml(&scenario, &went);
        assert!(
            text.contains("  # 1: undefined → found; 1 of 2 tools available\n  - tool:"),
            "{text}"
        );
        assert!(
            text.contains(
                "  # 2: refused in found: group: in admin, requested read\n  - tool: reset\n"
            ),
            "{text}"
        );
        let source = Source::parse(Format::Yaml, text.clone()).unwrap();
        let read = Scenario::from_value(source.value(0).unwrap()).unwrap();
        assert_eq!(read, scenario, "{text}");
        let again = trial::run_scenario(&read, &tools, &[], Mode::AsDeployed, Millis(0));
        assert_eq!(super::render_yaml(&read, &again), text, "the same run gives the same bytes");
    }

    #[test]
    fn file_names_are_plain() {
        assert_eq!(file_name("A reset: first try!"), "a-reset-first-try.yaml");
        assert_eq!(file_name("../../etc/passwd"), "etc-passwd.yaml");
        assert_eq!(file_name("…"), "scenario.yaml");
    }
}
