//! What a source gives.

use std::time::Duration;

use futures::future::BoxFuture;

use crate::{
    model::{connection::Connection, problem::Problem},
    systems::discovery::found::Found,
    wire::connector::Connector,
};

/// Something that can be asked where a connection leads.
pub trait Source: Sync {
    /// Whether it can be asked there.
    fn is_at(&self, connection: &Connection) -> bool;

    /// Asks, and takes the answers that come within `wait`.
    fn search<'a>(
        &'a self,
        connector: &'a dyn Connector,
        connection: &'a Connection,
        wait: Duration,
    ) -> BoxFuture<'a, Result<Search, Problem>>;
}

/// What came of asking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    pub found: Vec<Found>,
    /// What came and could not be read, each in a sentence.
    pub unread: Vec<String>,
    /// A source could not be asked: there may be more.
    pub is_partial: bool,
}
