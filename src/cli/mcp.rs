//! `toolcrib mcp`: looks at MCP servers, and puts them into the workspace.

mod adopt;
mod auth;
mod calling;
mod compare;
mod conformance;
mod frames;
mod headers;
mod reading;
mod remove;
mod target;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    time::{Duration, Instant},
};

use clap::{ArgGroup, Args, Subcommand};
use serde_json::{Map, Value, json};

use self::{
    headers::Header,
    target::{InspectedServer, Target, change_line, listing, nobody, server_command, tools},
};
use super::{
    allow::Allow,
    arguments::parse_duration,
    changes::change_json,
    columns::{self, Cell},
    ending::{CommandResult, Ending},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint, print_waiting},
};
use crate::{
    engine::settings::{
        connections,
        named_values::{HEADERS, find_secret_argument, holds_secret, is_secret, parse_value},
    },
    model::{
        connection::{Connection, SettingValue},
        connections::Connections,
        entry::FileId,
        problem::{Problem, ProblemKind},
        server_item,
        server_profile::ServerProfile,
        settings::SETTINGS,
        shown::shell_word,
        transport::TransportKind,
    },
    schema::{count::count_text, pointer::Pointer},
    store::{
        consents::Consents,
        files::{self, Expected, OutsideLinks, Stamp},
        secrets::used_mask,
    },
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
    wire::{
        registry::permissions_of,
        systems::{
            facets::{examiner::ExamineOptions, inspector::Listing},
            table,
        },
    },
};

#[derive(Args, Debug)]
pub(crate) struct Mcp {
    #[command(subcommand)]
    what: McpCommand,
}

#[derive(Subcommand, Debug)]
enum McpCommand {
    /// Connect to a server, and show its name, capabilities and times
    Ping(Target),
    /// List a server's tools, resources and prompts, and what changed since they were kept
    List(Target),
    /// Call a tool of a server, by name or address, or started for this call; as `toolcrib call`
    Call(Box<calling::CallOnServer>),
    /// Print every frame with time, direction and size, until Ctrl+C; or send your own frames
    Frames(frames::Frames),
    /// List a server's resources and templates, or read one
    Resources(reading::Resources),
    /// List a server's prompts, or get one with its arguments filled in
    Prompts(reading::Prompts),
    /// Compare a server in both eras of the protocol: its lists, and a call; exits with 1 if they
    /// differ
    Compare(compare::Compare),
    /// Check a server against the specification: its tools, and how it refuses invalid requests;
    /// calls no tool
    Conformance(Conformance),
    /// Add a server to toolcrib.toml
    Add(Add),
    /// Remove a server from toolcrib.toml
    Remove(remove::Remove),
    /// Allow a connection's server to be started: `toolcrib allow`
    #[command(hide = true)]
    Allow(Allow),
    /// Show a server's authorization step by step, or sign in
    Auth(auth::Auth),
    /// Write a server's tools to mcp/NAME.json, to check and compare them without the server
    Keep(Keep),
    /// Write TrustGraph entries for a server's tools: an mcp entry and a tool each
    Adopt(adopt::Adopt),
}

#[derive(Args, Debug)]
#[command(after_help = conformance::EXIT_CODES)]
struct Conformance {
    #[command(flatten)]
    report: conformance::ConformanceReport,

    /// How long each answer may take; one that doesn't come breaks its rule, a list ends the command
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_duration)]
    timeout: Duration,

    #[command(flatten)]
    target: Target,
}

#[derive(Args, Debug)]
#[command(override_usage = "toolcrib mcp add NAME [OPTIONS] -- COMMAND [ARGUMENT …]\n       \
    toolcrib mcp add NAME [OPTIONS] --url URL")]
#[command(group = ArgGroup::new("server").required(true).args(["url", "command"]))]
struct Add {
    /// The name of the connection
    name: String,

    /// The address of a server over HTTP: http://HOST:PORT/mcp
    #[arg(long, value_name = "URL", value_parser = parse_url)]
    url: Option<String>,

    /// A header of each request to the address: 'NAME: text', or 'NAME: $VARIABLE' for an
    /// environment variable of yours
    #[arg(long, value_name = "NAME: VALUE", requires = "url", conflicts_with = "command")]
    header: Vec<String>,

    /// A variable for the server: KEY=text, or KEY=$NAME for a variable of yours
    #[arg(long, value_name = "KEY=VALUE", conflicts_with = "url")]
    env: Vec<String>,

    /// The folder that the server runs in
    #[arg(long, value_name = "DIR")]
    dir: Option<String>,

    /// The command that starts the server
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Args, Debug)]
struct Keep {
    /// The connection, by its name in toolcrib.toml; without it, the workspace's default
    /// connection, or its only MCP server
    name: Option<String>,

    /// Accept changes; by default they are only listed
    #[arg(long)]
    accept: bool,
}

fn parse_url(text: &str) -> Result<String, String> {
    let is_http = text.starts_with("http://") || text.starts_with("https://");
    if is_http { Ok(text.to_owned()) } else { Err("write http://HOST:PORT/mcp".to_owned()) }
}

impl Mcp {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        match &self.what {
            McpCommand::Ping(target) => ping(target, global, out),
            McpCommand::List(target) => list(target, global, out),
            McpCommand::Call(call) => call.run(global, out),
            McpCommand::Frames(frames) => frames.run(global, out),
            McpCommand::Resources(resources) => resources.run(global, out),
            McpCommand::Prompts(prompts) => prompts.run(global, out),
            McpCommand::Compare(compare) => compare.run(global, out),
            McpCommand::Conformance(conformance) => conformance.run(global, out),
            McpCommand::Add(add) => add.run(global, out),
            McpCommand::Remove(remove) => remove.run(global, out),
            McpCommand::Allow(allow) => allow.run(global, out),
            McpCommand::Auth(auth) => auth.run(global, out),
            McpCommand::Keep(keep) => keep.run(global, out),
            McpCommand::Adopt(adopt) => take_over(adopt, global, out),
        }
    }
}

fn ping(target: &Target, global: &Global, out: &mut CommandOutput) -> CommandResult {
    let looked = InspectedServer::of(target, global, out)?;
    let begun = Instant::now();
    looked.with("pinging a server", async |bus| {
        let connected = begun.elapsed();
        looked.inspector.ping(bus).await.map_err(|problem| problem.while_doing("pinging"))?;
        let answered = begun.elapsed() - connected;
        if global.json {
            out.print_json(&json!({
                "server": bus.greeting(),
                "connected_ms": connected.as_millis() as u64,
                "ping_ms": answered.as_micros() as f64 / 1_000.0,
                "profile": bus.server_profile().map(|profile| &profile.json),
            }))?;
            return Ok(Ending::Done);
        }
        out.print_line(bus.greeting())?;
        if let Some(profile) = bus.server_profile() {
            write_profile(profile, out)?;
        }
        out.print_line(format!(
            "connected in {} ms, answered in {:.1} ms",
            connected.as_millis(),
            answered.as_secs_f64() * 1_000.0
        ))?;
        Ok(Ending::Done)
    })
}

/// What a server says of itself.
fn write_profile(profile: &ServerProfile, out: &mut CommandOutput) -> std::io::Result<()> {
    for words in &profile.findings {
        out.warn(words);
    }
    for fact in &profile.facts {
        let line = format!("{}: {}", fact.label, fact.words);
        out.print_line(out.safe_text(&line).into_owned())?;
    }
    if let Some(instructions) = &profile.instructions {
        out.print_line("instructions for models:")?;
        for line in instructions.lines() {
            out.print_line(format!("  {}", out.safe_text(line)))?;
        }
    }
    Ok(())
}

fn list(target: &Target, global: &Global, out: &mut CommandOutput) -> CommandResult {
    let looked = InspectedServer::of(target, global, out)?;
    let kept = match target.command.is_empty() {
        true => kept_text(&looked, &OpenWorkspace::read_workspace(global, None)?),
        false => None,
    };
    looked.with("listing what a server has", async |bus| {
        let listing = listing(&looked, bus).await?;
        out.print_status(bus.greeting());
        if global.json {
            let kinds =
                listing.lists.iter().map(|listed| (listed.kind.to_owned(), json!(listed.items)));
            out.print_json(&kinds.collect::<Map<_, _>>().into())?;
        } else {
            write_lists(&listing, out)?;
        }
        let timings: Vec<String> =
            listing.lists.iter().map(|listed| listed.timing.message()).collect();
        out.print_status(timings.join("; "));
        for words in listing.lists.iter().flat_map(|listed| &listed.odd) {
            out.warn(words);
        }
        let drift = kept.and_then(|text| looked.keeper.compare(&text, &looked.listed(listing)));
        if let Some(drift) = drift.filter(|drift| !drift.changes.is_empty()) {
            out.warn(format_args!(
                "its tools differ from the saved list; `toolcrib mcp keep {} \
                --accept` saves them",
                shell_word(&looked.connection.name)
            ));
            drift.changes.iter().for_each(|change| out.print_status(change_line(change)));
        }
        Ok(Ending::Done)
    })
}

fn write_lists(listing: &Listing, out: &mut CommandOutput) -> std::io::Result<()> {
    for listed in listing.lists.iter().filter(|listed| !listed.items.is_empty()) {
        let text = |item: &Value, names: &[&str]| -> String {
            let found = names.iter().find_map(|name| item.get(*name)?.as_str());
            found.unwrap_or_default().lines().next().unwrap_or_default().to_owned()
        };
        let cells = |item: &Value| {
            // By which it is read.
            let name = text(item, &["uri", "uriTemplate", "name"]);
            vec![Cell::plain(name), Cell::plain(text(item, &["description", "title", "name"]))]
        };
        let head = format!(
            "{} ({})",
            server_item::list_title(listed.kind).to_uppercase(),
            listed.items.len()
        );
        columns::write_table(
            out,
            &[&head, "DESCRIPTION"],
            listed.items.iter().map(cells).collect(),
        )?;
    }
    Ok(())
}

fn take_over(adopt: &adopt::Adopt, global: &Global, out: &mut CommandOutput) -> CommandResult {
    let opened = OpenWorkspace::read_aloud(global, out)?;
    let looked = InspectedServer::named(&adopt.name, &opened)?;
    looked.with("listing what a server has", async |bus| {
        let listing = listing(&looked, bus).await?;
        let url = looked.connection.addresses().first().map(String::as_str);
        let items = adopt.choose_items(url, tools(&listing))?;
        adopt.taking.take_items(&items, &opened, global, out)
    })
}

/// The kept list of a server, as its file in the workspace has it.
fn kept_text(looked: &InspectedServer, opened: &OpenWorkspace) -> Option<String> {
    let path = looked.keeper.path(&looked.connection.name);
    files::read_text(&opened.workspace.root.join(path)).ok().map(|read| read.text.to_string())
}

impl Conformance {
    fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let looked = InspectedServer::of(&self.target, global, out)?;
        let connection = &looked.connection;
        looked.with("examining a server", async |bus| {
            let Some(examiner) = table::examiner_at(connection) else {
                return Err(nobody(&connection.name).into());
            };
            let tell_waiting = |rule: &str| {
                print_waiting(format_args!("waiting for the answer that shows {rule} …"));
            };
            let options = ExamineOptions { patience: self.timeout, tell_waiting: &tell_waiting };
            let secrets = looked.registry.secrets();
            let examined = examiner.examine(bus, connection, secrets, options).await;
            let examined = examined.map_err(|problem| problem.while_doing("examining it"))?;
            out.print_status(bus.greeting());
            self.report.write_verdicts(&connection.name, &examined, global.json, out)
        })
    }
}

impl Add {
    fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_workspace(global, None)?;
        let Some(inspector) = table::inspectors().next() else { return Err(nobody("it").into()) };
        if opened.settings.connections.find_by_name(&self.name).is_some() {
            let cause = format!("connection \"{}\" already exists", self.name);
            return Err(self
                .refused(cause)
                .with_remedy("choose another name, or edit toolcrib.toml")
                .into());
        }
        let mut table: Map<String, Value> =
            inspector.members().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let env = self.read_env()?;
        self.refuse_secrets()?;
        let connection = match &self.url {
            Some(url) => self.at_address(url, &opened.settings.connections, &mut table)?,
            None => self.of_command(&env, &mut table),
        };
        let connection = connection.placed_in(&opened.workspace.root);
        let written = write_connection(&opened, &self.name, table, true)?;
        out.print_status(format_args!("added connection \"{}\" to {SETTINGS}", self.name));
        if written == Written::Default {
            out.print_status("calls go through it unless --connection names another");
        }
        // Who types a command wants it started, and who types a variable wants it sent.
        for permission in permissions_of(&connection) {
            Consents::of_user()?.give(&permission)?;
        }
        out.print_status(format_args!(
            "`toolcrib mcp keep {}` saves its tool list in this workspace",
            shell_word(&self.name)
        ));
        Ok(Ending::Done)
    }

    fn refused(&self, cause: impl Into<String>) -> Problem {
        Problem::new(ProblemKind::Input, format!("adding \"{}\"", self.name), cause)
    }

    /// The variables that the server gets, as they were typed.
    fn read_env(&self) -> Result<BTreeMap<String, String>, Problem> {
        let mut env = BTreeMap::new();
        for pair in &self.env {
            let Some((name, value)) = pair.split_once('=').filter(|(name, _)| !name.is_empty())
            else {
                return Err(self.refused(format!("{pair} is not KEY=VALUE")));
            };
            if matches!(parse_value(value), SettingValue::Text(text) if is_secret(name, &text)) {
                let remedy = format!(
                    "secrets don't belong in toolcrib.toml: name the environment variable that \
                    holds it, in single quotes: --env '{name}=$VARIABLE'"
                );
                let cause = format!("the value of {name} is a secret");
                return Err(self.refused(cause).with_remedy(remedy));
            }
            env.insert(name.to_owned(), value.to_owned());
        }
        Ok(env)
    }

    /// No secret of the command or the address is written.
    fn refuse_secrets(&self) -> Result<(), Problem> {
        if find_secret_argument(&self.command).is_some() {
            let remedy = "secrets don't belong in toolcrib.toml: let the server read it from a \
                variable: --env 'NAME=$VARIABLE'";
            let cause = "an argument of the command looks like a secret";
            return Err(self.refused(cause).with_remedy(remedy));
        }
        if self.url.as_deref().is_some_and(holds_secret) {
            let remedy = "secrets don't belong in toolcrib.toml: name the environment variable that \
                holds it: --header 'Authorization: Bearer $VARIABLE'";
            return Err(self.refused("the address holds a secret").with_remedy(remedy));
        }
        Ok(())
    }

    /// A connection to that address; `table` is what is written of it.
    fn at_address(
        &self,
        url: &str,
        known: &Connections,
        table: &mut Map<String, Value>,
    ) -> Result<Connection, Problem> {
        let transport = TransportKind::of_address(url).map(TransportKind::as_str);
        table.insert("transport".into(), json!(transport));
        table.insert("servers".into(), json!([url]));
        let given = Header::parse_all(&self.header)?;
        let mut headers = Map::new();
        for header in &given {
            if let Some(variable) = header.token_variable() {
                table.insert("token-variable".into(), json!(variable));
            } else {
                headers.insert(header.name.clone(), json!(header.setting_text()?));
            }
        }
        if !headers.is_empty() {
            table.insert(HEADERS.into(), Value::Object(headers));
        }
        let mut connection = connections::find_connection(known, url)?;
        given.iter().for_each(|header| header.add_to(&mut connection));
        Ok(connection)
    }

    /// A connection to the server that the command starts; `table` is what is written of it.
    fn of_command(
        &self,
        env: &BTreeMap<String, String>,
        table: &mut Map<String, Value>,
    ) -> Connection {
        let values = env.iter().map(|(name, value)| (name.clone(), parse_value(value)));
        let command = server_command(&self.command, values.collect(), self.dir.clone());
        table.insert("command".into(), json!(command.command));
        table.insert("args".into(), json!(command.args));
        if !env.is_empty() {
            table.insert("env".into(), json!(env));
        }
        table.extend(self.dir.iter().map(|dir| ("dir".to_owned(), json!(dir))));
        Connection::process(&self.name, command)
    }
}

/// The member of `toolcrib.toml` that names the connection of all calls.
const DEFAULT: &str = "connection";

/// What a connection became that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// The one that calls go through.
    Default,
    Beside,
}

/// Puts a table into `toolcrib.toml`, all else in it as it was; where the workspace has neither
/// tools nor a connection of its own, its calls go through this one, if it may be so.
pub(super) fn write_connection(
    opened: &OpenWorkspace,
    name: &str,
    table: Map<String, Value>,
    may_be_default: bool,
) -> Result<Written, Problem> {
    let doing = || format!("writing {SETTINGS}");
    let file = FileId::new(SETTINGS);
    let path = opened.workspace.file_path(&file);
    let refused = |cause: String| Problem::new(ProblemKind::Input, doing(), cause);
    let at = Pointer::from_iter(["connections", name]);
    let connection = Edit::Set { at, to: Value::Object(table).into() };
    let mut written = Written::Beside;
    files::edit_file(&opened.workspace.root, &path, OutsideLinks::Refuse, |before| {
        let source = Source::parse(Format::Toml, before.unwrap_or_default())
            .map_err(|error| refused(error.to_string()))?;
        let mut edits = vec![connection.clone()];
        let has_default = !may_be_default
            || source.value(0).is_some_and(|settings| settings.get(DEFAULT).is_some());
        written = match has_default || !opened.catalog.tools.is_empty() {
            true => Written::Beside,
            false => Written::Default,
        };
        if written == Written::Default {
            let at = Pointer::root().child(DEFAULT);
            edits.insert(0, Edit::Set { at, to: name.into() });
        }
        let after = edits.iter().try_fold(source, |source, edit| {
            let done = source.apply(0, edit).map(|(after, _)| after);
            done.map_err(|error| refused(error.to_string()))
        })?;
        Ok(after.text().to_string())
    })?;
    Ok(written)
}

impl Keep {
    fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let opened = OpenWorkspace::read_aloud(global, out)?;
        let looked = InspectedServer::named_or_only(self.name.as_ref(), &opened)?;
        let before = kept_text(&looked, &opened);
        looked.with("saving the tool list of a server", async |bus| {
            let listing = listing(&looked, bus).await?;
            let listed = looked.listed(listing);
            let drift = before.as_deref().and_then(|text| looked.keeper.compare(text, &listed));
            let changes = drift.iter().flat_map(|drift| &drift.changes);
            if global.json {
                out.print_json(&changes.clone().map(change_json).collect())?;
            }
            if let Some(drift) = &drift {
                for change in changes.filter(|_| !global.json) {
                    out.print_line(change_line(change).trim_start())?;
                }
                if let Some(older) = drift.older_version.as_ref().filter(|_| !global.json) {
                    let version = &listed.version;
                    out.print_line(format_args!("it uses version {version} now; it used {older}"))?;
                }
                if drift.is_none() {
                    out.print_status("nothing changed");
                    return Ok(Ending::Done);
                }
                if !drift.changes.is_empty() && !self.accept {
                    out.print_status("not saved: review the changes, then add --accept");
                    return Ok(Ending::Found);
                }
            }
            let path = FileId::new(looked.keeper.path(&listed.server));
            let text = looked.keeper.print(&listed);
            if let Cow::Owned(_) = used_mask().mask_known(&text) {
                let cause = "its list holds a secret of the connection, which no file gets";
                let doing = format!("saving the tools of \"{}\"", listed.server);
                return Err(Problem::new(ProblemKind::Refused, doing, cause)
                    .with_remedy("ask whoever runs the server why it repeats the secret")
                    .into());
            }
            let expected = before
                .as_deref()
                .map_or(Expected::Absent, |before| Expected::Same(Stamp::of_text(before)));
            let root = &opened.workspace.root;
            files::save_file(
                root,
                &opened.workspace.file_path(&path),
                &text,
                expected,
                OutsideLinks::Refuse,
            )
            .map_err(|refused| refused.problem().clone())?;
            out.print_status(out.tint(
                Tint::Good,
                &format!(
                    "saved {} in {}",
                    count_text(listed.tools.len(), "tool", "tools"),
                    path.as_str()
                ),
            ));
            Ok(Ending::Done)
        })
    }
}
