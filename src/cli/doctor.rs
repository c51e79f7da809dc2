//! `toolcrib doctor`: what toolcrib finds here, and what connections lack.

use std::path::Path;

use clap::Args;
use serde_json::{Value, json};

use super::{
    columns::{self, Cell},
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
};
use crate::{
    model::connection::{Connection, SecretAt},
    model::problem::Problem,
    schema::count::count_text,
    store::{
        key_store::{KeyStore, TITLE},
        paths::Paths,
    },
};

#[derive(Args, Debug)]
pub(crate) struct Doctor {}

/// How something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Well,
    /// Something is not there that nothing here needs.
    Absent,
    /// Something is not there that is needed.
    Lacking,
}

impl Health {
    fn as_str(self) -> &'static str {
        match self {
            Self::Well => "well",
            Self::Absent => "absent",
            Self::Lacking => "lacking",
        }
    }

    fn tint(self) -> Tint {
        match self {
            Self::Well => Tint::Good,
            Self::Absent => Tint::Odd,
            Self::Lacking => Tint::Bad,
        }
    }
}

/// One thing that was looked at.
struct Row {
    of: String,
    health: Health,
    words: String,
}

impl Row {
    fn new(of: impl Into<String>, health: Health, words: impl Into<String>) -> Self {
        Self { of: of.into(), health, words: words.into() }
    }
}

impl Doctor {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_aloud(global, out)?;
        let mut rows = vec![workspace_row(&opened)];
        rows.extend(folder_rows());
        let kept = KeyStore::open().and_then(|store| store.secret_names());
        rows.push(key_store(&kept, &opened.settings.connections.known));
        for connection in &opened.settings.connections.known {
            rows.extend(secret_rows(connection, kept.as_deref()));
            rows.extend(file_rows(connection, &opened.workspace.root));
        }
        if global.json {
            let of = |row: &Row| json!({"of": row.of, "health": row.health.as_str(), "words": row.words});
            out.print_json(&rows.iter().map(of).collect::<Value>())?;
        } else {
            let cells = |row: &Row| {
                vec![
                    Cell::plain(row.of.as_str()),
                    Cell::tinted(row.health.tint(), row.health.as_str()),
                    Cell::plain(row.words.as_str()),
                ]
            };
            columns::write_table(out, &["WHAT", "HOW", "FOUND"], rows.iter().map(cells).collect())?;
        }
        let lacking = rows.iter().any(|row| row.health == Health::Lacking);
        Ok(if lacking { Ending::Found } else { Ending::Done })
    }
}

fn workspace_row(opened: &OpenWorkspace) -> Row {
    let files = count_text(opened.files.len(), "file", "files");
    let tools = count_text(opened.catalog.tools.len(), "tool", "tools");
    let words = format!("{}: {files}, {tools}", opened.workspace.root.display());
    let health = if opened.files.is_empty() { Health::Absent } else { Health::Well };
    Row::new("workspace", health, words)
}

/// The files that a connection names, and that are not there.
fn file_rows(connection: &Connection, root: &Path) -> Vec<Row> {
    let dir = connection.command().and_then(|command| command.dir.as_deref());
    let named = [("ca-file", connection.tls.ca_file.as_deref(), false), ("folder", dir, true)];
    let row = |(what, path, is_folder): (&str, Option<&str>, bool)| {
        let path = root.join(path?);
        let is_there = if is_folder { path.is_dir() } else { path.is_file() };
        let of = format!("connection {}", connection.name);
        let words = format!("its {what} {} is not there", path.display());
        (!is_there).then(|| Row::new(of, Health::Lacking, words))
    };
    named.into_iter().filter_map(row).collect()
}

/// Where settings and state of this user lie.
fn folder_rows() -> Vec<Row> {
    let paths = match Paths::of_user() {
        Ok(paths) => paths,
        Err(problem) => return vec![Row::new("folders", Health::Lacking, problem.to_string())],
    };
    let file = paths.config_file();
    let settings = match file.is_file() {
        true => Row::new("settings", Health::Well, file.display().to_string()),
        false => {
            let words = format!("{}: no such file; the defaults apply", file.display());
            Row::new("settings", Health::Absent, words)
        }
    };
    let state = match paths.private_folder("history") {
        Ok(place) => Row::new("history", Health::Well, place.display().to_string()),
        Err(problem) => Row::new("history", Health::Lacking, problem.to_string()),
    };
    vec![settings, state]
}

fn key_store(kept: &Result<Vec<String>, Problem>, connections: &[Connection]) -> Row {
    let needed = connections
        .iter()
        .flat_map(Connection::secrets)
        .any(|at| matches!(at, SecretAt::KeyStore(_)));
    match kept {
        Ok(names) => Row::new(
            "key store",
            Health::Well,
            format!("{TITLE}: {} secrets of toolcrib", names.len()),
        ),
        Err(problem) => {
            let health = if needed { Health::Lacking } else { Health::Absent };
            Row::new("key store", health, format!("{} — {}", problem.cause, problem.remedy))
        }
    }
}

/// Whether the secrets are there that a connection needs.
fn secret_rows<'c>(
    connection: &'c Connection,
    kept: Result<&'c [String], &'c Problem>,
) -> impl Iterator<Item = Row> + 'c {
    connection.secrets().map(move |at| {
        let (there, remedy) = match at {
            SecretAt::Variable(name) => {
                (std::env::var(name).is_ok(), format!("set {name} in the environment"))
            }
            SecretAt::KeyStore(name) => (
                kept.is_ok_and(|names| names.contains(name)),
                format!("add it: toolcrib secret set {name}"),
            ),
        };
        let of = format!("connection {}", connection.name);
        match there {
            true => Row::new(of, Health::Well, format!("{at} exists")),
            false => Row::new(of, Health::Lacking, format!("{at} doesn't exist — {remedy}")),
        }
    })
}
