//! Headers of requests over HTTP, as a command line gives them.

use crate::{
    engine::settings::{
        named_values::{self, AUTHORIZATION, parse_value},
        table,
    },
    model::{
        connection::{Connection, Credentials, SecretAt, SettingValue},
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
    fn parse(text: &str) -> Result<Self, String> {
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
        let value = parse_value(value.trim());
        let fault = match &value {
            SettingValue::Text(_) if bearer_variable(name, &value).is_some() => None,
            SettingValue::Text(text) => named_values::header_value_fault(text),
            SettingValue::Secret(SecretAt::Variable(variable))
                if !table::is_variable_name(variable) =>
            {
                Some("names no environment variable: $ and letters, digits and _")
            }
            SettingValue::Secret(_) => None,
        };
        match fault {
            Some(fault) => Err(format!("the header {name} {fault}")),
            None => Ok(Self { name: name.to_owned(), value }),
        }
    }

    /// Reads all that a command line gives; the argument parser would repeat one that it refuses.
    ///
    /// # Errors
    /// When one is none, or a name is there twice.
    pub fn parse_all(given: &[String]) -> Result<Vec<Self>, Problem> {
        let doing = "reading --header";
        let wrong = |words| Problem::new(ProblemKind::Input, doing, words);
        let all: Vec<Self> =
            given.iter().map(|text| Self::parse(text).map_err(wrong)).collect::<Result<_, _>>()?;
        let twice = all.iter().enumerate().find(|(row, header)| {
            all[..*row].iter().any(|before| before.name.eq_ignore_ascii_case(&header.name))
        });
        match twice {
            Some((_, header)) => {
                let cause = format!("--header names {} twice", header.name);
                Err(Problem::new(ProblemKind::Input, doing, cause)
                    .with_remedy("name each header once"))
            }
            None => Ok(all),
        }
    }

    /// Has requests of a connection carry it, in place of one that is written in another way.
    pub fn add_to(&self, connection: &mut Connection) {
        if let Some(variable) = self.token_variable() {
            let token = SecretAt::Variable(variable.to_owned());
            connection.credentials = Credentials::Token { token };
            return;
        }
        connection.headers.retain(|known, _| !known.eq_ignore_ascii_case(&self.name));
        connection.headers.insert(self.name.clone(), self.value.clone());
    }

    /// The variable that holds the token, where it says `Authorization: Bearer $VARIABLE`.
    pub fn token_variable(&self) -> Option<&str> {
        bearer_variable(&self.name, &self.value)
    }

    /// The value as `toolcrib.toml` has it.
    ///
    /// # Errors
    /// When it is a secret.
    pub fn setting_text(&self) -> Result<String, Problem> {
        match &self.value {
            SettingValue::Secret(SecretAt::Variable(name)) => Ok(format!("${name}")),
            SettingValue::Text(text) if !named_values::is_secret_header(&self.name, text) => {
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

fn bearer_variable<'v>(name: &str, value: &'v SettingValue) -> Option<&'v str> {
    let SettingValue::Text(text) = value else { return None };
    let (word, token) = text.split_once(' ')?;
    let is_bearer = name.eq_ignore_ascii_case(AUTHORIZATION) && word.eq_ignore_ascii_case("bearer");
    let variable = token.trim().strip_prefix('$').filter(|_| is_bearer)?;
    Some(variable).filter(|variable| table::is_variable_name(variable))
}
