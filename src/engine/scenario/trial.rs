//! Runs a scenario against tools: each step with what was offered, what came of it, and how that
//! differs from what was expected.

use serde_json::{Map, Value, json};

use super::script::{Expectations, Refusal, Scenario, ScenarioStep};
use crate::{
    engine::{
        explain::tool::Explainer,
        filter::{check_permission, unknown_groups},
        gated::{Gated, row_of},
        simulate::run::{Simulation, StepId, Take, ToolOffer},
    },
    model::{
        call::Outcome,
        clock::Millis,
        context::{Mode, Name, Profile},
    },
};

/// A scenario as it went.
#[derive(Clone, Debug)]
pub struct ScenarioRun {
    pub simulation: Simulation,
    pub steps: Vec<TrialStep>,
    /// Groups that it asks for and no tool is in.
    pub unknown_groups: Vec<Name>,
}

/// A step as it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialStep {
    pub before: Name,
    /// As the scenario names it; `None`: the step only looks.
    pub tool: Option<Name>,
    pub end: StepEnd,
    pub after: Name,
    pub groups: Option<Vec<Name>>,
    pub offer: ToolOffer,
    pub expectations: Vec<Expectation>,
    /// Where the run is before and after it.
    pub places: (Option<StepId>, Option<StepId>),
}

/// What came of a step's tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepEnd {
    /// There was no tool to take.
    Looked,
    Taken(Outcome),
    /// Its reasons, and the smallest change that would show it.
    Refused {
        reasons: Vec<String>,
        fix: Option<String>,
    },
    /// No tool has that key or name.
    Unknown,
}

impl StepEnd {
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Looked => "looked",
            Self::Taken(outcome) => outcome.as_str(),
            Self::Refused { .. } => "refused",
            Self::Unknown => "unknown-tool",
        }
    }
}

/// One expectation and what came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The key in the scenario: `available`, `after`, …
    pub what: &'static str,
    pub expected: String,
    /// How it differs; `None`: it holds.
    pub difference: Option<String>,
}

impl ScenarioRun {
    /// Whether every expectation of every step holds.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.difference_count() == 0
    }

    #[must_use]
    pub fn difference_count(&self) -> usize {
        self.steps
            .iter()
            .flat_map(|step| &step.expectations)
            .filter(|expectation| expectation.difference.is_some())
            .count()
    }

    /// The first expectation that differs, and the row of its step.
    #[must_use]
    pub fn first_difference(&self) -> Option<(usize, &Expectation)> {
        let all = self.steps.iter().enumerate();
        all.flat_map(|(row, step)| step.expectations.iter().map(move |one| (row, one)))
            .find(|(_, expectation)| expectation.difference.is_some())
    }

    /// Its run, where the first difference is seen: what is expected of the state after a step,
    /// after it; all else before it, with what the step requests. At its end where none differs.
    #[must_use]
    pub fn shown_at_difference(&self) -> Simulation {
        let mut simulation = self.simulation.clone();
        if let Some((row, expectation)) = self.first_difference() {
            let TrialStep { places: (before, after), groups, .. } = &self.steps[row];
            let is_after = expectation.what == "after";
            simulation.go_to(if is_after { *after } else { *before });
            if !is_after {
                simulation.set_groups(groups.clone());
            }
        }
        simulation
    }

    /// For scripts: a list of steps with `before`, `tool`, `outcome`, `after`, `available`,
    /// `filtered_by_group`, `filtered_by_state`, `expectations`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        self.steps.iter().map(step_json).collect()
    }
}

/// Runs a scenario; a step that can't be taken is reported and the run goes on. `mode` counts where
/// the scenario names none; `tick` is the time, and each step takes none.
#[must_use]
pub fn run_scenario<T: Gated>(
    scenario: &Scenario,
    tools: &[T],
    profiles: &[Profile],
    mode: Mode,
    tick: Millis,
) -> ScenarioRun {
    let mut simulation =
        Simulation::new(scenario.start.clone(), scenario.mode.unwrap_or(mode), tick);
    simulation.set_question(scenario.question.clone());
    let mut unknown = unknown_groups(tools, &scenario.start);
    let mut steps = Vec::with_capacity(scenario.steps.len());
    for step in &scenario.steps {
        if let Some(change) = &step.groups {
            simulation.set_groups(change.groups());
            let new = unknown_groups(tools, &simulation.next_context())
                .into_iter()
                .filter(|name| !unknown.contains(name))
                .collect::<Vec<_>>();
            unknown.extend(new);
        }
        steps.push(take_step(&mut simulation, step, tools, profiles, tick));
    }
    ScenarioRun { simulation, steps, unknown_groups: unknown }
}

fn take_step<T: Gated>(
    simulation: &mut Simulation,
    step: &ScenarioStep,
    tools: &[T],
    profiles: &[Profile],
    tick: Millis,
) -> TrialStep {
    let context = simulation.next_context();
    let place = simulation.current_step();
    let before: Name = context.state().into();
    // What a user may not ask for is refused before any tool is looked at.
    let offer = if check_permission(profiles, &context).is_ok() {
        ToolOffer::for_context(tools, &context)
    } else {
        ToolOffer::default()
    };
    let end = match &step.tool {
        None => StepEnd::Looked,
        Some(word) => match row_of(tools, word) {
            None => StepEnd::Unknown,
            Some(row) => {
                let outcome = step.outcome.unwrap_or(Outcome::Succeeded);
                match simulation.take_step(tools, profiles, Take::simulated(row, outcome, tick)) {
                    Ok(_) => StepEnd::Taken(outcome),
                    Err(cause) => {
                        let change = Explainer::new(tools, &context, profiles)
                            .explain(tools, row)
                            .changes
                            .into_iter()
                            .next();
                        StepEnd::Refused {
                            reasons: cause.messages(),
                            fix: change.map(|change| change.description(tools)),
                        }
                    }
                }
            }
        },
    };
    let after: Name = simulation.state().into();
    let seen = SeenTools { tools, before: &before, after: &after, offer: &offer, end: &end };
    let expectations = seen.check_expectations(&step.expect);
    TrialStep {
        tool: step.tool.clone(),
        groups: context.groups,
        before,
        end,
        after,
        offer,
        expectations,
        places: (place, simulation.current_step()),
    }
}

struct SeenTools<'s, T> {
    tools: &'s [T],
    before: &'s Name,
    after: &'s Name,
    offer: &'s ToolOffer,
    end: &'s StepEnd,
}

impl<T: Gated> SeenTools<'_, T> {
    fn check_expectations(&self, expect: &Expectations) -> Vec<Expectation> {
        let mut all = Vec::new();
        let mut state = |what, expected: Option<&Name>, got: &Name| {
            if let Some(expected) = expected {
                let difference =
                    (expected != got).then(|| format!("the state is {got}, not {expected}"));
                all.push(Expectation { what, expected: expected.to_string(), difference });
            }
        };
        state("before", expect.before.as_ref(), self.before);
        state("after", expect.after.as_ref(), self.after);
        let offer = self.offer;
        // Where the user may not ask for the groups, that is every tool.
        let keys = self.tools.iter().map(|tool| Name::from(tool.key()));
        let hidden: Vec<Name> = keys.filter(|key| !offer.available.contains(key)).collect();
        for (what, expected, got, how) in [
            ("available", &expect.available, &offer.available, Compare::Exactly),
            ("includes", &expect.includes, &offer.available, Compare::AtLeast),
            ("hidden", &expect.hidden, &hidden, Compare::AtLeast),
            (
                "filtered_by_group",
                &expect.filtered_by_group,
                &offer.filtered_by_group,
                Compare::Exactly,
            ),
            (
                "filtered_by_state",
                &expect.filtered_by_state,
                &offer.filtered_by_state,
                Compare::Exactly,
            ),
        ] {
            all.extend(
                expected.as_ref().map(|expected| self.compare_sets(what, expected, got, how)),
            );
        }
        all.extend(self.compare_end(expect.refused));
        all
    }

    /// A step that is refused, or names no tool, differs unless that was expected.
    fn compare_end(&self, expected: Option<Refusal>) -> Option<Expectation> {
        let why = match self.end {
            StepEnd::Refused { reasons, .. } => Some(reasons.join("; ")),
            StepEnd::Unknown => Some("no tool has that key or name".into()),
            StepEnd::Looked | StepEnd::Taken(_) => None,
        };
        let refused = matches!(self.end, StepEnd::Refused { .. });
        let difference = match (expected, why) {
            (Some(Refusal::Expected), _) => {
                (!refused).then(|| "the step wasn't refused".to_owned())
            }
            (_, Some(why)) => Some(why),
            (Some(Refusal::Excluded), None) => None,
            (None, None) => return None,
        };
        let expected = expected == Some(Refusal::Expected);
        Some(Expectation { what: "refused", expected: expected.to_string(), difference })
    }

    /// Sets of tools, whatever the order; a word that means no tool is a difference of its own.
    fn compare_sets(
        &self,
        what: &'static str,
        expected: &[Name],
        got: &[Name],
        how: Compare,
    ) -> Expectation {
        let mut differences = Vec::new();
        let mut wanted: Vec<Name> = Vec::new();
        for word in expected {
            match row_of(self.tools, word) {
                Some(row) => wanted.push(self.tools[row].key().into()),
                None => differences.push(format!("no tool is called {word}")),
            }
        }
        let missing: Vec<&str> =
            wanted.iter().filter(|key| !got.contains(key)).map(|key| &**key).collect();
        let extra: Vec<&str> =
            got.iter().filter(|key| !wanted.contains(key)).map(|key| &**key).collect();
        if !missing.is_empty() {
            let words = if what == "hidden" { "not hidden:" } else { "missing" };
            differences.push(format!("{words} {}", missing.join(", ")));
        }
        if how == Compare::Exactly && !extra.is_empty() {
            differences.push(format!("not expected {}", extra.join(", ")));
        }
        let difference = (!differences.is_empty()).then(|| differences.join("; "));
        Expectation { what, expected: expected.join(", "), difference }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Compare {
    Exactly,
    AtLeast,
}

fn step_json(step: &TrialStep) -> Value {
    let names = |names: &[Name]| names.iter().map(|name| Value::from(&**name)).collect::<Value>();
    let mut value = Map::new();
    value.insert("before".into(), json!(&*step.before));
    value.insert("tool".into(), json!(step.tool.as_deref()));
    value.insert("outcome".into(), json!(step.end.as_str()));
    value.insert("after".into(), json!(&*step.after));
    value.insert("groups".into(), step.groups.as_deref().map_or(Value::Null, names));
    value.insert("available".into(), names(&step.offer.available));
    value.insert("filtered_by_group".into(), names(&step.offer.filtered_by_group));
    value.insert("filtered_by_state".into(), names(&step.offer.filtered_by_state));
    if !step.offer.not_loaded.is_empty() {
        value.insert("not_loaded".into(), names(&step.offer.not_loaded));
    }
    if let StepEnd::Refused { reasons, fix } = &step.end {
        value.insert("reasons".into(), json!(reasons));
        value.insert("fix".into(), json!(fix));
    }
    let expectation = |expectation: &Expectation| {
        json!({
            "what": expectation.what,
            "expected": expectation.expected,
            "holds": expectation.difference.is_none(),
            "difference": expectation.difference,
        })
    };
    value.insert("expectations".into(), step.expectations.iter().map(expectation).collect());
    value.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{gated::Slot, spec_tools::spec_tools};

    fn spec() -> Vec<Slot> {
        let named = |slot: Slot| Slot { name: format!("The {}", slot.key).into(), ..slot };
        spec_tools().into_iter().map(named).collect()
    }

    fn try_out(value: &Value) -> ScenarioRun {
        run_scenario(&Scenario::from_value(value).unwrap(), &spec(), &[], Mode::Document, Millis(0))
    }

    #[test]
    fn the_documents_scenario_stops_at_the_reset_and_says_which_group_would_show_it() {
        let trial = try_out(&json!({
            "start": {"groups": ["knowledge", "compute"], "state": "undefined"},
            "steps": [
                {"tool": "knowledge-query", "expect": {"available": ["knowledge-query"], "after": "analysis"}},
                {"tool": "The complex-analysis", "expect": {"available": ["complex-analysis", "graph-update"], "after": "results"}},
                {"tool": "reset-workflow", "expect": {"after": "undefined"}},
                {"expect": {"available": []}}
            ]
        }));
        let ends: Vec<_> = trial.steps.iter().map(|step| step.end.as_str()).collect();
        assert_eq!(ends, ["succeeded", "succeeded", "refused", "looked"]);
        assert_eq!(
            trial.steps[2].end,
            StepEnd::Refused {
                reasons: vec!["group: in admin, requested knowledge, compute".into()],
                fix: Some("request admin".into())
            }
        );
        let differences: Vec<_> = trial.steps[2]
            .expectations
            .iter()
            .filter_map(|found| found.difference.clone())
            .collect();
        assert_eq!(
            differences,
            [
                "the state is results, not undefined",
                "group: in admin, requested knowledge, compute"
            ]
        );
        assert_eq!(trial.difference_count(), 2);
        let json = trial.to_json();
        assert_eq!(json[2]["outcome"], "refused");
        assert_eq!(json[1]["filtered_by_group"], json!(["text-completion", "reset-workflow"]));
    }

    #[test]
    fn an_expected_refusal_holds_and_an_expected_one_that_does_not_come_differs() {
        let refused = |tool: &str| {
            try_out(
                &json!({"steps": [{"tool": tool, "expect": {"refused": true}}], "start": {"groups": ["text"]}}),
            )
        };
        assert!(refused("knowledge-query").has_passed());
        assert_eq!(refused("text-completion").difference_count(), 1);
    }

    #[test]
    fn groups_change_while_running_and_unknown_ones_are_named() {
        let trial = try_out(&json!({
            "start": {"groups": ["basic"]},
            "steps": [{"tool": "knowledge-query"}, {"groups": ["admin", "nobody"], "tool": "reset-workflow", "expect": {"after": "undefined"}}]
        }));
        assert!(trial.has_passed());
        assert_eq!(trial.unknown_groups, [Name::from("nobody")]);
    }

    #[test]
    fn each_kind_of_expectation_can_fail() {
        for expect in [
            json!({"before": "x"}),
            json!({"after": "x"}),
            json!({"available": []}),
            json!({"available": ["knowledge-query", "text-completion", "graph-update"]}),
            json!({"includes": ["graph-update"]}),
            json!({"hidden": ["knowledge-query"]}),
            json!({"filtered_by_group": []}),
            json!({"filtered_by_state": ["graph-update"]}),
            json!({"refused": true}),
            json!({"includes": ["no such tool"]}),
        ] {
            let trial = try_out(
                &json!({"start": {"groups": ["basic"]}, "steps": [{"tool": "knowledge-query", "expect": expect}]}),
            );
            assert_eq!(trial.difference_count(), 1, "{expect}");
        }
        let trial = try_out(&json!({"steps": [{"tool": "nothing"}]}));
        assert_eq!((trial.steps[0].end.as_str(), trial.difference_count()), ("unknown-tool", 1));
    }

    #[test]
    fn every_tool_is_hidden_where_the_profile_refuses_the_groups() {
        let scenario = json!({
            "start": {"user": "ann", "groups": ["basic"]},
            "steps": [{"expect": {"hidden": ["knowledge-query", "reset-workflow"], "available": []}}],
        });
        let scenario = Scenario::from_value(&scenario).unwrap();
        let profile = Profile { user: "ann".into(), allowed_groups: vec!["other".into()] };
        let trial = run_scenario(&scenario, &spec(), &[profile], Mode::Document, Millis(0));
        assert!(trial.has_passed(), "{:?}", trial.steps);
        let trial = try_out(
            &json!({"start": {"groups": ["basic"]}, "steps": [{"expect": {"hidden": ["knowledge-query"]}}]}),
        );
        let said = trial.steps[0].expectations[0].difference.as_deref();
        assert_eq!(said, Some("not hidden: knowledge-query"));
    }

    #[test]
    fn a_simulation_saved_as_a_scenario_holds() {
        let start = crate::model::context::Context {
            groups: Some(vec!["basic".into()]),
            ..Default::default()
        };
        let mut simulation = Simulation::new(start, Mode::AsDeployed, Millis(0));
        simulation.take_step(&spec(), &[], Take::simulated(0, Outcome::Failed, Millis(1))).unwrap();
        simulation.set_groups(None);
        simulation.set_groups(Some(vec!["admin".into()]));
        simulation
            .take_step(&spec(), &[], Take::simulated(4, Outcome::Succeeded, Millis(2)))
            .unwrap();
        let scenario = Scenario::of_simulation("kept", &simulation);
        assert_eq!(Scenario::from_value(&scenario.to_value()).unwrap(), scenario);
        let trial = run_scenario(&scenario, &spec(), &[], Mode::Document, Millis(0));
        assert!(trial.has_passed(), "{:?}", trial.steps);
    }
}
