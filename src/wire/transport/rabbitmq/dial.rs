//! Connecting to RabbitMQ over our own sockets, so that encryption and its troubles are the same on
//! every transport.

#[cfg(unix)]
use std::os::fd::{AsFd as Handle, AsRawFd as RawHandle};
#[cfg(windows)]
use std::os::windows::io::{AsRawSocket as RawHandle, AsSocket as Handle};
use std::{io, sync::Arc, time::Duration};

use async_rs::{Runtime, Tokio, traits::Reactor, util::RuntimeParts};
use futures::Stream;
use lapin::{
    AsyncTcpStream, ConnectionProperties,
    uri::{AMQPAuthority, AMQPQueryString, AMQPScheme, AMQPUri, AMQPUserInfo},
};
use rustls::ClientConfig;
use tokio::time::timeout;
use tokio_util::compat::{Compat, TokioAsyncReadCompatExt};

use super::{
    bounded::{Bounded, FRAME},
    link::Rabbit,
    messages,
};
use crate::{
    model::{
        call::CallError,
        connection::{Connection, Credentials},
    },
    wire::{
        secrets::Secrets,
        tls,
        transport::{
            reconnecting::TransportDial,
            settings::{self, Server},
            socket::{self, Socket},
        },
    },
};

/// Who is silent for twice as long is gone, in seconds.
const HEARTBEAT: u16 = 10;

/// The brokers of a connection, in the order in which they are tried.
pub(crate) struct Rabbits {
    servers: Vec<Server>,
    encryption: Option<Arc<ClientConfig>>,
    user: AMQPUserInfo,
    largest_answer: u64,
}

impl Rabbits {
    async fn connect(&self, server: &Server) -> Result<Rabbit, CallError> {
        let stream = socket::open_socket(server, self.encryption.as_ref()).await?;
        let stream: Socket = Box::new(Bounded::new(stream, self.largest_answer));
        let runtime = Runtime::new(RuntimeParts::new(Tokio::current(), Sockets(Tokio::current())));
        let options = ConnectionProperties::default().with_connection_name("toolcrib".into());
        let once = std::sync::Mutex::new(Some(stream));
        let connect = async move |_: AMQPUri, _: Runtime<_>| {
            let stream = once.lock().ok().and_then(|mut once| once.take());
            // It is asked once, because it is instructed to try no more often.
            let stream = stream.ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
            Ok(AsyncTcpStream::Plain(stream.compat()))
        };
        let greeting =
            lapin::Connection::connector(self.amqp_uri(server), runtime, connect, options);
        match timeout(socket::CONNECTING, greeting).await {
            Ok(Ok(connection)) => Ok(Rabbit::new(connection, server.to_string())),
            Ok(Err(error)) => Err(messages::login_refused(server, &error)),
            Err(_) => Err(socket::no_answer(server)),
        }
    }

    fn amqp_uri(&self, server: &Server) -> AMQPUri {
        AMQPUri {
            scheme: AMQPScheme::AMQP,
            authority: AMQPAuthority {
                userinfo: self.user.clone(),
                host: server.host.clone(),
                port: server.port,
            },
            vhost: virtual_host(&server.path),
            query: AMQPQueryString {
                heartbeat: Some(HEARTBEAT),
                frame_max: Some(FRAME),
                ..AMQPQueryString::default()
            },
        }
    }
}

/// The virtual host that an address's path names: `/` where it names none.
fn virtual_host(path: &str) -> String {
    let name = path.strip_prefix('/').unwrap_or(path);
    if name.is_empty() { "/".into() } else { name.replace("%2f", "/").replace("%2F", "/") }
}

impl TransportDial for Rabbits {
    type Link = Rabbit;

    async fn new(connection: &Connection, secrets: &Secrets) -> Result<Self, CallError> {
        let servers = settings::parse_servers(connection)?;
        let encryption = tls::config_if_required(connection).await?;
        let user =
            |username: &str, password: String| AMQPUserInfo { username: username.into(), password };
        let user = match &connection.credentials {
            // What a new broker knows, from its own machine alone.
            Credentials::None => user("guest", "guest".into()),
            Credentials::Password { user: name, password } => {
                user(name, secrets.resolve_secret(connection, password).await?)
            }
            // The broker's OAuth 2 plugin takes the token in place of a password, and no name.
            Credentials::Token { token } => {
                user("", secrets.resolve_secret(connection, token).await?)
            }
            Credentials::File { .. } => {
                let remedy = "set user and password-variable or password-key, or token-variable or token-key";
                return Err(settings::bad_settings(
                    connection,
                    "names a credentials file, which RabbitMQ does not have",
                    remedy,
                ));
            }
        };
        Ok(Self { servers, encryption, user, largest_answer: connection.largest_answer })
    }

    async fn dial(&self) -> Result<Rabbit, CallError> {
        socket::first_reachable(&self.servers, |server| self.connect(server)).await
    }
}

/// Tokio, with sockets that are already open.
#[derive(Clone, Debug)]
struct Sockets(Tokio);

impl Reactor for Sockets {
    type TcpStream = Compat<Socket>;
    type Sleep = <Tokio as Reactor>::Sleep;

    fn register<H>(
        &self,
        socket: H,
    ) -> io::Result<impl futures::AsyncRead + futures::AsyncWrite + Send + Unpin + 'static>
    where
        H: io::Read + io::Write + Handle + RawHandle + Send + 'static,
    {
        self.0.register(socket)
    }

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        self.0.sleep(duration)
    }

    fn interval(
        &self,
        duration: Duration,
    ) -> impl Stream<Item = std::time::Instant> + Send + 'static {
        self.0.interval(duration)
    }

    fn tcp_connect_addr(
        &self,
        _: std::net::SocketAddr,
    ) -> impl Future<Output = io::Result<Self::TcpStream>> + Send + 'static {
        std::future::ready(Err(io::ErrorKind::Unsupported.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_names_the_virtual_host() {
        assert_eq!(
            ["", "/", "/%2F", "/team", "/a%2fb"].map(virtual_host),
            ["/", "/", "/", "team", "a/b"]
        );
    }
}
