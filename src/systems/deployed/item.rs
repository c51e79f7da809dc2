//! Entries as a running system has them.

use serde_json::Value;

use crate::{model::entry::SystemId, syntax::python_json};

/// One entry there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub system: SystemId,
    /// The kind under which it is kept there: `tool`.
    pub section: &'static str,
    pub key: String,
    /// Text that should hold JSON.
    pub text: String,
}

impl Item {
    /// Its value; `None` when the text is not JSON.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        python_json::read(&self.text).ok()
    }

    /// `tool/tell-joke`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.section, self.key)
    }
}
