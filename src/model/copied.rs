//! Texts that are taken to other programs. No secret is in them: they say where it lies.

use std::collections::HashMap;

use serde_json::{Value, value::RawValue};

use super::{
    connection::{Connection, Credentials, KEPT_AS, SecretAt, SettingValue},
    shown::shell_word,
};
use crate::schema::literal::Literal;

/// What a frame of a call is called.
pub(crate) const FRAME: &str = "JSON-RPC frame";

/// What a command is called that calls a tool of a server that no workspace knows.
pub(crate) const MCP_COMMAND: &str = "toolcrib mcp command";

/// A text to be taken elsewhere, and what it is, such as `curl command`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    pub what: String,
    pub text: String,
}

impl Copied {
    pub fn new(what: impl Into<String>, text: impl Into<String>) -> Self {
        Self { what: what.into(), text: text.into() }
    }
}

/// What a shell, within double quotes, puts in the place of a secret: it stays where it lies.
pub(crate) fn in_shell(at: &SecretAt) -> String {
    match at {
        SecretAt::Variable(name) if name.chars().all(is_of_variable) => format!("${name}"),
        SecretAt::Variable(name) => in_quotes(&format!("${name}")),
        SecretAt::KeyStore(name) if cfg!(target_vendor = "apple") => {
            format!("$(security find-generic-password -w -s {KEPT_AS} -a {})", shell_word(name))
        }
        SecretAt::KeyStore(name) => {
            format!("$(secret-tool lookup service {KEPT_AS} username {})", shell_word(name))
        }
    }
}

fn is_of_variable(letter: char) -> bool {
    letter == '_' || letter.is_ascii_alphanumeric()
}

/// A text as it is written within the double quotes of a shell, where nothing in it is a command: the
/// settings may be somebody else's.
fn in_quotes(text: &str) -> String {
    let escaped = |letter: char| "\\\"$`".contains(letter).then_some('\\');
    text.chars().flat_map(|letter| escaped(letter).into_iter().chain([letter])).collect()
}

/// The same in Python, with its library keyring.
pub(crate) fn in_python(at: &SecretAt) -> String {
    match at {
        SecretAt::Variable(name) => format!("os.environ[{}]", Value::from(name.as_str())),
        SecretAt::KeyStore(name) => {
            format!(
                "__import__(\"keyring\").get_password(\"{KEPT_AS}\", {})",
                Value::from(name.as_str())
            )
        }
    }
}

/// The headers that the settings of a connection name, each behind a flag, for a shell.
pub(crate) fn shell_headers(connection: &Connection, flag: &str) -> String {
    let token = match &connection.credentials {
        Credentials::Token { token } => {
            format!(" {flag} \"authorization: Bearer {}\"", in_shell(token))
        }
        _ => String::new(),
    };
    let own = connection.headers.iter().map(|(name, value)| match value {
        SettingValue::Text(text) => format!(" {flag} {}", shell_word(&format!("{name}: {text}"))),
        // Names may have signs that a shell reads.
        SettingValue::Secret(at) => {
            format!(" {flag} \"{}: {}\"", in_quotes(name), in_shell(at))
        }
    });
    token + &own.collect::<String>()
}

/// The arguments of a call as words of a toolcrib command: `topic=cats`, `count:=3`.
pub(crate) fn argument_words(arguments: &Literal) -> Vec<String> {
    let json = arguments.to_json();
    let written: HashMap<String, &RawValue> = serde_json::from_str(&json).unwrap_or_default();
    let word = |(name, value): (&String, &Value)| match value {
        Value::String(text) => shell_word(&format!("{name}={text}")),
        other => {
            let json = written
                .get(name)
                .map_or_else(|| other.to_string(), |written| written.get().to_owned());
            shell_word(&format!("{name}:={json}"))
        }
    };
    arguments.value().as_object().into_iter().flatten().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_runs_nothing_of_what_settings_name() {
        let at = SecretAt::Variable("KEY".into());
        assert_eq!(in_shell(&at), "$KEY");
        let odd = |name: &str| in_shell(&SecretAt::Variable(name.into()));
        assert_eq!(odd("(id)"), r"\$(id)");
        assert_eq!(odd("A`id`\"; id; \"\\"), r#"\$A\`id\`\"; id; \"\\"#);
    }

    #[test]
    #[cfg(not(target_vendor = "apple"))]
    fn copies_ask_the_key_store_for_what_lies_there() {
        let at = SecretAt::KeyStore("bus".into());
        assert_eq!(in_shell(&at), "$(secret-tool lookup service toolcrib username bus)");
        assert_eq!(in_python(&at), r#"__import__("keyring").get_password("toolcrib", "bus")"#);
    }
}
