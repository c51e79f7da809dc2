//! The tools that a proxy has now, as the catalog of a running system.

use serde_json::Value;

use super::{calls::WANTED, keys, settings};
use crate::{
    model::{
        catalog::Catalog,
        connection::Connection,
        entry::Entry,
        problem::{Problem, ProblemKind},
    },
    systems::deployed::{
        deployment::{Deployment, Layout, NotDeployed},
        item::Item,
        push::{AbsentEntries, Push},
    },
};

pub struct ProxyDeployment;

/// A tool of a proxy, as [`super::openapi`] reads it.
#[must_use]
pub fn new_item(entry: &Value) -> Item {
    Item {
        system: keys::SYSTEM,
        section: keys::SYSTEM,
        key: entry.get(keys::NAME).and_then(Value::as_str).unwrap_or_default().to_owned(),
        text: entry.to_string(),
    }
}

impl Deployment for ProxyDeployment {
    fn about(&self) -> &'static str {
        "Engines and crawlers of Unique's search proxy, each as a tool"
    }

    fn is_at(&self, connection: &Connection) -> bool {
        settings::SETTINGS.is_on(connection)
    }

    fn elsewhere(&self) -> NotDeployed {
        NotDeployed { cause: "and to no search proxy", wanted: WANTED }
    }

    fn plan_push(&self, _: &Catalog, _: &[Item], _: AbsentEntries) -> Result<Push, Problem> {
        let cause = "a proxy brings its own engines";
        Err(Problem::new(ProblemKind::Input, "pushing", cause)
            .with_remedy("configure them where the proxy runs"))
    }

    fn is_named(&self, entry: &Entry, item: &Item) -> bool {
        entry.system == keys::SYSTEM && entry.key == item.key
    }

    fn layout(&self) -> Layout {
        Layout::Each(keys::SYSTEM)
    }

    /// What the entry's author wrote stays; what the proxy takes is as it says now.
    fn imported_value(&self, entry: &Entry, there: Value) -> Value {
        let mut value = (*entry.value).clone();
        if let Some(schema) = there.get(keys::REQUEST_SCHEMA) {
            value[keys::REQUEST_SCHEMA] = schema.clone();
        }
        value
    }

    fn callable_document(&self, items: &[Item]) -> Value {
        items.iter().filter_map(Item::parse_value).collect()
    }

    fn loaded_message(&self, tools: usize) -> String {
        format!("the proxy has {tools} {}", if tools == 1 { "engine" } else { "engines" })
    }
}
