//! What a sample service is asked, and what it may answer.

use serde_json::{Map, Value};

/// A service of our own.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The key of its descriptor.
    pub name: &'static str,
    /// The last part of its queues' names.
    pub topic: &'static str,
    pub answer: fn(&Asking<'_>) -> Answer,
}

/// A request as a service gets it.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    pub user: &'a str,
    pub config: &'a Map<String, Value>,
    pub arguments: &'a Map<String, Value>,
}

/// The pieces of an answer, to be joined without a separator; or why there is none.
pub(crate) type Answer = Result<Vec<String>, Fault>;

/// Why a service cannot answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: &'static str,
    pub message: String,
}

impl Fault {
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// A member as text; a number counts as the way it is written. `None`: absent, null or empty.
#[must_use]
pub(crate) fn text_member(map: &Map<String, Value>, name: &str) -> Option<String> {
    let text = match map.get(name)? {
        Value::Null => return None,
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    (!text.is_empty()).then_some(text)
}
