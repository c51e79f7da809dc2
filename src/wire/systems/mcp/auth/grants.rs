//! What the key store keeps: the tokens for a server, by its address, and the clients that were
//! registered, by their issuer, so that neither goes anywhere else.

use serde_json::{Value, json};

use crate::{
    model::problem::Problem,
    systems::mcp::auth::{
        answers::Grant,
        clients::{AuthMethod, Client},
    },
    wire::secrets::Secrets,
};

fn grant_name(address: &str) -> String {
    format!("mcp-token {address}")
}

fn client_name(issuer: &str) -> String {
    format!("mcp-client {issuer}")
}

/// The tokens for the server at that address; its secrets are known to every mask from now on.
pub(crate) async fn read_grant(secrets: &Secrets, address: &str) -> Result<Option<Grant>, Problem> {
    let kept = secrets.read_kept(&grant_name(address)).await?;
    let grant = kept.and_then(|text| Grant::parse(&text, address));
    if let Some(grant) = &grant {
        register_tokens(secrets, grant);
    }
    Ok(grant)
}

/// Keeps them.
pub(crate) async fn save_grant(secrets: &Secrets, grant: &Grant) -> Result<(), Problem> {
    register_tokens(secrets, grant);
    secrets.keep(&grant_name(&grant.address), Some(&grant.print())).await
}

/// Forgets them.
pub(crate) async fn forget_grant(secrets: &Secrets, address: &str) -> Result<(), Problem> {
    secrets.keep(&grant_name(address), None).await
}

fn register_tokens(secrets: &Secrets, grant: &Grant) {
    secrets.register(&grant.access_token);
    if let Some(token) = &grant.refresh_token {
        secrets.register(token);
    }
}

/// The client that was registered at that issuer.
pub(crate) async fn read_client(
    secrets: &Secrets,
    issuer: &str,
) -> Result<Option<Client>, Problem> {
    let Some(text) = secrets.read_kept(&client_name(issuer)).await? else { return Ok(None) };
    let kept: Value = serde_json::from_str(&text).unwrap_or_default();
    let text = |name: &str| kept[name].as_str().map(str::to_owned);
    let secret = text("secret");
    if let Some(secret) = &secret {
        secrets.register(secret);
    }
    let method = text("method").and_then(|word| AuthMethod::parse(&word)).unwrap_or_default();
    Ok(text("id").map(|id| Client {
        id,
        secret,
        method,
        redirect: text("redirect"),
        ..Client::default()
    }))
}

/// Keeps it.
pub(crate) async fn save_client(
    secrets: &Secrets,
    issuer: &str,
    client: &Client,
) -> Result<(), Problem> {
    if let Some(secret) = &client.secret {
        secrets.register(secret);
    }
    let text = json!({
        "id": client.id,
        "secret": client.secret,
        "method": client.method.as_str(),
        "redirect": client.redirect,
    });
    secrets.keep(&client_name(issuer), Some(&text.to_string())).await
}
