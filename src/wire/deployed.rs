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

fn store_of(system: &str) -> Option<&'static dyn DeployedStore> {
    live::by_id(system)?.store()
}

/// The store of the system that a connection leads to.
fn store_at(connection: &Connection) -> Option<&'static dyn DeployedStore> {
    let (system, _) = table::deployment_at(connection)?;
    store_of(system.id())
}

/// Everything that agents use in the system that a connection leads to.
///
/// # Errors
/// When it leads to none of them, or something cannot be read.
pub async fn read_items(
    connector: &dyn Connector,
    connection: &Connection,
) -> Result<Vec<Item>, Problem> {
    match store_at(connection) {
        Some(store) => {
            let read = store.read_items(connector, connection).await;
            read.map_err(|problem| connector.secrets().hidden_in_problem(&problem))
        }
        None => Err(no_store(connection)),
    }
}

/// The same as it is locked: with the instructions for models beside the entries.
///
/// # Errors
/// As [`read_items`].
pub async fn read_locked_items(
    connector: &dyn Connector,
    connection: &Connection,
) -> Result<Vec<Item>, Problem> {
    let store = store_at(connection).ok_or_else(|| no_store(connection))?;
    let read = async {
        let mut items = store.read_items(connector, connection).await?;
        items.extend(store.read_said(connector, connection).await?);
        Ok(items)
    };
    read.await.map_err(|problem| connector.secrets().hidden_in_problem(&problem))
}

/// Makes a push, and reads back whether everything is there.
///
/// # Errors
/// When something could not be written, or is not there afterwards.
pub async fn apply_push(
    connector: &dyn Connector,
    connection: &Connection,
    push: &Push,
) -> Result<(), Problem> {
    match store_of(push.system) {
        Some(store) => {
            let applied = store.apply_push(connector, connection, push).await;
            applied.map_err(|problem| connector.secrets().hidden_in_problem(&problem))
        }
        None => Err(no_store(connection)),
    }
}

/// Who takes what is sent to the tools' services where a connection leads; `None` where that cannot
/// be asked.
///
/// # Errors
/// When nobody answers there.
pub(crate) async fn read_listeners(
    connector: &dyn Connector,
    connection: &Connection,
) -> Result<Option<Listeners>, Problem> {
    match store_at(connection) {
        Some(store) => {
            let read = store.read_listeners(connector, connection).await;
            read.map_err(|problem| connector.secrets().hidden_in_problem(&problem))
        }
        None => Ok(None),
    }
}

fn no_store(connection: &Connection) -> Problem {
    let leads =
        format!("connection \"{}\" leads to {}", connection.name, connection.transport().title());
    let cause = format!("{leads}, and to no system whose tools can be read there");
    Problem::new(ProblemKind::Input, "reading what is deployed", cause)
        .with_remedy(table::wanted_deployments())
}
