//! Open connections, shared by the calls of this process.

use std::time::Duration;

use tokio::sync::mpsc;

use crate::model::{
    call::{Event, Request},
    connection::Connection,
    problem::Problem,
};

/// How long a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From the start to the first message of the answer.
    pub first: Duration,
    /// Between two messages of the answer.
    pub idle: Duration,
    /// From the start to the end.
    pub total: Duration,
    /// How long to listen for strays after the end.
    pub linger: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { first: seconds(30), idle: seconds(30), total: seconds(600), linger: seconds(2) }
    }
}

/// The state of a connection, in words for the top line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    Idle,
    Connecting,
    Connected,
    Reconnecting { attempt: usize },
    Failed(Problem),
}

/// Connections by name, opened at first use and kept.
#[derive(Debug, Default)]
pub struct Registry {}

impl Registry {
    /// Runs one call to its end and sends its events, `EventKind::End` exactly once, and after it only strays.
    /// Waits when `events` is full. Dropping the future cancels the call (nothing is sent after that).
    pub async fn call(&self, _connection: &Connection, _request: Request, _limits: Limits, _events: mpsc::Sender<Event>) {
        todo!()
    }

    /// Opens the connection if it is not open, and says how that went.
    pub async fn test(&self, _connection: &Connection) -> Result<String, Problem> {
        todo!()
    }
}
