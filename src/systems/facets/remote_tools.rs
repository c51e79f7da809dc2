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

/// Makes tools of a server its own.
pub trait RemoteTools: Sync {
    /// The entries by which the system calls these tools: a server and a tool for each, with the
    /// server's description and arguments.
    ///
    /// # Errors
    /// When the system cannot reach such a server.
    fn adopt_tools(&self, server: &RemoteServer<'_>) -> Result<Vec<Item>, String>;

    /// Whether entries of the catalog call tools of the server that a connection leads to.
    fn calls_server(&self, catalog: &Catalog, connection: &Connection) -> bool;
}
