//! Entries as a running system has them.

use serde_json::Value;

use crate::model::entry::SystemId;

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
        serde_json::from_str(&self.text).ok()
    }

    /// `tool/tell-joke`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.section, self.key)
    }
}
