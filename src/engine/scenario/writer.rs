//! Writes a scenario as the value that reads as it; also from a simulation as it went.

use serde_json::{Map, Value, json};

use super::script::{Expectations, GroupsChange, Refusal, Scenario, ScenarioStep};
use crate::{
    engine::simulate::run::{Simulation, Step},
    model::context::Name,
};

impl Scenario {
    /// The value that reads as this scenario; what is not given is left out.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut top = Map::new();
        if !self.name.is_empty() {
            top.insert("name".into(), self.name.clone().into());
        }
        if let Some(mode) = self.mode {
            top.insert("mode".into(), mode.to_string().into());
        }
        let mut start = Map::new();
        put_text(&mut start, "user", self.start.user.as_ref());
        put_names(&mut start, "groups", self.start.groups.as_ref());
        put_text(&mut start, "state", self.start.state.as_ref());
        if let Some(question) = &self.question {
            start.insert("question".into(), question.clone().into());
        }
        if !start.is_empty() {
            top.insert("start".into(), start.into());
        }
        top.insert("steps".into(), self.steps.iter().map(write_step).collect());
        top.into()
    }

    /// The way from the start to where a simulation is, with what was seen as what is expected, and
    /// what was refused on it.
    #[must_use]
    pub fn of_simulation(name: &str, simulation: &Simulation) -> Self {
        let way = simulation.way_to(simulation.current_step());
        let places = std::iter::once(None).chain(way.iter().copied().map(Some));
        let mut steps = Vec::new();
        let mut groups = simulation.start().groups.clone();
        let mut push = |asked: &Option<Vec<Name>>, mut step: ScenarioStep| {
            if *asked != groups {
                groups.clone_from(asked);
                step.groups = Some(asked.clone().map_or(GroupsChange::Absent, GroupsChange::Only));
            }
            steps.push(step);
        };
        for (row, place) in places.enumerate() {
            let next = way.get(row).and_then(|id| simulation.step(*id));
            // What was tried in vain belongs to this way only if it went on afterwards, or ends
            // here.
            let tried =
                simulation.refused_attempts().iter().filter(|refused| refused.after == place);
            for refused in tried.filter(|refused| next.is_none_or(|next| refused.at <= next.at)) {
                let expect =
                    Expectations { refused: Some(Refusal::Expected), ..Expectations::default() };
                push(
                    &refused.groups,
                    ScenarioStep {
                        tool: Some(refused.tool.clone()),
                        expect,
                        ..ScenarioStep::default()
                    },
                );
            }
            if let Some(step) = next {
                let (tool, outcome) = (Some(step.tool.clone()), Some(step.outcome));
                push(
                    &step.groups,
                    ScenarioStep { tool, outcome, expect: step_expectations(step), groups: None },
                );
            }
        }
        Self {
            name: name.to_owned(),
            start: simulation.start().clone(),
            question: simulation.question().map(ToOwned::to_owned),
            mode: Some(simulation.mode()),
            steps,
        }
    }
}

fn step_expectations(step: &Step) -> Expectations {
    Expectations {
        before: Some(step.before.clone()),
        after: Some(step.after.clone()),
        available: Some(step.offer.available.clone()),
        ..Expectations::default()
    }
}

fn write_step(step: &ScenarioStep) -> Value {
    let mut value = Map::new();
    match &step.groups {
        None => {}
        Some(GroupsChange::Absent) => drop(value.insert("groups".into(), Value::Null)),
        Some(GroupsChange::Only(groups)) => put_names(&mut value, "groups", Some(groups)),
    }
    put_text(&mut value, "tool", step.tool.as_ref());
    if let Some(outcome) = step.outcome {
        value.insert("outcome".into(), outcome.as_str().into());
    }
    let expect = write_expectations(&step.expect);
    if !expect.is_empty() {
        value.insert("expect".into(), expect.into());
    }
    value.into()
}

fn write_expectations(expect: &Expectations) -> Map<String, Value> {
    let mut value = Map::new();
    put_text(&mut value, "before", expect.before.as_ref());
    put_text(&mut value, "after", expect.after.as_ref());
    put_names(&mut value, "available", expect.available.as_ref());
    put_names(&mut value, "includes", expect.includes.as_ref());
    put_names(&mut value, "hidden", expect.hidden.as_ref());
    put_names(&mut value, "filtered_by_group", expect.filtered_by_group.as_ref());
    put_names(&mut value, "filtered_by_state", expect.filtered_by_state.as_ref());
    if let Some(refused) = expect.refused {
        value.insert("refused".into(), (refused == Refusal::Expected).into());
    }
    value
}

fn put_text(value: &mut Map<String, Value>, key: &str, text: Option<&Name>) {
    if let Some(text) = text {
        value.insert(key.into(), json!(&**text));
    }
}

fn put_names(value: &mut Map<String, Value>, key: &str, names: Option<&Vec<Name>>) {
    if let Some(names) = names {
        value.insert(key.into(), names.iter().map(|name| Value::from(&**name)).collect());
    }
}
