//! `toolcrib import mcp`: servers that other programs have configured, as connections.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::{Map, Value, json};

use super::{
    columns::{self, Cell},
    ending::{Ended, Ending},
    global::Global,
    mcp::write_connection,
    opened::OpenWorkspace,
    out::{Out, Tint},
};
use crate::{
    model::{
        problem::{Problem, ProblemKind},
        settings::SETTINGS,
    },
    store::files,
    systems::{
        facets::configured::{ConfigFile, ConfigServer, ConfigServers},
        table,
    },
};

#[derive(Args, Debug)]
pub(crate) struct ImportServers {
    /// A configuration of another program; else those found in your home folder and in this one
    file: Option<PathBuf>,

    /// Write this server into toolcrib.toml, as a connection of that name
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "all")]
    take: Vec<String>,

    /// Write all of them that are switched on
    #[arg(long)]
    all: bool,
}

/// A configuration that was read.
struct Config {
    path: PathBuf,
    read: ConfigServers,
}

impl Config {
    fn servers(&self) -> impl Iterator<Item = (&Path, &ConfigServer)> {
        self.read.servers.iter().map(|server| (self.path.as_path(), server))
    }
}

impl ImportServers {
    pub fn run(&self, global: &Global, out: &mut Out) -> Ended {
        let opened = OpenWorkspace::read_workspace(global, None)?;
        let configs = match &self.file {
            Some(file) => vec![read_config(file, &opened)?],
            None => find_configs(&opened, out),
        };
        if self.all || !self.take.is_empty() {
            return self.take_servers(&configs, &opened, global, out);
        }
        if global.json {
            out.print_json(&configs.iter().map(to_json).collect::<Vec<_>>().into())?;
            return Ok(Ending::Done);
        }
        for config in &configs {
            print_config(config, out)?;
        }
        out.print_status(match configs.is_empty() {
            true => "no program has MCP servers configured, neither in your home folder nor here",
            false => "--take NAME writes one into toolcrib.toml; nothing is started by that",
        });
        Ok(Ending::Done)
    }

    fn take_servers(
        &self,
        configs: &[Config],
        opened: &OpenWorkspace,
        global: &Global,
        out: &mut Out,
    ) -> Ended {
        let names: BTreeSet<&str> = match self.all {
            true => {
                configs.iter().flat_map(Config::servers).map(|(_, server)| &*server.name).collect()
            }
            false => self.take.iter().map(String::as_str).collect(),
        };
        let (mut taken, mut left) = (Vec::new(), Vec::new());
        for name in names {
            match choose_server(name, self.all, configs, opened) {
                Ok((table, notes)) => {
                    write_connection(opened, name, table.clone())?;
                    out.print_status(format_args!(
                        "connection \"{name}\" is written into {SETTINGS}"
                    ));
                    notes.iter().for_each(|note| out.print_status(format_args!("  {note}")));
                    if table.contains_key("command") {
                        out.print_status(format_args!(
                            "  `toolcrib mcp allow {name}` shows its command, and allows it"
                        ));
                    }
                    taken.push(json!({"name": name, "table": table, "notes": notes}));
                }
                Err(reason) => {
                    out.warn(format_args!("\"{name}\" is not taken: {reason}"));
                    left.push(json!({"name": name, "reason": reason}));
                }
            }
        }
        if global.json {
            out.print_json(&json!({"taken": taken, "left": left}))?;
        }
        Ok(if left.is_empty() { Ending::Done } else { Ending::Found })
    }
}

/// The connection of a server; `Err`: why it cannot be taken.
fn choose_server(
    name: &str,
    all: bool,
    configs: &[Config],
    opened: &OpenWorkspace,
) -> Result<(Map<String, Value>, Vec<String>), String> {
    if opened.settings.connections.find_by_name(name).is_some() {
        return Err(format!("there is a connection of that name in {SETTINGS} already"));
    }
    let of_name = configs.iter().flat_map(Config::servers).filter(|(_, found)| found.name == name);
    let found: Vec<_> = of_name.collect();
    let Some((path, server)) = found.first() else {
        return Err("no configuration has a server of that name".to_owned());
    };
    if all && found.iter().all(|(_, server)| server.disabled) {
        return Err("it is switched off there; --take names it".to_owned());
    }
    if let Some((other, _)) = found.iter().find(|(_, other)| other.table != server.table) {
        let (path, other) = (path.display(), other.display());
        return Err(format!("{path} and {other} have different servers of that name; name a file"));
    }
    let table = server.table.clone()?;
    Ok((table, server.notes.clone()))
}

/// The configurations of other programs that have servers. What cannot be read is told.
fn find_configs(opened: &OpenWorkspace, out: &Out) -> Vec<Config> {
    let home = env::home_dir();
    let mut paths = Vec::new();
    for configured in table::configured() {
        let below = |folder: &Path, files: Vec<&str>| -> Vec<PathBuf> {
            files.iter().map(|file| folder.join(file)).collect()
        };
        paths.extend(below(&opened.workspace.root, configured.project_files()));
        paths.extend(home.iter().flat_map(|home| below(home, configured.home_files())));
    }
    let mut seen = BTreeSet::new();
    paths.retain(|path| path.is_file() && seen.insert(path.clone()));
    let mut configs = Vec::new();
    for path in paths {
        match read_config(&path, opened) {
            // Settings of editors are there for much else.
            Ok(config) if config.read.servers.is_empty() && !config.read.form.is_empty() => {}
            Ok(config) => configs.push(config),
            Err(problem) => out.warn(problem),
        }
    }
    configs
}

fn read_config(path: &Path, opened: &OpenWorkspace) -> Result<Config, Problem> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let text = files::read_text(&path)?;
    let slashes = |path: &Path| path.display().to_string().replace('\\', "/");
    let variables: BTreeMap<String, String> = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let platform = match env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        _ => "linux",
    };
    let Some(configured) = table::configured().next() else {
        let doing = format!("reading {}", path.display());
        return Err(Problem::new(ProblemKind::Input, doing, "no system reads configurations"));
    };
    let read = configured.read_config(&ConfigFile {
        path: &slashes(&path),
        text: &text.text,
        home: env::home_dir().as_deref().and_then(Path::to_str),
        project: opened.workspace.root.to_str(),
        variables: &variables,
        platform,
    });
    Ok(Config { path, read })
}

fn to_json(config: &Config) -> Value {
    let server = |server: &ConfigServer| {
        json!({
            "name": server.name,
            "server": server.shown,
            "disabled": server.disabled,
            "table": server.table.as_ref().ok(),
            "reason": server.table.as_ref().err(),
            "notes": server.notes,
        })
    };
    let ConfigServers { form, servers, findings } = &config.read;
    let servers: Vec<Value> = servers.iter().map(server).collect();
    json!({"file": config.path, "form": form, "servers": servers, "findings": findings})
}

fn print_config(config: &Config, out: &mut Out) -> std::io::Result<()> {
    out.print_line(out.tint(Tint::Bold, &config.path.display().to_string()))?;
    let cells = |server: &ConfigServer| {
        let remark = match &server.table {
            Err(reason) => Cell::tinted(Tint::Odd, format!("cannot be taken: {reason}")),
            Ok(_) if server.disabled => Cell::plain("switched off"),
            Ok(_) => Cell::plain(server.notes.join("; ")),
        };
        vec![Cell::plain(&server.name), Cell::plain(&server.shown), remark]
    };
    let rows = config.read.servers.iter().map(cells).collect();
    columns::write_table(out, &["NAME", "COMMAND OR ADDRESS", "REMARK"], rows)?;
    config.read.findings.iter().for_each(|finding| out.warn(finding));
    out.print_line("")
}
