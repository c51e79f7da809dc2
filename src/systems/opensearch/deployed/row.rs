//! OpenSearch's entries as they can be read and written while it runs.

use serde_json::Value;

use super::{
    items::{self, id_in, section_of, section_of_entry},
    push,
};
use crate::{
    model::{catalog::Catalog, connection::Connection, entry::Entry, problem::Problem},
    systems::{
        deployed::{
            deployment::{Deployment, FirstConnection, FirstField, Layout, NotDeployed},
            item::Item,
            push::{AbsentEntries, Push},
        },
        opensearch::{keys, settings},
    },
};

pub(crate) struct OpenSearchDeployment;

const FIRST: FirstConnection = FirstConnection {
    key: 'o',
    act: "import from OpenSearch",
    name: "opensearch",
    words: "The address of the cluster. If it asks for a user, name it and the environment variable that holds the password.",
    fields: &[
        FirstField {
            label: "Cluster",
            at: &["servers"],
            value: "http://127.0.0.1:9200",
            required: true,
        },
        FirstField { label: "User", at: &["user"], value: "", required: false },
        FirstField {
            label: "Password variable",
            at: &["password-variable"],
            value: "",
            required: false,
        },
    ],
    table: Some(keys::SYSTEM),
};

impl Deployment for OpenSearchDeployment {
    fn about(&self) -> &'static str {
        "Agents, connectors, models and tools of an OpenSearch cluster, through its ML framework"
    }

    fn is_at(&self, connection: &Connection) -> bool {
        settings::SETTINGS.is_on(connection)
    }

    fn elsewhere(&self) -> NotDeployed {
        NotDeployed {
            cause: "and to no cluster of OpenSearch",
            wanted: "one over http from toolcrib.toml that has a [connections.NAME.opensearch] table",
        }
    }

    fn first_connection(&self) -> Option<&'static FirstConnection> {
        Some(&FIRST)
    }

    fn plan_push(
        &self,
        catalog: &Catalog,
        items: &[Item],
        absent: AbsentEntries,
    ) -> Result<Push, Problem> {
        push::plan_push(catalog, items, absent)
    }

    fn is_named(&self, entry: &Entry, item: &Item) -> bool {
        let Some(section) = section_of_entry(entry).filter(|own| own.word == item.section) else {
            return false;
        };
        let id = id_in(section, &entry.value);
        let has_id = || {
            let there = item.parse_value();
            there.is_some_and(|there| id.is_some() && id_in(section, &there) == id)
        };
        entry.key == item.key || has_id()
    }

    fn section(&self, entry: &Entry) -> Option<&'static str> {
        section_of_entry(entry).map(|section| section.word)
    }

    fn layout(&self) -> Layout {
        Layout::Each(keys::SYSTEM)
    }

    /// Tools of which only the name is known.
    fn is_own(&self, item: &Item) -> bool {
        let schema = |tool: Value| tool[keys::ATTRIBUTES].get(keys::INPUT_SCHEMA).cloned();
        item.section == items::LISTED.word && item.parse_value().and_then(schema).is_none()
    }

    fn secret(&self) -> Option<&'static str> {
        Some(keys::CREDENTIAL)
    }

    fn file_value(&self, value: Value) -> Value {
        items::file_value(value)
    }

    fn is_same(&self, item: &Item, ours: Value, imported: &Value) -> bool {
        section_of(item.section).map_or_else(
            || items::file_value(ours.clone()) == *imported,
            |section| {
                items::comparable_value(section, &ours)
                    == items::comparable_value(section, imported)
            },
        )
    }

    /// A connector keeps the credential that it has here: no cluster returns one.
    fn imported_value(&self, entry: &Entry, mut there: Value) -> Value {
        if let Some(credential) = entry.value.get(keys::CREDENTIAL) {
            there[keys::CREDENTIAL] = credential.clone();
        }
        there
    }

    fn given_id(&self, entry: &Entry, item: &Item) -> Option<(&'static str, String)> {
        let section = section_of(item.section)?;
        let there = item.parse_value()?;
        let id = id_in(section, &there)?;
        (id_in(section, &entry.value) != Some(id))
            .then(|| (section.id.unwrap_or_default(), id.to_owned()))
    }

    /// A list of agents and tools, each as a file would hold it.
    fn callable_document(&self, items: &[Item]) -> Value {
        let values = items.iter().filter_map(Item::parse_value);
        values.map(items::file_value).collect()
    }

    fn loaded_message(&self, tools: usize) -> String {
        format!("{tools} {} there", if tools == 1 { "agent is" } else { "agents are" })
    }
}
