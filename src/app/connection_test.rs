//! Connections as one looks at them: which is shown, and what was found where it leads.

use std::collections::HashMap;

use super::sign_in::SignIns;
use crate::{
    model::{
        problem::Problem,
        server_item::{ListTiming, ServerItem},
        server_profile::ServerProfile,
    },
    systems::{facets::kept_tools::ListedTools, permission::Permission},
};

/// What the screen of connections holds beside the settings.
#[derive(Clone, Debug, Default)]
pub struct ConnectionTests {
    /// The name of the connection that is shown.
    pub selected: Option<String>,
    /// How the last test of each went, by name; with the number of the asking.
    pub reports: HashMap<String, (u64, Report)>,
    /// The number of the last asking.
    pub asked: u64,
    pub sign_ins: SignIns,
}

impl ConnectionTests {
    /// What the server of a connection has to read, as it listed it last.
    #[must_use]
    pub fn items_of(&self, connection: &str) -> &[ServerItem] {
        match self.reports.get(connection) {
            Some((_, Report::Reached(reached))) => &reached.items,
            _ => &[],
        }
    }
}

/// How a test of a connection goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    UnderWay,
    /// It is not opened before the user allows this.
    NotAllowed(Box<Permission>),
    Reached(Box<ConnectionReport>),
    Failed(Problem),
}

/// What a connection that opened said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConnectionReport {
    /// Who answered, in words.
    pub greeting: String,
    pub took_ms: u64,
    /// What a server says of itself.
    pub profile: Option<ServerProfile>,
    /// How it gave its lists.
    pub timings: Vec<ListTiming>,
    /// What changed there since it was locked, in a line.
    pub drift: Option<String>,
    /// What is configured there, as `tool/tell-joke`; `None` where it cannot be asked.
    pub there: Option<Vec<String>>,
    /// Tools, and who takes their calls; `None` where it cannot be asked.
    pub listeners: Option<Vec<(String, String)>>,
    /// The tools of a server, where the workspace may keep them.
    pub listed: Option<ListedTools>,
    /// What a server has to read beside its tools, by kind.
    pub items: Vec<ServerItem>,
    /// What is odd about its lists.
    pub list_faults: Vec<String>,
    /// What is wrong with its tools.
    pub tool_faults: Vec<String>,
    /// What could be asked and was not reported.
    pub untold: Vec<Problem>,
}
