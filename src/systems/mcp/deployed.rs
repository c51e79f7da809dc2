//! The tools that a server has now, as the catalog of a running system.

use serde_json::{Value, json};

use super::{calls::WANTED, drift, keys, settings};
use crate::{
    engine::drift::Change,
    model::{
        catalog::Catalog,
        connection::Connection,
        entry::Entry,
        problem::{Problem, ProblemKind},
    },
    systems::deployed::{
        deployment::{Deployment, Layout, NotDeployed},
        item::{Item, SAID},
        push::{AbsentEntries, Push},
    },
};

pub struct McpDeployment;

/// A tool of a server, its text as it came.
#[must_use]
pub fn item(server: &str, tool: &Value) -> Item {
    let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
    Item {
        system: keys::SYSTEM,
        section: keys::TOOLS,
        key: format!("{server}/{name}"),
        text: tool.to_string(),
    }
}

/// The instructions that a server has for models; empty where it has none.
#[must_use]
pub fn instructions_item(server: &str, instructions: &str) -> Item {
    Item {
        system: keys::SYSTEM,
        section: SAID,
        key: format!("{server}/instructions"),
        text: json!(instructions).to_string(),
    }
}

impl Deployment for McpDeployment {
    fn about(&self) -> &'static str {
        "Tools of an MCP server, as it lists them"
    }

    fn is_at(&self, connection: &Connection) -> bool {
        settings::is_at(connection)
    }

    fn elsewhere(&self) -> NotDeployed {
        let wanted = WANTED.strip_prefix("name ").unwrap_or(WANTED);
        NotDeployed { cause: "not to an MCP server", wanted }
    }

    fn read_only(&self) -> Option<&'static str> {
        Some("“keep tools…” on Connections saves an MCP server's tool list in the workspace")
    }

    fn plan_push(&self, _: &Catalog, _: &[Item], _: AbsentEntries) -> Result<Push, Problem> {
        let cause = "a server brings its own tools";
        Err(Problem::new(ProblemKind::Input, "pushing", cause)
            .with_remedy("change the server itself"))
    }

    fn is_named(&self, entry: &Entry, item: &Item) -> bool {
        entry.key == item.key
    }

    fn layout(&self) -> Layout {
        Layout::Each(keys::MCP)
    }

    fn compare_tools(&self, old: &Value, new: &Value) -> Option<Vec<Change>> {
        Some(drift::compare_tools(old, new))
    }

    /// A list of tools under each server's name.
    fn callable_document(&self, items: &[Item]) -> Value {
        let tools: Vec<Value> = items.iter().filter_map(Item::parse_value).collect();
        let server = items.first().and_then(|item| item.key.split_once('/'));
        json!({
            keys::SERVER: server.map(|(server, _)| server),
            keys::TOOLS: tools,
        })
    }

    fn loaded_message(&self, tools: usize) -> String {
        format!("the server has {tools} {}", if tools == 1 { "tool" } else { "tools" })
    }
}
