//! A whole configuration as TrustGraph's agent gets it, and which of its tools the agent then
//! holds.
//!
//! The agent reads the services first, then the tools, each by the order of their keys. The first
//! entry that it cannot take ends the reading, and then it keeps what it held before: of a fresh
//! start, nothing.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    keys,
    load::{self, LoadCode, LoadError, Services},
};
use crate::{
    model::{
        catalog::{Catalog, Loading, Refusal},
        entry::{Entry, EntryForm},
        tool::NotLoaded,
    },
    schema::ordering::PutInOrder,
    syntax::python_json::{self, Fault},
};

/// Tools and services with their keys. A value is what an entry's text holds; the error is why it
/// holds none.
#[derive(Debug, Default)]
pub(crate) struct Configuration<'v> {
    pub tools: Vec<(&'v str, EntryValue<'v>)>,
    pub services: Vec<(&'v str, EntryValue<'v>)>,
}

/// What an entry holds, or what Python says of its text.
pub(crate) type EntryValue<'v> = Result<&'v Value, String>;

/// The tools that the agent holds, as rows of [`Configuration::tools`].
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Agent {
    /// In the order in which the agent names them to its model.
    pub tools: Vec<usize>,
    /// Tools whose name a later one has, each with that.
    pub replaced: Vec<(usize, usize)>,
}

/// The entry that ends the reading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stopped {
    pub section: &'static str,
    /// Its row among the entries of its section.
    pub row: usize,
    pub error: LoadError,
}

impl<'v> Configuration<'v> {
    /// Entries by their keys, as their texts were read.
    pub fn keyed_entries(
        keys: impl Iterator<Item = &'v str>,
        read: &'v [Result<Value, Fault>],
    ) -> Vec<(&'v str, EntryValue<'v>)> {
        keys.zip(read.iter().map(|read| read.as_ref().map_err(Fault::to_string))).collect()
    }

    /// # Errors
    /// With the first entry that keeps everything from loading.
    pub fn load_agent(&self) -> Result<Agent, Stopped> {
        let mut services: Services<'_> = HashMap::new();
        for (row, (key, held)) in in_order(&self.services) {
            match held {
                Ok(value) => drop(services.insert(key, value)),
                Err(logged) => return Err(stopped_at(keys::SERVICES, row, not_json(key, logged))),
            }
        }
        let mut agent = Agent::default();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (row, (key, held)) in in_order(&self.tools) {
            let value = held
                .as_ref()
                .map_err(|logged| stopped_at(keys::TOOLS, row, not_json(key, logged)))?;
            let (name, _) = load::load_keyed_tool(value, &services)
                .map_err(|error| stopped_at(keys::TOOLS, row, error))?;
            match places.get(&name) {
                Some(place) => {
                    agent.replaced.push((std::mem::replace(&mut agent.tools[*place], row), row));
                }
                None => {
                    places.insert(name, agent.tools.len());
                    agent.tools.push(row);
                }
            }
        }
        Ok(agent)
    }
}

fn stopped_at(section: &'static str, row: usize, error: LoadError) -> Stopped {
    Stopped { section, row, error }
}

fn not_json(key: &str, logged: &str) -> LoadError {
    LoadError {
        code: LoadCode::NotJson,
        tool: key.to_owned(),
        logged: logged.to_owned(),
        field: "",
    }
}

/// Entries with their rows, by the order of their keys, which is that of the table that they are
/// kept in.
fn in_order<'e, 'v>(
    entries: &'e [(&'v str, EntryValue<'v>)],
) -> impl Iterator<Item = (usize, &'e (&'v str, EntryValue<'v>))> {
    let mut rows: Vec<_> = entries.iter().enumerate().collect();
    rows.order_by_key(|(_, (key, _))| *key);
    rows.into_iter()
}

/// What an entry of the workspace holds once it is sent.
pub(crate) fn deployed_value(entry: &Entry) -> EntryValue<'_> {
    match (&*entry.value, entry.id.place().form) {
        // Text that could be read is as its value; a text that holds a text is as it is written.
        (Value::String(text), EntryForm::JsonText) => {
            python_json::parse_value(text).map(|_| &*entry.value).map_err(|fault| fault.to_string())
        }
        (value, _) => python_json::check_integers(value).map(|()| value),
    }
}

/// How the agent takes the tools of a catalog.
#[must_use]
pub(crate) fn decide_loading(catalog: &Catalog) -> Loading {
    let ours = |entry: &Entry| entry.system == keys::SYSTEM;
    let tools: Vec<_> =
        catalog.tools.iter().enumerate().filter(|(_, tool)| ours(&tool.entry)).collect();
    let services: Vec<_> = catalog.services.iter().filter(|service| ours(&service.entry)).collect();
    let configuration = Configuration {
        tools: tools
            .iter()
            .map(|(_, tool)| (tool.entry.key.as_str(), deployed_value(&tool.entry)))
            .collect(),
        services: services
            .iter()
            .map(|service| (service.key(), deployed_value(&service.entry)))
            .collect(),
    };
    match configuration.load_agent() {
        Ok(agent) => Loading {
            not_loaded: agent
                .replaced
                .iter()
                .map(|(row, by)| {
                    (
                        tools[*row].0,
                        NotLoaded::Replaced { by: tools[*by].1.entry.key.as_str().into() },
                    )
                })
                .collect(),
            order: agent.tools.iter().map(|row| tools[*row].0).collect(),
            ..Loading::default()
        },
        Err(Stopped { section, row, error }) => {
            let entry =
                if section == keys::SERVICES { &services[row].entry } else { &tools[row].1.entry };
            let refusal = Refusal {
                system: "TrustGraph",
                entry: entry.id.clone(),
                name: format!("{section}/{}", entry.key).into(),
                logged: error.logged.into(),
            };
            let why =
                NotLoaded::Refused { entry: refusal.name.clone(), logged: refusal.logged.clone() };
            Loading {
                not_loaded: tools.iter().map(|(row, _)| (*row, why.clone())).collect(),
                refusal: Some(refusal),
                ..Loading::default()
            }
        }
    }
}
