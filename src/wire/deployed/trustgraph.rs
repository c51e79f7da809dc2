//! Reading and writing the configuration of a running TrustGraph, through its gateway.

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::{ask::ask, keeper::Keeper};
use crate::{
    model::{
        connection::Connection,
        entry::SystemId,
        problem::{Problem, ProblemKind},
    },
    systems::{
        deployed::{item::Item, push::Push},
        trustgraph::{
            deployed::{item, push},
            keys,
        },
    },
    wire::registry::Registry,
};

pub struct TrustGraphKeeper;

impl Keeper for TrustGraphKeeper {
    fn system(&self) -> SystemId {
        keys::SYSTEM
    }

    fn read<'a>(&self, registry: &'a Registry, connection: &'a Connection) -> BoxFuture<'a, Result<Vec<Item>, Problem>> {
        Box::pin(read(registry, connection))
    }

    fn write<'a>(
        &self,
        registry: &'a Registry,
        connection: &'a Connection,
        push: &'a Push,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(write(registry, connection, push))
    }
}

async fn configure(
    registry: &Registry,
    connection: &Connection,
    body: Map<String, Value>,
    doing: &str,
) -> Result<String, Problem> {
    let correlation = uuid::Uuid::new_v4().to_string();
    ask(registry, connection, item::request(body, &correlation, connection), doing).await
}

/// Everything that agents use there: tools, services and MCP servers.
///
/// # Errors
/// When the connection leads to no gateway, or something cannot be read.
async fn read(registry: &Registry, connection: &Connection) -> Result<Vec<Item>, Problem> {
    let doing = "reading TrustGraph's configuration";
    if !connection.transport.is_gateway() {
        let cause = format!("connection \"{}\" leads to {}, not to a gateway", connection.name, connection.transport.title());
        let remedy = "name TrustGraph's gateway: --connection https://HOST:8888, or one from toolcrib.toml";
        return Err(Problem::new(ProblemKind::Input, doing, cause).remedy(remedy));
    }
    let mut items = Vec::new();
    for section in push::sections() {
        let answer = configure(registry, connection, item::asking(section), doing).await?;
        items.extend(item::read(section, &answer)?);
    }
    Ok(items)
}

/// Makes a push, and reads back whether everything is there: the gateway answers to an error as to a success.
///
/// # Errors
/// When something could not be written, or is not there afterwards.
async fn write(registry: &Registry, connection: &Connection, push: &Push) -> Result<(), Problem> {
    let doing = "writing TrustGraph's configuration";
    for body in push::writes(push) {
        configure(registry, connection, body, doing).await?;
    }
    let unmet = push.unmet(&read(registry, connection).await?);
    if unmet.is_empty() {
        return Ok(());
    }
    let remedy = "the gateway told no error; look into the log of the configuration service, and push again";
    Err(Problem::new(ProblemKind::Service, doing, unmet.join("; ")).remedy(remedy))
}
