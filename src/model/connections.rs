//! Which connections there are, and through which of them a call goes.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    catalog::Catalog,
    connection::{Connection, RequestVariables},
    tool::Tool,
};

/// What answers where connections lead, by their names: the name of each and what it answers for, a
/// consumer its filter, a prompt template the word `prompt`, a server's tool its text.
pub type Listeners = BTreeMap<String, Arc<[(String, String)]>>;

/// The connections of a workspace. What is chosen counts for every tool, then what a tool has of
/// its own, then the usual one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connections {
    /// In the order written; `embedded` is always among them.
    pub known: Vec<Connection>,
    /// The name of the workspace's own; it is among `known`.
    pub usual: String,
    /// The tools that have one of their own, by key or name, and what that is called; it is among
    /// `known`.
    pub of_tools: BTreeMap<String, String>,
    /// The name of the one that was chosen by a flag or on the screen.
    pub chosen: Option<String>,
    /// What `{{var.NAME}}` is in requests over all of them; each has these among its own.
    pub variables: RequestVariables,
}

impl Default for Connections {
    fn default() -> Self {
        let embedded = Connection::embedded();
        Self {
            usual: embedded.name.clone(),
            known: vec![embedded],
            of_tools: BTreeMap::new(),
            chosen: None,
            variables: RequestVariables::new(),
        }
    }
}

impl Connections {
    #[must_use]
    pub fn find_by_name(&self, name: &str) -> Option<&Connection> {
        self.known.iter().find(|connection| connection.name == name)
    }

    /// The one for all that is no tool's own: the chosen one, else the usual one.
    #[must_use]
    pub fn current(&self) -> Connection {
        let name = self.chosen.as_ref().unwrap_or(&self.usual);
        self.find_by_name(name)
            .or_else(|| self.find_by_name(&self.usual))
            .cloned()
            .unwrap_or_else(Connection::embedded)
    }

    /// The one that a tool's calls go through.
    #[must_use]
    pub fn for_tool(&self, tool: &Tool) -> Connection {
        let own = self.assigned_name(tool).filter(|_| self.chosen.is_none());
        own.and_then(|name| self.find_by_name(name)).cloned().unwrap_or_else(|| self.current())
    }

    /// The name of the one that the workspace gives to this tool, whatever is chosen: one that
    /// names the tool, or one of the tool's system that has the name of what answers for the tool.
    #[must_use]
    pub fn assigned_name(&self, tool: &Tool) -> Option<&str> {
        let named = || self.of_tools.get(&tool.entry.key).or_else(|| self.of_tools.get(&tool.name));
        let of_service = || {
            let connection = self.find_by_name(tool.service.as_deref()?)?;
            connection.settings.contains_key(tool.entry.system).then_some(&connection.name)
        };
        named().or_else(of_service).map(String::as_str)
    }

    /// The name of the one that a tool's calls go through where none is chosen.
    #[must_use]
    pub fn own_name(&self, tool: &Tool) -> &str {
        self.assigned_name(tool).unwrap_or(&self.usual)
    }

    /// The tool of that key or name which the workspace gives to that connection: servers may have
    /// tools of one name.
    #[must_use]
    pub fn tool_of<'c>(
        &self,
        connection: &str,
        word: &str,
        catalog: &'c Catalog,
    ) -> Option<&'c Tool> {
        let is_called = |tool: &&Tool| tool.entry.key == word || tool.name == word;
        let mut called = catalog.tools.iter().map(AsRef::as_ref).filter(is_called);
        called.find(|tool| self.assigned_name(tool) == Some(connection))
    }

    /// Adds a connection; one of that name is replaced, so that a workspace can say what `embedded`
    /// means for it.
    pub fn insert(&mut self, new: Connection) {
        match self.known.iter_mut().find(|known| known.name == new.name) {
            Some(known) => *known = new,
            None => self.known.push(new),
        }
    }

    /// Gives variables to the requests over every connection that has no own ones of their names.
    pub fn share_variables(&mut self, variables: RequestVariables) {
        for known in &mut self.known {
            for (name, variable) in &variables {
                known.variables.entry(name.clone()).or_insert_with(|| variable.clone());
            }
        }
        self.variables.extend(variables);
    }

    /// The names of all variables that requests over any connection may have.
    pub fn variable_names(&self) -> impl Iterator<Item = &str> {
        let own = self.known.iter().flat_map(|known| known.variables.keys());
        own.chain(self.variables.keys()).map(String::as_str)
    }

    /// Gives variables to the requests over every connection, in the place of all others of their
    /// names.
    pub fn override_variables(&mut self, variables: &RequestVariables) {
        let all = self.known.iter_mut().map(|known| &mut known.variables);
        all.chain([&mut self.variables]).for_each(|own| own.extend(variables.clone()));
    }

    /// Lets every call go through this one from now on.
    pub fn choose(&mut self, connection: Connection) {
        self.chosen = Some(connection.name.clone());
        self.insert(connection);
    }
}
