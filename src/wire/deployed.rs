//! Reading and writing the configuration of a running TrustGraph, through its gateway.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::registry::Registry;
use crate::{
    model::{
        call::{CallProblem, Event, EventKind, Limits, Outcome, Request},
        catalog::Catalog,
        connection::Connection,
        context::Mode,
        entry::FileId,
        problem::{Problem, ProblemKind},
    },
    syntax::source::{Format, Source},
    systems::{
        read as reading,
        trustgraph::deployed::{
            item::{self, Item},
            push::{self, Push},
        },
    },
};

/// Events on their way at most.
const QUEUE: usize = 64;

/// The whole answer to a request that is no call of a tool, as text.
///
/// # Errors
/// Whatever else the request came to.
pub async fn ask(registry: &Registry, connection: &Connection, request: Request, doing: &str) -> Result<String, Problem> {
    let (sender, mut events) = mpsc::channel::<Event>(QUEUE);
    let limits = Limits { linger: Duration::ZERO, ..Limits::default() };
    let collecting = async {
        let (mut text, mut end) = (String::new(), None);
        while let Some(event) = events.recv().await {
            match event.kind {
                EventKind::Chunk { text: piece, .. } => text.push_str(&piece),
                EventKind::End { outcome, problem } => end = Some((outcome, problem)),
                _ => {}
            }
        }
        (text, end)
    };
    let ((), (text, end)) = tokio::join!(registry.call(connection, request, limits, sender), collecting);
    match end {
        Some((Outcome::Succeeded, _)) => Ok(text),
        Some((outcome, problem)) => Err(told(doing, outcome, problem)),
        None => Err(told(doing, Outcome::Lost, None)),
    }
}

fn told(doing: &str, outcome: Outcome, problem: Option<CallProblem>) -> Problem {
    let kind = match outcome {
        Outcome::TimedOut => ProblemKind::TimedOut,
        Outcome::Failed => ProblemKind::Service,
        _ => ProblemKind::Unreachable,
    };
    match problem {
        Some(CallProblem { message, remedy, .. }) => Problem::new(kind, doing, message).remedy(remedy),
        None => Problem::new(kind, doing, format!("the request {}", outcome.word())),
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
pub async fn read(registry: &Registry, connection: &Connection) -> Result<Vec<Item>, Problem> {
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

/// What is there, as a catalog of its own by the rules of what runs.
#[must_use]
pub fn catalog(items: &[Item]) -> Catalog {
    let mut root = Map::new();
    for item in items {
        root.entry(item.section).or_insert_with(|| json!({}))[item.key.as_str()] = item.value().unwrap_or_default();
    }
    let source = Source::parse(Format::Json, Value::Object(root).to_string());
    let file = FileId::new("deployed.json");
    reading::catalog(source.iter().map(|source| (&file, source)), Mode::AsDeployed)
}

/// Makes a push, and reads back whether everything is there: the gateway answers to an error as to a success.
///
/// # Errors
/// When something could not be written, or is not there afterwards.
pub async fn write(registry: &Registry, connection: &Connection, push: &Push) -> Result<(), Problem> {
    let doing = "writing TrustGraph's configuration";
    for body in push.writes() {
        configure(registry, connection, body, doing).await?;
    }
    let unmet = push.unmet(&read(registry, connection).await?);
    if unmet.is_empty() {
        return Ok(());
    }
    let remedy = "the gateway told no error; look into the log of the configuration service, and push again";
    Err(Problem::new(ProblemKind::Service, doing, unmet.join("; ")).remedy(remedy))
}
