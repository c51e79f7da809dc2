//! Entries as a running system has them.

use serde_json::{Map, Value, json};

use crate::{model::entry::SystemId, syntax::python_json};

/// The section of the instructions that a server has for models, beside its tools.
pub const SAID: &str = "server";

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
    pub fn parse_value(&self) -> Option<Value> {
        python_json::parse_value(&self.text).ok()
    }

    /// `tool/tell-joke`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.section, self.key)
    }
}

/// Items as a file holds them, in maps by their sections; a text that is not JSON, or only a text
/// in it, stays one.
#[must_use]
pub(crate) fn group_by_section(items: &[Item]) -> Value {
    let mut root = Map::new();
    for item in items {
        root.entry(item.section).or_insert_with(|| json!({}))[item.key.as_str()] = item
            .parse_value()
            .filter(|value| !value.is_string())
            .unwrap_or_else(|| item.text.as_str().into());
    }
    Value::Object(root)
}
