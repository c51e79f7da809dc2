//! What it takes to read and write a running system's entries.

use futures::future::BoxFuture;

use crate::{
    model::{connection::Connection, problem::Problem},
    systems::deployed::{item::Item, push::Push},
    wire::connector::Connector,
};

/// Consumers, each by its name and a filter that it takes messages by; or what else calls need
/// there, by its name and its kind; or a server's tools, by their names and texts.
pub(crate) type Listeners = Vec<(String, String)>;

pub trait DeployedStore: Sync {
    /// Everything that agents use there.
    fn read_items<'a>(
        &self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Vec<Item>, Problem>>;

    /// The instructions for models there, beside the items; `None` where there can be none.
    fn read_said<'a>(
        &'a self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Option<Item>, Problem>> {
        let _ = (connector, connection);
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Makes a push, and reads back whether everything is there.
    fn apply_push<'a>(
        &self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
        push: &'a Push,
    ) -> BoxFuture<'a, Result<(), Problem>>;

    /// Who takes what is sent to the tools' services: the name of each and what it listens on;
    /// `None` where that cannot be asked.
    fn read_listeners<'a>(
        &self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Option<Listeners>, Problem>> {
        let _ = (connector, connection);
        Box::pin(std::future::ready(Ok(None)))
    }
}
