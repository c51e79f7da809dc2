//! Requests for documents and tokens, which go to other servers than the one that is called.

use std::time::Duration;

use reqwest::{
    Client, RequestBuilder, Response,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, WWW_AUTHENTICATE},
};
use serde_json::Value;

use crate::{
    model::{call::CallError, connection::Connection},
    systems::mcp::auth::{challenge::DPOP, requests::TokenRequest},
    wire::{
        secrets::Secrets,
        tls,
        transport::http::{authorization::resolve_headers, client::build_client},
    },
};

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(15);
/// How large one may be.
const LARGEST: usize = 1024 * 1024;

/// The header in which a server gives what the next proof has to name.
pub(crate) const DPOP_NONCE: &str = "dpop-nonce";

/// Makes requests without any token. Redirects are not followed. The headers are those that the
/// settings name for the server that is called, which goes without a token too.
pub(crate) struct Fetcher {
    client: Client,
    headers: HeaderMap,
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fetched {
    pub status: u16,
    /// The values of `WWW-Authenticate`.
    pub challenges: Vec<String>,
    /// What the next proof has to name.
    pub nonce: Option<String>,
    /// Null where it is no JSON.
    pub document: Value,
}

impl Fetched {
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl Fetcher {
    /// One that encrypts as the connection's settings say.
    ///
    /// # Errors
    /// When these settings cannot be followed.
    pub async fn new(connection: &Connection, secrets: &Secrets) -> Result<Self, CallError> {
        let encryption = tls::client_config(connection).await?;
        let mut headers = resolve_headers(connection, secrets).await?;
        headers.remove(AUTHORIZATION);
        Ok(Self { client: build_client(HeaderMap::new(), Some(&encryption))?, headers })
    }

    /// A document.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn get_document(&self, url: &str) -> Result<Fetched, String> {
        fetch(self.client.get(url).header(ACCEPT, "application/json")).await
    }

    /// What a server says to a frame that comes without a token.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn post_frame(
        &self,
        url: &str,
        headers: &[(String, String)],
        frame: String,
    ) -> Result<Fetched, String> {
        let request = self.client.post(url).headers(self.headers.clone());
        let request = request.header(CONTENT_TYPE, "application/json");
        let request = request.header(ACCEPT, "application/json, text/event-stream");
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        fetch(request.body(frame)).await
    }

    /// The answer to a registration.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn post_document(&self, url: &str, document: &Value) -> Result<Fetched, String> {
        let request = self.client.post(url).header(CONTENT_TYPE, "application/json");
        fetch(request.header(ACCEPT, "application/json").body(document.to_string())).await
    }

    /// The answer to a request for tokens.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn post_token(
        &self,
        url: &str,
        asked: TokenRequest,
        proof: Option<&str>,
    ) -> Result<Fetched, String> {
        let mut request = self.client.post(url).header(ACCEPT, "application/json");
        request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        if let Some(authorization) = asked.authorization {
            let value = HeaderValue::from_str(&authorization);
            let mut value = value.map_err(|_| "the client's secret cannot be sent".to_owned())?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        if let Some(proof) = proof {
            request = request.header(DPOP, proof);
        }
        fetch(request.body(asked.form)).await
    }
}

async fn fetch(request: RequestBuilder) -> Result<Fetched, String> {
    let answer = async {
        let response = request.send().await.map_err(|error| words(&error))?;
        read_response(response).await
    };
    let silent = || format!("no answer within {} s", PATIENCE.as_secs());
    tokio::time::timeout(PATIENCE, answer).await.unwrap_or_else(|_| Err(silent()))
}

async fn read_response(mut response: Response) -> Result<Fetched, String> {
    let status = response.status().as_u16();
    let values = response.headers().get_all(WWW_AUTHENTICATE).iter();
    let challenges = values.filter_map(|value| value.to_str().ok().map(str::to_owned)).collect();
    let nonce = response.headers().get(DPOP_NONCE).and_then(|nonce| nonce.to_str().ok());
    let nonce = nonce.map(str::to_owned);
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let mut body = Vec::new();
    // A stream may never end, and nothing on it is wanted.
    if !kind.is_some_and(|kind| kind.starts_with("text/event-stream")) {
        while let Some(piece) = response.chunk().await.map_err(|error| words(&error))? {
            body.extend_from_slice(&piece);
            if body.len() > LARGEST {
                return Err(format!("the answer is larger than {} KiB", LARGEST / 1024));
            }
        }
    }
    let document = serde_json::from_slice(&body).unwrap_or_default();
    Ok(Fetched { status, challenges, nonce, document })
}

/// The innermost cause; it names no URL, which could hold what nobody should read.
fn words(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
