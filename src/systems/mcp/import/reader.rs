//! Reads the values of a configuration leniently: what is not as it should be is a finding, and
//! read all the same.

use std::{borrow::Cow, sync::LazyLock};

use regex::Regex;
use serde_json::{Map, Value};

use super::server::Server;
use crate::{schema::pointer::Pointer, systems::mcp::fault::Fault};

/// Names of variables and headers whose values are secrets.
static SECRET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)token|secret|password|api[ _-]?key|authorization|bearer").ok()
});

/// What is found wrong while a configuration is read.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) faults: Vec<Fault>,
}

impl Reader {
    pub(super) fn push_fault(
        &mut self,
        id: &'static str,
        at: &Pointer,
        words: impl Into<Cow<'static, str>>,
    ) {
        self.faults.push(Fault::new(id, at.clone(), words));
    }

    /// A value as text; what is no text is made one.
    pub(super) fn read_text(&mut self, value: &Value, at: &Pointer) -> String {
        if let Value::String(text) = value {
            return text.clone();
        }
        self.push_fault("config.value-not-text", at, "is not a text; it is read as one");
        value.to_string()
    }

    /// A member that is to be a text; nothing where it is absent, empty, or a list or an object.
    pub(super) fn read_member(
        &mut self,
        entry: &Map<String, Value>,
        name: &str,
        at: &Pointer,
    ) -> Option<String> {
        let value = entry
            .get(name)
            .filter(|value| !matches!(value, Value::Null | Value::Array(_) | Value::Object(_)))?;
        Some(self.read_text(value, &at.child(name))).filter(|text| !text.is_empty())
    }

    /// A list of texts.
    pub(super) fn read_list(&mut self, value: Option<&Value>, at: &Pointer) -> Vec<String> {
        match value {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(items)) => items
                .iter()
                .enumerate()
                .map(|(index, item)| self.read_text(item, &at.item(index)))
                .collect(),
            Some(_) => {
                self.push_fault(
                    "config.args-not-list",
                    at,
                    "is not a list of texts, and is left out",
                );
                Vec::new()
            }
        }
    }

    /// A map of texts.
    pub(super) fn read_map(
        &mut self,
        value: Option<&Value>,
        at: &Pointer,
    ) -> Vec<(String, String)> {
        let members = value.and_then(Value::as_object).into_iter().flatten();
        members
            .map(|(name, value)| (name.clone(), self.read_text(value, &at.child(name.as_str()))))
            .collect()
    }

    /// Looks for secrets that stand in the file; `at` is the server's place.
    pub(super) fn look_for_secrets(&mut self, server: &Server, at: &Pointer) {
        for (name, value) in server.env.iter().chain(&server.headers) {
            if is_secret_name(name) && !value.is_empty() && !value.contains("${") {
                let words = format!(
                    "{name} is a secret in plain text; refer to a variable or an input instead"
                );
                self.push_fault("config.secret-inline", at, words);
            }
        }
    }
}

/// Whether values under this name are secrets.
pub(super) fn is_secret_name(name: &str) -> bool {
    SECRET.as_ref().is_some_and(|secret| secret.is_match(name))
}
