//! TrustGraph's entries as they can be read and written while it runs.

use super::{item, push};
use crate::{
    model::{catalog::Catalog, connection::Connection, entry::Entry, problem::Problem},
    systems::{
        deployed::{
            deployment::{Deployment, FirstConnection, FirstField, Layout, NotDeployed},
            item::Item,
            push::{AbsentEntries, Push},
        },
        trustgraph::{keys, settings},
    },
};

pub(crate) struct TrustGraphDeployment;

const FIRST: FirstConnection = FirstConnection {
    key: 't',
    act: "import from TrustGraph",
    name: "trustgraph",
    words: "The address of its gateway. Name the environment variable that holds the token, if it asks for one.",
    fields: &[
        FirstField {
            label: "Gateway",
            at: &["servers"],
            value: "http://127.0.0.1:8088",
            required: true,
        },
        FirstField { label: "Token variable", at: &["token-variable"], value: "", required: false },
    ],
    table: None,
};

impl Deployment for TrustGraphDeployment {
    fn about(&self) -> &'static str {
        "Tools, tool services and MCP servers of TrustGraph's configuration, through its gateway"
    }

    fn is_at(&self, connection: &Connection) -> bool {
        // A connection that another system has settings on is that system's.
        let is_ours = connection.settings.keys().all(|system| *system == keys::SYSTEM);
        settings::is_gateway(connection.transport()) && is_ours
    }

    fn elsewhere(&self) -> NotDeployed {
        NotDeployed {
            cause: "not to a gateway",
            wanted: "TrustGraph's gateway: --connection https://HOST:8888, or one from toolcrib.toml",
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
        item::is_named(entry, item.section, &item.key)
    }

    fn section(&self, entry: &Entry) -> Option<&'static str> {
        Some(item::section_of(entry.kind))
    }

    fn layout(&self) -> Layout {
        Layout::Sections("trustgraph")
    }

    fn secret(&self) -> Option<&'static str> {
        Some(keys::AUTH_TOKEN)
    }

    fn check_reload(&self) -> Result<(), Problem> {
        Ok(())
    }

    fn loaded_message(&self, tools: usize) -> String {
        format!("the agent should load {tools} {}", if tools == 1 { "tool" } else { "tools" })
    }
}
