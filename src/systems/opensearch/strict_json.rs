//! JSON as it has to be in a body: an object or an array, nothing behind it, no name twice.

use std::{collections::HashSet, fmt};

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// What a text says, where it is an object or an array.
#[must_use]
pub fn parse_structured(text: &str) -> Option<Value> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    parse_unique(text).ok()
}

/// Whether a text is an object or an array.
#[must_use]
pub fn is_structured(text: &str) -> bool {
    parse_structured(text).is_some()
}

/// What a text says, in which no object has a name twice.
///
/// # Errors
/// When it is not JSON, or a name is twice, with where.
pub fn parse_unique(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<UniqueNames>(text)?;
    serde_json::from_str(text)
}

/// Reads a value for names that stand twice, and keeps nothing.
struct UniqueNames;

impl<'de> Deserialize<'de> for UniqueNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueNames)
    }
}

impl<'de> Visitor<'de> for UniqueNames {
    type Value = Self;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E: Error>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<UniqueNames>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            members.next_value::<UniqueNames>()?;
            if !names.insert(name.clone()) {
                return Err(Error::custom(format!("{name:?} appears twice")));
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_once_and_nothing_behind() {
        assert!(is_structured(r#" {"a": [1, 2.5e3, {"b": null}], "c": "x"}"#));
        for text in [r#"{"a":1,"a":2}"#, r#"[{"a":{"b":1,"b":2}}]"#, "{} x", "5", "", "null"] {
            assert!(!is_structured(text), "{text}");
        }
    }
}
