//! Connections as settings write them, and as the command line names them.

use super::table::{Reader, Table};
use crate::{
    engine::workflow::similar,
    model::{
        connection::{Channel, Connection, Credentials, Gateway, LARGEST_ANSWER, MIB, SecretAt, Tls},
        connections::Connections,
        finding::Severity,
        problem::{Problem, ProblemKind},
        transport::{TRANSPORTS, Traffic, TransportKind, is_encrypted},
    },
};

/// Every key of a connection.
pub const KEYS: [&str; 18] = [
    "transport",
    "servers",
    "user",
    "password-variable",
    "password-key",
    "token-variable",
    "token-key",
    "credentials-file",
    "tls",
    "ca-file",
    "cert-file",
    "key-file",
    "workspace",
    "flow",
    BROKER,
    LARGEST,
    TOOLS,
    CHANNEL,
];

/// How many MiB an answer may have.
pub const LARGEST: &str = "largest-answer";

/// The list within a connection that names the tools whose calls go through it.
pub const TOOLS: &str = "tools";

/// What names the broker behind a gateway: another connection, or an address.
pub const BROKER: &str = "broker";

/// The table within a connection that names a channel of CommonGround, and its keys.
pub const CHANNEL: &str = "commonground";
const CHANNEL_KEYS: [&str; 7] = ["version", "project", "channel", "agent", "api", "postgres-variable", "postgres-key"];

/// Keys that people write a secret under, and how the keys to use begin.
pub const SECRETS: [(&str, &str); 3] = [("password", "password"), ("token", "token"), ("secret", "password")];

const CHANNEL_SECRETS: [(&str, &str); 4] =
    [("postgres", "postgres"), ("dsn", "postgres"), ("postgres-dsn", "postgres"), ("password", "postgres")];

/// Reads `[connections.NAME]`; one that cannot be used is noted and left out.
pub fn read(reader: &mut Reader, name: &str, table: &Table<'_>) -> Option<Connection> {
    known(reader, table, &SECRETS, &KEYS);
    let servers = servers(reader, table)?;
    let kind = match table.members.contains_key("transport") {
        true => reader.word(table, "transport", &words())?,
        false => servers
            .first()
            .map_or(TransportKind::Embedded, |server| TransportKind::of_address(server).unwrap_or(TransportKind::Nats)),
    };
    if kind != TransportKind::Embedded && servers.is_empty() {
        let message = format!("connection \"{name}\" has no address; add servers = [\"nats://HOST:4222\"]");
        reader.note(Severity::Error, "settings.no-address", &table.at, message);
        return None;
    }
    let tls = Tls {
        required: reader.flag(table, "tls").unwrap_or_else(|| servers.iter().any(|server| is_encrypted(server))),
        ca_file: reader.text(table, "ca-file"),
        cert_file: reader.text(table, "cert-file"),
        key_file: reader.text(table, "key-file"),
    };
    let credentials = credentials(reader, table)?;
    let gateway = gateway(reader, table, kind);
    let channel = match reader.table(table, CHANNEL) {
        Some(table) => Some(channel(reader, &table)?),
        None => None,
    };
    let largest_answer = reader.count(table, LARGEST).map_or(LARGEST_ANSWER, |count| count.saturating_mul(MIB));
    Some(Connection { name: name.to_owned(), transport: kind, servers, credentials, tls, gateway, channel, largest_answer })
}

/// The words that name a transport.
fn words() -> Vec<(&'static str, TransportKind)> {
    TRANSPORTS.iter().map(|kind| (kind.word(), *kind)).collect()
}

/// Reads the tools whose calls go through a connection: each through one.
pub fn read_tools(reader: &mut Reader, name: &str, table: &Table<'_>, connections: &mut Connections) {
    for (row, tool) in reader.texts(table, TOOLS).unwrap_or_default().into_iter().enumerate() {
        match connections.of_tools.get(&tool) {
            Some(other) if other != name => {
                let message = format!(
                    "calls of \"{}\" go through connection \"{}\" already; name the tool in one of the two",
                    tool.escape_debug(),
                    other.escape_debug()
                );
                reader.note(Severity::Error, "settings.two-connections", &table.at.child(TOOLS).item(row), message);
            }
            _ => drop(connections.of_tools.insert(tool, name.to_owned())),
        }
    }
}

/// Reads which broker is behind a gateway. All connections are known by then.
pub fn read_broker(reader: &mut Reader, name: &str, table: &Table<'_>, connections: &mut Connections) {
    let Some(wanted) = reader.text(table, BROKER) else { return };
    match broker(connections, &wanted) {
        Ok(broker) => {
            if let Some(gateway) = connections.known.iter_mut().find(|known| known.name == name) {
                gateway.gateway.broker = Some(Box::new(broker));
            }
        }
        Err(problem) => {
            let message = format!("{}; {}", problem.cause, problem.remedy);
            reader.note(Severity::Error, "settings.broker", &table.at.child(BROKER), message);
        }
    }
}

/// The connection to a broker behind a gateway: by name, or by address.
///
/// # Errors
/// When there is none, or it leads to no broker.
pub fn broker(connections: &Connections, wanted: &str) -> Result<Connection, Problem> {
    let broker = named(connections, wanted)?;
    if !broker.transport.is_bus() || broker.transport == TransportKind::Embedded {
        let cause = format!("connection \"{}\" leads to {}, not to a broker", broker.name, broker.transport.title());
        let remedy = "name the broker behind the gateway: pulsar://HOST:6650, amqp://HOST:5672 or kafka://HOST:9092";
        return Err(Problem::new(ProblemKind::Input, "choosing the broker", cause).remedy(remedy));
    }
    Ok(broker)
}

/// Notes the keys that are not known, and those that people write a secret under.
fn known(reader: &mut Reader, table: &Table<'_>, secrets: &[(&str, &str)], keys: &[&str]) {
    let mut rest = table.members.clone();
    for (key, instead) in secrets {
        if rest.shift_remove(*key).is_some() {
            let message = format!(
                "secrets do not belong in this file; name the environment variable that holds it with {instead}-variable, or its name in the system's key store with {instead}-key"
            );
            reader.note(Severity::Error, "settings.secret", &table.at.child(*key), message);
        }
    }
    reader.known(&Table { members: &rest, at: table.at.clone() }, keys);
}

fn channel(reader: &mut Reader, table: &Table<'_>) -> Option<Channel> {
    known(reader, table, &CHANNEL_SECRETS, &CHANNEL_KEYS);
    for key in ["project", "channel"].iter().filter(|key| !table.members.contains_key(**key)) {
        let message = format!("CommonGround is spoken to in a channel of a project; add {key} = \"…\"");
        reader.note(Severity::Error, "settings.no-channel", &table.at, message);
    }
    let [version, project, channel, agent] = ["version", "project", "channel", "agent"].map(|key| id(reader, table, key));
    let api = reader.text(table, "api");
    if let Some(api) = &api
        && (holds_credentials(api)
            || !TransportKind::of_address(api).is_some_and(|kind| kind.about().traffic == Traffic::Exchange))
    {
        let message = "api must be the address of the management API without user and password: http://HOST:PORT";
        reader.note(Severity::Error, "settings.api", &table.at.child("api"), message);
        return None;
    }
    let (project, channel) = (project?, channel?);
    let postgres = secret(reader, table, "postgres").ok()?;
    let version = version.unwrap_or_else(|| Channel::VERSION.to_owned());
    Some(Channel { version, agent, api, postgres, ..Channel::new(project, channel) })
}

/// A text that can stand in a subject; another is noted.
fn id(reader: &mut Reader, table: &Table<'_>, key: &str) -> Option<String> {
    let text = reader.text(table, key)?;
    if Channel::is_id(&text) {
        return Some(text);
    }
    let message = format!("{key} stands in every subject, so it must be made of letters, digits, _ and - only");
    reader.note(Severity::Error, "settings.id", &table.at.child(key), message);
    None
}

fn gateway(reader: &mut Reader, table: &Table<'_>, kind: TransportKind) -> Gateway {
    let usual = Gateway::default();
    let keys = ["workspace", "flow"];
    for key in keys.iter().chain(&[BROKER]).filter(|key| kind.is_bus() && table.members.contains_key(**key)) {
        let message = format!("{key} counts only behind a gateway, which transport {} is not", kind.word());
        reader.note(Severity::Warning, "settings.no-gateway", &table.at.child(*key), message);
    }
    let [workspace, flow] = keys.map(|key| reader.text(table, key));
    Gateway { workspace, flow: flow.unwrap_or(usual.flow), broker: None }
}

fn servers(reader: &mut Reader, table: &Table<'_>) -> Option<Vec<String>> {
    let servers = match table.members.get("servers") {
        None => Vec::new(),
        Some(value) => match value.as_str() {
            Some(one) => vec![one.to_owned()],
            None => reader.texts(table, "servers")?,
        },
    };
    if servers.iter().any(|server| holds_credentials(server)) {
        let message = "an address here must not hold a user or password; use user and password-variable or password-key";
        reader.note(Severity::Error, "settings.secret", &table.at.child("servers"), message);
        return None;
    }
    Some(servers)
}

fn credentials(reader: &mut Reader, table: &Table<'_>) -> Option<Credentials> {
    let user = reader.text(table, "user");
    let password = secret(reader, table, "password").ok()?;
    let token = secret(reader, table, "token").ok()?;
    let file = reader.text(table, "credentials-file");
    match (user, password, token, file) {
        (None, None, None, None) => Some(Credentials::None),
        (Some(user), Some(password), None, None) => Some(Credentials::Password { user, password }),
        (None, None, Some(token), None) => Some(Credentials::Token { token }),
        (None, None, None, Some(path)) => Some(Credentials::File { path }),
        _ => {
            let message = "say who we are in one way: user with password-variable or password-key, or token-variable or token-key, or credentials-file";
            reader.note(Severity::Error, "settings.credentials", &table.at, message);
            None
        }
    }
}

/// Where a secret lies, as its two keys may say: `password-variable`, `password-key`. What is wrong is noted.
fn secret(reader: &mut Reader, table: &Table<'_>, what: &str) -> Result<Option<SecretAt>, Noted> {
    let keys = [format!("{what}-variable"), format!("{what}-key")];
    let [variable, key] = keys.each_ref().map(|key| reader.text(table, key));
    let message = match (&variable, &key) {
        (Some(_), Some(_)) => format!("{what} lies in one place: keep either {} or {}", keys[0], keys[1]),
        (Some(name), None) | (None, Some(name)) if name.trim().is_empty() => format!("name the place where {what} lies"),
        _ => return Ok(variable.map(SecretAt::Variable).or(key.map(SecretAt::KeyStore))),
    };
    reader.note(Severity::Error, "settings.credentials", &table.at, message);
    Err(Noted)
}

/// What is wrong has been noted.
struct Noted;

fn holds_credentials(server: &str) -> bool {
    let rest = server.split_once("://").map_or(server, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default().contains('@')
}

/// The connection that a command line or a case means: by name, or by address.
///
/// # Errors
/// When there is none of that name, or the address is not one; the text is not repeated where it may hold a password.
pub fn named(connections: &Connections, wanted: &str) -> Result<Connection, Problem> {
    let doing = "choosing the connection";
    if let Some(named) = connections.named(wanted) {
        return Ok(named.clone());
    }
    if !wanted.contains("://") {
        let names: Vec<&str> = connections.known.iter().map(|connection| connection.name.as_str()).collect();
        let near = similar::nearest(wanted, names.iter().copied());
        let remedy = match near {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("there are: {}; or give an address: nats://HOST:4222", names.join(", ")),
        };
        let cause = format!("there is no connection \"{}\"", wanted.escape_debug());
        return Err(Problem::new(ProblemKind::Input, doing, cause).remedy(remedy));
    }
    if holds_credentials(wanted) {
        let remedy = "keep the connection in toolcrib.toml, with user and password-variable or password-key";
        return Err(Problem::new(ProblemKind::Input, doing, "the address holds a user or password").remedy(remedy));
    }
    let Some(transport) = TransportKind::of_address(wanted) else {
        let schemes = TRANSPORTS.iter().flat_map(|kind| kind.about().schemes);
        let known: Vec<_> = schemes.map(|scheme| format!("{}://", scheme.word)).collect();
        let cause = format!("no transport is known for {}", wanted.escape_debug());
        return Err(Problem::new(ProblemKind::Input, doing, cause).remedy(format!("addresses begin with {}", known.join(" or "))));
    };
    let tls = Tls { required: is_encrypted(wanted), ..Tls::default() };
    Ok(Connection { transport, tls, ..Connection::nats(wanted, wanted) })
}
