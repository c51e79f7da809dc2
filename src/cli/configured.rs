//! `toolcrib import mcp`: servers that other programs have configured, as connections.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::{Map, Value, json};

use super::{
    columns::{self, Cell},
    ending::{CommandResult, Ending},
    global::Global,
    mcp::write_connection,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint},
};
use crate::{
    model::{problem::Problem, settings::SETTINGS, shown::shell_word},
    store::server_configs,
    systems::facets::configured::{ConfigServer, ConfigServers, FoundConfig},
};

#[derive(Args, Debug)]
pub(crate) struct ImportServers {
    /// A configuration file of another program; by default those found in your home folder and this
    /// folder
    file: Option<PathBuf>,

    /// Add this server to toolcrib.toml, as a connection of that name
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "all")]
    take: Vec<String>,

    /// Add all enabled servers
    #[arg(long)]
    all: bool,
}

/// The servers of a configuration, each with its file.
fn servers(config: &FoundConfig) -> impl Iterator<Item = (&Path, &ConfigServer)> {
    config.read.servers.iter().map(|server| (config.path.as_path(), server))
}

impl ImportServers {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_workspace(global, None)?;
        let configs = match &self.file {
            Some(file) => vec![server_configs::read_config(file, &opened.workspace.root)?],
            None => {
                let (configs, problems) = server_configs::find_configs(&opened.workspace.root);
                problems.iter().for_each(|problem| out.warn(problem));
                configs
            }
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
            false => "--take NAME adds one to toolcrib.toml; this starts nothing",
        });
        Ok(Ending::Done)
    }

    fn take_servers(
        &self,
        configs: &[FoundConfig],
        opened: &OpenWorkspace,
        global: &Global,
        out: &mut CommandOutput,
    ) -> CommandResult {
        let names: BTreeSet<&str> = match self.all {
            true => configs.iter().flat_map(servers).map(|(_, server)| &*server.name).collect(),
            false => self.take.iter().map(String::as_str).collect(),
        };
        let (mut taken, mut left) = (Vec::new(), Vec::new());
        let is_only = names.len() == 1;
        for name in names {
            match choose_server(name, self.all, configs, opened) {
                Ok((table, notes)) => {
                    write_server(name, &table, &notes, is_only, opened, out)?;
                    taken.push(json!({"name": name, "table": table, "notes": notes}));
                }
                Err(reason) => {
                    out.print_error(format_args!("\"{name}\" isn't imported: {reason}"));
                    left.push(json!({"name": name, "reason": reason}));
                }
            }
        }
        if global.json {
            out.print_json(&json!({"taken": taken, "left": left}))?;
        }
        let is_unknown =
            |name: &String| configs.iter().flat_map(servers).all(|(_, it)| it.name != *name);
        Ok(match left.is_empty() {
            true => Ending::Done,
            false if self.take.iter().any(is_unknown) => Ending::Usage,
            false => Ending::Found,
        })
    }
}

/// The connection of a server; `Err`: why it cannot be taken.
fn choose_server(
    name: &str,
    all: bool,
    configs: &[FoundConfig],
    opened: &OpenWorkspace,
) -> Result<(Map<String, Value>, Vec<String>), String> {
    if opened.settings.connections.find_by_name(name).is_some() {
        return Err(format!("a connection with that name already exists in {SETTINGS}"));
    }
    let of_name = configs.iter().flat_map(servers).filter(|(_, found)| found.name == name);
    let found: Vec<_> = of_name.collect();
    let Some((path, server)) = found.first() else {
        return Err("no configuration has a server with that name".to_owned());
    };
    if all && found.iter().all(|(_, server)| server.disabled) {
        return Err("it is disabled there; name it with --take".to_owned());
    }
    if let Some((other, _)) = found.iter().find(|(_, other)| other.table != server.table) {
        let (path, other) = (path.display(), other.display());
        return Err(format!("{path} and {other} have different servers of that name; name a file"));
    }
    Ok((ready_table(server)?, server.command_notes()))
}

/// The table of a server that needs no more values.
fn ready_table(server: &ConfigServer) -> Result<Map<String, Value>, String> {
    let table = server.table.clone()?;
    let asked = server.asked_values().join(", ");
    match asked.is_empty() {
        true => Ok(table),
        false => Err(format!(
            "it asks for {asked}; you can also import it on Connections in the workbench"
        )),
    }
}

/// Writes a server into the settings, and says what is to be done before it works.
fn write_server(
    name: &str,
    table: &Map<String, Value>,
    notes: &[String],
    is_only: bool,
    opened: &OpenWorkspace,
    out: &mut CommandOutput,
) -> Result<(), Problem> {
    write_connection(opened, name, table.clone(), is_only)?;
    out.print_status(format_args!("added connection \"{name}\" to {SETTINGS}"));
    notes.iter().for_each(|note| out.print_status(format_args!("  {note}")));
    if table.contains_key("command") {
        out.print_status(format_args!(
            "  `toolcrib allow {}` shows its command, and allows it",
            shell_word(name)
        ));
    }
    Ok(())
}

/// Adds a server as a connection of its name, unless that would only be shown; nothing is started.
/// Whether it was added, or would be.
pub(super) fn add_server(
    server: &ConfigServer,
    is_dry: bool,
    is_only: bool,
    opened: &OpenWorkspace,
    out: &mut CommandOutput,
) -> Result<bool, Problem> {
    let name = &server.name;
    let exists = opened.settings.connections.find_by_name(name).is_some();
    let table = match ready_table(server) {
        Ok(_) if exists => Err(format!("a connection with that name already exists in {SETTINGS}")),
        read => read,
    };
    let table = match table {
        Ok(table) => table,
        Err(reason) => {
            out.print_error(format_args!("\"{name}\" isn't imported: {reason}"));
            return Ok(false);
        }
    };
    out.print_status(format_args!("{name}: {}", server.shown));
    if is_dry {
        out.print_status("nothing was written (--dry-run)");
        return Ok(true);
    }
    write_server(name, &table, &server.command_notes(), is_only, opened, out)?;
    Ok(true)
}

fn to_json(config: &FoundConfig) -> Value {
    let server = |server: &ConfigServer| {
        json!({
            "name": server.name,
            "server": server.shown,
            "disabled": server.disabled,
            "table": server.table.as_ref().ok(),
            "reason": server.table.as_ref().err(),
            "notes": server.command_notes(),
            "asks": server.asked_values(),
        })
    };
    let ConfigServers { form, servers, findings } = &config.read;
    let servers: Vec<Value> = servers.iter().map(server).collect();
    json!({"file": config.path, "form": form, "servers": servers, "findings": findings})
}

fn print_config(config: &FoundConfig, out: &mut CommandOutput) -> std::io::Result<()> {
    out.print_line(out.tint(Tint::Bold, &config.path.display().to_string()))?;
    let cells = |server: &ConfigServer| {
        let remark = match &server.table {
            Err(reason) => Cell::tinted(Tint::Odd, format!("can't import it: {reason}")),
            Ok(_) if server.disabled => Cell::plain("disabled"),
            Ok(_) => Cell::plain(server.command_notes().join("; ")),
        };
        vec![Cell::plain(&server.name), Cell::plain(&server.shown), remark]
    };
    let rows = config.read.servers.iter().map(cells).collect();
    columns::write_table(out, &["NAME", "COMMAND OR ADDRESS", "REMARK"], rows)?;
    config.read.findings.iter().for_each(|finding| out.warn(finding));
    out.print_line("")
}
