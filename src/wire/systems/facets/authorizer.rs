//! Servers that want a token which a person has to allow first.

use futures::future::BoxFuture;

use crate::{
    model::{call::CallError, connection::Connection},
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
    ) -> BoxFuture<'a, Result<Report, CallError>>;

    /// Gets a token and keeps it in the key store: `show` is told the URL of the page on which the
    /// user allows it. Gives the scopes that were asked for.
    fn sign_in<'a>(
        &'a self,
        connection: &'a Connection,
        secrets: &'a Secrets,
        scope: Option<&'a str>,
        show: &'a (dyn Fn(&str) + Send + Sync),
    ) -> BoxFuture<'a, Result<Option<String>, CallError>>;

    /// Forgets the token.
    fn sign_out<'a>(
        &'a self,
        connection: &'a Connection,
        secrets: &'a Secrets,
    ) -> BoxFuture<'a, Result<(), CallError>>;
}

/// All that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub steps: Vec<Step>,
    /// What it comes to, and what to do.
    pub verdict: String,
    /// Whether nothing stands in the way of a token, or none is needed.
    pub is_open: bool,
}

/// One request and its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Method and URL.
    pub request: String,
    pub outcome: String,
    /// What counts of the answer, by name.
    pub facts: Vec<(&'static str, String)>,
    pub faults: Vec<Fault>,
}

/// One thing that is wrong with an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    pub id: &'static str,
    /// Where in the document.
    pub at: String,
    pub words: String,
    /// No token is asked for until it is mended.
    pub is_stopping: bool,
}
