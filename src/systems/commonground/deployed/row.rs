//! CommonGround's entries as they can be read and written while it runs.

use serde_json::Value;

use super::{push, rows};
use crate::{
    model::{catalog::Catalog, connection::Connection, entry::Entry, problem::Problem},
    systems::{
        commonground::{internal, keys, settings},
        deployed::{
            deployment::{Deployment, FirstConnection, FirstField, Layout, NotDeployed},
            item::Item,
            push::{AbsentEntries, Push},
        },
    },
};

pub(crate) struct CommonGroundDeployment;

const FIRST: FirstConnection = FirstConnection {
    key: 'c',
    act: "import from CommonGround",
    name: "commonground",
    words: "Calls go over NATS, in a channel of a project; the tools come from the management API.",
    fields: &[
        FirstField {
            label: "NATS",
            at: &["servers"],
            value: "nats://127.0.0.1:4222",
            required: true,
        },
        FirstField { label: "Project", at: &[keys::SYSTEM, "project"], value: "", required: true },
        FirstField {
            label: "Channel",
            at: &[keys::SYSTEM, "channel"],
            value: "public",
            required: true,
        },
        FirstField {
            label: "Management API",
            at: &[keys::SYSTEM, "api"],
            value: "http://127.0.0.1:8099",
            required: true,
        },
    ],
    table: Some(keys::SYSTEM),
};

impl Deployment for CommonGroundDeployment {
    fn about(&self) -> &'static str {
        "Tool definitions of a CommonGround project, through its management API"
    }

    fn is_at(&self, connection: &Connection) -> bool {
        settings::Channel::from_connection(connection).is_some()
    }

    fn elsewhere(&self) -> NotDeployed {
        NotDeployed {
            cause: "and names no project of CommonGround",
            wanted: "one from toolcrib.toml that has a [connections.NAME.commonground] table",
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
        entry.system == keys::SYSTEM && entry.key.trim() == item.key
    }

    fn is_own(&self, item: &Item) -> bool {
        push::is_own(&item.key)
    }

    fn layout(&self) -> Layout {
        Layout::Each("tools")
    }

    fn file_value(&self, value: Value) -> Value {
        rows::without_empty(value)
    }

    fn callable_document(&self, items: &[Item]) -> Value {
        items.iter().filter_map(Item::parse_value).chain(internal::definitions()).collect()
    }

    fn loaded_message(&self, tools: usize) -> String {
        format!("{tools} definitions of this workspace are there")
    }
}
