//! Everything that the stand-in for a cluster has, made of a workspace.

use serde_json::{Map, Value, json};

use super::{
    documents::Documents,
    records::{AGENT, CONNECTOR, MODEL, Records},
};
use crate::{
    model::{catalog::Catalog, entry::Entry, stub::StubService},
    systems::{
        gate_tables::is_setting,
        opensearch::{
            entries::{EntrySort, agent_of},
            java::{Numbers, value_text},
            keys,
            steps::{plan::Plan, prepare::prepare_step, state::RunState},
        },
    },
};

/// What a cluster has.
#[derive(Clone, Debug, Default)]
pub struct ClusterState {
    pub records: Records,
    pub documents: Documents,
    /// Who answers in the place of a path, a model, a tool or an agent.
    pub stubs: Vec<StubService>,
    /// Tools that the workspace has as a cluster listed them.
    pub listed: Vec<Value>,
}

impl ClusterState {
    /// A cluster with the agents and connectors of a workspace, and with the models that its tools
    /// ask.
    #[must_use]
    pub fn from_catalog(catalog: &Catalog, stubs: Vec<StubService>) -> Self {
        let mut state = Self { stubs, ..Self::default() };
        let own = |entry: &&Entry| entry.system == keys::SYSTEM && !is_setting(entry);
        for entry in catalog.entries().filter(own) {
            let value: &Value = &entry.value;
            match EntrySort::of_entry(value) {
                EntrySort::Agent => {
                    let id = own_id(value, keys::AGENT_ID, &entry.key);
                    state.records.put(AGENT, &id, flatten_agent(without_id(value, keys::AGENT_ID)));
                }
                EntrySort::Connector => {
                    let id = own_id(value, keys::CONNECTOR_ID, &entry.key);
                    state.records.put(CONNECTOR, &id, without_id(value, keys::CONNECTOR_ID));
                }
                EntrySort::Listed => state.listed.push(value.clone()),
                EntrySort::Model => {
                    let id = own_id(value, keys::MODEL_ID, &entry.key);
                    state.records.put(MODEL, &id, without_id(value, keys::MODEL_ID));
                }
                _ => {}
            }
            if agent_of(entry).is_none() {
                asked_models(value).iter().for_each(|model| state.add_model(model));
            }
        }
        state
    }

    /// A model of that id, which is there and answers.
    pub fn add_model(&mut self, id: &str) {
        let model = json!({
            "name": id, "algorithm": "REMOTE", "function_name": "remote", "model_version": "1",
            "model_state": "DEPLOYED", "description": "a stand-in of toolcrib's",
        });
        if self.records.get(MODEL, id).is_none() {
            self.records.put(MODEL, id, model);
        }
    }
}

/// The id under which a workspace says that a cluster has an entry; else one of its name.
fn own_id(value: &Value, member: &str, key: &str) -> String {
    let made = || {
        let word = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        key.chars().map(word).collect::<String>()
    };
    value.get(member).and_then(Value::as_str).map_or_else(made, str::to_owned)
}

fn without_id(value: &Value, member: &str) -> Value {
    let mut value = value.clone();
    if let Some(members) = value.as_object_mut() {
        members.remove(member);
    }
    value
}

/// The models that an entry asks where nobody gives it other parameters.
fn asked_models(entry: &Value) -> Vec<String> {
    let state = RunState::default();
    let steps = Plan::of_entry(entry).steps;
    let asked = steps.iter().enumerate().filter_map(|(number, step)| {
        let request = prepare_step(number, step, &state).request.ok()?;
        let path = request.path.strip_prefix(keys::ML)?.strip_prefix("/models/")?;
        Some(path.strip_suffix("/_predict")?.to_owned())
    });
    let llm = entry["llm"][keys::MODEL_ID].as_str().map(str::to_owned);
    asked.chain(llm).filter(|id| !id.contains(['$', '%', '/'])).collect()
}

/// An agent as the framework keeps it: what parameters, attributes and config of its tools say is
/// text.
#[must_use]
pub fn flatten_agent(mut agent: Value) -> Value {
    let flatten = |value: &mut Value, member: &str| {
        let Some(members) = value.get_mut(member).and_then(Value::as_object_mut) else { return };
        for value in members.values_mut() {
            *value = value_text(value, Numbers::AsRead).into();
        }
    };
    flatten(&mut agent, keys::PARAMETERS);
    if let Some(llm) = agent.get_mut("llm") {
        flatten(llm, keys::PARAMETERS);
    }
    let tools = agent.get_mut(keys::TOOLS).and_then(Value::as_array_mut);
    for tool in tools.into_iter().flatten() {
        for member in [keys::PARAMETERS, keys::ATTRIBUTES, keys::CONFIG] {
            flatten(tool, member);
        }
        if let Some(members) = tool.as_object_mut().filter(|tool| tool.contains_key(keys::TYPE)) {
            members.entry(keys::INCLUDE_OUTPUT).or_insert(Value::Bool(false));
        }
    }
    agent
}

/// The members of an object, or none.
#[must_use]
pub fn members_of(value: Option<&Value>) -> Map<String, Value> {
    value.and_then(Value::as_object).cloned().unwrap_or_default()
}
