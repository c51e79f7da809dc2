//! Reading and writing the tools of a running CommonGround project, through its management API. It
//! takes them one by one; what it refuses is said in the end, and the rest is written.

use futures::future::BoxFuture;

use super::{api::error_for_status, cause};
use crate::{
    model::{
        call::CallError,
        connection::Connection,
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
    },
    systems::{
        commonground::{
            deployed::rows,
            routes::{self, path_part},
            settings::Channel,
        },
        deployed::{
            item::Item,
            push::{Change, Push},
        },
    },
    wire::{
        connector::Connector,
        management::Management,
        systems::facets::store::{DeployedStore, Listeners},
    },
};

/// How many tools a page of the list has at most.
const PAGE: usize = 200;

const READING: &str = "reading CommonGround's tools";
const LISTENING: &str = "asking who listens";
const WRITING: &str = "writing CommonGround's tools";

pub(crate) struct CommonGroundStore;

impl DeployedStore for CommonGroundStore {
    fn read_items<'a>(
        &self,
        _: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Vec<Item>, Problem>> {
        Box::pin(async move { Project::connect(connection, READING).await?.read_items().await })
    }

    fn read_listeners<'a>(
        &self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Option<Listeners>, Problem>> {
        Box::pin(async move {
            let bus = connector
                .open_bus(connection)
                .await
                .map_err(|problem| problem.while_doing(LISTENING))?;
            let Some(streams) = bus.jetstream_context() else { return Ok(None) };
            Ok(cause::command_listeners(&streams).await.map(|all| cause::listener_filters(&all)))
        })
    }

    fn apply_push<'a>(
        &self,
        _: &'a dyn Connector,
        connection: &'a Connection,
        push: &'a Push,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let project = Project::connect(connection, WRITING).await?;
            project.apply_changes(&push.changes).await?;
            let unmet = push.unmet_changes(&project.read_items().await?);
            if unmet.is_empty() {
                return Ok(());
            }
            let remedy = "the API reads what is sent as YAML 1.1, where a number like 1e3 is a text: write it another way";
            Err(Problem::new(ProblemKind::Service, WRITING, unmet.join("; ")).with_remedy(remedy))
        })
    }
}

struct Project {
    api: Management,
    path: String,
}

impl Project {
    async fn connect(connection: &Connection, doing: &str) -> Result<Self, Problem> {
        let refused = |cause: String| {
            let remedy = format!(
                "add api = \"http://HOST:PORT\" to [connections.{}.commonground]",
                connection.name
            );
            Problem::new(ProblemKind::Input, doing, cause).with_remedy(remedy)
        };
        let Some(channel) = Channel::from_connection(connection) else {
            return Err(refused(format!(
                "connection \"{}\" names no project of CommonGround",
                connection.name
            )));
        };
        let Some(api) = &channel.api else {
            return Err(refused(format!(
                "connection \"{}\" names no management API",
                connection.name
            )));
        };
        let api = Management::for_address(connection, api)
            .await
            .map_err(|problem| problem.while_doing(doing))?;
        Ok(Self { api, path: format!("/projects/{}/tools", path_part(&channel.project)) })
    }

    /// Every tool of the project. The API leaves its internal ones out after it has cut the pages,
    /// so only an empty page is the last.
    async fn read_items(&self) -> Result<Vec<Item>, Problem> {
        let mut items = Vec::new();
        for page in 0.. {
            let path = format!("{}?limit={PAGE}&offset={}", self.path, page * PAGE);
            let answer = self
                .api
                .get(&path)
                .await
                .and_then(error_for_status)
                .map_err(|problem| problem.while_doing(READING))?;
            let there = rows::read_items(&answer.json());
            if there.is_empty() {
                break;
            }
            items.extend(there);
        }
        Ok(items)
    }

    /// Makes all changes that can be made: what the API refuses keeps nothing else back.
    async fn apply_changes(&self, changes: &[Change]) -> Result<(), Problem> {
        let (mut refused, mut first) = (Vec::new(), None);
        for (done, change) in changes.iter().enumerate() {
            let Err(problem) = self.apply_change(change).await else { continue };
            if problem.kind == ErrorKind::NoServer || problem.kind == ErrorKind::ConnectionLost {
                return Err(partial_push(problem, change, &changes[..done], &changes[done + 1..]));
            }
            refused.push(format!("{}: {}", change.key, problem.message));
            first.get_or_insert(problem.remedy);
        }
        let Some(remedy) = first else { return Ok(()) };
        let rest = match changes.len() - refused.len() {
            0 => String::new(),
            rest => format!("; written: {rest} of {}", changes.len()),
        };
        Err(Problem::new(ProblemKind::Service, WRITING, format!("{}{rest}", refused.join("; ")))
            .with_remedy(remedy))
    }

    async fn apply_change(&self, change: &Change) -> Result<(), CallError> {
        let key = &change.key;
        let answer = match &change.after {
            Some(text) => self.api.upload_file(&self.path, "tool.json", text).await,
            None if !routes::is_addressable(key) => return Err(unaddressable_name(key)),
            None => self.api.delete(&format!("{}/{}", self.path, path_part(key))).await,
        };
        answer.and_then(error_for_status).map(drop)
    }
}

/// No address of the API leads to a tool of that name.
fn unaddressable_name(key: &str) -> CallError {
    CallError {
        kind: ErrorKind::BadName,
        message:
            "it cannot be deleted through the API: a tool's name is part of the address, and this \
             one has a \"/\", or is only dots"
                .into(),
        remedy: format!(
            "delete its row in PostgreSQL: delete from resource.tools where project_id = '…' and tool_name = '{}'",
            key.replace('\'', "''")
        ),
    }
}

/// There is no taking back: it says what is done and what is not.
fn partial_push(problem: CallError, at: &Change, done: &[Change], left: &[Change]) -> Problem {
    let named = |changes: &[Change]| {
        changes.iter().map(|change| change.key.as_str()).collect::<Vec<_>>().join(", ")
    };
    let done = if done.is_empty() {
        "nothing was written before it".to_owned()
    } else {
        format!("written before it: {}", named(done))
    };
    let left =
        if left.is_empty() { String::new() } else { format!("; not written: {}", named(left)) };
    let told = problem.while_doing(WRITING);
    Problem { cause: format!("{}: {} ({done}{left})", at.key, told.cause), ..told }
}
