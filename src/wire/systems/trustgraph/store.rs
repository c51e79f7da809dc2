//! Reading and writing the configuration of a running TrustGraph, through its gateway.

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::ask::request_text;
use crate::{
    model::{
        connection::{Connection, ConnectionState},
        problem::{Problem, ProblemKind},
    },
    systems::{
        deployed::{item::Item, push::Push},
        trustgraph::{
            deployed::{item, push},
            keys, settings,
        },
    },
    wire::{
        connector::Connector,
        systems::facets::store::{DeployedStore, Listeners},
    },
};

const WRITING: &str = "writing TrustGraph's configuration";

/// How long a lost connection may take to come back and be read.
const RETURNING: Duration = Duration::from_secs(10);

pub(crate) struct TrustGraphStore;

impl DeployedStore for TrustGraphStore {
    fn read_items<'a>(
        &self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Vec<Item>, Problem>> {
        Box::pin(read_items(connector, connection))
    }

    /// The prompt templates.
    fn read_listeners<'a>(
        &self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Option<Listeners>, Problem>> {
        Box::pin(async move {
            let doing = "reading TrustGraph's prompt templates";
            let names = item::template_names(
                &request_config(connector, connection, item::list_body(keys::PROMPT), doing)
                    .await?,
            );
            Ok(names.map(|names| {
                names.into_iter().map(|name| (name, keys::PROMPT.to_owned())).collect()
            }))
        })
    }

    fn apply_push<'a>(
        &self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
        push: &'a Push,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(apply_push(connector, connection, push))
    }
}

async fn request_config(
    connector: &dyn Connector,
    connection: &Connection,
    body: Map<String, Value>,
    doing: &str,
) -> Result<String, Problem> {
    let correlation = uuid::Uuid::new_v4().to_string();
    request_text(connector, connection, item::config_request(body, &correlation, connection), doing)
        .await
}

/// Everything that agents use there: tools, services and MCP servers.
///
/// # Errors
/// When the connection leads to no gateway, or something cannot be read.
pub(crate) async fn read_items(
    connector: &dyn Connector,
    connection: &Connection,
) -> Result<Vec<Item>, Problem> {
    let doing = "reading TrustGraph's configuration";
    if !settings::is_gateway(connection.transport()) {
        let cause = connection.leads_elsewhere("a gateway");
        let remedy =
            "name TrustGraph's gateway: --connection https://HOST:8888, or one from toolcrib.toml";
        return Err(Problem::new(ProblemKind::Input, doing, cause).with_remedy(remedy));
    }
    let mut items = Vec::new();
    for section in push::sections() {
        let answer =
            request_config(connector, connection, item::get_values_body(section), doing).await?;
        items.extend(item::read_items(section, &answer)?);
    }
    Ok(items)
}

/// Makes a push, and reads back whether everything is there: the gateway answers to an error as to
/// a success.
///
/// # Errors
/// When something could not be written, or is not there afterwards.
async fn apply_push(
    connector: &dyn Connector,
    connection: &Connection,
    push: &Push,
) -> Result<(), Problem> {
    let bodies = push::write_bodies(push);
    for (confirmed, body) in bodies.iter().enumerate() {
        if let Err(problem) = request_config(connector, connection, body.clone(), WRITING).await {
            return Err(partial_push(
                connector,
                connection,
                push,
                &push::lost_connection_report(&bodies, confirmed),
                problem,
            )
            .await);
        }
    }
    let unmet = match read_items(connector, connection).await {
        Ok(items) => push.unmet_changes(&items),
        Err(problem) => {
            return Err(partial_push(
                connector,
                connection,
                push,
                &push::lost_connection_report(&bodies, bodies.len()),
                problem,
            )
            .await);
        }
    };
    if unmet.is_empty() {
        return Ok(());
    }
    let remedy = "the gateway reported no error; look into the log of the configuration service, and push again";
    Err(Problem::new(ProblemKind::Service, WRITING, unmet.join("; ")).with_remedy(remedy))
}

/// The problem with what is there now: read back where that is possible, else what is known of each
/// request.
async fn partial_push(
    connector: &dyn Connector,
    connection: &Connection,
    push: &Push,
    unread: &str,
    problem: Problem,
) -> Problem {
    let mut states = connector.connection_states();
    let again = async {
        let back = states
            .wait_for(|states| states.get(&connection.name) == Some(&ConnectionState::Connected));
        back.await.ok().map(drop)?;
        read_items(connector, connection).await.ok()
    };
    let now = match timeout(RETURNING, again).await {
        Ok(Some(items)) => format!("read again since: {}", push.progress(&items)),
        _ => format!("can't read the current state; {unread}"),
    };
    let remedy = "`toolcrib push trustgraph --dry-run` shows what is still to be written; push again to complete it";
    Problem { cause: format!("{}; {now}", problem.cause), ..problem }.with_remedy(remedy)
}
