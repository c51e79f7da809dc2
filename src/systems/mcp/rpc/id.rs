//! Ids of requests, exactly as they came.

use std::fmt;

use serde_json::{Number, Value};

/// The id of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    Number(Number),
    Text(String),
}

impl Id {
    /// `None` where a value is no id: null, or neither a number nor a text.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Some(Self::Number(number.clone())),
            Value::String(text) => Some(Self::Text(text.clone())),
            _ => None,
        }
    }

    /// Reads an id as it was written; `None` where that is none.
    #[must_use]
    pub fn parse(json: &str) -> Option<Self> {
        match json.as_bytes().first()? {
            b'"' => serde_json::from_str(json).ok().map(Self::Text),
            b'-' | b'0'..=b'9' => parse_number(json).map(Self::Number),
            _ => None,
        }
    }

    /// The id as a text, the same for `1` and `"1"`, which some servers mix up.
    #[must_use]
    pub fn as_text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }

    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.clone()),
        }
    }
}

/// A number as JSON has it, to the digit; `None` where it is something else. Most are whole and small,
/// which is read in a fraction of the time.
#[must_use]
pub(crate) fn parse_number(json: &str) -> Option<Number> {
    let is_whole = json.starts_with(|first: char| matches!(first, '1'..='9'));
    let whole = if is_whole { json.parse::<u64>().ok() } else { None };
    whole.map(Number::from).or_else(|| serde_json::from_str(json).ok())
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

/// As JSON.
impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_value().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_as_json_has_it() {
        for json in [
            "7",
            "70",
            "0",
            "-1",
            "1.50",
            "1e3",
            "18446744073709551615",
            "18446744073709551616",
            "007",
            "+7",
            "7x",
            "x",
            "\"7\"",
            "null",
            "",
        ] {
            assert_eq!(parse_number(json), serde_json::from_str(json).ok(), "{json}");
        }
    }
}
