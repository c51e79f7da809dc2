//! Finds dynamic tools, agents with their tools, connectors, models and kept lists of tools in a file.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::keys;
use crate::{
    model::{
        entry::{Entry, EntryId, EntryKind, EntryPlace, FileId},
        settings::SETTINGS,
    },
    schema::pointer::Pointer,
    syntax::source::Source,
    systems::gate_tables,
};

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntrySort {
    /// A tool that calls an API of the cluster itself, in one step.
    Dynamic,
    /// A tool of several steps (`tool_steps`).
    Composite,
    /// A tool of another type, as an agent names it.
    Typed,
    Agent,
    Connector,
    /// A model that a cluster has, by its name and id.
    Model,
    /// A tool as `GET /_plugins/_ml/tools` lists it.
    Listed,
}

/// Types of agents, as they are written; the server does not mind capitals.
pub const AGENT_TYPES: &[&str] = &[
    "flow",
    "conversational_flow",
    "conversational",
    "plan_execute_and_reflect",
    "ag_ui",
    "conversational_v2",
];

impl EntrySort {
    /// What an object is; `None` where it is nothing of OpenSearch's.
    #[must_use]
    pub fn of_object(members: &Map<String, Value>) -> Option<Self> {
        let kind = members.get(keys::TYPE).and_then(Value::as_str);
        if members.get(keys::TOOL_STEPS).is_some_and(Value::is_array) {
            return Some(Self::Composite);
        }
        if kind == Some(keys::DYNAMIC_TOOL) {
            return Some(Self::Dynamic);
        }
        if kind.is_some_and(|kind| is_agent(kind, members)) {
            return Some(Self::Agent);
        }
        if members.get(keys::ACTIONS).is_some_and(Value::is_array)
            && members.contains_key(keys::PROTOCOL)
        {
            return Some(Self::Connector);
        }
        let is_text = |member: &str| members.get(member).is_some_and(Value::is_string);
        if is_text(keys::MODEL_ID) && is_text("function_name") && !members.contains_key(keys::TYPE)
        {
            return Some(Self::Model);
        }
        let parameters = members.get(keys::PARAMETERS).and_then(Value::as_object);
        if parameters.is_some_and(|parameters| {
            parameters.contains_key(keys::URI) && members.contains_key(keys::NAME)
        }) {
            return Some(Self::Dynamic);
        }
        let is_type = kind.is_some_and(|kind| kind.ends_with("Tool"));
        if is_type && (members.get("version").is_some_and(Value::is_string) || is_listed(members)) {
            return Some(Self::Listed);
        }
        (is_type && parameters.is_some()).then_some(Self::Typed)
    }

    /// What an entry is.
    #[must_use]
    pub fn of_entry(entry: &Value) -> Self {
        entry.as_object().and_then(Self::of_object).unwrap_or(Self::Typed)
    }

    /// Its word for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dynamic => "dynamic",
            Self::Composite => "composite",
            Self::Typed => "tool",
            Self::Agent => "agent",
            Self::Connector => "connector",
            Self::Model => "model",
            Self::Listed => "built-in",
        }
    }
}

/// Whether a tool says nothing but what a cluster's list says of its tools.
fn is_listed(members: &Map<String, Value>) -> bool {
    let known = [keys::NAME, keys::TYPE, keys::DESCRIPTION, "attributes"];
    members.contains_key("attributes") && members.keys().all(|name| known.contains(&&**name))
}

/// Whether an object is an agent: by its type, or by the tools that it lists.
fn is_agent(kind: &str, members: &Map<String, Value>) -> bool {
    let is_known = AGENT_TYPES.iter().any(|known| known.eq_ignore_ascii_case(kind));
    let has_part = ["tools", "llm", "memory", "app_type", "model"]
        .iter()
        .any(|part| members.contains_key(*part));
    let tools = members.get(keys::TOOLS).and_then(Value::as_array);
    let is_tool = |tool: &Value| tool["type"].as_str().is_some_and(|kind| kind.ends_with("Tool"));
    // One tool is enough: what is wrong with another is said of the agent.
    (is_known && has_part) || tools.is_some_and(|tools| tools.iter().any(is_tool))
}

/// The entries of a file in the order they stand; none when nothing in it is OpenSearch's.
#[must_use]
pub fn read_entries(file: &FileId, source: &Source) -> Vec<Entry> {
    if file.as_str() == SETTINGS {
        return gate_tables::settings_entry(file, source, keys::SYSTEM).into_iter().collect();
    }
    let mut entries = Vec::new();
    for document in 0..source.document_count() {
        // Nothing of ours is cut into sections, but a tool or an agent alone.
        if let Some(mut sections) = source.sections(document)
            && !sections
                .any(|(name, _)| [keys::TYPE, keys::ACTIONS, keys::MODEL_ID].contains(&name))
        {
            continue;
        }
        let Some(root) = source.value(document) else { continue };
        let mut found = FoundEntries { file, source, document, entries: &mut entries };
        match &**root {
            Value::Array(items) => {
                for (row, item) in items.iter().enumerate() {
                    found.add_object(item, &Pointer::root().item(row), None);
                }
            }
            value => found.add_object(value, &Pointer::root(), None),
        }
    }
    entries
}

/// The agent that a tool belongs to.
#[must_use]
pub fn agent_of(entry: &Entry) -> Option<&str> {
    let at = entry.id.place().at.tokens();
    let is_listed = at.len() >= 2 && at[at.len() - 2] == keys::TOOLS;
    let own = [keys::NAME, keys::TYPE].iter().find_map(|key| entry.value.get(*key)?.as_str())?;
    is_listed.then(|| entry.key.strip_suffix(own)?.strip_suffix('/')).flatten()
}

fn new_entry(
    (file, source, document): (&FileId, &Source, usize),
    kind: EntryKind,
    at: Pointer,
    (key, value): (String, Value),
) -> Entry {
    let place = source.find_place(document, &at);
    Entry {
        id: EntryId::new(EntryPlace::plain(file.clone(), document, at)),
        system: keys::SYSTEM,
        kind,
        key,
        value: Arc::new(value).into(),
        line: place.map_or(0, |place| place.line),
        column: place.map_or(0, |place| place.column),
    }
}

struct FoundEntries<'f> {
    file: &'f FileId,
    source: &'f Source,
    document: usize,
    entries: &'f mut Vec<Entry>,
}

impl FoundEntries<'_> {
    /// Adds an object that is an entry, and the tools of an agent after it.
    fn add_object(&mut self, value: &Value, at: &Pointer, agent: Option<&str>) {
        let Some(members) = value.as_object() else { return };
        let sort = match (EntrySort::of_object(members), agent) {
            (Some(sort), _) => sort,
            // Whatever an agent lists is a tool.
            (None, Some(_)) => EntrySort::Typed,
            (None, None) => return,
        };
        let named = [keys::NAME, keys::TYPE].iter().find_map(|key| members.get(*key)?.as_str());
        let stem = self.file.path().file_stem().and_then(|stem| stem.to_str());
        let own = named.or(stem).unwrap_or_default();
        let key = agent.map_or_else(|| own.to_owned(), |agent| format!("{agent}/{own}"));
        let kind = match sort {
            EntrySort::Connector | EntrySort::Model => EntryKind::Server,
            _ => EntryKind::Tool,
        };
        let home = (self.file, self.source, self.document);
        self.entries.push(new_entry(home, kind, at.clone(), (key.clone(), value.clone())));
        if sort == EntrySort::Agent {
            let tools = members.get(keys::TOOLS).and_then(Value::as_array);
            for (row, tool) in tools.into_iter().flatten().enumerate() {
                self.add_object(tool, &at.child(keys::TOOLS).item(row), Some(&key));
            }
        }
    }
}
