//! From a connection's settings to the client's options, and from the client's refusals to words.

use std::{path::Path, time::Duration};

use async_nats::{ConnectError, ConnectErrorKind, ConnectOptions, ServerAddr};

use super::super::settings::{bad_address, bad_file, bad_settings};
use crate::{
    model::{
        call::CallError,
        connection::{Connection, Credentials},
        error_kind::ErrorKind,
    },
    wire::{secrets::Secrets, tls},
};

/// How long one server may take to answer.
const CONNECTING: Duration = Duration::from_secs(5);

/// So many messages may wait in the client while our own line, which is bounded in bytes, takes
/// them off: a burst comes faster than that.
const BURST: usize = 1_000_000;

/// How often the server is asked whether it is still there. Two questions without an answer are the
/// end of the connection, which otherwise nobody would notice of a server that is idle.
const ASKING: Duration = Duration::from_secs(5);

pub(super) fn parse_servers(connection: &Connection) -> Result<Vec<ServerAddr>, CallError> {
    let read = |server: &String| server.parse::<ServerAddr>();
    let servers: Result<Vec<_>, _> = connection.addresses().iter().map(read).collect();
    match servers {
        Ok(servers) if !servers.is_empty() => Ok(servers),
        Ok(_) => Err(bad_address(connection, "it has no server")),
        Err(error) => Err(bad_address(connection, &error.to_string())),
    }
}

pub(super) async fn connect_options(
    connection: &Connection,
    secrets: &Secrets,
) -> Result<ConnectOptions, CallError> {
    let options = credential_options(connection, secrets).await?;
    let options = options
        .name("toolcrib")
        .connection_timeout(CONNECTING)
        .ping_interval(ASKING)
        .subscription_capacity(BURST);
    let mut options = options.require_tls(connection.tls.required);
    if let Some(authorities) = &connection.tls.ca_file {
        options = options.add_root_certificates(check_readable(authorities).await?.into());
    }
    match (&connection.tls.cert_file, &connection.tls.key_file) {
        (Some(certificate), Some(key)) => {
            let (certificate, key) =
                (check_readable(certificate).await?, check_readable(key).await?);
            Ok(options.add_client_certificate(certificate.into(), key.into()))
        }
        (None, None) => Ok(options),
        _ => Err(bad_settings(
            connection,
            "has only one of certificate and key",
            "set both files, or neither",
        )),
    }
}

async fn credential_options(
    connection: &Connection,
    secrets: &Secrets,
) -> Result<ConnectOptions, CallError> {
    match &connection.credentials {
        Credentials::None => Ok(ConnectOptions::new()),
        Credentials::Password { user, password } => Ok(ConnectOptions::with_user_and_password(
            user.clone(),
            secrets.resolve_secret(connection, password).await?,
        )),
        Credentials::Token { token } => {
            Ok(ConnectOptions::with_token(secrets.resolve_secret(connection, token).await?))
        }
        Credentials::File { path } => {
            ConnectOptions::with_credentials_file(check_readable(path).await?).await.map_err(
                |error| bad_file(path, &format!("it is not a NATS credentials file ({error})")),
            )
        }
    }
}

async fn check_readable(path: &str) -> Result<&Path, CallError> {
    match tokio::fs::File::open(path).await {
        Ok(_) => Ok(Path::new(path)),
        Err(error) => Err(bad_file(path, &error.to_string())),
    }
}

/// The client has no thread to run in.
pub(super) fn no_home(place: &str, error: &std::io::Error) -> CallError {
    CallError {
        kind: ErrorKind::NoServer,
        message: format!("the connection to {place} could not be started: {error}"),
        remedy: "check whether the system allows more threads".into(),
    }
}

/// Why none of the servers could be reached, or would have us.
pub(super) fn connect_failed(
    place: &str,
    servers: &[ServerAddr],
    error: &ConnectError,
) -> CallError {
    // The client calls a certificate that it does not trust an I/O error like any other.
    if let Some(fault) = error_chain(error).find_map(|error| error.downcast_ref::<rustls::Error>())
    {
        let hosts: Vec<&str> = servers.iter().map(ServerAddr::host).collect();
        return tls::handshake_refused(place, &hosts.join(" or "), fault);
    }
    let cause = std::error::Error::source(error).map_or_else(|| error.to_string(), deepest_cause);
    let (kind, message, remedy) = match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => (
            ErrorKind::Refused,
            format!("{place} rejected the credentials"),
            "check the user, password, token or credentials file of this connection",
        ),
        ConnectErrorKind::Tls => (
            ErrorKind::Tls,
            format!("couldn't make an encrypted connection to {place}: {cause}"),
            "check the connection's certificates, and whether the server uses TLS",
        ),
        ConnectErrorKind::TimedOut => (
            ErrorKind::NoServer,
            format!("{place} didn't answer within {} s", CONNECTING.as_secs()),
            "check the address, and whether a firewall blocks it",
        ),
        ConnectErrorKind::ServerParse => (
            ErrorKind::BadAddress,
            format!("{place}: {cause}"),
            "use an address such as nats://HOST:PORT",
        ),
        ConnectErrorKind::Dns => (
            ErrorKind::NoServer,
            format!("{place} has no such host: {cause}"),
            "check the host's name in the connection's settings",
        ),
        ConnectErrorKind::Io | ConnectErrorKind::MaxReconnects => (
            ErrorKind::NoServer,
            format!("couldn't connect to {place}: {cause}"),
            "start a NATS server there, correct the address, or use the embedded connection",
        ),
    };
    CallError::new(kind, message, remedy)
}

/// An error and what caused it, also where an I/O error holds another one without calling it its
/// source.
fn error_chain<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'e (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        let held = error.downcast_ref::<std::io::Error>().and_then(|error| error.get_ref());
        held.map(|held| held as &(dyn std::error::Error + 'static)).or_else(|| error.source())
    })
}

fn deepest_cause(error: &(dyn std::error::Error + 'static)) -> String {
    error_chain(error).last().map_or_else(String::new, ToString::to_string)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::connection::{SecretAt, Tls};

    fn nothing() -> Secrets {
        Secrets::new(Arc::new(|_| None))
    }

    #[tokio::test]
    async fn a_secret_that_is_not_set_is_named() {
        let credentials = Credentials::Token { token: SecretAt::Variable("MY_TOKEN".into()) };
        let connection = Connection { credentials, ..Connection::nats("prod", "nats://localhost") };
        let problem = connect_options(&connection, &nothing()).await.err().unwrap();
        assert_eq!(problem.kind, ErrorKind::MissingSecret);
        assert!(problem.message.contains("MY_TOKEN") && problem.remedy.contains("MY_TOKEN"));
    }

    #[tokio::test]
    async fn files_that_cannot_be_read_are_named() {
        let tls = Tls { required: true, ca_file: Some("/nowhere/ca.pem".into()), ..Tls::default() };
        let problem =
            connect_options(&Connection { tls, ..Connection::nats("n", "nats://h") }, &nothing())
                .await
                .err()
                .unwrap();
        assert!(problem.message.contains("/nowhere/ca.pem"), "{}", problem.message);
        let tls = Tls { cert_file: Some("c".into()), ..Tls::default() };
        let problem =
            connect_options(&Connection { tls, ..Connection::nats("n", "nats://h") }, &nothing())
                .await
                .err()
                .unwrap();
        assert_eq!(problem.kind, ErrorKind::BadSettings);
    }

    #[test]
    fn an_address_that_makes_no_sense_is_refused() {
        let connection = Connection::nats("n", "nats://[");
        assert_eq!(parse_servers(&connection).unwrap_err().kind, ErrorKind::BadAddress);
        let nowhere = connection.with_addresses(Vec::new());
        assert!(parse_servers(&nowhere).unwrap_err().message.contains("no server"));
    }
}
