//! Tokens for servers over HTTP, for the commands and screens that show and get them.

use futures::future::BoxFuture;

use super::auth::{
    fetch::Fetcher,
    grants, report,
    sign_in::{SignIn, no_store, usable_server},
    walk::{Chain, walk},
};
use crate::{
    model::{
        authorization::AuthorizationReport,
        call::CallError,
        connection::{Connection, Credentials},
        error_kind::ErrorKind,
        shown::shell_word,
    },
    systems::mcp::settings,
    wire::{secrets::Secrets, systems::facets::authorizer::Authorizer},
};

pub(crate) struct McpAuthorizer;

impl Authorizer for McpAuthorizer {
    fn is_at(&self, connection: &Connection) -> bool {
        settings::is_at(connection) && connection.command().is_none()
    }

    fn look<'a>(
        &'a self,
        connection: &'a Connection,
        secrets: &'a Secrets,
    ) -> BoxFuture<'a, Result<AuthorizationReport, CallError>> {
        Box::pin(async move {
            let address = single_address(connection)?;
            let chain = walk(&Fetcher::new(connection, secrets).await?, address, None).await;
            let (is_open, verdict) = verdict(&chain, connection, secrets, address).await;
            Ok(AuthorizationReport { steps: report::steps(&chain), verdict, is_open })
        })
    }

    fn sign_in<'a>(
        &'a self,
        connection: &'a Connection,
        secrets: &'a Secrets,
        scope: Option<&'a str>,
        show: &'a (dyn Fn(&str) + Send + Sync),
    ) -> BoxFuture<'a, Result<Option<String>, CallError>> {
        Box::pin(async move {
            if !matches!(connection.credentials, Credentials::None) {
                let message = format!("connection \"{}\" has a token of its own", connection.name);
                let remedy = "take token-variable or token-key out of it first";
                return Err(CallError::new(ErrorKind::BadSettings, message, remedy));
            }
            let address = single_address(connection)?;
            SignIn { connection, secrets, address, scope, show }.run().await
        })
    }

    fn kept_token<'a>(
        &'a self,
        connection: &'a Connection,
        secrets: &'a Secrets,
    ) -> BoxFuture<'a, Result<Option<String>, CallError>> {
        Box::pin(async move {
            let address = single_address(connection)?;
            let grant = grants::read_grant(secrets, address).await.map_err(no_store)?;
            Ok(grant.map(|grant| grant.access_token))
        })
    }

    fn sign_out<'a>(
        &'a self,
        connection: &'a Connection,
        secrets: &'a Secrets,
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async move {
            let address = single_address(connection)?;
            grants::forget_grant(secrets, address).await.map_err(no_store)
        })
    }
}

/// What the documents come to.
async fn verdict(
    chain: &Chain,
    connection: &Connection,
    secrets: &Secrets,
    address: &str,
) -> (bool, String) {
    if !matches!(connection.credentials, Credentials::None) {
        return (true, "the connection has a token of its own".into());
    }
    if !chain.is_closed && chain.resource.is_none() {
        return (true, "the server answers without a token".into());
    }
    let server = match usable_server(chain, connection) {
        Ok(server) => server,
        Err(problem) => return (false, format!("no token can be got: {}", problem.message)),
    };
    // Who only looks need not have a key store.
    let kept = grants::read_grant(secrets, address).await.ok().flatten();
    let issuer = crate::model::shown::visible_text(&server.issuer).into_owned();
    match kept.filter(|kept| kept.issuer == server.issuer) {
        Some(_) => (true, format!("a token of {issuer} is kept")),
        None => {
            let name = shell_word(&connection.name);
            (true, format!("{issuer} gives tokens: toolcrib mcp auth {name} --sign-in"))
        }
    }
}

/// Tokens go to one address alone.
fn single_address(connection: &Connection) -> Result<&str, CallError> {
    match connection.addresses() {
        [address] => Ok(address),
        _ => {
            let message = format!("connection \"{}\" has not exactly one address", connection.name);
            let remedy = "give it one address, as a token goes to one server alone";
            Err(CallError::new(ErrorKind::BadSettings, message, remedy))
        }
    }
}
