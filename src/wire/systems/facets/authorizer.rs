//! Servers that want a token which a person has to allow first.

use futures::future::BoxFuture;

use crate::{
    model::{authorization::AuthorizationReport, call::CallError, connection::Connection},
    wire::secrets::Secrets,
};

/// Finds out how tokens for a server are got, and gets them.
pub trait Authorizer: Sync {
    /// Whether a connection leads to such a server.
    fn is_at(&self, connection: &Connection) -> bool;

    /// What the server says about it, step by step; nothing is changed by it.
    fn look<'a>(
        &'a self,
        connection: &'a Connection,
        secrets: &'a Secrets,
    ) -> BoxFuture<'a, Result<AuthorizationReport, CallError>>;

    /// Gets a token and keeps it in the key store: `show` receives the URL of the page on which the
    /// user allows it. Gives the scopes that were asked for.
    fn sign_in<'a>(
        &'a self,
        connection: &'a Connection,
        secrets: &'a Secrets,
        scope: Option<&'a str>,
        show: &'a (dyn Fn(&str) + Send + Sync),
    ) -> BoxFuture<'a, Result<Option<String>, CallError>>;

    /// The token that is kept, to be handed to another program; `None` where there is none.
    fn kept_token<'a>(
        &'a self,
        connection: &'a Connection,
        secrets: &'a Secrets,
    ) -> BoxFuture<'a, Result<Option<String>, CallError>>;

    /// Forgets the token.
    fn sign_out<'a>(
        &'a self,
        connection: &'a Connection,
        secrets: &'a Secrets,
    ) -> BoxFuture<'a, Result<(), CallError>>;
}
