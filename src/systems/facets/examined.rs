//! What came of holding a server against the rules of its protocol.

use crate::model::finding::Severity;

/// One rule, and whether the server keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    /// Stable for scripts: `call.unknown-tool`.
    pub rule: &'static str,
    /// The rule in a sentence.
    pub about: &'static str,
    pub verdict: Verdict,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Kept,
    Broken {
        severity: Severity,
        /// What was seen, line by line.
        details: Vec<String>,
    },
    /// It could not be looked at, and why.
    Skipped(String),
}

impl Examined {
    #[must_use]
    pub fn kept(rule: &'static str, about: &'static str) -> Self {
        Self { rule, about, verdict: Verdict::Kept }
    }

    #[must_use]
    pub fn skipped(rule: &'static str, about: &'static str, why: impl Into<String>) -> Self {
        Self { rule, about, verdict: Verdict::Skipped(why.into()) }
    }
}
