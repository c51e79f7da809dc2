//! Entries as the configuration service has them, and the requests that read them.

use serde_json::{Map, Value, json};

use crate::{
    model::{
        call::Request,
        connection::Connection,
        entry::{Entry, EntryKind},
        problem::{Problem, ProblemKind},
    },
    schema::ordering::PutInOrder,
    systems::{
        deployed::item::Item,
        trustgraph::{
            gateway::endpoints::{self, into_object},
            keys,
        },
    },
};

/// The configuration types that hold what agents use, in the order in which they are shown.
pub(crate) const SECTIONS: [(&str, EntryKind); 3] = [
    (keys::TOOLS, EntryKind::Tool),
    (keys::SERVICES, EntryKind::Service),
    (keys::SERVERS, EntryKind::Server),
];

/// The section that entries of a kind are kept under.
#[must_use]
pub(crate) fn section_of(kind: EntryKind) -> &'static str {
    SECTIONS.iter().find(|(_, of)| *of == kind).map_or(keys::TOOLS, |(section, _)| section)
}

/// Whether an entry of ours is the one of that name there.
#[must_use]
pub(crate) fn is_named(entry: &Entry, section: &str, key: &str) -> bool {
    entry.system == keys::SYSTEM && entry.key == key && section_of(entry.kind) == section
}

/// A request to the configuration service.
#[must_use]
pub(crate) fn config_request(
    body: Map<String, Value>,
    correlation: &str,
    connection: &Connection,
) -> Request {
    endpoints::of_workspace("config", body, correlation, connection)
}

/// The body that asks for all entries of a section.
#[must_use]
pub(crate) fn get_values_body(section: &str) -> Map<String, Value> {
    into_object(json!({"operation": "getvalues", "type": section}))
}

/// The body that asks for the keys of all entries of a type.
#[must_use]
pub(crate) fn list_body(kind: &str) -> Map<String, Value> {
    into_object(json!({"operation": "list", "type": kind}))
}

/// The names of the prompt templates that an answer to [`list_body`] holds; `None` where it is an
/// error's, or no answer at all.
#[must_use]
pub(crate) fn template_names(answer: &str) -> Option<Vec<String>> {
    let answer: Value = serde_json::from_str(answer).ok()?;
    let listed = answer.get("directory")?.as_array()?;
    // An error of the configuration service arrives as an empty answer of version 0.
    if listed.is_empty() && answer.get("version").and_then(Value::as_u64) == Some(0) {
        return None;
    }
    let named =
        listed.iter().filter_map(Value::as_str).filter_map(|key| key.strip_prefix(keys::TEMPLATES));
    Some(named.map(str::to_owned).collect())
}

/// The entries that an answer to [`get_values_body`] holds, in the order of their keys.
///
/// # Errors
/// When the answer is none, or is the empty one that represents an error.
pub(crate) fn read_items(section: &'static str, answer: &str) -> Result<Vec<Item>, Problem> {
    let unreadable = |cause: &str| {
        Problem::new(ProblemKind::BadReply, format!("reading {section} from TrustGraph"), cause)
            .with_remedy("check the log of the configuration service")
    };
    let answer: Value =
        serde_json::from_str(answer).map_err(|_| unreadable("the answer is not JSON"))?;
    let values = answer
        .get("values")
        .and_then(Value::as_array)
        .ok_or_else(|| unreadable("the answer holds no values"))?;
    // An error of the configuration service arrives as an empty answer of version 0.
    if values.is_empty() && answer.get("version").and_then(Value::as_u64) == Some(0) {
        return Err(unreadable(
            "the answer is empty and has version 0, which is how the gateway reports an error",
        ));
    }
    let text =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut items: Vec<Item> = values
        .iter()
        .filter_map(|value| {
            let held = value.get("value").filter(|held| !held.is_null())?;
            let held = held.as_str().map_or_else(|| held.to_string(), str::to_owned);
            Some(Item { system: keys::SYSTEM, section, key: text(value, "key")?, text: held })
        })
        .collect();
    items.order_by(|a, b| a.key.cmp(&b.key));
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_an_error_that_looks_empty_is_told() {
        let answer = r#"{"version": 2, "values": [
            {"type": "tool", "key": "b", "value": "{}"}, {"type": "tool", "key": "a", "value": "{broken"},
            {"type": "tool", "key": "gone", "value": null}], "directory": [], "config": {}}"#;
        let items = read_items(keys::TOOLS, answer).unwrap();
        assert_eq!(items.iter().map(Item::name).collect::<Vec<_>>(), ["tool/a", "tool/b"]);
        assert_eq!((items[0].parse_value(), items[1].parse_value()), (None, Some(json!({}))));
        assert_eq!(read_items(keys::TOOLS, r#"{"version": 2, "values": []}"#), Ok(Vec::new()));
        assert!(
            read_items(keys::TOOLS, r#"{"version": 0, "values": []}"#)
                .unwrap_err()
                .cause
                .contains("version 0")
        );
        let listed = r#"{"version": 2, "directory": ["system", "template.shout"]}"#;
        assert_eq!(template_names(listed), Some(vec!["shout".to_owned()]));
        assert_eq!(
            (template_names(r#"{"version": 0, "directory": []}"#), template_names("x")),
            (None, None)
        );
        assert!(
            read_items(keys::TOOLS, "{}").is_err() && read_items(keys::TOOLS, "nonsense").is_err()
        );
    }
}
