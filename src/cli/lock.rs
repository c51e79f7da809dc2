//! `toolcrib lock`: keeps what tools look like where they really are, in `toolcrib.lock`.

use clap::Args;
use serde_json::json;

use super::{
    deployed,
    ending::{CommandResult, Ending, StopReason},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
};
use crate::{
    engine::settings::connections,
    model::{
        connection::Connection,
        entry::FileId,
        problem::{Problem, ProblemKind},
    },
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
        let (found, unread) = Deployed::read_all(connections_to_lock(&opened, &wanted)?, out)?;
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

/// What is where a connection leads.
pub(super) struct Deployed {
    pub connection: Connection,
    pub deployment: &'static dyn Deployment,
    system: &'static str,
    pub items: Vec<Item>,
}

impl Deployed {
    /// Connects, and reads everything there.
    pub fn read(connection: Connection) -> Result<Self, StopReason> {
        let Some((system, deployment)) = table::deployment_at(&connection) else {
            return Err(leads_nowhere(&connection.name).into());
        };
        let items = deployed::read_locked_items(&connection)?;
        Ok(Self { connection, deployment, system: system.id(), items })
    }

    /// Reads where each of these leads, and warns of those that can't be read. A single one that
    /// can't be read is the command's own problem.
    pub fn read_all(
        connections: Vec<Connection>,
        out: &CommandOutput,
    ) -> Result<(Vec<Self>, Vec<Unread>), StopReason> {
        let is_single = connections.len() == 1;
        let (mut found, mut unread) = (Vec::new(), Vec::new());
        for connection in connections {
            let name = connection.name.clone();
            match Self::read(connection) {
                Ok(there) => found.push(there),
                Err(StopReason::Met(problem)) if !is_single => {
                    out.print_error(format_args!("{name} can't be read: {problem}"));
                    unread.push(Unread { connection: name, problem });
                }
                Err(reason) => return Err(reason),
            }
        }
        Ok((found, unread))
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
        let find = |name: &String| Ok(claimed(&connections::find_connection(known, name)?));
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
