//! The body of a command as a service of CommonGround reads it: what says nothing is an empty
//! object, and pairs are one too.

use serde_json::{Map, Value};

use crate::syntax::python::text as python;

/// The keys that a body may have; there is no other.
pub(super) const KEYS: [&str; 3] = ["tool_name", "after_execution", "tool_call_card_id"];

/// Identity that belongs into headers; in a body it is refused by name.
const CONTROL_FIELDS: [&str; 16] = [
    "agent_id",
    "agent_turn_id",
    "channel",
    "channel_id",
    "parent_agent_id",
    "parent_agent_turn_id",
    "parent_step_id",
    "parent_traceparent",
    "project_id",
    "recursion_depth",
    "step_id",
    "tool_call_id",
    "trace_id",
    "traceparent",
    "tracestate",
    "turn_epoch",
];

/// The control fields that a body holds, in the order of the alphabet.
#[must_use]
pub(crate) fn control_fields(body: &Map<String, Value>) -> Vec<&'static str> {
    CONTROL_FIELDS.into_iter().filter(|name| body.contains_key(*name)).collect()
}

/// What a body holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Why it is none.
    NotJson(String),
    /// A number, a text, a list of anything but pairs.
    NoObject,
    Data(Map<String, Value>),
    /// A list of pairs, which is taken for their members, although nobody looks for identity among
    /// them.
    Pairs(Map<String, Value>),
}

impl Body {
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match serde_json::from_str::<Value>(text) {
            Err(cause) => Self::NotJson(cause.to_string()),
            Ok(Value::Object(members)) => Self::Data(members),
            Ok(value) if !python::is_true(&value) => Self::Data(Map::new()),
            Ok(Value::Array(items)) => {
                items.iter().map(pair).collect::<Option<_>>().map_or(Self::NoObject, Self::Pairs)
            }
            Ok(_) => Self::NoObject,
        }
    }

    #[must_use]
    pub fn data(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::Data(data) | Self::Pairs(data) => Some(data),
            Self::NotJson(_) | Self::NoObject => None,
        }
    }
}

/// Python makes a map of anything that comes in twos.
fn pair(item: &Value) -> Option<(String, Value)> {
    let two: Vec<Value> = match item {
        Value::Array(items) => items.clone(),
        Value::Object(members) => members.keys().map(|key| key.as_str().into()).collect(),
        Value::String(text) => text.chars().map(|c| c.to_string().into()).collect(),
        _ => return None,
    };
    match <[Value; 2]>::try_from(two).ok()? {
        [Value::Array(_) | Value::Object(_), _] => None,
        [key, value] => Some((python::str(&key), value)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_says_nothing_is_empty_and_pairs_are_members() {
        for text in ["null", "0", "false", "\"\"", "[]", "{}", " 0.0 "] {
            assert_eq!(Body::parse(text), Body::Data(Map::new()), "{text}");
        }
        for text in ["[1]", "5", "true", "\"ab\"", "[[1, 2, 3]]", "[[[1], 2]]", "[null]"] {
            assert_eq!(Body::parse(text), Body::NoObject, "{text}");
        }
        let data = Body::parse(r#"[["a", 1], "bc", {"d": 0, "e": 0}, [5, 6]]"#);
        assert_eq!(
            data.data().map(|data| json!(data)),
            Some(json!({"a": 1, "b": "c", "d": "e", "5": 6}))
        );
        assert!(matches!(Body::parse("not json"), Body::NotJson(_)));
    }
}
