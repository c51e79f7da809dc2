//! Tools as the API gives them, and definitions in the one shape that can be compared.

use serde_json::{Map, Value, json};

use crate::systems::{
    commonground::{entries, keys},
    deployed::item::Item,
};

/// The one kind that is kept there.
pub const SECTION: &str = "tool";

/// The tools that a page of the API's list holds.
#[must_use]
pub fn read(page: &Value) -> Vec<Item> {
    let item = |row: &Value| {
        let key = row[keys::TOOL_NAME].as_str()?.to_owned();
        Some(Item { system: keys::SYSTEM, section: SECTION, key, text: kept(row).to_string() })
    };
    page.as_array().into_iter().flatten().filter_map(item).collect()
}

/// A definition as the API keeps it: its own members alone, with what is left out filled in.
#[must_use]
pub fn kept(value: &Value) -> Value {
    let mut members = Map::new();
    for key in keys::MEMBERS {
        let given = value.get(key).cloned();
        let own = match key {
            keys::TOOL_NAME => entries::name(value).map(|name| Value::from(name.trim())),
            keys::PARAMETERS | keys::OPTIONS => Some(given.unwrap_or_else(|| json!({}))),
            _ => given,
        };
        members.insert(key.into(), own.unwrap_or_default());
    }
    members.into()
}

/// The same without what says nothing.
#[must_use]
pub fn short(value: Value) -> Value {
    let Value::Object(mut members) = value else { return value };
    let says_nothing = |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
    members.retain(|_, value| !says_nothing(value));
    members.into()
}
