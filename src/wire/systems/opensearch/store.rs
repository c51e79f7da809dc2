//! Reading and writing the agents and connectors of a running cluster. It takes them one by one;
//! what it refuses is said in the end, and the rest is written.

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::rest::{Answer, send_request};
use crate::{
    model::{
        call::CallError,
        connection::Connection,
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
    },
    systems::{
        deployed::{item::Item, push::Push},
        opensearch::{
            connector::headers::named_variable,
            deployed::{
                items::{AGENTS, CONNECTORS, LISTED, MCP_TOOLS, MODELS, read_hits, read_tools},
                push::{comparable_push, write_request},
            },
            error_shapes::{is_failure, read_error},
            keys,
        },
    },
    wire::{
        connector::Connector,
        secrets::Secrets,
        systems::facets::store::DeployedStore,
        transport::{bus::Bus, message::Incoming},
    },
};

/// How many of a kind are read.
const MOST: usize = 10_000;
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

const READING: &str = "reading from OpenSearch";
const WRITING: &str = "writing to OpenSearch";

pub(crate) struct OpenSearchStore;

impl DeployedStore for OpenSearchStore {
    fn read_items<'a>(
        &self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Vec<Item>, Problem>> {
        Box::pin(async move {
            let bus = connector.open_bus(connection).await;
            let bus = bus.map_err(|problem| problem.while_doing(READING))?;
            read_cluster(&*bus).await.map_err(|problem| problem.while_doing(READING))
        })
    }

    fn apply_push<'a>(
        &self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
        push: &'a Push,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let told = |problem: CallError| problem.while_doing(WRITING);
            let bus = connector.open_bus(connection).await.map_err(told)?;
            let filled = fill_credentials(push, connection, connector.secrets())?;
            apply_changes(&*bus, &filled).await?;
            let (push, now) = comparable_push(push, &read_cluster(&*bus).await.map_err(told)?);
            let unmet = push.unmet_changes(&now);
            if unmet.is_empty() {
                return Ok(());
            }
            let remedy = "an update removes nothing there: delete the entry and push it again";
            Err(Problem::new(ProblemKind::Service, WRITING, unmet.join("; ")).with_remedy(remedy))
        })
    }
}

/// Everything that agents use there. What a cluster has switched off or does not know yet is not
/// there.
async fn read_cluster(bus: &dyn Bus) -> Result<Vec<Item>, CallError> {
    let mut items = Vec::new();
    let all = json!({"query": {"match_all": {}}, "size": MOST}).to_string();
    for (section, plural) in [(CONNECTORS, "connectors"), (AGENTS, "agents"), (MODELS, "models")] {
        let path = format!("{}/{plural}/_search", keys::ML);
        let answer = fetch(bus, ("POST", &path, Some(&all))).await?;
        // The index of a kind comes with its first record.
        if answer.status == 404 && answer.body.contains("index_not_found") {
            continue;
        }
        items.extend(read_hits(section, &checked(&answer)?));
    }
    let answer = fetch(bus, ("GET", &format!("{}/tools", keys::ML), None)).await?;
    items.extend(read_tools(LISTED, &checked(&answer)?));
    // Off unless somebody switched it on.
    let answer = fetch(bus, ("GET", &format!("{}/mcp/tools/_list", keys::ML), None)).await?;
    if !is_failure(answer.status) {
        items.extend(read_tools(MCP_TOOLS, &checked(&answer)?));
    }
    Ok(items)
}

/// The changes with what the environment holds in the place of the variables that connectors'
/// credentials name (`$NAME`), before anything is written.
fn fill_credentials(
    push: &Push,
    connection: &Connection,
    secrets: &Secrets,
) -> Result<Push, Problem> {
    let mut filled = push.clone();
    for change in filled.changes.iter_mut().filter(|change| change.section == CONNECTORS.word) {
        let Some(text) = &change.after else { continue };
        let Ok(mut value) = serde_json::from_str::<Value>(text) else { continue };
        let credential = value.get_mut(keys::CREDENTIAL).and_then(Value::as_object_mut);
        for (name, value) in credential.into_iter().flatten() {
            let Some(variable) = value.as_str().and_then(named_variable) else { continue };
            let told = |problem: CallError| problem.while_doing(WRITING);
            let secret = secrets.variable_for(connection, variable).map_err(told)?;
            let secret = secret.ok_or_else(|| {
                let cause = format!(
                    "connector/{}: the environment variable {variable} isn't set, and credential \
                    \"{name}\" needs it; nothing is written",
                    change.key
                );
                let remedy = format!("set {variable} in the environment");
                Problem::new(ProblemKind::Missing, WRITING, cause).with_remedy(remedy)
            })?;
            *value = secret.into();
        }
        change.after = Some(value.to_string());
    }
    Ok(filled)
}

/// Makes all changes that can be made: what the cluster refuses keeps nothing else back.
async fn apply_changes(bus: &dyn Bus, push: &Push) -> Result<(), Problem> {
    let (mut refused, mut first) = (Vec::new(), None);
    for (done, change) in push.changes.iter().enumerate() {
        let Some(request) = write_request(change) else { continue };
        let asked = (request.method, request.path.as_str(), request.body.as_deref());
        let written = match fetch(bus, asked).await {
            Ok(answer) => checked(&answer).map(drop),
            Err(problem) => {
                // The connection is gone: what comes after it would not arrive either.
                let named = |changes: &[crate::systems::deployed::push::Change]| {
                    changes.iter().map(|change| change.name()).collect::<Vec<_>>().join(", ")
                };
                let told = problem.while_doing(WRITING);
                let (before, after) = (named(&push.changes[..done]), named(&push.changes[done..]));
                let cause = format!(
                    "{}; written before: {}; not known to be written: {after}",
                    told.cause,
                    if before.is_empty() { "nothing" } else { before.as_str() }
                );
                return Err(Problem { cause, ..told });
            }
        };
        if let Err(problem) = written {
            refused.push(format!("{}: {}", change.name(), problem.message));
            first.get_or_insert(problem.remedy);
        }
    }
    let Some(remedy) = first else { return Ok(()) };
    let rest = match push.changes.len() - refused.len() {
        0 => String::new(),
        rest => format!("; written: {rest} of {}", push.changes.len()),
    };
    Err(Problem::new(ProblemKind::Service, WRITING, format!("{}{rest}", refused.join("; ")))
        .with_remedy(remedy))
}

fn checked(answer: &Answer) -> Result<Value, CallError> {
    if is_failure(answer.status) {
        return Err(read_error(answer.status, &answer.body));
    }
    serde_json::from_str(&answer.body).map_err(|_| {
        let message = "the cluster's answer is not JSON";
        CallError::new(ErrorKind::NotJson, message, "check that it is a cluster")
    })
}

async fn fetch(bus: &dyn Bus, asked: (&str, &str, Option<&str>)) -> Result<Answer, CallError> {
    let lost = || {
        let message = format!("{} ended before the answer", bus.display_address());
        CallError::new(ErrorKind::ConnectionLost, message, "try again")
    };
    let mut receiver = send_request(bus, asked).await?;
    match timeout(PATIENCE, receiver.next()).await {
        Ok(Some(Incoming::Packet(packet))) => Ok(Answer::from_packet(&packet)),
        Ok(Some(Incoming::Failed(problem))) => Err(problem),
        Ok(Some(_) | None) => Err(lost()),
        Err(_) => {
            let message = format!("no answer within {} s", PATIENCE.as_secs());
            Err(CallError::new(ErrorKind::TimedOutTotal, message, "check the cluster's load"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::systems::deployed::push::Change;

    #[test]
    fn credentials_are_taken_from_the_environment_and_hidden_from_then_on() {
        let after =
            json!({"name": "c", "credential": {"key": "$KEY", "plain": "a$b", "user": "me"}});
        let change = |section: &'static str| Change {
            section,
            key: "c".into(),
            before: None,
            after: Some(after.to_string()),
        };
        let changes = vec![change(CONNECTORS.word), change(AGENTS.word)];
        let push = Push { changes, ..Push::empty(keys::SYSTEM) };
        let hidden: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&hidden);
        let secrets = |value: Option<&'static str>| {
            let seen = Arc::clone(&seen);
            let is_key = move |name: &str| value.filter(|_| name == "KEY").map(str::to_owned);
            Secrets::new(Arc::new(is_key))
                .with_observer(Arc::new(move |secret| seen.lock().unwrap().push(secret.into())))
        };
        let here = Connection::http("search", "http://127.0.0.1:9200");
        let filled = fill_credentials(&push, &here, &secrets(Some("s3cret"))).unwrap();
        let credential = |row: usize| -> Value {
            let text = filled.changes[row].after.as_deref().unwrap();
            serde_json::from_str::<Value>(text).unwrap()[keys::CREDENTIAL].clone()
        };
        assert_eq!(credential(0), json!({"key": "s3cret", "plain": "a$b", "user": "me"}));
        assert_eq!(credential(1)["key"], "$KEY", "agents have no credential");
        assert_eq!(*hidden.lock().unwrap(), ["s3cret"]);

        let missing = fill_credentials(&push, &here, &secrets(None)).unwrap_err();
        assert!(missing.cause.contains("KEY isn't set"), "{}", missing.cause);
        assert_eq!(missing.remedy, "set KEY in the environment");

        let away = Connection::http("search", "https://search.example");
        let refused = fill_credentials(&push, &away, &secrets(Some("s3cret"))).unwrap_err();
        assert!(refused.remedy.contains("allow search --variable KEY"), "{}", refused.remedy);
    }
}
