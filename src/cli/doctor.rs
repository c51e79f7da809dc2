//! `toolcrib doctor`: what toolcrib finds here, and what connections are missing; with `--connect`
//! also whether somebody answers where they lead.

use std::path::Path;

use clap::Args;
use futures::future::join_all;
use serde_json::{Value, json};

use super::{
    columns::{self, Cell},
    ending::{CommandResult, Ending, StopReason},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
    signals::{interrupted, wait_for},
};
use crate::{
    app::connection_test::Report,
    model::{
        connection::{Connection, Credentials, SecretAt},
        finding::Finding,
        problem::Problem,
        settings::SETTINGS,
        shown::shell_word,
    },
    runtime::{connection_test::connection_report, launch::settings_faults, registry},
    schema::count::count_text,
    store::{
        key_store::{KeyStore, TITLE},
        paths::Paths,
        settings::user,
    },
};

#[derive(Args, Debug)]
pub(crate) struct Doctor {
    /// Connect to every connection of toolcrib.toml, or only to that of --connection, and show who
    /// answers there. Exits with 3 if one can't be reached
    #[arg(long)]
    connect: bool,
}

/// How something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Ok,
    /// Something doesn't exist that nothing here needs.
    Optional,
    /// Something doesn't exist that is needed.
    Missing,
    /// Something can't be used as it is.
    Invalid,
    /// Nobody answers there.
    Unreachable,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Optional => "optional",
            Self::Missing => "missing",
            Self::Invalid => "invalid",
            Self::Unreachable => "unreachable",
        }
    }

    fn tint(self) -> Tint {
        match self {
            Self::Ok => Tint::Good,
            Self::Optional => Tint::Odd,
            Self::Missing | Self::Invalid | Self::Unreachable => Tint::Bad,
        }
    }
}

/// One thing that was looked at.
struct Row {
    check: String,
    status: Status,
    detail: String,
}

impl Row {
    fn new(check: impl Into<String>, status: Status, detail: impl Into<String>) -> Self {
        Self { check: check.into(), status, detail: detail.into() }
    }
}

impl Doctor {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_aloud(global, out)?;
        let mut rows = vec![workspace_row(&opened)];
        rows.extend(opened.connection_fault().map(|fault| {
            let words = format!("line {}: {}", fault.site.line, fault.message);
            Row::new(SETTINGS, Status::Invalid, words)
        }));
        rows.extend(folder_rows());
        let kept = KeyStore::open().and_then(|store| store.secret_names());
        rows.push(key_store(&kept, &opened.settings.connections.known));
        // Who asks about one connection gets an answer about that one.
        let asked = global.connection.as_ref().map(|_| opened.current_connection().name);
        let is_asked = |known: &&Connection| asked.as_ref().is_none_or(|name| *name == known.name);
        let looked_at = || opened.settings.connections.known.iter().filter(is_asked);
        rows.extend(secret_rows(looked_at(), kept.as_deref()));
        rows.extend(looked_at().flat_map(|known| file_rows(known, &opened.workspace.root)));
        if self.connect {
            rows.extend(reached_rows(&opened, global)?);
        }
        if global.json {
            let of = |row: &Row| json!({"check": row.check, "status": row.status.as_str(), "detail": row.detail});
            out.print_json(&rows.iter().map(of).collect::<Value>())?;
        } else {
            let cells = |row: &Row| {
                vec![
                    Cell::plain(row.check.as_str()),
                    Cell::tinted(row.status.tint(), row.status.as_str()),
                    Cell::plain(row.detail.as_str()),
                ]
            };
            columns::write_table(
                out,
                &["CHECK", "STATUS", "DETAIL"],
                rows.iter().map(cells).collect(),
            )?;
        }
        let has = |statuses: &[Status]| rows.iter().any(|row| statuses.contains(&row.status));
        Ok(match () {
            () if has(&[Status::Unreachable]) => Ending::Unreachable,
            () if has(&[Status::Missing, Status::Invalid]) => Ending::Found,
            () => Ending::Done,
        })
    }
}

/// Who answers where connections lead. Nothing is sent to a service.
fn reached_rows(opened: &OpenWorkspace, global: &Global) -> Result<Vec<Row>, StopReason> {
    let connections = match global.connection {
        Some(_) => vec![opened.current_connection()],
        None => {
            let known = opened.settings.connections.known.iter();
            known.filter(|known| !known.is_embedded()).cloned().collect()
        }
    };
    let mut rows = Vec::with_capacity(connections.len());
    let connecting = async {
        let registry = registry::of_system().in_workspace(&opened.workspace.root);
        let reports = connections.iter().map(|one| connection_report(&registry, one));
        let reports = tokio::select! {
            () = interrupted() => return Err(StopReason::Interrupted),
            reports = join_all(reports) => reports,
        };
        registry.close().await;
        let found = connections.iter().zip(reports);
        rows.extend(found.map(|(connection, report)| reached_row(connection, report)));
        Ok(Ending::Done)
    };
    wait_for("connecting", connecting)?;
    Ok(rows)
}

fn reached_row(connection: &Connection, report: Report) -> Row {
    let check = format!("connection {}", connection.name);
    match report {
        Report::Reached(reached) => {
            let words = format!("{}, after {} ms", reached.greeting, reached.took_ms);
            Row::new(check, Status::Ok, words)
        }
        Report::Failed(problem) => {
            let words = format!("{} — {}", problem.cause, problem.remedy);
            Row::new(check, Status::Unreachable, words)
        }
        Report::NotAllowed(_) | Report::UnderWay => {
            let words = format!(
                "it isn't opened before you allow what it does: `toolcrib allow {}`",
                shell_word(&connection.name)
            );
            Row::new(check, Status::Missing, words)
        }
    }
}

fn workspace_row(opened: &OpenWorkspace) -> Row {
    let files = count_text(opened.files.len(), "file", "files");
    let tools = count_text(opened.catalog.tools.len(), "tool", "tools");
    let words = format!("{}: {files}, {tools}", opened.workspace.root.display());
    let status = if opened.files.is_empty() { Status::Optional } else { Status::Ok };
    Row::new("workspace", status, words)
}

/// The files that a connection names, and that don't exist.
fn file_rows(connection: &Connection, root: &Path) -> Vec<Row> {
    let dir = connection.command().and_then(|command| command.dir.as_deref());
    let credentials = match &connection.credentials {
        Credentials::File { path } => Some(path.as_str()),
        _ => None,
    };
    let tls = &connection.tls;
    let named = [
        ("ca-file", tls.ca_file.as_deref(), false),
        ("cert-file", tls.cert_file.as_deref(), false),
        ("key-file", tls.key_file.as_deref(), false),
        ("credentials-file", credentials, false),
        ("folder", dir, true),
    ];
    let row = |(what, path, is_folder): (&str, Option<&str>, bool)| {
        let path = root.join(path?);
        let is_there = if is_folder { path.is_dir() } else { path.is_file() };
        let check = format!("connection {}", connection.name);
        let detail = format!("{what} {} doesn't exist", path.display());
        (!is_there).then(|| Row::new(check, Status::Missing, detail))
    };
    named.into_iter().filter_map(row).collect()
}

/// Where settings and state of this user lie.
fn folder_rows() -> Vec<Row> {
    let paths = match Paths::of_user() {
        Ok(paths) => paths,
        Err(problem) => return vec![Row::new("folders", Status::Missing, problem.to_string())],
    };
    let mut rows = settings_rows(&paths);
    let state = match paths.private_folder("history") {
        Ok(place) => Row::new("history", Status::Ok, place.display().to_string()),
        Err(problem) => Row::new("history", Status::Missing, problem.to_string()),
    };
    rows.push(state);
    let folders = [
        ("settings folder", &paths.config),
        ("state folder", &paths.state),
        ("cache folder", &paths.cache),
    ];
    rows.extend(folders.map(|(name, path)| {
        let status = if path.is_dir() { Status::Ok } else { Status::Optional };
        Row::new(name, status, path.display().to_string())
    }));
    rows
}

/// The user's settings and themes, and what is wrong in them.
fn settings_rows(paths: &Paths) -> Vec<Row> {
    let file = paths.config_file();
    let invalid = |words: String| Row::new("settings", Status::Invalid, words);
    let (settings, findings) = match user::load_settings(&file) {
        Ok(read) => read,
        Err(problem) => return vec![invalid(problem.to_string())],
    };
    let (themes, unread) = user::load_themes(&paths.themes_folder());
    let mut wrong: Vec<Row> = findings.iter().map(Finding::site_words).map(invalid).collect();
    wrong.extend(unread.iter().map(ToString::to_string).map(invalid));
    wrong.extend(settings_faults(&settings, &themes).into_iter().map(invalid));
    if !wrong.is_empty() {
        return wrong;
    }
    vec![match file.is_file() {
        true => Row::new("settings", Status::Ok, file.display().to_string()),
        false => {
            let words = format!("{}: no such file; the defaults apply", file.display());
            Row::new("settings", Status::Optional, words)
        }
    }]
}

fn key_store(kept: &Result<Vec<String>, Problem>, connections: &[Connection]) -> Row {
    let needed = connections
        .iter()
        .flat_map(Connection::secrets)
        .any(|at| matches!(at, SecretAt::KeyStore(_)));
    match kept {
        Ok(names) => Row::new(
            "key store",
            Status::Ok,
            format!("{TITLE}: {} secrets of toolcrib", names.len()),
        ),
        Err(problem) => {
            let status = if needed { Status::Missing } else { Status::Optional };
            Row::new("key store", status, format!("{} — {}", problem.cause, problem.remedy))
        }
    }
}

/// Whether the secrets are there that connections need, each once with all that need it.
fn secret_rows<'c>(
    connections: impl Iterator<Item = &'c Connection>,
    kept: Result<&[String], &Problem>,
) -> Vec<Row> {
    let mut needed: Vec<(&SecretAt, Vec<&str>)> = Vec::new();
    for connection in connections {
        for at in connection.secrets() {
            let row = needed.iter().position(|(known, _)| *known == at);
            let row = row.unwrap_or_else(|| {
                needed.push((at, Vec::new()));
                needed.len() - 1
            });
            let names = &mut needed[row].1;
            if names.last() != Some(&&*connection.name) {
                names.push(&connection.name);
            }
        }
    }
    let row = |(at, names): (&SecretAt, Vec<&str>)| {
        let (there, remedy) = match at {
            SecretAt::Variable(name) => {
                (std::env::var(name).is_ok(), format!("set {name} in the environment"))
            }
            SecretAt::KeyStore(name) => (
                kept.is_ok_and(|names| names.contains(name)),
                format!("add it: toolcrib secret set {name}"),
            ),
        };
        let word = if names.len() == 1 { "connection" } else { "connections" };
        let of = format!("{word} {}", names.join(", "));
        match there {
            true => Row::new(of, Status::Ok, format!("{at} exists")),
            false => Row::new(of, Status::Missing, format!("{at} doesn't exist — {remedy}")),
        }
    };
    needed.into_iter().map(row).collect()
}
