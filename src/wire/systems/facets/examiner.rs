//! Servers that can be held against the rules of their protocol.

use std::time::Duration;

use futures::future::BoxFuture;

use crate::{
    model::{call::CallError, connection::Connection},
    systems::facets::examined::Examined,
    wire::{secrets::Secrets, transport::bus::Bus},
};

/// How a server is asked.
#[derive(Clone, Copy)]
pub struct ExamineOptions<'o> {
    /// How long each of its answers may take.
    pub patience: Duration,
    /// Reports for which rule an answer is waited for that doesn't come at once.
    pub tell_waiting: &'o (dyn Fn(&str) + Sync),
}

/// Knows the rules of a protocol.
pub trait Examiner: Sync {
    /// Whether a connection leads to a server of it.
    fn is_at(&self, connection: &Connection) -> bool;

    /// Asks the server what shows whether it keeps the rules. No tool of it is called.
    ///
    /// # Errors
    /// When the server stops answering.
    fn examine<'a>(
        &'a self,
        bus: &'a dyn Bus,
        connection: &'a Connection,
        secrets: &'a Secrets,
        options: ExamineOptions<'a>,
    ) -> BoxFuture<'a, Result<Vec<Examined>, CallError>>;
}
