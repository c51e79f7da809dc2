//! Tools as the API gives them, in the one shape that can be compared.

use serde_json::{Map, Value};

use crate::systems::{
    commonground::{keys, rules},
    deployed::item::Item,
};

/// The one kind that is kept there.
pub(crate) const SECTION: &str = "tool";

/// The tools that a page of the API's list holds.
#[must_use]
pub(crate) fn read_items(page: &Value) -> Vec<Item> {
    let item = |row: &Value| {
        let key = row[keys::TOOL_NAME].as_str()?.to_owned();
        Some(Item {
            system: keys::SYSTEM,
            section: SECTION,
            key,
            text: rules::stored_row(row).to_string(),
        })
    };
    page.as_array().into_iter().flatten().filter_map(item).collect()
}

/// A definition without the members that say nothing.
#[must_use]
pub(crate) fn without_empty(value: Value) -> Value {
    let Value::Object(mut members) = value else { return value };
    let says_nothing =
        |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
    members.retain(|_, value| !says_nothing(value));
    members.into()
}
