//! `toolcrib lock`: keeps what tools look like where they really are, in `toolcrib.lock`.

use std::{collections::BTreeMap, pin::pin};

use clap::Args;
use futures::{StreamExt as _, stream};
use serde_json::json;

use super::{
    ending::{CommandResult, Ending, StopReason},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    signals::{interrupted, wait_for, with_patience},
};
use crate::{
    model::{
        connection::Connection,
        entry::FileId,
        problem::{Problem, ProblemKind},
    },
    runtime::registry,
    schema::count::count_text,
    store::{
        files::{self, Expected, OutsideLinks, Stamp},
        secrets::used_mask,
    },
    systems::{
        deployed::{deployment::Deployment, item::Item},
        facets::kept_tools::count_words,
        lock::{LOCK, Lock, LockedEntries},
        table,
    },
    wire::deployed,
};

#[derive(Args, Debug)]
pub(crate) struct LockCommand {
    /// The connections to lock, by their names in toolcrib.toml; by default all that lead to a
    /// server or a running system
    #[arg(value_name = "CONNECTION")]
    names: Vec<String>,
}

impl LockCommand {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_connected(global, None, out)?;
        let file = LockFile::read(&opened)?;
        let mut lock = file.lock.clone().unwrap_or_default();
        let mut locked = Vec::new();
        let mut changed = Vec::new();
        let wanted = wanted_names(&self.names, global);
        let Reading { found, unread, is_interrupted } =
            Deployed::read_all(connections_to_lock(&opened, &wanted)?, out)?;
        // What was read by then is locked, if it is anything.
        if is_interrupted && found.is_empty() {
            return Ok(Ending::Interrupted);
        }
        // What the settings no longer have can't be compared with anything.
        let gone = match wanted.is_empty() {
            true => gone_connections(&opened, &lock),
            false => Vec::new(),
        };
        gone.iter().for_each(|name| drop(lock.connections.remove(name)));
        for there in found {
            let now = there.entries();
            let name = there.connection.name.clone();
            let changes = lock.connections.get(&name).map_or_else(Vec::new, |known| {
                known.compare(there.deployment, &there.items, &used_mask())
            });
            if changes.is_empty() {
                locked.push((name.clone(), now.made().count()));
                lock.connections.insert(name, now);
            } else {
                changed.push((name, changes));
            }
        }
        file.write(&opened, &lock)?;
        if global.json {
            out.print_json(&json!({
                "locked": locked.iter().map(|(name, count)| json!({"connection": name, "entries": count})).collect::<Vec<_>>(),
                "changed": changed.iter().map(|(name, _)| name).collect::<Vec<_>>(),
                "removed": gone,
                "unread": unread.iter().map(|unread| &unread.connection).collect::<Vec<_>>(),
            }))?;
        }
        for (name, count) in &locked {
            let words = format!("{name}: {} in {LOCK}", count_text(*count, "entry", "entries"));
            out.print_status(out.tint(Tint::Good, &words));
        }
        for name in &gone {
            out.print_status(format_args!(
                "{name}: not in toolcrib.toml any more, and removed from {LOCK}"
            ));
        }
        for (name, changes) in &changed {
            out.print_error(format_args!(
                "{name} has changed since it was locked, and stays as it was: {}; `toolcrib drift \
                 {name}` shows the changes, `toolcrib drift {name} --all` accepts them",
                count_words(changes)
            ));
        }
        Ok(match (unread.first(), changed.is_empty()) {
            _ if is_interrupted => Ending::Interrupted,
            (Some(unread), _) => Ending::from_problem(&unread.problem),
            (None, true) => Ending::Done,
            (None, false) => Ending::Found,
        })
    }
}

/// A connection that couldn't be read, which keeps nobody from the others.
pub(super) struct Unread {
    pub connection: String,
    pub problem: Problem,
}

/// What was read of several connections, each in their order.
pub(super) struct Reading {
    pub found: Vec<Deployed>,
    pub unread: Vec<Unread>,
    /// Some are missing because the user waited no longer.
    pub is_interrupted: bool,
}

/// So many connections are read at once.
const AT_ONCE: usize = 8;

/// What is where a connection leads.
pub(super) struct Deployed {
    pub connection: Connection,
    pub deployment: &'static dyn Deployment,
    system: &'static str,
    pub items: Vec<Item>,
}

impl Deployed {
    /// Connects, and reads everything there.
    async fn read(connection: Connection) -> Result<Self, Problem> {
        let Some((system, deployment)) = table::deployment_at(&connection) else {
            return Err(leads_nowhere(&connection.name));
        };
        let registry = registry::of_system();
        let reading = deployed::read_locked_items(&registry, &connection);
        let read = with_patience(&connection.name, reading).await;
        // The other side may hold a session for us.
        registry.close().await;
        Ok(Self { deployment, system: system.id(), items: read?, connection })
    }

    /// Reads where each of these leads, several at once, and says of each when it is done. A single
    /// one that can't be read is the command's own problem.
    pub fn read_all(
        connections: Vec<Connection>,
        out: &CommandOutput,
    ) -> Result<Reading, StopReason> {
        let count = connections.len();
        let mut found = BTreeMap::new();
        let mut unread = BTreeMap::new();
        let reading = connections.into_iter().enumerate().map(async |(row, connection)| {
            let name = connection.name.clone();
            (row, name, Self::read(connection).await)
        });
        let reading_all = async {
            let mut interrupt = pin!(interrupted());
            let mut reading = pin!(stream::iter(reading).buffer_unordered(AT_ONCE));
            loop {
                let read = tokio::select! {
                    biased;
                    () = &mut interrupt => return Ok(Ending::Interrupted),
                    read = reading.next() => read,
                };
                let Some((row, name, read)) = read else { return Ok(Ending::Done) };
                match read {
                    Ok(there) => {
                        let done = found.len() + unread.len() + 1;
                        if count > 1 {
                            out.print_status(format_args!("read {name} ({done} of {count})"));
                        }
                        found.insert(row, there);
                    }
                    Err(problem) if count > 1 => {
                        out.print_error(format_args!("{name} can't be read: {problem}"));
                        unread.insert(row, Unread { connection: name, problem });
                    }
                    Err(problem) => return Err(problem.into()),
                }
            }
        };
        let is_interrupted = wait_for("reading what is deployed", reading_all)? != Ending::Done;
        let (found, unread) = (found.into_values().collect(), unread.into_values().collect());
        Ok(Reading { found, unread, is_interrupted })
    }

    /// As they are locked.
    pub fn entries(&self) -> LockedEntries {
        LockedEntries::of_items(self.system, self.deployment, &self.items, &used_mask())
    }
}

/// The workspace's lock as it is on disk.
pub(super) struct LockFile {
    /// `None`: there is none yet.
    pub lock: Option<Lock>,
    text: Option<String>,
}

impl LockFile {
    pub fn read(opened: &OpenWorkspace) -> Result<Self, Problem> {
        let path = opened.workspace.root.join(LOCK);
        if !path.exists() {
            return Ok(Self { lock: None, text: None });
        }
        let text = files::read_text(&path)?.text.to_string();
        let lock = Lock::parse(&text).map_err(|cause| {
            Problem::new(ProblemKind::Input, format!("reading {LOCK}"), cause).with_remedy(
                "take it from version control again, or delete it and run `toolcrib lock`",
            )
        })?;
        Ok(Self { lock: Some(lock), text: Some(text) })
    }

    /// Writes another lock in its place.
    pub fn write(&self, opened: &OpenWorkspace, lock: &Lock) -> Result<(), Problem> {
        let expected = self
            .text
            .as_deref()
            .map_or(Expected::Absent, |before| Expected::Same(Stamp::of_text(before)));
        let path = opened.workspace.file_path(&FileId::new(LOCK));
        let root = &opened.workspace.root;
        let saved = files::save_file(root, &path, &lock.print(), expected, OutsideLinks::Refuse);
        saved.map(drop).map_err(|refused| refused.problem().clone())
    }
}

/// The connections that a command names, also by `--connection`.
pub(super) fn wanted_names(names: &[String], global: &Global) -> Vec<String> {
    match names.is_empty() {
        true => global.connection.iter().cloned().collect(),
        false => names.to_vec(),
    }
}

/// Connections that are locked, and that the settings don't have.
pub(super) fn gone_connections(opened: &OpenWorkspace, lock: &Lock) -> Vec<String> {
    let known = &opened.settings.connections;
    let is_gone = |name: &&String| known.find_by_name(name).is_none() && !name.contains("://");
    lock.connections.keys().filter(is_gone).cloned().collect()
}

/// The connections of these names; without names all that lead to a server or a running system.
pub(super) fn connections_to_lock(
    opened: &OpenWorkspace,
    names: &[String],
) -> Result<Vec<Connection>, Problem> {
    let known = &opened.settings.connections;
    let claimed =
        |connection: &Connection| table::claim_connection(connection.clone(), &opened.catalog);
    if !names.is_empty() {
        let find = |name: &String| Ok(claimed(&table::find_connection(known, name)?));
        return names.iter().map(find).collect();
    }
    let leads = |connection: &Connection| table::deployment_at(connection).is_some();
    let found: Vec<Connection> = known.known.iter().map(claimed).filter(leads).collect();
    if found.is_empty() {
        let cause = "no connection of this workspace leads to a server or a running system";
        return Err(Problem::new(ProblemKind::Input, "locking", cause)
            .with_remedy(table::wanted_deployments()));
    }
    Ok(found)
}

fn leads_nowhere(name: &str) -> Problem {
    let cause = format!("connection \"{name}\" leads to no server and no running system");
    Problem::new(ProblemKind::Input, "reading what is there", cause)
        .with_remedy(table::wanted_deployments())
}
