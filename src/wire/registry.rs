//! Open connections, shared by the calls of this process.

use std::collections::BTreeMap;

use tokio::sync::{mpsc, watch};

use crate::model::{
    call::{Event, Limits, Request},
    connection::{Connection, ConnectionState},
    problem::Problem,
};

/// Connections by name, opened at first use and kept.
#[derive(Debug, Default)]
pub struct Registry {}

impl Registry {
    /// Runs one call to its end and sends its events, `EventKind::End` exactly once, and after it only strays.
    /// Waits when `events` is full. Dropping the future cancels the call (nothing is sent after that).
    pub async fn call(&self, _connection: &Connection, _request: Request, _limits: Limits, _events: mpsc::Sender<Event>) {
        todo!()
    }

    /// The state of every connection that was ever asked for, by name; changes wake the receiver.
    pub fn states(&self) -> watch::Receiver<BTreeMap<String, ConnectionState>> {
        todo!()
    }

    /// Opens the connection if it is not open, and says how that went.
    pub async fn test(&self, _connection: &Connection) -> Result<String, Problem> {
        todo!()
    }
}
