//! A system's management API over HTTP: one request, and its whole answer.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::{
    Client, Method,
    header::{CONTENT_TYPE, HeaderMap},
};
use serde_json::Value;

use super::{
    tls,
    transport::{
        http::{self, messages},
        settings::{self, Server},
    },
};
use crate::model::{
    call::CallError,
    connection::{Connection, Tls},
};

/// How much one answer may hold.
const LARGEST: usize = 64 * 1024 * 1024;

/// How long an answer may take where nothing else is said.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// An API at one address.
pub(crate) struct Management {
    client: Client,
    server: Server,
    base: String,
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub status: u16,
    pub body: Bytes,
}

impl Answer {
    /// Whether it did what was asked.
    #[must_use]
    pub fn is_good(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body as JSON; null where it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

impl Management {
    /// An API at that address, encrypted as the connection's settings say.
    ///
    /// # Errors
    /// When the address or the settings cannot be used. Whether anybody is there shows with the
    /// first request.
    pub async fn for_address(connection: &Connection, address: &str) -> Result<Self, CallError> {
        let required = address.starts_with("https://");
        let tls = Tls { required, ..connection.tls.clone() };
        let there = Connection { tls, ..Connection::http(connection.name.as_str(), address) };
        let [server] = <[Server; 1]>::try_from(settings::parse_servers(&there)?)
            .map_err(|_| settings::bad_address(&there, "it needs exactly one address"))?;
        let client = http::client::build_client(
            HeaderMap::new(),
            tls::config_if_required(&there).await?.as_deref(),
        )?;
        let base = http::client::base_url(&server, server.scheme == "https");
        Ok(Self { client, server, base })
    }

    /// Where it is, for people.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base
    }

    pub async fn get(&self, path: &str) -> Result<Answer, CallError> {
        self.send_request(self.client.request(Method::GET, self.url(path)), PATIENCE).await
    }

    pub async fn delete(&self, path: &str) -> Result<Answer, CallError> {
        self.send_request(self.client.request(Method::DELETE, self.url(path)), PATIENCE).await
    }

    /// Sends JSON.
    pub async fn post(
        &self,
        path: &str,
        body: String,
        patience: Duration,
    ) -> Result<Answer, CallError> {
        let request = self
            .client
            .request(Method::POST, self.url(path))
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        self.send_request(request, patience).await
    }

    /// Sends a text as the file of a form.
    pub async fn upload_file(
        &self,
        path: &str,
        name: &str,
        text: &str,
    ) -> Result<Answer, CallError> {
        let boundary = format!("toolcrib-{}", uuid::Uuid::new_v4().simple());
        let body = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n{text}\r\n--{boundary}--\r\n"
        );
        let kind = format!("multipart/form-data; boundary={boundary}");
        let request =
            self.client.request(Method::POST, self.url(path)).header(CONTENT_TYPE, kind).body(body);
        self.send_request(request, PATIENCE).await
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    async fn send_request(
        &self,
        request: reqwest::RequestBuilder,
        patience: Duration,
    ) -> Result<Answer, CallError> {
        let asking = async {
            let mut response = request
                .send()
                .await
                .map_err(|error| messages::request_failed(&self.server, &error))?;
            let status = response.status().as_u16();
            let mut body = BytesMut::new();
            while let Some(piece) = response
                .chunk()
                .await
                .map_err(|error| messages::response_broken(&self.server, &error))?
            {
                body.extend_from_slice(&piece);
                if body.len() > LARGEST {
                    return Err(messages::too_large(&self.server, LARGEST));
                }
            }
            Ok(Answer { status, body: body.freeze() })
        };
        tokio::time::timeout(patience, asking)
            .await
            .unwrap_or_else(|_| Err(messages::silent_api(&self.server, patience)))
    }
}
