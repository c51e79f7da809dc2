//! `toolcrib discover`: services that announce themselves and servers of registries, compared with
//! the workspace and taken into it.

use std::{collections::BTreeSet, path::PathBuf, time::Duration};

use clap::Args;
use serde_json::{Value, json};

use super::{
    arguments::parse_duration,
    changes::{change_json, print_change},
    columns::{self, Cell},
    configured::add_server,
    deployed,
    ending::{CommandResult, Ending, StopReason},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    signals::{interrupted, wait_for},
    taking::Taking,
};
use crate::{
    app::compose::{connections::written_table, context::ComposeContext},
    model::{
        connection::Connection,
        problem::{Problem, ProblemKind},
    },
    runtime::{
        discovering::{self, Discovery, WAIT},
        registry,
    },
    systems::{
        deployed::item::Item,
        discovery::{
            compared::{Compared, Standing, Workspace, compare_found},
            found::{Found, Searched},
        },
        table,
    },
    wire::discovery,
};

#[derive(Args, Debug)]
pub(crate) struct Discover {
    /// Files of MCP registries: server.json, or a list of such entries; by default server.json and
    /// registry.json in the workspace's folder, and every connection that can be asked
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// How long to wait for answers: 500ms, 2s
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,

    /// Add what has this name to the workspace, after showing what changes; can be repeated
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "all")]
    take: Vec<String>,

    /// Add everything new
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    taking: Taking,
}

impl Discover {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        if let Some(file) = self.files.iter().find(|file| !file.exists()) {
            let doing = format!("reading {}", file.display());
            return Err(Problem::new(ProblemKind::Missing, doing, "there is no such file")
                .with_remedy("check its path")
                .into());
        }
        let opened = OpenWorkspace::read_aloud(global, out)?;
        let connections = self.searched_connections(&opened, global)?;
        let files = match self.files.is_empty() && global.connection.is_none() {
            true => discovering::registry_files(&opened.workspace.root),
            false => self.files.clone(),
        };
        if connections.is_empty() && files.is_empty() {
            return Err(nothing_to_ask().into());
        }
        let discovery = self.search(&opened, &connections, &files)?;
        discovery.unread.iter().for_each(|words| out.warn(words));
        discovery.problems.iter().for_each(|problem| out.warn(problem));
        let all = compare(discovery.found, &discovery.searched, &opened);
        if self.all || !self.take.is_empty() {
            return self.take_found(&all, &opened, global, out);
        }
        match global.json {
            true => out.print_json(&all.iter().map(to_json).collect())?,
            false => print_found(&all, out)?,
        }
        out.flush()?;
        out.print_status(summary(&all));
        let is_any = |holds: fn(Standing) -> bool| all.iter().any(|one| holds(one.standing));
        let is_partial = is_any(|standing| standing == Standing::NotKnown);
        Ok(match discovery.searched.is_empty() && !connections.is_empty() {
            _ if is_any(Standing::is_news) => Ending::Found,
            true => Ending::Unreachable,
            false if is_partial => Ending::Unchecked,
            false => Ending::Done,
        })
    }

    /// The connection that is named; else all that can be asked, unless files alone are.
    fn searched_connections(
        &self,
        opened: &OpenWorkspace,
        global: &Global,
    ) -> Result<Vec<Connection>, Problem> {
        if global.connection.is_none() {
            let known = &opened.settings.connections.known;
            return Ok(match self.files.is_empty() {
                true => discovery::searchable(known, &opened.catalog),
                false => Vec::new(),
            });
        }
        let connection = opened.current_connection();
        match discovery::can_search(&connection) {
            true => Ok(vec![connection]),
            false => {
                let name = &connection.name;
                let cause = format!("nothing can be discovered on connection \"{name}\"");
                Err(Problem::new(ProblemKind::Input, "discovering", cause)
                    .with_remedy(nothing_to_ask().remedy))
            }
        }
    }

    fn search(
        &self,
        opened: &OpenWorkspace,
        connections: &[Connection],
        files: &[PathBuf],
    ) -> Result<Discovery, StopReason> {
        let mut found = Discovery::default();
        let searching = async {
            let registry = registry::of_system();
            let root = &opened.workspace.root;
            let wait = self.timeout.unwrap_or(WAIT);
            tokio::select! {
                () = interrupted() => return Err(StopReason::Interrupted),
                all = discovering::discover(&registry, connections, files, root, wait) => found = all,
            }
            registry.close().await;
            Ok(Ending::Done)
        };
        wait_for("discovering", searching)?;
        Ok(found)
    }

    /// Takes in what is named, or all that is new: entries as an import does, servers as
    /// connections.
    fn take_found(
        &self,
        all: &[Compared],
        opened: &OpenWorkspace,
        global: &Global,
        out: &mut CommandOutput,
    ) -> CommandResult {
        let mut chosen: Vec<&Compared> = Vec::new();
        for word in &self.take {
            let named = all.iter().filter(|one| one.standing.is_found());
            let named: Vec<&Compared> = named.filter(|one| one.is_named(word)).collect();
            chosen.push(the_one(word, &named)?);
        }
        if self.all {
            let is_wanted = |one: &&Compared| {
                one.standing == Standing::New
                    || (one.standing == Standing::Differs && self.taking.overwrites())
            };
            chosen.extend(all.iter().filter(is_wanted));
        }
        let (servers, entries): (Vec<&Compared>, Vec<&Compared>) =
            chosen.into_iter().partition(|one| one.found.server.is_some());
        let mut seen = BTreeSet::new();
        let items: Vec<Item> = entries
            .iter()
            .flat_map(|one| &one.found.items)
            .filter(|item| seen.insert((item.system, item.name())))
            .cloned()
            .collect();
        let mut ending = Ending::Done;
        if !items.is_empty() || servers.is_empty() {
            ending = self.taking.take_items(&items, opened, global, out)?;
        }
        let is_only = servers.len() == 1;
        for server in servers.iter().filter_map(|one| one.found.server.as_deref()) {
            if !add_server(server, self.taking.is_dry(), is_only, opened, out)? {
                ending = Ending::Found;
            }
        }
        Ok(ending)
    }
}

/// The one that a word names; that of two sources with the same entries is one already.
fn the_one<'c>(word: &str, named: &[&'c Compared]) -> Result<&'c Compared, Problem> {
    let refused = |cause: String, remedy: &str| {
        Problem::new(ProblemKind::Input, "taking in what was found", cause).with_remedy(remedy)
    };
    let exact: Vec<&Compared> =
        named.iter().copied().filter(|one| one.found.name == word).collect();
    let named = if exact.is_empty() { named } else { &exact };
    match named {
        [one] if one.standing == Standing::NoDescriptor => {
            let note = one.found.notes.last().map_or("", String::as_str).to_owned();
            let reason = one.found.server.as_ref().and_then(|server| server.table.clone().err());
            let cause = format!("\"{word}\" can't be taken in: {}", reason.unwrap_or(note));
            Err(refused(cause, "write its descriptor yourself: `toolcrib new`"))
        }
        [one] => Ok(one),
        [] => Err(refused(
            format!("nothing called \"{word}\" was found"),
            "`toolcrib discover` lists what there is",
        )),
        several => {
            let places: Vec<&str> = several.iter().map(|one| &*one.found.place).collect();
            let cause = format!("\"{word}\" was found in several places: {}", places.join(", "));
            Err(refused(cause, "choose one with --connection, or name the file"))
        }
    }
}

fn compare(found: Vec<Found>, searched: &[Searched], opened: &OpenWorkspace) -> Vec<Compared> {
    let documents = deployed::to_documents(opened);
    let context = ComposeContext { catalog: &opened.catalog, documents: &documents };
    let workspace = Workspace {
        catalog: &opened.catalog,
        connections: &opened.settings.connections,
        written: &|name| written_table(context, name).cloned(),
    };
    compare_found(found, workspace, searched)
}

fn nothing_to_ask() -> Problem {
    let cause = "no connection of this workspace can be asked which services are there, and there \
        is no registry file";
    let remedy = format!(
        "name a broker (--connection nats://127.0.0.1:4222) or a file of a registry; or {}",
        table::wanted_deployments()
    );
    Problem::new(ProblemKind::Input, "discovering", cause).with_remedy(remedy)
}

fn summary(all: &[Compared]) -> String {
    let count = |standing| all.iter().filter(|one| one.standing == standing).count();
    let parts: Vec<String> = [
        Standing::New,
        Standing::Differs,
        Standing::Same,
        Standing::NoDescriptor,
        Standing::OnlyHere,
        Standing::NotKnown,
    ]
    .into_iter()
    .map(|standing| (count(standing), standing.as_str()))
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{count} {word}"))
    .collect();
    match parts.is_empty() {
        true => "nothing was found".to_owned(),
        false => parts.join(", "),
    }
}

fn to_json(one: &Compared) -> Value {
    let Compared { found, standing, changes, new } = one;
    let entry = |item: &Item| json!({"system": item.system, "name": item.name(), "value": item.parse_value()});
    json!({
        "name": found.name,
        "sources": found.sources,
        "place": found.place,
        "version": found.version,
        "description": found.about,
        "instances": found.instances,
        "workspace": standing.as_str(),
        "entries": found.items.iter().map(entry).collect::<Vec<_>>(),
        "connection": found.server.as_ref().and_then(|server| server.table.as_ref().ok()),
        "new": new,
        "changes": changes.iter().map(change_json).collect::<Vec<_>>(),
        "notes": found.notes,
    })
}

fn print_found(all: &[Compared], out: &mut CommandOutput) -> std::io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    let cells = |one: &Compared| {
        let found = &one.found;
        let tint = match one.standing {
            Standing::New => Tint::Good,
            Standing::Differs => Tint::Odd,
            _ => Tint::Dim,
        };
        let name = match found.version.is_empty() {
            true => found.name.clone(),
            false => format!("{} {}", found.name, found.version),
        };
        let sources = match found.sources.is_empty() {
            true => found.place.clone(),
            false => format!("{} ({})", found.place, found.sources.join(", ")),
        };
        vec![
            Cell::plain(name),
            Cell::tinted(tint, one.standing.as_str()),
            Cell::plain(sources),
            Cell::plain(found.about.lines().next().unwrap_or_default()),
        ]
    };
    let head = ["NAME", "WORKSPACE", "FOUND IN", "DESCRIPTION"];
    columns::write_table(out, &head, all.iter().map(cells).collect())?;
    for one in all.iter().filter(|one| one.standing == Standing::Differs) {
        one.changes.iter().try_for_each(|change| print_change(out, &one.found.place, change))?;
    }
    Ok(())
}
