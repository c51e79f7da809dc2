//! Headers of requests over HTTP, as a command line gives them.

use crate::{
    engine::settings::named_values::{self, AUTHORIZATION, parse_value},
    model::{
        connection::{SecretAt, SettingValue},
        problem::{Problem, ProblemKind},
    },
};

/// One header: its name, and its value or the variable that holds it.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub name: String,
    pub value: SettingValue,
}

impl Header {
    /// Reads `NAME: VALUE`, the value a text or `$NAME`.
    ///
    /// # Errors
    /// When it is not that, or toolcrib sets that header itself. The value is not repeated.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some((name, value)) = text.split_once(':') else {
            return Err("write NAME: VALUE, or 'NAME: $VARIABLE'".to_owned());
        };
        let name = name.trim();
        if !named_values::is_header_name(name) {
            return Err(format!("\"{}\" can't be the name of a header", name.escape_debug()));
        }
        if named_values::is_own_header(name) {
            return Err(format!("toolcrib sets the header {name} itself"));
        }
        Ok(Self { name: name.to_owned(), value: parse_value(value.trim()) })
    }

    /// The variable that holds the token, where it says `Authorization: Bearer $VARIABLE`.
    pub fn token_variable(&self) -> Option<&str> {
        let SettingValue::Text(text) = &self.value else { return None };
        let (word, token) = text.split_once(' ')?;
        let is_bearer =
            self.name.eq_ignore_ascii_case(AUTHORIZATION) && word.eq_ignore_ascii_case("bearer");
        token.trim().strip_prefix('$').filter(|_| is_bearer)
    }

    /// The value as `toolcrib.toml` has it.
    ///
    /// # Errors
    /// When it is a secret.
    pub fn setting_text(&self) -> Result<String, Problem> {
        match &self.value {
            SettingValue::Secret(SecretAt::Variable(name)) => Ok(format!("${name}")),
            SettingValue::Text(text) if !named_values::is_secret(&self.name, text) => {
                Ok(text.clone())
            }
            _ => {
                let cause = format!("the value of {} is a secret", self.name);
                let remedy = format!(
                    "secrets don't belong in toolcrib.toml: name the environment variable that \
                    holds it, in single quotes: --header '{}: $VARIABLE'",
                    self.name
                );
                let doing = "adding a header";
                Err(Problem::new(ProblemKind::Input, doing, cause).with_remedy(remedy))
            }
        }
    }
}
