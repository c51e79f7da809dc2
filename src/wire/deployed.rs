//! Reading and writing the entries of running systems, one row for each that can be.

pub mod ask;
pub mod commonground;
pub mod store;
pub mod trustgraph;

use store::{DeployedStore, Listeners};

use super::registry::Registry;
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

const STORES: &[&dyn DeployedStore] = &[&trustgraph::TrustGraphStore, &commonground::CommonGroundStore];

fn store(system: &str) -> Option<&'static dyn DeployedStore> {
    STORES.iter().copied().find(|keeper| keeper.system() == system)
}

/// Everything that agents use in the system that a connection leads to.
///
/// # Errors
/// When it leads to none of them, or something cannot be read.
pub async fn read(registry: &Registry, connection: &Connection) -> Result<Vec<Item>, Problem> {
    match table::deployment_at(connection).and_then(|(system, _)| store(system.id())) {
        Some(keeper) => keeper.read(registry, connection).await,
        None => Err(nowhere(connection)),
    }
}

/// Makes a push, and reads back whether everything is there.
///
/// # Errors
/// When something could not be written, or is not there afterwards.
pub async fn write(registry: &Registry, connection: &Connection, push: &Push) -> Result<(), Problem> {
    match store(push.system) {
        Some(keeper) => keeper.write(registry, connection, push).await,
        None => Err(nowhere(connection)),
    }
}

/// Who takes what is sent to the tools' services where a connection leads; `None` where that cannot be asked.
///
/// # Errors
/// When nobody answers there.
pub async fn listeners(registry: &Registry, connection: &Connection) -> Result<Option<Listeners>, Problem> {
    match table::deployment_at(connection).and_then(|(system, _)| store(system.id())) {
        Some(keeper) => keeper.listeners(registry, connection).await,
        None => Ok(None),
    }
}

fn nowhere(connection: &Connection) -> Problem {
    let leads = format!("connection \"{}\" leads to {}", connection.name, connection.transport().title());
    let cause = format!("{leads}, and to no system whose tools can be read there");
    Problem::new(ProblemKind::Input, "reading what is deployed", cause).remedy(table::wanted_deployments())
}
