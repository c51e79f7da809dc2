//! The server that a command looks at: a connection of the workspace, or a command for this once.

use std::{collections::BTreeMap, env};

use clap::Args;
use serde_json::Value;

use super::headers::Header;
use crate::{
    cli::{
        ending::{CommandResult, Ending},
        global::Global,
        opened::OpenWorkspace,
        out::CommandOutput,
        signals::{interrupted, wait_for, with_patience},
    },
    engine::settings::{connections, named_values::is_secret_header},
    model::{
        connection::{Connection, ServerCommand, SettingValue},
        connections::Connections,
        problem::{Problem, ProblemKind},
    },
    runtime::{now, registry},
    systems::{
        self,
        facets::kept_tools::{KeptTools, ListedTools, ToolChange},
    },
    wire::{
        registry::{Registry, permissions_of},
        systems::{
            facets::inspector::{Inspector, Listing},
            table,
        },
        transport::bus::Bus,
    },
};

/// Which server is meant.
#[derive(Args, Debug, Default)]
pub(super) struct Target {
    /// The connection, by its name in toolcrib.toml, or the address of a server; unless one is
    /// named, the workspace's default connection, or its only MCP server
    #[arg(conflicts_with = "command")]
    pub name: Option<String>,

    /// A header of each request to the address: 'NAME: text', or 'NAME: $VARIABLE' for an
    /// environment variable of yours
    #[arg(long, value_name = "NAME: VALUE", requires = "name", conflicts_with = "command")]
    pub header: Vec<String>,

    /// A command that starts a server, for this command only
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// A server that is to be looked at.
pub(super) struct InspectedServer {
    pub connection: Connection,
    pub inspector: &'static dyn Inspector,
    pub keeper: &'static dyn KeptTools,
    pub registry: Registry,
}

impl InspectedServer {
    pub fn of(target: &Target, global: &Global, out: &CommandOutput) -> Result<Self, Problem> {
        let named = target.name.as_ref().or(global.connection.as_ref());
        let Some(name) = named.filter(|_| target.command.is_empty()) else {
            if target.command.is_empty() {
                return Self::only(&OpenWorkspace::read_aloud(global, out)?);
            }
            let Some(inspector) = table::inspectors().next() else { return Err(nobody("it")) };
            // It is a command of this folder, whatever workspace that is in.
            let here = env::current_dir().ok().map(|here| here.to_string_lossy().into_owned());
            let command = server_command(&target.command, BTreeMap::new(), here);
            let connection = inspector.over(Connection::process("server", command));
            // Who types a command wants it started.
            registry::agree_to(permissions_of(&connection));
            return Self::inspected(connection, inspector, registry::of_system());
        };
        let opened = OpenWorkspace::read_aloud(global, out)?;
        Self::named(name, &opened)?.with_headers(&target.header)
    }

    /// The same, its requests with these headers.
    fn with_headers(mut self, given: &[String]) -> Result<Self, Problem> {
        let headers = &Header::parse_all(given)?;
        let connection = &mut self.connection;
        if let Some(header) =
            headers.first().filter(|_| !connection.transport().spec().http_headers)
        {
            let cause = format!(
                "connection \"{}\" is {}, which sends no header {}",
                connection.name,
                connection.transport().spec().title,
                header.name
            );
            let problem = Problem::new(ProblemKind::Input, "choosing the server", cause);
            return Err(problem.with_remedy("leave --header out"));
        }
        let needs_more = self.registry.not_allowed(connection).is_some();
        for header in headers {
            if let SettingValue::Text(text) = &header.value
                && is_secret_header(&header.name, text)
            {
                self.registry.secrets().register(text);
            }
            header.add_to(connection);
        }
        // Who types a variable wants it sent.
        if !needs_more {
            registry::agree_to(permissions_of(connection));
        }
        Ok(self)
    }

    /// The workspace's only MCP server, or the one that it uses unless another is named.
    fn only(opened: &OpenWorkspace) -> Result<Self, Problem> {
        let known = &opened.settings.connections;
        let servers = servers_of(known);
        if servers.iter().any(|name| **name == *known.usual) {
            return Self::named(&known.usual, opened);
        }
        let [name] = servers.as_slice() else {
            let cause = match servers.len() {
                0 => "this workspace has no MCP server".to_owned(),
                count => format!("this workspace has {count} MCP servers: name one"),
            };
            let problem = Problem::new(ProblemKind::Input, "choosing the server", cause);
            return Err(with_servers(problem, known));
        };
        Self::named(name, opened)
    }

    /// The server that is named, else the only one.
    pub fn named_or_only(name: Option<&String>, opened: &OpenWorkspace) -> Result<Self, Problem> {
        match name {
            Some(name) => Self::named(name, opened),
            None => Self::only(opened),
        }
    }

    pub fn named(name: &str, opened: &OpenWorkspace) -> Result<Self, Problem> {
        let known = &opened.settings.connections;
        let connection = connections::find_connection(known, name).map_err(|problem| match name
            .contains("://")
        {
            true => problem,
            false => with_servers(problem, known),
        })?;
        let inspector = table::inspectors().find(|inspector| inspector.is_at(&connection));
        // An address that is in no file is the server's, or it would not be named here.
        if inspector.is_none() && known.find_by_name(name).is_none() {
            let Some(inspector) = table::inspectors().next() else { return Err(nobody(name)) };
            let connection = inspector.over(connection);
            return Self::inspected(connection, inspector, registry::of_system());
        }
        let inspector = inspector.ok_or_else(|| nobody(name))?;
        Self::inspected(connection, inspector, registry::of_system())
    }

    fn inspected(
        connection: Connection,
        inspector: &'static dyn Inspector,
        registry: Registry,
    ) -> Result<Self, Problem> {
        let keeper = systems::table::kept_tools_at(&connection);
        let keeper = keeper.ok_or_else(|| nobody(&connection.name))?;
        Ok(Self { connection, inspector, keeper, registry })
    }

    /// The tools among what the server has, as they can be kept.
    pub fn listed(&self, listing: Listing) -> ListedTools {
        ListedTools {
            server: self.connection.name.clone(),
            time: now::rfc3339(now::now_millis()),
            tools: tools(&listing).to_vec(),
            version: listing.version,
        }
    }

    /// Opens the connection, works with it, and ends it cleanly.
    pub fn with(
        &self,
        doing: &str,
        work: impl AsyncFnOnce(&dyn Bus) -> CommandResult,
    ) -> CommandResult {
        let opened = async {
            let working = async {
                let opening = self.registry.open_bus(&self.connection);
                let bus = with_patience(&self.connection.name, opening).await;
                let bus = bus.map_err(|problem| {
                    problem.while_doing(format!("connecting \"{}\"", self.connection.name))
                })?;
                work(&*bus).await
            };
            let ended = tokio::select! {
                ended = working => ended,
                () = interrupted() => Ok(Ending::Interrupted),
            };
            self.registry.close().await;
            ended
        };
        wait_for(doing, opened)
    }
}

pub(super) fn nobody(name: &str) -> Problem {
    let cause = format!("connection \"{name}\" isn't to an MCP server");
    let remedy = "name one with system = \"mcp\", or give the command after --";
    Problem::new(ProblemKind::Input, "connecting to a server", cause).with_remedy(remedy)
}

pub(super) fn server_command(
    words: &[String],
    env: BTreeMap<String, SettingValue>,
    dir: Option<String>,
) -> ServerCommand {
    let (command, args) = words
        .split_first()
        .map_or_else(Default::default, |(first, rest)| (first.clone(), rest.to_vec()));
    ServerCommand { command, args, env, dir }
}

/// The names of the workspace's MCP servers.
fn servers_of(known: &Connections) -> Vec<&str> {
    let is_server =
        |connection: &&Connection| table::inspectors().any(|inspector| inspector.is_at(connection));
    let servers = known.known.iter().filter(is_server);
    servers.map(|connection| connection.name.as_str()).collect()
}

/// A server that isn't known, with those that are.
fn with_servers(problem: Problem, known: &Connections) -> Problem {
    let there = match servers_of(known).as_slice() {
        [] => "add one with `toolcrib mcp add NAME`".to_owned(),
        names => format!("MCP servers of this workspace: {}", names.join(", ")),
    };
    problem.with_remedy(format!("{there}; or give an address: https://HOST/mcp"))
}

pub(super) async fn listing(looked: &InspectedServer, bus: &dyn Bus) -> Result<Listing, Problem> {
    looked.inspector.list(bus).await.map_err(|problem| problem.while_doing("reading its lists"))
}

pub(super) fn tools(listing: &Listing) -> &[Value] {
    listing.items_of("tools")
}

pub(super) fn change_line(change: &ToolChange) -> String {
    let ToolChange { severity, tool, id, at, .. } = change;
    let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
    format!("  {severity}: {tool}: {id}{at}")
}
