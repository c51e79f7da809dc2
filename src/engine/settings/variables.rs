//! Variables of requests, as the settings and the command line write them: `[variables]` for all of
//! a workspace, `[connections.NAME.variables]` for one connection.

use serde_json::Value;

use super::{
    named_values::{self, note_secret, parse_value, read_kept},
    table::{Reader, Table},
};
use crate::{
    engine::{
        secret::{is_reference, is_secret_name, looks_secret},
        template,
    },
    model::{
        connection::{RequestVariable, RequestVariables, SettingValue},
        finding::Severity,
    },
    schema::{phrase::value_text, pointer::Pointer},
};

/// Texts, numbers, and true or false by their names; a text `$NAME` is the value of that variable
/// of the environment.
pub(crate) const VARIABLES: &str = "variables";

/// The same by the names that their values have in the system's key store.
pub(crate) const VARIABLES_KEY: &str = "variables-key";

/// Whether a value can be that of a variable.
#[must_use]
pub(crate) fn is_variable_value(value: &Value) -> bool {
    value.is_string() || value.is_number() || value.is_boolean()
}

/// A variable with a value that is written down: one that looks like a secret, by its name or its
/// shape, isn't shown.
#[must_use]
pub(crate) fn plain_variable(name: &str, value: Value) -> RequestVariable {
    let text = value_text(&value);
    // A text as in the other tables of settings; a number such as `max_tokens` is seldom one.
    let is_of_secret = match &value {
        Value::String(_) => named_values::is_secret_name(name) || is_secret_name(name),
        _ => is_secret_name(name),
    };
    // Also a sentence, as a pass phrase is one.
    let is_named = is_of_secret && !text.is_empty() && !is_reference(&text);
    let is_secret = is_named || looks_secret(name, &text).is_some();
    if is_secret && !value.is_boolean() {
        RequestVariable::Hidden(value)
    } else {
        RequestVariable::Shown(value)
    }
}

/// Reads both tables of variables; a secret in the file itself is noted.
pub(super) fn read_variables(reader: &mut Reader, table: &Table<'_>) -> RequestVariables {
    let mut variables = RequestVariables::new();
    if let Some(own) = reader.read_table(table, VARIABLES) {
        for (name, value) in own.members {
            let at = own.at.child(name.as_str());
            if !is_variable_value(value) {
                reader.note_wrong_type(&at, "a text, a number, or true or false");
                continue;
            }
            let variable = match value.as_str().map(parse_value) {
                Some(SettingValue::Secret(place)) => {
                    reader.note_place(&at, &place);
                    RequestVariable::Secret(place)
                }
                Some(SettingValue::Text(_)) | None => plain_variable(name, value.clone()),
            };
            if matches!(variable, RequestVariable::Hidden(_)) {
                note_secret(reader, &at, name, VARIABLES_KEY);
            }
            variables.insert(name.clone(), variable);
        }
    }
    let kept = read_kept(reader, table, VARIABLES_KEY).into_iter();
    variables.extend(kept.map(|(name, at)| (name, RequestVariable::Secret(at))));
    variables
}

/// Notes templates in a value of the settings: only requests are filled in.
pub(super) fn note_templates(reader: &mut Reader, at: &Pointer, value: &Value) {
    match value {
        Value::String(text) => {
            let of_settings = template::variable_names(text).map(|name| format!("var.{name}"));
            let of_environment =
                template::environment_names(text).map(|name| format!("env.{name}"));
            let Some(name) = of_settings.chain(of_environment).next() else { return };
            let message = format!(
                "{{{{{name}}}}} is filled in in requests, not in this file; $NAME alone is the \
                 environment variable NAME, in variables, headers and env"
            );
            reader.add_finding(Severity::Warning, "settings.template", at, message);
        }
        Value::Array(items) => {
            for (row, item) in items.iter().enumerate() {
                note_templates(reader, &at.item(row), item);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                note_templates(reader, &at.child(name), member);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::{connection::SecretAt, entry::FileId, settings::SETTINGS};

    fn read(text: &str) -> (RequestVariables, Vec<String>) {
        let (mut reader, root) = Reader::open_toml(FileId::new(SETTINGS), text);
        let table = Table { members: &root, at: Pointer::root() };
        let variables = read_variables(&mut reader, &table);
        let findings = reader.findings.iter();
        let words = findings.map(|found| format!("{} {}", found.code, found.message)).collect();
        (variables, words)
    }

    #[test]
    fn variables_are_values_or_name_where_a_secret_is() {
        let text = "[variables]\nshop = 'a'\nlimit = 5\nmax_tokens = 90\ndry_token = true\nkey = '$KEY'\n\
                    [variables-key]\npin = 'shop-pin'\n";
        let (variables, none) = read(text);
        assert_eq!(none, [""; 0]);
        let expected = [
            ("shop", RequestVariable::Shown(json!("a"))),
            ("limit", RequestVariable::Shown(json!(5))),
            ("max_tokens", RequestVariable::Shown(json!(90))),
            ("dry_token", RequestVariable::Shown(json!(true))),
            ("key", RequestVariable::Secret(SecretAt::Variable("KEY".into()))),
            ("pin", RequestVariable::Secret(SecretAt::KeyStore("shop-pin".into()))),
        ];
        assert_eq!(variables, expected.map(|(name, it)| (name.to_owned(), it)).into());
    }

    #[test]
    fn a_template_in_the_file_is_noted() {
        let text = "[connections.dev]\nservers = ['http://{{var.host}}:1']\n\
                    variables = {a = '{{env.A}}', b = '{{c}}'}\n";
        let (mut reader, root) = Reader::open_toml(FileId::new(SETTINGS), text);
        note_templates(&mut reader, &Pointer::root(), &Value::Object(root));
        let found: Vec<String> =
            reader.findings.iter().map(|found| found.message.clone()).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("{{var.host}} is filled in in requests, not in this file"));
        assert!(found[1].starts_with("{{env.A}} is"), "{found:?}");
    }

    #[test]
    fn a_secret_in_the_file_is_refused_and_other_kinds_of_values_too() {
        for (line, expected) in [
            (
                "pin_password = 'hunter2 hunter2'",
                "settings.secret secrets don't belong in this file",
            ),
            ("api_key = 'hunter2hunter2'", "settings.secret secrets don't belong in this file"),
            ("token_prod = 'hunter2'", "settings.secret secrets don't belong in this file"),
            ("a = 'sk-hunter2hunter2hunter2hunter2'", "settings.secret secrets don't belong"),
            ("key = '$'", "settings.secret this can't be the name of an environment variable"),
            ("a = ['b']", "settings.wrong-type variables.a must be a text, a number, or true"),
            ("a = {b = 1}", "settings.wrong-type variables.a must be"),
        ] {
            let (_, words) = read(&format!("[variables]\n{line}\n"));
            assert!(words.len() == 1 && words[0].starts_with(expected), "{line}: {words:#?}");
            assert!(!words[0].contains("hunter2"), "{words:#?}");
        }
    }
}
