//! Meeting Pulsar brokers: greetings and credentials.

use std::sync::Arc;

use futures::StreamExt;
use rustls::ClientConfig;
use tokio::{io::AsyncWriteExt, sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    commands::{Command, Connect, Connected},
    frame, messages,
    wire::{Wire, split_socket},
};
use crate::{
    model::{
        call::CallError,
        connection::{Connection, Credentials},
        transport::TransportKind,
    },
    wire::{
        secrets::Secrets,
        tls,
        transport::{
            reconnecting::LinkEvent,
            settings::{self, Server},
            socket,
        },
    },
};

/// The newest protocol whose every demand we follow: later ones may challenge us to log in again.
const PROTOCOL: i32 = 13;

/// What a broker takes that does not say how much.
const USUAL: usize = 5 * 1024 * 1024;

/// How to reach brokers.
#[derive(Clone)]
pub(crate) struct Brokers {
    pub servers: Vec<Server>,
    pub encryption: Option<Arc<ClientConfig>>,
    /// The way to log in, and what is shown there.
    login: Option<(&'static str, String)>,
    /// The largest message that is read.
    largest_answer: u64,
}

/// A broker that has greeted us.
pub(crate) struct GreetedBroker {
    pub wire: Wire,
    pub version: String,
    /// The largest message that it takes.
    pub largest: usize,
}

impl Brokers {
    pub async fn new(connection: &Connection, secrets: &Secrets) -> Result<Self, CallError> {
        let servers = settings::parse_servers(connection)?;
        let encryption = tls::config_if_required(connection).await?;
        let login = match &connection.credentials {
            Credentials::None => None,
            Credentials::Token { token } => {
                Some(("token", secrets.resolve_secret(connection, token).await?))
            }
            Credentials::Password { user, password } => Some((
                "basic",
                format!("{user}:{}", secrets.resolve_secret(connection, password).await?),
            )),
            Credentials::File { .. } => {
                let remedy = "set token-variable or token-key, or user and password-variable or password-key";
                return Err(settings::bad_settings(
                    connection,
                    "names a credentials file, which Pulsar does not have",
                    remedy,
                ));
            }
        };
        Ok(Self { servers, encryption, login, largest_answer: connection.largest_answer })
    }

    /// The broker at an address that another one named.
    pub async fn connect_url(
        &self,
        url: &str,
        said: mpsc::UnboundedSender<LinkEvent>,
        broken: CancellationToken,
    ) -> Result<GreetedBroker, CallError> {
        let named = Connection::from_address(TransportKind::Pulsar, url, url);
        let server = settings::parse_servers(&named)?.swap_remove(0);
        self.connect_server(&server, said, broken).await
    }

    /// The broker at one of our own addresses.
    pub async fn connect_server(
        &self,
        server: &Server,
        said: mpsc::UnboundedSender<LinkEvent>,
        broken: CancellationToken,
    ) -> Result<GreetedBroker, CallError> {
        let place = server.to_string();
        let (mut frames, mut out) = split_socket(
            socket::open_socket(server, self.encryption.as_ref()).await?,
            self.largest_answer,
        );
        let greeting = async {
            let hello = frame::command_frame(self.connect_command());
            if out.write_all(&hello).await.is_err() || out.flush().await.is_err() {
                return Err(messages::no_pulsar(&place));
            }
            match frames.next().await {
                Some(Ok(frame)) => parse_connected(&place, frame.freeze()),
                _ => Err(messages::no_pulsar(&place)),
            }
        };
        let connected = timeout(socket::CONNECTING, greeting)
            .await
            .unwrap_or_else(|_| Err(socket::no_answer(server)))?;
        let largest = connected
            .max_message_size
            .and_then(|most| usize::try_from(most).ok())
            .filter(|most| *most > 0);
        Ok(GreetedBroker {
            wire: Wire::new(place, frames, out, said, broken),
            version: connected.server_version,
            largest: largest.unwrap_or(USUAL),
        })
    }

    fn connect_command(&self) -> Command {
        Command::Connect(Connect {
            client_version: concat!("toolcrib ", env!("CARGO_PKG_VERSION")).into(),
            auth_data: self.login.as_ref().map(|(_, shown)| shown.clone().into_bytes()),
            protocol_version: Some(PROTOCOL),
            auth_method_name: self.login.as_ref().map(|(way, _)| (*way).to_owned()),
        })
    }
}

fn parse_connected(place: &str, frame: bytes::Bytes) -> Result<Connected, CallError> {
    match frame::parse_frame(frame).ok().flatten().map(|frame| frame.command) {
        Some(Command::Connected(connected)) => Ok(connected),
        Some(Command::Error(refusal)) => {
            Err(messages::login_refused(place, refusal.error, &refusal.message))
        }
        _ => Err(messages::no_pulsar(place)),
    }
}
