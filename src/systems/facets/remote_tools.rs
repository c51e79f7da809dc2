//! Tools of servers of another system, which a system can call as tools of its own.

use serde_json::Value;

use crate::{
    model::{catalog::Catalog, connection::Connection},
    systems::deployed::item::Item,
};

/// A server, and its tools as it lists them.
#[derive(Clone, Copy, Debug)]
pub struct RemoteServer<'s> {
    /// Its name in the workspace.
    pub name: &'s str,
    /// Where it is reached; `None` where it is started for each connection.
    pub url: Option<&'s str>,
    pub tools: &'s [Value],
}

/// An endpoint of a service on a bus, which says what its requests hold.
#[derive(Clone, Copy, Debug)]
pub struct BusEndpoint<'e> {
    pub name: &'e str,
    /// Where its requests go.
    pub subject: &'e str,
    pub description: &'e str,
    /// The JSON Schema of its requests.
    pub schema: &'e Value,
}

/// Makes tools of a server its own.
pub trait RemoteTools: Sync {
    /// The entries by which the system calls these tools: a server and a tool for each, with the
    /// server's description and arguments.
    ///
    /// # Errors
    /// When the system cannot reach such a server.
    fn adopt_tools(&self, server: &RemoteServer<'_>) -> Result<Vec<Item>, String>;

    /// The entries by which the system calls such an endpoint, and what is assumed of it in a
    /// sentence; `None` where it can't call one.
    fn adopt_endpoint(&self, endpoint: &BusEndpoint<'_>) -> Option<(Vec<Item>, String)> {
        let _ = endpoint;
        None
    }

    /// Whether entries of the catalog call tools of the server that a connection leads to.
    fn calls_server(&self, catalog: &Catalog, connection: &Connection) -> bool;
}
