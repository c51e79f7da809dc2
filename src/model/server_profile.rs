//! What a server says of itself when a connection to it is opened.

use serde_json::Value;

/// What is known of a server once both sides speak.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerProfile {
    /// What was agreed on, and what each side can do.
    pub facts: Vec<ProfileFact>,
    /// What the server says to a model about its use.
    pub instructions: Option<String>,
    /// What is odd about it, each in a sentence that begins with an id for scripts.
    pub findings: Vec<String>,
    /// All of it as it came, for scripts.
    pub json: Value,
}

/// One thing that is known of a server, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileFact {
    pub label: &'static str,
    pub words: String,
}
