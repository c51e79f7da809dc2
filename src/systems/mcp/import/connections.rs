//! Servers that other programs have configured, as connections that start or reach the same.
//!
//! Settings of a workspace hold no secrets, and can refer to them only as whole values of
//! variables and of headers, and as bearer tokens. What needs more is left out, and it is said why.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::{Map, Value, json};

use super::{
    config::config_import,
    reader,
    server::{HTTP, Input, SSE, STDIO, Server},
};
use crate::{
    engine::{
        mask::{MASKED, Mask},
        settings::{
            connections,
            named_values::{self, AUTHORIZATION},
        },
    },
    model::{connection::Connection, copied::Copied, transport::TransportKind},
    systems::{
        facets::configured::{
            ConfigFile, ConfigServer, ConfigServers, Configured, ValuePlace, WantedValue,
        },
        mcp::{
            copies,
            expand::{self, Context},
            form::Form,
            keys, settings,
            version::Era,
        },
    },
};

/// Files below the home folder, in the forms that they are in.
const HOME: &[(Form, &str)] = &[
    (Form::ClaudeDesktop, ".config/Claude/claude_desktop_config.json"),
    (Form::ClaudeDesktop, "Library/Application Support/Claude/claude_desktop_config.json"),
    (Form::ClaudeDesktop, "AppData/Roaming/Claude/claude_desktop_config.json"),
    (Form::McpJson, ".claude.json"),
    (Form::VsCode, ".config/Code/User/mcp.json"),
    (Form::VsCode, ".config/Code/User/settings.json"),
    (Form::VsCode, "Library/Application Support/Code/User/mcp.json"),
    (Form::VsCode, "Library/Application Support/Code/User/settings.json"),
    (Form::VsCode, "AppData/Roaming/Code/User/mcp.json"),
    (Form::VsCode, "AppData/Roaming/Code/User/settings.json"),
    (Form::Cursor, ".cursor/mcp.json"),
    (Form::Zed, ".config/zed/settings.json"),
    (Form::Zed, "AppData/Roaming/Zed/settings.json"),
    (Form::Codex, ".codex/config.toml"),
];

/// The same below the folder of a project.
const PROJECT: &[(Form, &str)] = &[
    (Form::McpJson, ".mcp.json"),
    (Form::VsCode, ".vscode/mcp.json"),
    (Form::VsCode, ".vscode/settings.json"),
    (Form::Cursor, ".cursor/mcp.json"),
    (Form::Zed, ".zed/settings.json"),
    (Form::Codex, ".codex/config.toml"),
];

/// MCP servers of other programs.
pub(crate) struct McpConfigs;

impl Configured for McpConfigs {
    fn home_files(&self) -> Vec<&'static str> {
        HOME.iter().map(|(_, path)| *path).collect()
    }

    fn project_files(&self) -> Vec<&'static str> {
        PROJECT.iter().map(|(_, path)| *path).collect()
    }

    fn read_config(&self, file: &ConfigFile<'_>) -> ConfigServers {
        let read = config_import(form_by_path(file.path), file.text, file.platform);
        let findings = read.faults.iter().map(|fault| {
            let at = fault.at.to_string();
            let at = if at.is_empty() { at } else { format!(" at {at}") };
            format!("{}{at}: {}", fault.id, fault.words)
        });
        let findings = findings.collect();
        let Some(form) = read.form else { return ConfigServers { findings, ..Default::default() } };
        let servers = read.servers.iter().map(|server| to_connection(form, server, file));
        ConfigServers { form: form.as_str(), servers: servers.collect(), findings }
    }

    fn config_entries(&self, connection: &Connection) -> Vec<Copied> {
        copies::of_connection(connection)
    }

    fn server_table(&self, words: &[&str]) -> Result<Map<String, Value>, String> {
        let (command, args) = words.split_first().ok_or("write a command or an address")?;
        let mut table = Map::new();
        table.insert("system".into(), json!(keys::SYSTEM));
        if !command.contains("://") {
            table.insert("command".into(), json!(command));
            table.insert("args".into(), json!(args));
            return Ok(table);
        }
        if !args.is_empty() {
            return Err("nothing can follow an address".into());
        }
        let transport = TransportKind::of_address(command).filter(|_| command.starts_with("http"));
        let transport =
            transport.ok_or("an MCP server's address begins with http:// or https://")?;
        table.insert("transport".into(), json!(transport.as_str()));
        table.insert("servers".into(), json!([command]));
        Ok(table)
    }

    fn is_own_address(&self, address: &str) -> bool {
        let is_http = address.starts_with("http://") || address.starts_with("https://");
        let place = address.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        is_http && (place.ends_with("/mcp") || place.ends_with("/sse"))
    }

    fn claim_address(&self, connection: Connection) -> Connection {
        settings::on(connection)
    }
}

/// The form of a file that lies where a program looks for it.
fn form_by_path(path: &str) -> Option<Form> {
    let is_at = |place: &str| path.strip_suffix(place).is_some_and(|rest| rest.ends_with('/'));
    HOME.iter().chain(PROJECT).find(|(_, place)| is_at(place)).map(|(form, _)| *form)
}

fn to_connection(form: Form, server: &Server, file: &ConfigFile<'_>) -> ConfigServer {
    let mut maker = TableMaker::new(form, server, file);
    let table = match server.transport.as_str() {
        STDIO => maker.process_table(),
        HTTP | SSE => maker.http_table(),
        other => Err(format!("the transport {other} is not spoken here")),
    };
    ConfigServer {
        name: server.name.clone(),
        about: server.about.clone(),
        version: server.version.clone(),
        shown: show_server(server),
        disabled: server.disabled,
        table,
        notes: maker.notes,
        wanted: maker.wanted,
    }
}

/// The command or the address of a server, what may be a secret masked.
fn show_server(server: &Server) -> String {
    let mask = Mask::default();
    let mut shown = Vec::new();
    match (&server.command, &server.url) {
        (Some(command), _) if !matches!(server.transport.as_str(), HTTP | SSE) => {
            shown.push(mask.mask_text(command).into_owned());
            let mut before = "";
            for arg in &server.args {
                shown.push(mask.mask_named_value(before, arg).into_owned());
                before = if arg.starts_with('-') { arg } else { "" };
            }
        }
        (_, Some(url)) if has_password(url) => shown.push(MASKED.to_owned()),
        (_, url) => {
            shown.extend(url.iter().map(|url| mask.mask_text(url).into_owned()));
        }
    }
    shown.join(" ")
}

fn has_password(url: &str) -> bool {
    connections::holds_credentials(url)
}

/// Whether a value must not stand in a file under this name.
fn is_secret(name: &str, value: &str) -> bool {
    let is_named = named_values::is_secret_name(name)
        || reader::is_secret_name(name)
        || named_values::ends_as_secret(name);
    !value.is_empty() && (is_named || Mask::default().mask_named_value(name, value) != value)
}

/// Makes the table of one server.
struct TableMaker<'m> {
    form: Form,
    server: &'m Server,
    /// What is known; without variables of the environment, and with them.
    fixed: Context,
    whole: Context,
    notes: Vec<String>,
    wanted: Vec<WantedValue>,
}

/// Where the value of a variable comes from.
enum Source {
    Text(String),
    Variable(String),
    KeyStore(String),
}

impl<'m> TableMaker<'m> {
    fn new(form: Form, server: &'m Server, file: &ConfigFile<'_>) -> Self {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let given = |input: &Input| {
            let default = Some(&input.default).filter(|value| !input.secret && !value.is_null())?;
            Some((input.id.clone(), default.clone()))
        };
        let defaults: BTreeMap<String, Value> = server.inputs.iter().filter_map(given).collect();
        let texts = defaults
            .iter()
            .filter_map(|(id, value)| Some((id.clone(), value.as_str()?.to_owned())));
        let below = |folder: &str| file.home.map(|home| format!("{home}/{folder}"));
        let fixed = Context {
            env: file.home.map(|home| ("HOME".to_owned(), home.to_owned())).into_iter().collect(),
            home: owned(file.home),
            workspace: owned(file.project),
            dir: file.path.rsplit_once('/').map(|(dir, _)| dir.to_owned()),
            desktop: below("Desktop"),
            documents: below("Documents"),
            downloads: below("Downloads"),
            separator: if file.platform == "win32" { "\\" } else { "/" }.to_owned(),
            inputs: texts.collect(),
            user_config: defaults,
            variables: BTreeMap::new(),
        };
        let whole = Context { env: file.variables.clone(), ..fixed.clone() };
        Self { form, server, fixed, whole, notes: Vec::new(), wanted: Vec::new() }
    }

    /// A text that settings hold as it is; `what` it is, for people.
    ///
    /// What the configuration asks for stays in it, to be given by the user.
    fn plain_text(&mut self, what: &str, text: &str) -> Result<String, String> {
        let filled = expand::expand_text(self.form, text, &self.fixed);
        let is_asked = |name: &String| self.asked_input(name).is_some();
        let (asked, missing): (Vec<String>, Vec<String>) =
            filled.missing.into_iter().partition(is_asked);
        if !missing.is_empty() {
            let missing = missing.join(", ");
            return Err(format!(
                "{what} names {missing}; a connection can refer to such a value only in env"
            ));
        }
        asked.iter().for_each(|name| self.want_input(name));
        if expand::expand_text(self.form, text, &self.whole).value != filled.value {
            let words = "depends on a variable; a connection can refer to one only in env";
            return Err(format!("{what} {words}"));
        }
        Ok(filled.value)
    }

    /// What the configuration asks for under this name, where that is no secret.
    fn asked_input(&self, name: &str) -> Option<&'m Input> {
        let id = name.strip_prefix("input:").or_else(|| name.strip_prefix("user_config."))?;
        self.server.inputs.iter().find(|input| input.id == id && !input.secret)
    }

    fn want_input(&mut self, name: &str) {
        let Some(input) = self.asked_input(name) else { return };
        let place = ValuePlace::Text(format!("${{{name}}}"));
        if self.wanted.iter().all(|known| known.place != place) {
            let default = input.default.as_str().unwrap_or_default().to_owned();
            self.wanted.push(WantedValue { title: input.id.clone(), place, default });
        }
    }

    fn process_table(&mut self) -> Result<Map<String, Value>, String> {
        let server = self.server;
        if let Some(file) = &server.env_file {
            return Err(format!("it reads variables from {file}, which a connection cannot"));
        }
        let command = server.command.as_deref().unwrap_or_default();
        let mut table = Map::new();
        table.insert("system".into(), json!(keys::SYSTEM));
        table.insert("command".into(), json!(self.plain_text("its command", command)?));
        table.insert("args".into(), json!(self.plain_args()?));
        if let Some(dir) = &server.cwd {
            table.insert("dir".into(), json!(self.plain_text("its folder", dir)?));
        }
        self.add_values(&mut table, [named_values::ENV, named_values::ENV_KEY], &server.env);
        Ok(table)
    }

    /// Values by their names, as these two keys of a connection have them.
    fn add_values<'v>(
        &mut self,
        table: &mut Map<String, Value>,
        [text_key, store_key]: [&str; 2],
        values: impl IntoIterator<Item = &'v (String, String)>,
    ) {
        let (mut texts, mut kept) = (Map::new(), Map::new());
        for (name, value) in values {
            match self.find_source(name, value) {
                Source::Text(text) => drop(texts.insert(name.clone(), json!(text))),
                Source::Variable(variable) => {
                    texts.insert(name.clone(), json!(format!("${variable}")));
                }
                Source::KeyStore(key) => drop(kept.insert(name.clone(), json!(key))),
            }
        }
        for (key, values) in [(text_key, texts), (store_key, kept)] {
            if !values.is_empty() {
                table.insert(key.to_owned(), Value::Object(values));
            }
        }
    }

    fn plain_args(&mut self) -> Result<Vec<String>, String> {
        let mut before = "";
        for (row, arg) in self.server.args.iter().enumerate() {
            let what = format!("argument {}", row + 1);
            let (name, value) = arg.split_once(['=', ':']).unwrap_or((before, arg));
            // A flag is no value of the one before it.
            if !arg.starts_with("--") && is_secret_in_words(before, arg)
                || is_secret_in_words(name, value)
            {
                return Err(format!("{what} looks like a secret, and no file here may hold one"));
            }
            self.plain_text(&what, arg)?;
            before = if arg.starts_with('-') { arg } else { "" };
        }
        Ok(expand::expand_args(self.form, &self.server.args, &self.fixed).value)
    }

    /// Where a variable of the server gets its value from; a secret never from the file.
    fn find_source(&mut self, name: &str, value: &str) -> Source {
        if let Some(variable) = self.whole_variable(value) {
            return Source::Variable(variable);
        }
        let plain = self.plain_text(name, value);
        match plain {
            Ok(text)
                if !is_secret(name, &text) && (!text.starts_with('$') || self.is_asked(&text)) =>
            {
                Source::Text(text)
            }
            _ => Source::KeyStore(self.key_for(name)),
        }
    }

    /// Whether a value is what the user is asked for, and nothing beside it.
    fn is_asked(&self, value: &str) -> bool {
        let place = ValuePlace::Text(value.to_owned());
        self.wanted.iter().any(|wanted| wanted.place == place)
    }

    /// The variable of the environment that a value is, and nothing beside it.
    fn whole_variable(&self, value: &str) -> Option<String> {
        let pattern = match self.form {
            Form::McpJson => r"^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}$",
            Form::VsCode | Form::Cursor | Form::Codex => r"^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}$",
            Form::ClaudeDesktop | Form::Zed | Form::Mcpb | Form::ServerJson => return None,
        };
        let name = Regex::new(pattern).ok()?.captures(value)?[1].to_owned();
        // The default counts where there is one and the variable is not set.
        let has_default = value.contains(":-") && !self.whole.env.contains_key(&name);
        Some(name).filter(|_| !has_default)
    }

    /// The name in the key store of a value that the user has to put there.
    fn key_for(&mut self, name: &str) -> String {
        let key = format!("{}-{name}", self.server.name);
        let place = ValuePlace::KeyStore(key.clone());
        let title = name.to_owned();
        self.wanted.push(WantedValue { title, place, default: String::new() });
        key
    }

    fn http_table(&mut self) -> Result<Map<String, Value>, String> {
        let server = self.server;
        let url = self.plain_text("its address", server.url.as_deref().unwrap_or_default())?;
        if has_password(&url) || is_secret_in_words("", &url) {
            return Err("its address holds a secret, and no file here may hold one".to_owned());
        }
        let Some(transport) = TransportKind::of_address(&url) else {
            return Err("its address does not begin with http:// or https://".to_owned());
        };
        let mut table = Map::new();
        table.insert("system".into(), json!(keys::SYSTEM));
        table.insert("transport".into(), json!(transport.as_str()));
        table.insert("servers".into(), json!([url]));
        if server.transport == SSE {
            // Only revisions of the legacy era have that transport: a probe is not needed.
            table.insert(keys::ERA.into(), json!(Era::Legacy.as_str()));
        }
        let mut headers: Vec<&(String, String)> = Vec::new();
        for header in &server.headers {
            let (name, value) = header;
            if headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
                return Err(format!("it names the header {name} twice"));
            }
            let token =
                value.split_once(' ').filter(|(word, _)| word.eq_ignore_ascii_case("bearer"));
            let token = token.filter(|_| name.eq_ignore_ascii_case(AUTHORIZATION));
            if let Some((_, token)) = token {
                let (key, at) = match self.whole_variable(token) {
                    Some(variable) => ("token-variable", variable),
                    None => ("token-key", self.key_for("token")),
                };
                table.insert(key.to_owned(), json!(at));
            } else if !named_values::is_header_name(name) {
                return Err(format!("\"{}\" can't be the name of a header", name.escape_debug()));
            } else if named_values::is_own_header(name) {
                self.notes.push(format!("its header {name} is left out: toolcrib sets it itself"));
            } else {
                headers.push(header);
            }
        }
        let has_own = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(AUTHORIZATION));
        if has_own && table.keys().any(|key| key.starts_with("token-")) {
            return Err("it names the header Authorization twice".to_owned());
        }
        let keys = [named_values::HEADERS, named_values::HEADERS_KEY];
        self.add_values(&mut table, keys, headers);
        let texts = table.get(named_values::HEADERS).and_then(Value::as_object);
        for (name, text) in texts.into_iter().flatten() {
            let text = text.as_str().filter(|text| !text.starts_with('$')).unwrap_or("-");
            if let Some(fault) = named_values::header_value_fault(text) {
                return Err(format!("its header {name} {fault}"));
            }
        }
        Ok(table)
    }
}

/// Whether a word of a command line or an address is a secret, or holds one; a number and a truth
/// value are none.
fn is_secret_in_words(name: &str, value: &str) -> bool {
    let is_plain = value.parse::<f64>().is_ok() || matches!(value, "true" | "false");
    !is_plain && !value.contains("${") && Mask::default().mask_named_value(name, value) != value
}
