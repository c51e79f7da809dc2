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
    pub fn write(&self) -> Value {
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
        if !start.is_empty() {
            top.insert("start".into(), start.into());
        }
        top.insert("steps".into(), self.steps.iter().map(write_step).collect());
        top.into()
    }

    /// The way from the start to where a simulation stands, with what was seen as what is expected.
    #[must_use]
    pub fn of_simulation(name: &str, simulation: &Simulation) -> Self {
        let mut groups = simulation.start().groups.clone();
        let way = simulation.way_to(simulation.at());
        let steps = way.into_iter().filter_map(|id| simulation.step(id)).map(|step| {
            let changed = step.groups != groups;
            groups.clone_from(&step.groups);
            let change = step.groups.clone().map_or(GroupsChange::Absent, GroupsChange::Only);
            ScenarioStep {
                groups: changed.then_some(change),
                tool: Some(step.tool.clone()),
                outcome: Some(step.outcome),
                expect: seen(step),
            }
        });
        let steps = steps.collect();
        Self { name: name.to_owned(), start: simulation.start().clone(), mode: Some(simulation.mode()), steps }
    }
}

fn seen(step: &Step) -> Expectations {
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
        value.insert("outcome".into(), outcome.word().into());
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
