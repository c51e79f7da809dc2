//! A JSON value together with the way it was written.

use std::borrow::Cow;

use serde_json::Value;

use super::decimal;

/// A value and, where the exact spelling matters (`1.50`, an integer beyond `u64`), its JSON source
/// text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Literal {
    value: Value,
    written: Option<Box<str>>,
}

impl Literal {
    /// Parses JSON text and remembers it as written.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let text = text.trim();
        let mut value = serde_json::from_str(text)?;
        decimal::canonicalize(&mut value);
        Ok(Self { value, written: Some(text.into()) })
    }

    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The JSON source text, where one was given.
    #[must_use]
    pub fn source_text(&self) -> Option<&str> {
        self.written.as_deref()
    }

    /// The value as JSON: as it was written, else printed.
    #[must_use]
    pub fn to_json(&self) -> Cow<'_, str> {
        self.written.as_deref().map_or_else(|| Cow::Owned(self.value.to_string()), Cow::Borrowed)
    }

    #[must_use]
    pub fn into_value(self) -> Value {
        self.value
    }
}

impl<T: Into<Value>> From<T> for Literal {
    fn from(value: T) -> Self {
        Self { value: value.into(), written: None }
    }
}
