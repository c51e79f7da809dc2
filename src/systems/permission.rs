//! What a connection does only once the user agreed to exactly that.

use super::{sending::Sending, start::Start};

/// What the user is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permission {
    /// The start of its server.
    Start(Start),
    /// That secrets leave this machine.
    Send(Sending),
}

impl Permission {
    /// The same text for the same permission, and for no other.
    #[must_use]
    pub fn digest(&self) -> String {
        match self {
            Self::Start(start) => start.digest(),
            Self::Send(sending) => sending.digest(),
        }
    }

    /// All of it for people, line by line, nothing cut.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        match self {
            Self::Start(start) => start.lines(),
            Self::Send(sending) => sending.lines(),
        }
    }

    /// What a connection wants to do, after its name: `starts a server`.
    #[must_use]
    pub fn words(&self) -> &'static str {
        match self {
            Self::Start(_) => "starts a server",
            Self::Send(_) => "sends secrets to another machine",
        }
    }

    /// The question whether this connection may do it.
    #[must_use]
    pub fn question(&self, connection: &str) -> String {
        match self {
            Self::Start(_) => format!("Start the server of {connection}?"),
            Self::Send(_) => format!("Send the secrets of {connection}?"),
        }
    }

    /// The option of a command that gives it for one run.
    #[must_use]
    pub fn option(&self) -> &'static str {
        match self {
            Self::Start(_) => "--allow-start",
            Self::Send(_) => "--allow-secrets",
        }
    }
}
