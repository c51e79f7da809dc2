//! Tokens of connections as one gets them: what a server says about it, and how far signing in is.

use std::collections::HashMap;

use crate::model::{authorization::AuthorizationReport, connection::Connection, problem::Problem};

/// How signing in to each connection goes, by name.
#[derive(Clone, Debug, Default)]
pub struct SignIns {
    pub by_name: HashMap<String, SignIn>,
    /// The number of the last asking.
    pub asked: u64,
}

/// One connection's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// The number of the asking.
    pub turn: u64,
    /// What the server says about it, once it was asked.
    pub report: Option<AuthorizationReport>,
    pub stage: SignInStage,
}

/// How far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignInStage {
    /// The server is being asked.
    UnderWay,
    /// There is no more to be done.
    Over,
    /// The user is to allow it on this page, which sends its answer here.
    Waiting {
        page: String,
    },
    Done(String),
    Failed(Problem),
    Cancelled,
}

impl SignIn {
    /// Whether something is under way that can be cancelled.
    #[must_use]
    pub fn is_running(&self) -> bool {
        matches!(self.stage, SignInStage::UnderWay | SignInStage::Waiting { .. })
    }

    /// The page that is waited for.
    #[must_use]
    pub fn page(&self) -> Option<&str> {
        match &self.stage {
            SignInStage::Waiting { page } => Some(page),
            _ => None,
        }
    }
}

/// What is wanted of a connection's tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInAct {
    /// What the server says about it; changes nothing.
    Look,
    /// Get a token.
    SignIn,
    /// Open the page that is waited for.
    OpenPage,
    /// Wait no more.
    Cancel,
    /// Forget the token.
    SignOut,
}

/// What is to be done about it in the world.
#[derive(Clone, Debug, PartialEq)]
pub enum SignInEffect {
    /// See to the tokens of a connection. Answered by `SignInNews` of that turn.
    Start { turn: u64, connection: Box<Connection>, act: SignInAct },
    /// Wait no more for the page of that connection.
    Cancel(String),
    /// Open a page in the user's browser.
    OpenPage(String),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignInNews {
    Looked(AuthorizationReport),
    Page(String),
    /// It ended well, in words.
    Done(String),
    Failed(Problem),
}
