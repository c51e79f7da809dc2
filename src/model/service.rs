//! A service: what answers for tools.

use super::entry::Entry;

#[derive(Clone, Debug)]
pub struct Service {
    pub entry: Entry,
    /// Another name that tools may find it by; its key wins over another service's alias.
    pub alias: Option<String>,
    pub request_queue: Option<String>,
    pub response_queue: Option<String>,
    pub parameters: Vec<Parameter>,
}

impl Service {
    #[must_use]
    pub fn key(&self) -> &str {
        &self.entry.key
    }
}

/// A configuration value that a service takes from the tools that use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub required: bool,
}
