//! `toolcrib mcp adopt`: a server's tools as tools of a system that can call them.

use clap::Args;
use serde_json::Value;

use crate::{
    cli::taking::Taking,
    model::problem::{Problem, ProblemKind},
    systems::{deployed::item::Item, facets::remote_tools::RemoteServer, table},
};

#[derive(Args, Debug)]
pub(super) struct Adopt {
    /// The connection, by its name in toolcrib.toml
    pub name: String,

    /// The tools, by their names at the server; by default all
    tools: Vec<String>,

    #[command(flatten)]
    pub taking: Taking,
}

impl Adopt {
    /// The entries for those of a server's tools that are meant; the server is reached at `url`.
    pub fn choose_items(&self, url: Option<&str>, all: &[Value]) -> Result<Vec<Item>, Problem> {
        let refused =
            |cause: String| Problem::new(ProblemKind::Input, "adopting tools of a server", cause);
        let system = table::remote_tools()
            .ok_or_else(|| refused("no system here calls tools of MCP servers".to_owned()))?;
        let tools = self.choose_tools(all).map_err(refused)?;
        let server = RemoteServer { name: &self.name, url, tools: &tools };
        system.adopt_tools(&server).map_err(refused)
    }

    /// The tools that are named, as the server has them.
    fn choose_tools(&self, all: &[Value]) -> Result<Vec<Value>, String> {
        if self.tools.is_empty() {
            return Ok(all.to_vec());
        }
        let named = |name: &String| {
            let is_it = |tool: &&Value| tool.get("name").and_then(Value::as_str) == Some(name);
            let found = all.iter().find(is_it).cloned();
            found.ok_or_else(|| format!("{} has no tool \"{name}\"", self.name))
        };
        self.tools.iter().map(named).collect()
    }
}
