//! Reading and writing the entries of running systems, whichever those are.

use super::{
    connector::Connector,
    systems::{
        facets::store::{DeployedStore, Listeners},
        table as live,
    },
};
use crate::{
    model::{
        connection::Connection,
        problem::{Problem, ProblemKind},
    },
    systems::{
        deployed::{item::Item, push::Push},
        table,
    },
};

fn store(system: &str) -> Option<&'static dyn DeployedStore> {
    live::by_id(system)?.store()
}

/// The store of the system that a connection leads to.
fn store_at(connection: &Connection) -> Option<&'static dyn DeployedStore> {
    let (system, _) = table::deployment_at(connection)?;
    store(system.id())
}

/// Everything that agents use in the system that a connection leads to.
///
/// # Errors
/// When it leads to none of them, or something cannot be read.
pub async fn read(
    connector: &dyn Connector,
    connection: &Connection,
) -> Result<Vec<Item>, Problem> {
    match store_at(connection) {
        Some(store) => store.read(connector, connection).await,
        None => Err(nowhere(connection)),
    }
}

/// Makes a push, and reads back whether everything is there.
///
/// # Errors
/// When something could not be written, or is not there afterwards.
pub async fn write(
    connector: &dyn Connector,
    connection: &Connection,
    push: &Push,
) -> Result<(), Problem> {
    match store(push.system) {
        Some(store) => store.write(connector, connection, push).await,
        None => Err(nowhere(connection)),
    }
}

/// Who takes what is sent to the tools' services where a connection leads; `None` where that cannot
/// be asked.
///
/// # Errors
/// When nobody answers there.
pub(crate) async fn listeners(
    connector: &dyn Connector,
    connection: &Connection,
) -> Result<Option<Listeners>, Problem> {
    match store_at(connection) {
        Some(store) => store.listeners(connector, connection).await,
        None => Ok(None),
    }
}

fn nowhere(connection: &Connection) -> Problem {
    let leads =
        format!("connection \"{}\" leads to {}", connection.name, connection.transport().title());
    let cause = format!("{leads}, and to no system whose tools can be read there");
    Problem::new(ProblemKind::Input, "reading what is deployed", cause)
        .remedy(table::wanted_deployments())
}
