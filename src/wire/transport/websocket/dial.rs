//! Connecting to the first gateway of a connection that lets us in.

use std::{sync::Arc, time::Duration};

use futures::{SinkExt, StreamExt};
use rustls::ClientConfig;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_tungstenite::{
    client_async_with_config,
    tungstenite::{Message, client::IntoClientRequest, http::HeaderMap, protocol::WebSocketConfig},
};

use super::{
    link::{Gateway, Stream},
    messages,
};
use crate::{
    model::{call::CallError, connection::Connection},
    wire::{
        secrets::Secrets,
        tls,
        transport::{
            http::authorization,
            reconnecting::TransportDial,
            settings::{self, Server},
            socket,
        },
    },
};

/// Where below a gateway's address its socket is.
const SOCKET: &str = "/api/v1/socket";

/// How long a gateway may take to say whether it lets us in; it asks others, over a broker that may
/// be slow.
const ADMITTING: Duration = Duration::from_secs(15);

/// The gateways of a connection, in the order in which they are tried.
pub(crate) struct Gateways {
    servers: Vec<Server>,
    encryption: Option<Arc<ClientConfig>>,
    token: Option<String>,
    /// Headers of the handshake.
    headers: HeaderMap,
    /// The bytes of the largest message that is taken.
    largest: usize,
}

impl Gateways {
    async fn connect(&self, server: &Server) -> Result<Gateway, CallError> {
        let place = server.to_string();
        let stream = socket::open_socket(server, self.encryption.as_ref()).await?;
        let scheme = if self.encryption.is_some() { "wss" } else { "ws" };
        let authority = place.split_once("://").map_or(place.as_str(), |(_, authority)| authority);
        let address =
            format!("{scheme}://{authority}{}{SOCKET}", server.path.trim_end_matches('/'));
        let config = WebSocketConfig::default()
            .max_message_size(Some(self.largest))
            .max_frame_size(Some(self.largest));
        let failed = |error| messages::handshake_failed(&place, &error);
        let mut asking = address.into_client_request().map_err(failed)?;
        asking.headers_mut().extend(self.headers.clone());
        let shaking = client_async_with_config(asking, stream, Some(config));
        let shaken =
            timeout(socket::CONNECTING, shaking).await.map_err(|_| socket::no_answer(server))?;
        let (mut stream, _) = shaken.map_err(failed)?;
        let admitting = self.authenticate(&mut stream, &place);
        let workspace = timeout(ADMITTING, admitting)
            .await
            .map_err(|_| messages::auth_timed_out(&place, ADMITTING))??;
        Ok(Gateway::new(stream, place, workspace))
    }

    /// Says who we are; answers with the workspace that we belong to.
    async fn authenticate(&self, stream: &mut Stream, place: &str) -> Result<String, CallError> {
        let hello =
            json!({"type": "auth", "token": self.token.as_deref().unwrap_or_default()}).to_string();
        stream
            .send(Message::text(hello))
            .await
            .map_err(|error| messages::handshake_failed(place, &error))?;
        loop {
            let frame = match stream.next().await {
                None => return Err(messages::no_gateway(place, "it closed the connection")),
                Some(Err(error)) => return Err(messages::handshake_failed(place, &error)),
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(Message::Close(_))) => {
                    return Err(messages::no_gateway(place, "it closed the socket"));
                }
                Some(Ok(_)) => continue,
            };
            let said: Value = serde_json::from_str(&frame).unwrap_or_default();
            return match said.get("type").and_then(Value::as_str) {
                Some("auth-ok") => {
                    let workspace = said.get("default_workspace").and_then(Value::as_str);
                    Ok(workspace.unwrap_or_default().to_owned())
                }
                Some("auth-failed") => Err(messages::not_let_in(place, self.token.is_some())),
                _ => Err(messages::no_gateway(
                    place,
                    "it did not answer our token as a gateway from TrustGraph 2.4.5 on does",
                )),
            };
        }
    }
}

impl TransportDial for Gateways {
    type Link = Gateway;

    async fn new(connection: &Connection, secrets: &Secrets) -> Result<Self, CallError> {
        let servers = settings::parse_servers(connection)?;
        let encryption = tls::config_if_required(connection).await?;
        let token = settings::resolve_token(connection, secrets, "to a gateway").await?;
        let headers = authorization::resolve_headers(connection, secrets).await?;
        let largest = usize::try_from(connection.largest_answer).unwrap_or(usize::MAX);
        Ok(Self { servers, encryption, token, headers, largest })
    }

    async fn dial(&self) -> Result<Gateway, CallError> {
        socket::first_reachable(&self.servers, |server| self.connect(server)).await
    }
}
