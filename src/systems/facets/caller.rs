//! In whose name calls are made.

use crate::model::connection::Connection;

/// Is called in the name of an agent of the system.
pub trait Caller: Sync {
    /// The agent that calls over a connection are made in the name of; `None` where the connection
    /// does not lead to this system.
    fn calling_agent(&self, connection: &Connection) -> Option<CallingAgent>;

    /// The connection without the agent that it names: each session makes a new one.
    fn without_agent(&self, connection: Connection) -> Connection;
}

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallingAgent {
    /// The one that the connection names.
    Named(String),
    /// A new one of our own.
    New,
}
