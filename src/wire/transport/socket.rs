//! A stream to a server, plain or encrypted, and why there is none, in words.

use std::{sync::Arc, time::Duration};

use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpStream, lookup_host},
    time::timeout,
};
use tokio_rustls::TlsConnector;

use super::settings::Server;
use crate::{
    model::{call::CallError, error_kind::ErrorKind, size},
    wire::tls,
};

/// How long one server may take to answer.
pub(crate) const CONNECTING: Duration = Duration::from_secs(5);

/// Bytes both ways.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// An open stream.
pub(crate) type Socket = Box<dyn Duplex>;

/// Connects, encrypted when there is a configuration for it.
pub(crate) async fn open_socket(
    server: &Server,
    encryption: Option<&Arc<ClientConfig>>,
) -> Result<Socket, CallError> {
    timeout(CONNECTING, connect(server, encryption))
        .await
        .unwrap_or_else(|_| Err(no_answer(server)))
}

async fn connect(
    server: &Server,
    encryption: Option<&Arc<ClientConfig>>,
) -> Result<Socket, CallError> {
    let found: Vec<_> = match lookup_host((server.host.as_str(), server.port)).await {
        Ok(found) => found.collect(),
        Err(error) => {
            let message = format!("{server} has no such host: {error}");
            return Err(no_server(message, "check the host's name in the connection's settings"));
        }
    };
    let stream = TcpStream::connect(&found[..]).await.map_err(|error| {
        no_server(
            format!("couldn't connect to {server}: {error}"),
            "start the server there, or correct the address",
        )
    })?;
    // Only slower without it.
    let _ = stream.set_nodelay(true);
    let Some(config) = encryption else { return Ok(Box::new(stream)) };
    let place = server.to_string();
    let name = ServerName::try_from(server.host.clone()).map_err(|error| {
        no_server(format!("can't verify {place}: {error}"), "address the server by name or address")
    })?;
    let stream = TlsConnector::from(Arc::clone(config)).connect(name, stream).await;
    stream
        .map(|stream| Box::new(stream) as Socket)
        .map_err(|error| tls::handshake_failed(&place, &server.host, &error))
}

/// What comes of the first of the servers that can be opened; else why the last could not.
pub(crate) async fn first_reachable<'s, T, F>(
    servers: &'s [Server],
    open: impl Fn(&'s Server) -> F,
) -> Result<T, CallError>
where
    F: Future<Output = Result<T, CallError>>,
{
    let mut problem = None;
    for server in servers {
        match open(server).await {
            Ok(opened) => return Ok(opened),
            Err(next) => problem = Some(next),
        }
    }
    Err(problem.unwrap_or_else(|| {
        no_server("there is no server to connect to".into(), "add one to the connection")
    }))
}

/// The server took the connection, or not even that, and said nothing.
#[must_use]
pub(crate) fn no_answer(server: &Server) -> CallError {
    let message = format!("{server} didn't answer within {} s", CONNECTING.as_secs());
    no_server(
        message,
        "check the address, whether the server is overloaded or stopped, and whether a firewall \
        blocks it",
    )
}

/// There is no server that could be spoken to.
#[must_use]
pub(crate) fn no_server(message: String, remedy: &str) -> CallError {
    CallError::new(ErrorKind::NoServer, message, remedy)
}

/// The server announced more than is read of it at once, so we hung up.
#[must_use]
pub(crate) fn too_large(place: &str, what: &str, most: u64) -> CallError {
    CallError {
        kind: ErrorKind::TooLarge,
        message: format!("{place} announced a {what} of more than {}, so the connection was closed", size::format_size(most)),
        remedy: "check what runs at that address, or raise largest-answer of the connection; the next call connects again".into(),
    }
}
