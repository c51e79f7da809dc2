//! `toolcrib drift`: what has changed since `toolcrib.lock` was written, and accepting it.

use std::collections::BTreeSet;

use clap::Args;
use serde_json::{Value, json};

use super::{
    changes::{self, ChangeSite, FailOn, change_json, print_change},
    ending::{CommandResult, Ending},
    global::Global,
    lock::{
        Deployed, LockFile, Reading, Unread, connections_to_lock, gone_connections, wanted_names,
    },
    opened::OpenWorkspace,
    out::CommandOutput,
    report::{self, Format, Report},
};
use crate::{
    model::{
        entry::FileId,
        finding::Finding,
        problem::{Problem, ProblemKind},
    },
    schema::count::count_text,
    store::secrets::used_mask,
    systems::{
        facets::kept_tools::{ToolChange, count_words},
        lock::{LOCK, Lock, is_named},
    },
};

#[derive(Args, Debug)]
pub(crate) struct Drift {
    /// The connections to compare, by their names in toolcrib.toml; by default all that are locked
    #[arg(value_name = "CONNECTION")]
    names: Vec<String>,

    /// Accept what changed of a tool or an entry; can be repeated
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    accept: Vec<String>,

    /// Accept everything that changed
    #[arg(long)]
    all: bool,

    /// Exit with 1 only for changes that are at least as severe; a connection that isn't locked, or
    /// is gone, counts as behaviour
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t = FailOn::Compatible)]
    fail_on: FailOn,

    /// The format of the report
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "json")]
    format: Format,
}

/// What changed at one connection.
struct Drifted {
    connection: String,
    /// Not accepted.
    left: Vec<ToolChange>,
    accepted: usize,
}

/// All that is known once the connections were read.
struct Compared {
    all: Vec<Drifted>,
    /// The connections that only the lock has, and those that only the settings have.
    gone: Vec<String>,
    unlocked: Vec<String>,
    unread: Vec<Unread>,
}

impl Compared {
    /// Whether a connection is only here, or only there.
    fn has_others(&self) -> bool {
        !(self.gone.is_empty() && self.unlocked.is_empty())
    }

    fn to_json(&self) -> Value {
        let drifted = self.all.iter().map(Drifted::to_json);
        let others = self.unread.iter().map(unread_json);
        let gone = self.gone.iter().map(|name| other_json(name, "gone"));
        let unlocked = self.unlocked.iter().map(|name| other_json(name, "not-locked"));
        drifted.chain(others).chain(gone).chain(unlocked).collect()
    }
}

impl Drift {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_connected(global, None, out)?;
        let file = LockFile::read(&opened)?;
        let mut lock = file.lock.clone().ok_or_else(|| missing(format!("there is no {LOCK}")))?;
        if lock.connections.is_empty() {
            return Err(missing(format!("{LOCK} holds no connection")).into());
        }
        let wanted = wanted_names(&self.names, global);
        // A server may come to the settings, or leave them, without the lock.
        let (gone, unlocked) = match wanted.is_empty() {
            true => (gone_connections(&opened, &lock), unlocked_connections(&opened, &lock)),
            false => Default::default(),
        };
        let locked = lock.connections.keys().filter(|name| !gone.contains(name)).cloned();
        let names = if wanted.is_empty() { locked.collect() } else { wanted };
        let connections = match names.is_empty() {
            true => Vec::new(),
            false => connections_to_lock(&opened, &names)?,
        };
        let Reading { found, unread, is_interrupted } = Deployed::read_all(connections, out)?;
        if is_interrupted {
            return Ok(Ending::Interrupted);
        }
        let all = self.compare(&found, &mut lock)?;
        if all.iter().any(|drifted| drifted.accepted > 0) {
            file.write(&opened, &lock)?;
        }
        let compared = Compared { all, gone, unlocked, unread };
        let format = if global.json { Format::Json } else { self.format };
        self.print(&compared, format, out)?;
        let mut left = compared.all.iter().flat_map(|drifted| &drifted.left);
        let is_found = left.any(|change| FailOn::of_change(change) >= self.fail_on)
            || self.fail_on <= FailOn::Behaviour && compared.has_others();
        Ok(match compared.unread.first() {
            Some(unread) => Ending::from_problem(&unread.problem),
            None if is_found => Ending::Found,
            None => Ending::Done,
        })
    }

    /// Holds what was found against the lock, which takes in what is accepted.
    fn compare(&self, found: &[Deployed], lock: &mut Lock) -> Result<Vec<Drifted>, Problem> {
        let mut unknown: BTreeSet<&str> = self.accept.iter().map(String::as_str).collect();
        let mut all = Vec::new();
        for there in found {
            let name = there.connection.name.clone();
            let Some(known) = lock.connections.get_mut(&name) else {
                return Err(missing(format!("connection \"{name}\" is not locked")));
            };
            let changes = known.compare(there.deployment, &there.items, &used_mask());
            let is_accepted =
                |entry: &str| self.all || self.accept.iter().any(|word| is_named(entry, word));
            let accepted: BTreeSet<&str> = changes
                .iter()
                .map(|change| change.tool.as_str())
                .filter(|entry| is_accepted(entry))
                .collect();
            unknown.retain(|word| !accepted.iter().any(|entry| is_named(entry, word)));
            known.accept(&there.entries(), &accepted);
            let left = changes.iter().filter(|change| !accepted.contains(change.tool.as_str()));
            let (left, accepted) = (left.cloned().collect(), accepted.len());
            all.push(Drifted { connection: name, left, accepted });
        }
        match unknown.first() {
            None => Ok(all),
            Some(word) => {
                let cause = format!("no changed tool or entry is called \"{word}\"");
                Err(Problem::new(ProblemKind::Input, "accepting changes", cause)
                    .with_remedy("`toolcrib drift` lists what changed; nothing was accepted"))
            }
        }
    }

    /// Prints the report, and what is to be said beside it.
    fn print(
        &self,
        compared: &Compared,
        format: Format,
        out: &mut CommandOutput,
    ) -> std::io::Result<()> {
        let Compared { all, gone, unlocked, .. } = compared;
        match format {
            Format::Sarif | Format::Github | Format::Junit => {
                self.write_report(compared, format, out)?;
            }
            Format::Json => out.print_json(&compared.to_json())?,
            Format::Human => all.iter().try_for_each(|drifted| drifted.write(out))?,
        }
        for drifted in all {
            out.print_status(drifted.summary());
        }
        for name in gone {
            out.print_error(format_args!(
                "{name} is locked, and not in toolcrib.toml any more; `toolcrib lock` takes it out"
            ));
        }
        for name in unlocked {
            out.print_error(format_args!("{name} isn't locked; `toolcrib lock {name}` locks it"));
        }
        Ok(())
    }

    /// What changed as findings of the lock, for CI; those that let the command fail are errors.
    fn write_report(
        &self,
        Compared { all, gone, unlocked, unread }: &Compared,
        format: Format,
        out: &mut CommandOutput,
    ) -> std::io::Result<()> {
        let file = FileId::new(LOCK);
        let site = || ChangeSite::of_file(file.clone());
        let finding = |code, level: FailOn, words| {
            changes::finding(code, level >= self.fail_on, words, site())
        };
        let changes = all.iter().flat_map(|drifted| {
            drifted.left.iter().map(|change| (drifted.connection.as_str(), change))
        });
        let mut findings: Vec<Finding> = changes
            .map(|(connection, change)| {
                changes::change_finding(connection, change, self.fail_on, site())
            })
            .collect();
        findings.extend(gone.iter().map(|name| {
            let words = format!("{name} is locked, and not in toolcrib.toml any more");
            finding("connection.gone", FailOn::Behaviour, words)
        }));
        findings.extend(unlocked.iter().map(|name| {
            finding("connection.not-locked", FailOn::Behaviour, format!("{name} isn't locked"))
        }));
        findings.extend(unread.iter().map(|unread| {
            let words = format!("{} couldn't be read: {}", unread.connection, unread.problem);
            finding("connection.unread", FailOn::Breaking, words)
        }));
        let report = Report {
            command: "toolcrib drift",
            files: std::slice::from_ref(&file),
            findings: &findings,
            shown: &|file| file.to_string(),
            entry: &|_| None,
            unchecked: &[],
        };
        report::write_report(&report, format, out)
    }
}

/// A connection that couldn't be read, for scripts.
fn unread_json(unread: &Unread) -> Value {
    json!({"connection": unread.connection, "state": "unread", "error": unread.problem.to_string(), "changes": null})
}

/// A connection that only the lock has, or only the settings.
fn other_json(name: &str, state: &str) -> Value {
    json!({"connection": name, "state": state, "changes": null})
}

/// Connections that lead to a server or a running system, and aren't locked.
fn unlocked_connections(opened: &OpenWorkspace, lock: &Lock) -> Vec<String> {
    let leading = connections_to_lock(opened, &[]).unwrap_or_default().into_iter();
    let names = leading.map(|connection| connection.name);
    names.filter(|name| !lock.connections.contains_key(name)).collect()
}

impl Drifted {
    fn summary(&self) -> String {
        let name = &self.connection;
        let accepted = match self.accepted {
            0 => String::new(),
            count => format!("; {} accepted", count_text(count, "entry", "entries")),
        };
        match self.left.is_empty() {
            true => format!("{name}: as locked{accepted}"),
            false => format!("{name}: {}{accepted}", count_words(&self.left)),
        }
    }

    fn to_json(&self) -> Value {
        json!({
            "connection": self.connection,
            "state": if self.left.is_empty() { "as-locked" } else { "changed" },
            "accepted": self.accepted,
            "changes": self.left.iter().map(change_json).collect::<Vec<_>>(),
        })
    }

    fn write(&self, out: &mut CommandOutput) -> std::io::Result<()> {
        self.left.iter().try_for_each(|change| print_change(out, &self.connection, change))
    }
}

fn missing(cause: String) -> Problem {
    Problem::new(ProblemKind::Missing, "comparing with what was locked", cause)
        .with_remedy("`toolcrib lock` writes it")
}
