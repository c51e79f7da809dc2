//! What all transports read alike from a connection's settings: addresses, secrets and files.

use std::fmt;

use crate::{
    model::{
        call::CallError,
        connection::{Connection, Credentials},
        error_kind::ErrorKind,
        transport::Transport,
    },
    wire::secrets::Secrets,
};

/// One address of a connection: `amqp://host:5672/path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    pub scheme: String,
    pub host: String,
    pub port: u16,
    /// What follows the port, with its slash; often empty.
    pub path: String,
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, host, port, .. } = self;
        if host.contains(':') {
            write!(f, "{scheme}://[{host}]:{port}")
        } else {
            write!(f, "{scheme}://{host}:{port}")
        }
    }
}

impl Server {
    /// Reads an address; a port that is not said is that of the scheme. User and password have no
    /// place in it.
    fn parse(text: &str, transport: &Transport) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").ok_or("it has no scheme")?;
        let known = transport.accepted_schemes().find(|known| known.word == scheme);
        let usual = known.ok_or_else(|| format!("the scheme {scheme} is not known"))?.port;
        let (authority, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
        if authority.contains('@') {
            return Err("it holds a user or password".into());
        }
        let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, rest)) => (host, rest.strip_prefix(':')),
            None => authority
                .rsplit_once(':')
                .map_or((authority, None), |(host, port)| (host, Some(port))),
        };
        let port = port.map_or(Ok(usual), |port| {
            port.parse().map_err(|_| format!("{} isn't a port", port.escape_debug()))
        })?;
        if host.is_empty() {
            return Err("it names no host".into());
        }
        Ok(Self { scheme: scheme.into(), host: host.into(), port, path: path.into() })
    }
}

/// The addresses as people may see them: without user and password.
#[must_use]
pub(crate) fn display_address(connection: &Connection) -> String {
    let bare = |server: &String| match (server.split_once("://"), server.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_owned(),
        _ => server.clone(),
    };
    connection.addresses().iter().map(bare).collect::<Vec<_>>().join(", ")
}

/// The addresses of a connection, at least one, with schemes that its transport takes.
pub(crate) fn parse_servers(connection: &Connection) -> Result<Vec<Server>, CallError> {
    let transport = connection.transport().spec();
    let bad = |cause: &str| bad_address(connection, cause);
    if connection.addresses().is_empty() {
        return Err(bad("it has no server"));
    }
    connection
        .addresses()
        .iter()
        .map(|server| Server::parse(server, transport).map_err(|cause| bad(&cause)))
        .collect()
}

/// An address that cannot be used.
#[must_use]
pub(crate) fn bad_address(connection: &Connection, cause: &str) -> CallError {
    let scheme = connection.transport().spec().schemes.first().map_or("", |scheme| scheme.word);
    CallError {
        kind: ErrorKind::BadAddress,
        message: format!(
            "connection \"{}\" ({}): {cause}",
            connection.name,
            display_address(connection)
        ),
        remedy: format!("use an address such as {scheme}://HOST:PORT"),
    }
}

/// The token that names us, where the settings say one; the transport knows no other way.
/// `where_to` completes "to name us".
pub(crate) async fn resolve_token(
    connection: &Connection,
    secrets: &Secrets,
    where_to: &str,
) -> Result<Option<String>, CallError> {
    match &connection.credentials {
        Credentials::None => Ok(None),
        Credentials::Token { token } => secrets.resolve_secret(connection, token).await.map(Some),
        Credentials::Password { .. } | Credentials::File { .. } => Err(bad_settings(
            connection,
            &format!("needs a token for {where_to}"),
            "set token-variable or token-key",
        )),
    }
}

/// Settings that the transport cannot follow.
#[must_use]
pub(crate) fn bad_settings(connection: &Connection, cause: &str, remedy: &str) -> CallError {
    let message = format!("connection \"{}\" {cause}", connection.name);
    CallError { kind: ErrorKind::BadSettings, message, remedy: remedy.into() }
}

/// A file of the settings that cannot be used.
#[must_use]
pub(crate) fn bad_file(path: &str, cause: &str) -> CallError {
    CallError {
        kind: ErrorKind::BadSettings,
        message: format!("can't use {path}: {cause}"),
        remedy: "correct the path in the connection's settings".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::transport::TransportKind;

    fn read(text: &str) -> Result<Server, String> {
        let connection = Connection::from_address(TransportKind::RabbitMq, "mq", text);
        parse_servers(&connection)
            .map(|mut servers| servers.remove(0))
            .map_err(|problem| problem.message)
    }

    #[test]
    fn addresses_are_read_with_and_without_port_and_path() {
        let server = |scheme: &str, host: &str, port, path: &str| {
            Ok(Server { scheme: scheme.into(), host: host.into(), port, path: path.into() })
        };
        assert_eq!(read("amqp://h"), server("amqp", "h", 5672, ""));
        assert_eq!(read("amqps://h:1/v%2f"), server("amqps", "h", 1, "/v%2f"));
        assert_eq!(read("amqp://[::1]:7"), server("amqp", "::1", 7, ""));
        assert_eq!(read("amqp://[::1]").unwrap().to_string(), "amqp://[::1]:5672");
    }

    #[test]
    fn addresses_that_make_no_sense_say_why() {
        for (text, word) in [
            ("h:1", "scheme"),
            ("http://h", "http"),
            ("amqp://", "host"),
            ("amqp://h:x", "port"),
            ("amqp://u:p@h", "password"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(word) && !message.contains("u:p"), "{text}: {message}");
        }
        let none =
            Connection::from_address(TransportKind::RabbitMq, "mq", "").with_addresses(Vec::new());
        assert!(parse_servers(&none).unwrap_err().message.contains("no server"));
    }

    #[test]
    fn passwords_in_an_address_are_not_shown() {
        let addresses = ["nats://alice:s3cret@host:4222", "bob:p@other:1"].map(String::from);
        let connection = Connection::nats("n", "").with_addresses(addresses.into());
        assert_eq!(display_address(&connection), "nats://host:4222, other:1");
    }
}
