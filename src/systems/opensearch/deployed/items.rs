//! Entries as a cluster reports them, in the one shape that can be compared.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{
    model::entry::Entry,
    systems::{
        deployed::item::Item,
        gate_tables::is_setting,
        opensearch::{
            cluster::state::flatten_agent,
            entries::{EntrySort, agent_of},
            java::{Numbers, value_text},
            keys,
        },
    },
};

/// A kind of entry there: its word, the member that holds its id, and the path of its search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    pub word: &'static str,
    pub id: Option<&'static str>,
    pub sort: EntrySort,
}

pub const CONNECTORS: Section =
    Section { word: "connector", id: Some(keys::CONNECTOR_ID), sort: EntrySort::Connector };
pub const AGENTS: Section =
    Section { word: "agent", id: Some(keys::AGENT_ID), sort: EntrySort::Agent };
pub const MODELS: Section =
    Section { word: "model", id: Some(keys::MODEL_ID), sort: EntrySort::Model };
pub const LISTED: Section = Section { word: "tool", id: None, sort: EntrySort::Listed };
pub const MCP_TOOLS: Section = Section { word: "mcp-tool", id: None, sort: EntrySort::Typed };

/// Every kind, in the order in which they are written: agents name connectors.
pub const SECTIONS: [Section; 5] = [CONNECTORS, AGENTS, MODELS, LISTED, MCP_TOOLS];

/// What a cluster writes of its own into an entry.
const ITS_OWN: &[&str] = &[
    "created_time",
    "last_updated_time",
    "last_update_time",
    "is_hidden",
    "tenant_id",
    "provisioned_by",
    "owner",
    "user",
    "access",
    "backend_roles",
    "client_config",
];

/// What of a model is worth keeping: its name and what it is.
const OF_MODELS: &[&str] =
    &["name", "description", "function_name", "algorithm", "connector_id", "model_state"];

/// The section of that word.
#[must_use]
pub fn section_of(word: &str) -> Option<Section> {
    SECTIONS.into_iter().find(|section| section.word == word)
}

/// The section that an entry of ours belongs to; `None` where no cluster keeps such a thing.
#[must_use]
pub fn section_of_entry(entry: &Entry) -> Option<Section> {
    if entry.system != keys::SYSTEM || is_setting(entry) || agent_of(entry).is_some() {
        return None;
    }
    let sort = EntrySort::of_entry(&entry.value);
    SECTIONS.into_iter().find(|section| section.sort == sort)
}

/// The entries that an answer to a search holds.
#[must_use]
pub fn read_hits(section: Section, answer: &Value) -> Vec<Item> {
    let hits = answer["hits"]["hits"].as_array().into_iter().flatten();
    let found = hits.filter_map(|hit| {
        let source = hit["_source"].as_object()?;
        // Large models are kept in pieces beside their own record.
        if source.contains_key("chunk_number") || source.contains_key("model_content") {
            return None;
        }
        Some((hit["_id"].as_str()?.to_owned(), source.clone()))
    });
    named_items(section, found.collect())
}

/// The tools that an answer lists: all of a cluster, or those that it offers over MCP.
#[must_use]
pub fn read_tools(section: Section, answer: &Value) -> Vec<Item> {
    let listed = answer.as_array().or_else(|| answer["tools"].as_array());
    let found = listed.into_iter().flatten().filter_map(Value::as_object);
    named_items(section, found.map(|tool| (String::new(), tool.clone())).collect())
}

/// Items under their names; two of the same name are distinguished by their ids.
fn named_items(section: Section, found: Vec<(String, Map<String, Value>)>) -> Vec<Item> {
    let name_of = |members: &Map<String, Value>, id: &str| {
        let name = members.get(keys::NAME).or_else(|| members.get(keys::TYPE));
        name.and_then(Value::as_str).unwrap_or(id).to_owned()
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (id, members) in &found {
        *counts.entry(name_of(members, id)).or_default() += 1;
    }
    let item = |(id, members): (String, Map<String, Value>)| {
        let name = name_of(&members, &id);
        let is_alone = counts.get(&name) == Some(&1) || id.is_empty();
        let key = if is_alone { name } else { format!("{name} ({id})") };
        let mut value = comparable_value(section, &members.into());
        if let Some(member) = section.id {
            value[member] = id.into();
        }
        Item { system: keys::SYSTEM, section: section.word, key, text: value.to_string() }
    };
    found.into_iter().map(item).collect()
}

/// An entry in the one shape that both sides can be compared in: without its id and what a cluster
/// writes of its own, values as the texts that it keeps.
#[must_use]
pub fn comparable_value(section: Section, value: &Value) -> Value {
    let mut value = value.clone();
    if section.sort == EntrySort::Agent {
        value = flatten_agent(value);
        let tools = value.get_mut(keys::TOOLS).and_then(Value::as_array_mut);
        for tool in tools.into_iter().flatten().filter_map(Value::as_object_mut) {
            tool.retain(|name, value| {
                let is_left_out = name == keys::INCLUDE_OUTPUT && *value == false;
                !says_nothing(value) && !is_left_out
            });
        }
    }
    let Some(members) = value.as_object_mut() else { return value };
    if section.sort == EntrySort::Model {
        members.retain(|name, _| OF_MODELS.contains(&name.as_str()));
    }
    members.retain(|name, value| {
        !ITS_OWN.contains(&name.as_str()) && section.id != Some(name) && !says_nothing(value)
    });
    if section.sort == EntrySort::Connector {
        members.shift_remove(keys::CREDENTIAL);
        flatten_connector(members);
    }
    value
}

fn says_nothing(value: &Value) -> bool {
    value.is_null()
        || value.as_object().is_some_and(Map::is_empty)
        || value.as_array().is_some_and(Vec::is_empty)
}

fn flatten_connector(members: &mut Map<String, Value>) {
    let flatten = |value: &mut Value| *value = value_text(value, Numbers::AsRead).into();
    if let Some(version) = members.get_mut("version") {
        flatten(version);
    }
    let parameters = members.get_mut(keys::PARAMETERS).and_then(Value::as_object_mut);
    parameters.into_iter().flatten().for_each(|(_, value)| flatten(value));
    let actions = members.get_mut(keys::ACTIONS).and_then(Value::as_array_mut);
    for action in actions.into_iter().flatten().filter_map(Value::as_object_mut) {
        action.retain(|_, value| !says_nothing(value));
        if let Some(Value::String(kind)) = action.get_mut("action_type") {
            kind.make_ascii_uppercase();
        }
    }
}

/// The id that an entry or an item says.
#[must_use]
pub fn id_in(section: Section, value: &Value) -> Option<&str> {
    value.get(section.id?)?.as_str()
}

/// An entry as a file of the workspace holds it: a tool of a server of its own says its parameters,
/// by which it is known to be one.
#[must_use]
pub fn file_value(mut value: Value) -> Value {
    let is_tool = value[keys::TYPE].as_str().is_some_and(|kind| kind.ends_with("Tool"));
    if let Some(members) = value.as_object_mut()
        && is_tool
        && !members.contains_key("version")
    {
        members.entry(keys::PARAMETERS).or_insert_with(|| json!({}));
    }
    value
}
