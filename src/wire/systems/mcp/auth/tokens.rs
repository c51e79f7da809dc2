//! Requests for tokens, by a client that says who it is in the way that was agreed on, and what
//! comes of them.

use std::time::{SystemTime, UNIX_EPOCH};

use super::{
    fetch::{Fetched, Fetcher},
    signing,
};
use crate::{
    model::{call::CallError, connection::Connection, error_kind::ErrorKind, shown::visible_text},
    systems::mcp::{
        auth::{
            answers::{Grant, Refused},
            clients::{AuthMethod, Client},
            documents::ServerMetadata,
            jwt::ProvenRequest,
            requests::{CLIENT_ASSERTION, token_request},
        },
        keys, token_settings,
    },
    wire::secrets::Secrets,
};

/// What helps where a server registers no clients.
pub(super) const CLIENT_REMEDY: &str =
    "register one there by hand and set client-id (and client-secret-key) of the connection";

/// The client that the settings name.
///
/// # Errors
/// When its secret or its key is not there.
pub(crate) async fn named_client(
    connection: &Connection,
    secrets: &Secrets,
    server: &ServerMetadata,
) -> Result<Option<Client>, CallError> {
    let Some(id) = token_settings::client_id(connection) else { return Ok(None) };
    let secret = read_secret(connection, secrets, keys::CLIENT_SECRET).await?;
    let private_key = read_secret(connection, secrets, keys::CLIENT_PEM).await?;
    let method = match &private_key {
        Some(_) => AuthMethod::PrivateKeyJwt,
        None => AuthMethod::for_server(server, secret.is_some()),
    };
    Ok(Some(Client { id: id.to_owned(), secret, private_key, method, redirect: None }))
}

/// No client is named that the server takes.
pub(super) fn no_client(connection: &Connection) -> CallError {
    let message = format!(
        "the server registers no clients, and connection \"{}\" names none that it takes",
        connection.name
    );
    CallError::new(ErrorKind::Unauthorized, message, CLIENT_REMEDY)
}

/// The secret whose place the settings name with that key.
///
/// # Errors
/// When it is named and not there.
pub(super) async fn read_secret(
    connection: &Connection,
    secrets: &Secrets,
    key: &str,
) -> Result<Option<String>, CallError> {
    match token_settings::secret(connection, key) {
        Some(at) => secrets.resolve_secret(connection, at).await.map(Some),
        None => Ok(None),
    }
}

/// The grant with the tokens that its server gives for what `pairs` say; bound to its key, where it
/// has one.
///
/// # Errors
/// When the server refuses, or cannot be reached, or the client's key cannot be used.
pub(crate) async fn request_tokens(
    fetcher: &Fetcher,
    client: &Client,
    grant: Grant,
    pairs: &[(&str, &str)],
) -> Result<Grant, CallError> {
    let endpoint = grant.token_endpoint.clone();
    let mut got = post_pairs(fetcher, client, &grant, None, pairs).await?;
    // The server may want its own word in the proof; it says so once.
    if let Ok(Fetched { nonce: Some(nonce), document, .. }) = &got
        && document["error"] == "use_dpop_nonce"
        && grant.proof_key.is_some()
    {
        let nonce = nonce.clone();
        got = post_pairs(fetcher, client, &grant, Some(&nonce), pairs).await?;
    }
    let refused = |problem| refused(&endpoint, problem);
    let got = got.map_err(|cause| refused(("auth.unreachable", cause)))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let status = got.status;
    let taken = grant.with_tokens(&got.document, now);
    let taken = taken.map_err(|(id, words)| refused((id, format!("{words} (HTTP {status})"))));
    if got.is_success() {
        taken
    } else {
        Err(taken.err().unwrap_or_else(|| refused(("auth.refused", format!("HTTP {status}")))))
    }
}

/// No token came from there.
pub(super) fn refused(endpoint: &str, (id, words): Refused) -> CallError {
    let message =
        format!("{} gives no token: {id}: {}", visible_text(endpoint), visible_text(&words));
    CallError::new(ErrorKind::Unauthorized, message, "sign in again")
}

/// Posts what is asked of a grant's server; the inner error is why nothing came back.
async fn post_pairs(
    fetcher: &Fetcher,
    client: &Client,
    grant: &Grant,
    nonce: Option<&str>,
    pairs: &[(&str, &str)],
) -> Result<Result<Fetched, String>, CallError> {
    let mut pairs = pairs.to_vec();
    let assertion = match &client.private_key {
        Some(pem) => {
            Some(signing::sign_assertion(pem, &client.id, &grant.issuer).map_err(|words| {
                let message = format!("the private key of client \"{}\" {words}", client.id);
                let remedy = "look at client-pem-variable or client-pem-key of the connection";
                CallError::new(ErrorKind::BadSettings, message, remedy)
            })?)
        }
        None => None,
    };
    if let Some(assertion) = &assertion {
        pairs.push(("client_assertion_type", CLIENT_ASSERTION));
        pairs.push(("client_assertion", assertion));
    }
    let url = grant.token_endpoint.as_str();
    let request = ProvenRequest { method: "POST", url, token: None, nonce };
    let proof = match &grant.proof_key {
        Some(key) => Some(signing::sign_proof(key, request).map_err(broken_key)?),
        None => None,
    };
    let asked = token_request(client, &pairs);
    Ok(fetcher.post_token(url, asked, proof.as_deref()).await)
}

/// The key that tokens are bound to is not good for anything.
pub(super) fn broken_key(words: &'static str) -> CallError {
    let message = format!("the key that the token is bound to {words}");
    CallError::new(ErrorKind::Unauthorized, message, "sign in again")
}
