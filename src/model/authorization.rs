//! What a server says about who may use it, as people read it.

/// All that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthorizationReport {
    pub steps: Vec<AuthorizationStep>,
    /// What it results in, and what to do.
    pub verdict: String,
    /// Whether nothing is in the way of a token, or none is needed.
    pub is_open: bool,
}

/// One request and its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthorizationStep {
    /// Method and URL.
    pub request: String,
    pub outcome: String,
    /// What counts of the answer, by name.
    pub facts: Vec<(&'static str, String)>,
    pub faults: Vec<AuthorizationFault>,
}

/// One thing that is wrong with an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthorizationFault {
    pub id: &'static str,
    /// Where in the document.
    pub at: String,
    pub words: String,
    /// No token is asked for until it is fixed.
    pub is_stopping: bool,
}

impl AuthorizationFault {
    /// It in a line, after `error` or `warning`.
    #[must_use]
    pub fn line(&self) -> String {
        let at = if self.at.is_empty() { String::new() } else { format!(" at {}", self.at) };
        let sign = if self.is_stopping { "error" } else { "warning" };
        format!("{sign} {}{at}: {}", self.id, self.words)
    }
}
