//! What the application knows of its connections.

use std::collections::{BTreeMap, HashMap};

use super::{
    connection_test::ConnectionTests,
    deployed::{DeployedListings, DeployedTools, Progress},
    message::Condition,
    resources::Resources,
};
use crate::{
    model::{
        catalog::Catalog,
        connection::Connection,
        connections::{Connections, Listeners},
        entry::EntryId,
        server_item::ServerItem,
        settings::TokenPrice,
        tool::Tool,
    },
    systems::{calling, table},
};

/// Connections: which there are, which are used, and what is known of where they lead.
#[derive(Debug)]
pub struct NetworkState {
    pub connections: Connections,
    /// What models' tokens cost, by the models' names.
    pub prices: BTreeMap<String, TokenPrice>,
    /// How the connections are that were used, by name.
    pub conditions: HashMap<String, Condition>,
    /// Who listens where connections lead, as far as that was asked.
    pub listeners: Listeners,
    /// Secrets can't be kept on this system, as far as that was asked.
    pub lacks_key_store: bool,
    /// Connections that are looked at.
    pub tests: ConnectionTests,
    /// What their servers have to read, as it is looked at.
    pub resources: Resources,
    /// Tools of running systems, as last listed.
    pub deployed: DeployedListings,
    /// The routes that were chosen, by tool; of others calls take the first that is open.
    pub routes: HashMap<EntryId, String>,
    /// The connection whose calls are made in the name of a new agent, although it names one.
    pub new_agent: Option<String>,
}

impl NetworkState {
    /// These connections, of which nothing is known yet.
    #[must_use]
    pub fn new(connections: Connections) -> Self {
        Self {
            connections,
            prices: BTreeMap::new(),
            conditions: HashMap::new(),
            listeners: Listeners::new(),
            lacks_key_store: false,
            tests: ConnectionTests::default(),
            resources: Resources::default(),
            deployed: DeployedListings::default(),
            routes: HashMap::new(),
            new_agent: None,
        }
    }

    /// The route that was chosen for calls of a tool.
    #[must_use]
    pub fn route_of(&self, tool: &EntryId) -> Option<&str> {
        self.routes.get(tool).map(String::as_str)
    }

    /// The same over a connection, unless the tool's calls no longer have that route.
    #[must_use]
    pub fn route_over(&self, tool: &Tool, connection: &Connection) -> Option<&str> {
        let offers = calling::call_routes(tool, connection);
        self.route_of(tool.id()).filter(|route| offers.iter().any(|offer| offer.id == *route))
    }

    /// Chooses the route for calls of a tool; `None`: the first that is open.
    pub fn choose_route(&mut self, tool: EntryId, route: Option<String>) {
        match route {
            Some(route) => drop(self.routes.insert(tool, route)),
            None => drop(self.routes.remove(&tool)),
        }
    }

    /// The connection for all that is no tool's own call. One that names no system leads to that
    /// of these tools, where they have one in common.
    #[must_use]
    pub fn current_connection(&self, tools: &Catalog) -> Connection {
        table::claim_connection(self.connections.current(), tools)
    }

    /// The connection of that name, by the same rule.
    #[must_use]
    pub fn connection_named(&self, name: &str, tools: &Catalog) -> Option<Connection> {
        let known = self.connections.find_by_name(name).cloned();
        known.map(|known| table::claim_connection(known, tools))
    }

    /// What is listed of running systems beside these tools: that of the connection for all first,
    /// then those of servers, whose tools are theirs alone. What was listed before a connection
    /// changed is not among it.
    pub fn deployed_lists(&self, tools: &Catalog) -> impl Iterator<Item = &DeployedTools> {
        // Most often there are none: to find the connection takes all tools.
        if self.deployed.iter().next().is_none() {
            return Vec::new().into_iter();
        }
        let current = self.current_connection(tools);
        let (mut lists, others): (Vec<_>, Vec<_>) =
            self.deployed.iter().partition(|list| list.connection.name == current.name);
        lists.retain(|list| list.connection.leads_as(&current));
        let of_servers =
            others.into_iter().filter(|list| table::kept_tools_at(&list.connection).is_some());
        lists.extend(of_servers.filter(|list| {
            let now = self.connection_named(&list.connection.name, tools);
            now.is_some_and(|now| now.leads_as(&list.connection))
        }));
        lists.into_iter()
    }

    /// The servers whose tools are neither listed nor among these tools; one whose listing failed
    /// is none of them.
    pub fn unlisted_servers<'s>(&'s self, tools: &'s Catalog) -> impl Iterator<Item = &'s str> {
        let is_listed =
            |name: &str| self.deployed_lists(tools).any(|list| list.connection.name == name);
        let has_saved = |name: &str| {
            tools.tools.iter().any(|tool| self.connections.assigned_name(tool) == Some(name))
        };
        let known = self.connections.known.iter();
        let servers = known.filter(|known| table::kept_tools_at(known).is_some());
        servers.map(|known| &*known.name).filter(move |name| !is_listed(name) && !has_saved(name))
    }

    /// The system whose tools were asked for last, where listing them failed.
    #[must_use]
    pub fn failed_listing(&self, tools: &Catalog) -> Option<&str> {
        let last = self.deployed_lists(tools).max_by_key(|list| list.turn)?;
        matches!(last.progress, Progress::Failed(_)).then_some(&*last.connection.name)
    }

    /// What the server of a connection has to read: what it lists, then what links led to.
    #[must_use]
    pub fn readable_items(&self, connection: &str) -> Vec<&ServerItem> {
        let linked = self.resources.linked.get(connection).into_iter().flatten();
        self.tests.items_of(connection).iter().chain(linked).collect()
    }

    /// The connection whose resources and prompts are shown: the chosen one, that which calls use,
    /// or else the first that leads to such a server.
    #[must_use]
    pub fn resource_server(&self) -> Option<&Connection> {
        let has_some = |known: &&Connection| table::kept_tools_at(known).is_some();
        let named = |name: &str| self.connections.find_by_name(name).filter(has_some);
        let chosen = self.resources.connection.as_deref().and_then(named);
        let usual = || named(&self.connections.current().name);
        chosen.or_else(usual).or_else(|| self.connections.known.iter().find(has_some))
    }
}
