//! CommonGround's entries as they can be read and written while it runs.

use serde_json::Value;

use super::{push, rows};
use crate::{
    model::{catalog::Catalog, connection::Connection, entry::Entry, problem::Problem},
    systems::{
        commonground::{internal, keys, settings},
        deployed::{
            deployment::{Deployment, Layout, NotDeployed},
            item::Item,
            push::{AbsentEntries, Push},
        },
    },
};

pub(crate) struct CommonGroundDeployment;

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
