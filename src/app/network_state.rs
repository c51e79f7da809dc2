//! What the application knows of its connections.

use std::collections::{BTreeMap, HashMap};

use super::{
    connection_test::ConnectionTests, deployed::DeployedTools, message::Condition,
    resources::Resources,
};
use crate::{
    model::{
        connection::Connection,
        connections::{Connections, Listeners},
        server_item::ServerItem,
        settings::TokenPrice,
    },
    systems::table,
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
    /// Connections that are looked at.
    pub tests: ConnectionTests,
    /// What their servers have to read, as it is looked at.
    pub resources: Resources,
    /// Tools of a running system, as last listed.
    pub deployed: Option<DeployedTools>,
    /// The way that calls take where a system has several; `None`: the first that is open.
    pub route: Option<String>,
    /// The connection whose calls are made in the name of a new agent, although it names one.
    pub new_agent: Option<String>,
}

impl NetworkState {
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
