//! Connections as settings write them, and as the command line names them.

use serde_json::{Map, Value};

use super::{
    named_values::{
        ENV, ENV_KEY, HEADERS, HEADERS_KEY, find_secret_argument, holds_secret, read_headers,
        read_values,
    },
    system_settings::{SettingsSchema, missing_system},
    table::{Reader, Table},
    variables::{VARIABLES, VARIABLES_KEY, read_variables},
};
use crate::{
    engine::{mask::Mask, workflow::similar},
    model::{
        connection::{Connection, Credentials, Endpoint, LARGEST_ANSWER, MIB, ServerCommand, Tls},
        connections::Connections,
        finding::Severity,
        problem::{Problem, ProblemKind},
        transport::{TRANSPORTS, TransportKind, is_encrypted},
    },
};

/// Every key of a connection but those that systems add.
pub(crate) const KEYS: [&str; 25] = [
    "transport",
    "servers",
    COMMAND,
    "args",
    ENV,
    ENV_KEY,
    "dir",
    "user",
    "password-variable",
    "password-key",
    "token-variable",
    "token-key",
    "credentials-file",
    HEADERS,
    HEADERS_KEY,
    "tls",
    "ca-file",
    "cert-file",
    "key-file",
    LARGEST,
    TIMEOUT,
    TOOL_TIMEOUTS,
    TOOLS,
    VARIABLES,
    VARIABLES_KEY,
];

/// The program that starts a server, in the place of addresses.
pub(crate) const COMMAND: &str = "command";

/// How many MiB an answer may have.
pub(crate) const LARGEST: &str = "largest-answer";

/// How long each message of an answer may take.
pub(crate) const TIMEOUT: &str = "timeout";

/// The same for single tools, by their names.
pub(crate) const TOOL_TIMEOUTS: &str = "tool-timeouts";

/// The list within a connection that names the tools whose calls go through it.
pub(crate) const TOOLS: &str = "tools";

/// Keys that people write a secret under, and how the keys to use begin.
pub(crate) const SECRETS: [(&str, &str); 3] =
    [("password", "password"), ("token", "token"), ("secret", "password")];

/// Reads `[connections.NAME]` with what these systems add to it; one that cannot be used is noted
/// and left out.
pub(crate) fn read_connection(
    reader: &mut Reader,
    name: &str,
    table: &Table<'_>,
    systems: &[&SettingsSchema],
) -> Option<Connection> {
    let added: Vec<String> = systems.iter().flat_map(|system| system.keys_beside()).collect();
    let keys: Vec<&str> = KEYS.into_iter().chain(added.iter().map(String::as_str)).collect();
    reader.known_but_secrets(table, &SECRETS, &keys);
    let mut connection = Connection {
        name: name.to_owned(),
        endpoint: read_endpoint(reader, name, table)?,
        ..Connection::embedded()
    };
    connection.tls = Tls {
        required: reader
            .read_flag(table, "tls")
            .unwrap_or_else(|| connection.addresses().iter().any(|address| is_encrypted(address))),
        ca_file: reader.read_text(table, "ca-file"),
        cert_file: reader.read_text(table, "cert-file"),
        key_file: reader.read_text(table, "key-file"),
    };
    connection.credentials = read_credentials(reader, table)?;
    connection.headers = read_headers(reader, table, &connection.credentials);
    let takes_none = !connection.transport().spec().http_headers;
    for key in [HEADERS, HEADERS_KEY].into_iter().filter(|key| table.members.contains_key(*key)) {
        if takes_none {
            let title = connection.transport().spec().title;
            let message = format!("{key} have no effect: {title} sends no headers of HTTP");
            reader.add_finding(Severity::Warning, "settings.header", &table.at.child(key), message);
        }
    }
    for system in systems {
        if let Some(settings) = system.read_settings(reader, table, connection.transport()).ok()? {
            connection.settings.insert(system.system, settings);
        }
    }
    if let Some(line) = missing_system(&connection, systems) {
        let message = format!("this doesn't say what its server is: add {line}");
        let at = table.at.child(COMMAND);
        reader.add_finding(Severity::Warning, "settings.no-system", &at, message);
    }
    connection.largest_answer =
        reader.read_count(table, LARGEST).map_or(LARGEST_ANSWER, |count| count.saturating_mul(MIB));
    connection.timeout = reader.read_duration(table, TIMEOUT);
    connection.variables = read_variables(reader, table);
    if let Some(times) = reader.read_table(table, TOOL_TIMEOUTS) {
        for tool in times.members.keys() {
            let time = reader.read_duration(&times, tool).map(|time| (tool.clone(), time));
            connection.tool_timeouts.extend(time);
        }
    }
    Some(connection)
}

fn read_endpoint(reader: &mut Reader, name: &str, table: &Table<'_>) -> Option<Endpoint> {
    let addresses = read_servers(reader, table)?;
    let transport = match table.members.contains_key("transport") {
        true => reader.read_choice(table, "transport", &transport_words())?,
        false => said_by(addresses.first().map(String::as_str), table.members),
    };
    if let Some(unknown) = unknown_scheme(&addresses, transport) {
        let message = unknown_transport(unknown);
        reader.add_finding(
            Severity::Error,
            "settings.address",
            &table.at.child("servers"),
            message,
        );
        return None;
    }
    if transport.spec().has_command {
        return command(reader, name, table).map(Endpoint::Process);
    }
    if transport.spec().schemes.is_empty() {
        return Some(Endpoint::Embedded);
    }
    if addresses.is_empty() {
        let message =
            format!("connection \"{name}\" has no address; add servers = [\"nats://HOST:4222\"]");
        reader.add_finding(Severity::Error, "settings.no-address", &table.at, message);
        return None;
    }
    Some(Endpoint::Servers { transport, addresses })
}

/// An address whose scheme neither its transport nor another has.
fn unknown_scheme(addresses: &[String], transport: TransportKind) -> Option<&String> {
    let is_known = |address: &String| {
        let Some((scheme, _)) = address.split_once("://") else { return true };
        transport.spec().accepted_schemes().any(|own| own.word == scheme)
            || TransportKind::of_address(address).is_some()
    };
    addresses.iter().find(|address| !is_known(address))
}

/// That no transport has the scheme of an address, and which there are.
fn unknown_transport(address: &str) -> String {
    let remedy = known_schemes();
    format!("no transport is known for {}; {remedy}", address.escape_debug())
}

fn known_schemes() -> String {
    let schemes = TRANSPORTS.iter().flat_map(|kind| kind.spec().schemes);
    let known: Vec<_> = schemes.map(|scheme| format!("{}://", scheme.word)).collect();
    format!("addresses start with {}", known.join(" or "))
}

/// The transport of a table that names none.
#[must_use]
pub(crate) fn said_by(address: Option<&str>, members: &Map<String, Value>) -> TransportKind {
    let command = members.get(COMMAND).filter(|_| address.is_none());
    command
        .and_then(|_| TransportKind::of_command())
        .unwrap_or_else(|| TransportKind::of_first(address))
}

/// What starts a server.
fn command(reader: &mut Reader, name: &str, table: &Table<'_>) -> Option<ServerCommand> {
    let Some(program) = reader.read_text(table, COMMAND).filter(|program| !program.is_empty())
    else {
        let message = format!("connection \"{name}\" has no command; add command = \"PROGRAM\"");
        reader.add_finding(Severity::Error, "settings.no-command", &table.at, message);
        return None;
    };
    let env = read_values(reader, table, [ENV, ENV_KEY]);
    let args = match table.members.contains_key("args") {
        true => reader.read_texts(table, "args")?,
        false => Vec::new(),
    };
    if let Some(row) = find_secret_argument(&args) {
        let message = "this looks like a secret, which doesn't belong in this file; let the server \
            read it from a variable: env = { NAME = \"$NAME\" }";
        let at = table.at.child("args").item(row);
        reader.add_finding(Severity::Warning, "settings.secret", &at, message);
    }
    Some(ServerCommand { command: program, args, env, dir: reader.read_text(table, "dir") })
}

/// The words that name a transport.
fn transport_words() -> Vec<(&'static str, TransportKind)> {
    TRANSPORTS.iter().map(|kind| (kind.as_str(), *kind)).collect()
}

/// Reads the tools whose calls go through a connection: each through one.
pub(crate) fn read_tools(
    reader: &mut Reader,
    name: &str,
    table: &Table<'_>,
    connections: &mut Connections,
) {
    for (row, tool) in reader.read_texts(table, TOOLS).unwrap_or_default().into_iter().enumerate() {
        match connections.of_tools.get(&tool) {
            Some(other) if other != name => {
                let message = format!(
                    "calls of \"{}\" already use connection \"{}\"; name the tool in only one of \
                    the two",
                    tool.escape_debug(),
                    other.escape_debug()
                );
                reader.add_finding(
                    Severity::Error,
                    "settings.two-connections",
                    &table.at.child(TOOLS).item(row),
                    message,
                );
            }
            _ => drop(connections.of_tools.insert(tool, name.to_owned())),
        }
    }
}

fn read_servers(reader: &mut Reader, table: &Table<'_>) -> Option<Vec<String>> {
    let servers = match table.members.get("servers") {
        None => Vec::new(),
        Some(value) => match value.as_str() {
            Some(one) => vec![one.to_owned()],
            None => reader.read_texts(table, "servers")?,
        },
    };
    if servers.iter().any(|server| holds_credentials(server)) {
        let message = "an address here must not hold a user or password; use user and password-variable or password-key";
        reader.add_finding(Severity::Error, "settings.secret", &table.at.child("servers"), message);
        return None;
    }
    if servers.iter().any(|server| holds_secret(server)) {
        let message =
            "an address here must not hold a secret; use token-variable or token-key, or headers";
        reader.add_finding(
            Severity::Warning,
            "settings.secret",
            &table.at.child("servers"),
            message,
        );
    }
    Some(servers)
}

fn read_credentials(reader: &mut Reader, table: &Table<'_>) -> Option<Credentials> {
    let user = reader.read_text(table, "user");
    let password = reader.read_secret(table, "password").ok()?;
    let token = reader.read_secret(table, "token").ok()?;
    let file = reader.read_text(table, "credentials-file");
    match (user, password, token, file) {
        (None, None, None, None) => Some(Credentials::None),
        (Some(user), Some(password), None, None) => Some(Credentials::Password { user, password }),
        (None, None, Some(token), None) => Some(Credentials::Token { token }),
        (None, None, None, Some(path)) => Some(Credentials::File { path }),
        _ => {
            let message = "set only one kind of credentials: user with password-variable or \
                password-key, or token-variable or token-key, or credentials-file";
            reader.add_finding(Severity::Error, "settings.credentials", &table.at, message);
            None
        }
    }
}

/// Whether an address holds a user or password.
#[must_use]
pub(crate) fn holds_credentials(server: &str) -> bool {
    let rest = server.split_once("://").map_or(server, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default().contains('@')
}

/// That an address isn't taken for what it holds; nothing of it is shown.
pub(crate) fn refuse_credentials(doing: &str) -> Problem {
    let remedy =
        "keep the connection in toolcrib.toml, with user and password-variable or password-key";
    Problem::new(ProblemKind::Input, doing, "the address holds a user or password")
        .with_remedy(remedy)
}

/// The connection that a command line or a case means: by name, or by address.
///
/// # Errors
/// When there is none of that name, or the address is not one; the text is not repeated where it
/// may hold a password.
pub(crate) fn find_connection(
    connections: &Connections,
    wanted: &str,
) -> Result<Connection, Problem> {
    let doing = "choosing the connection";
    if let Some(named) = connections.find_by_name(wanted) {
        return Ok(named.clone());
    }
    // Without a scheme it is a name, unless it has what only an address has.
    if holds_credentials(wanted) && wanted.contains(':') {
        return Err(refuse_credentials(doing));
    }
    if !wanted.contains("://") {
        let names: Vec<&str> =
            connections.known.iter().map(|connection| connection.name.as_str()).collect();
        let near = similar::nearest_name(wanted, names.iter().copied());
        let remedy = match near {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => {
                format!("there are: {}; or give an address: nats://HOST:4222", names.join(", "))
            }
        };
        let cause = format!("there is no connection \"{}\"", wanted.escape_debug());
        return Err(Problem::new(ProblemKind::Input, doing, cause).with_remedy(remedy));
    }
    let Some(transport) = TransportKind::of_address(wanted) else {
        let cause = format!("no transport is known for {}", wanted.escape_debug());
        return Err(Problem::new(ProblemKind::Input, doing, cause).with_remedy(known_schemes()));
    };
    let tls = Tls { required: is_encrypted(wanted), ..Tls::default() };
    // Its name is shown and kept in the history.
    let name = Mask::default().mask_text(wanted);
    let variables = connections.variables.clone();
    Ok(Connection { tls, variables, ..Connection::from_address(transport, name, wanted) })
}
