//! A attachment: something to read beside a call or a conversation, such as a card.

use serde_json::Value;

use super::entry::SystemId;

/// Words, and JSON where there is some: an object, or a list of objects that makes a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// What it is, stable for scripts: `call-card`, `result-card`, `labels`, `card`.
    pub what: &'static str,
    /// The same for people.
    pub words: String,
    pub body: Value,
}

/// Where attachments can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardSource {
    /// The system whose they are.
    pub system: SystemId,
    /// The address of an API.
    pub api: String,
    /// The ids of what is wanted, each with its path there.
    pub wanted: Vec<(String, String)>,
}
