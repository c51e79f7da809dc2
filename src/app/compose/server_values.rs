//! Variables and headers of a new connection, as its table in the settings has them: of what is a
//! secret the table names the variable that holds it.

use serde_json::{Map, Value, json};

use super::server_words::ServerWords;
use crate::{
    engine::settings::{
        named_values::{
            AUTHORIZATION, ENV, HEADERS, find_secret_argument, header_value_fault, holds_secret,
            is_header_name, is_own_header, is_secret, is_secret_header,
        },
        table::is_variable_name,
    },
    model::settings::SETTINGS,
};

/// Puts what was typed beside a command or an address into the connection's table. Answers what a
/// user has to do before it works, each in a sentence.
///
/// # Errors
/// When what was typed can't be so, or holds a secret that can't be anywhere else.
pub(super) fn add_values(
    table: &mut Map<String, Value>,
    words: &ServerWords,
) -> Result<Vec<String>, String> {
    let Some((first, args)) = words.server.split_first() else { return Ok(Vec::new()) };
    let mut notes = Vec::new();
    if first.contains("://") {
        if holds_secret(first) {
            return Err(format!(
                "the address holds a secret, which {SETTINGS} doesn't keep: give it as a header, \
                -H 'Authorization: Bearer $VARIABLE'"
            ));
        }
        if !words.env.is_empty() {
            return Err("variables are for a command; an address takes -H 'NAME: VALUE'".into());
        }
        add_headers(table, words, &mut notes)?;
        return Ok(notes);
    }
    if find_secret_argument(args).is_some() {
        return Err(format!(
            "an argument looks like a secret, which {SETTINGS} doesn't keep: let the server read \
            it from a variable, NAME='$VARIABLE' in front of the command"
        ));
    }
    let mut env = Map::new();
    for (name, value) in &words.env {
        let written = match variable_of(value) {
            Some(variable) => format!("${variable}"),
            None if is_secret(name, value) => {
                notes.push(secret_note(name, name));
                format!("${name}")
            }
            None => value.clone(),
        };
        env.insert(name.clone(), json!(written));
    }
    if !env.is_empty() {
        table.insert(ENV.into(), Value::Object(env));
    }
    table.extend(words.dir.iter().map(|dir| ("dir".to_owned(), json!(dir))));
    Ok(notes)
}

fn add_headers(
    table: &mut Map<String, Value>,
    words: &ServerWords,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let mut headers = Map::new();
    for (name, value) in &words.headers {
        if !is_header_name(name) {
            return Err(format!("\"{}\" can't be the name of a header", name.escape_debug()));
        }
        if is_own_header(name) {
            return Err(format!("toolcrib sets the header {name} itself"));
        }
        let bearer = value.split_once(' ').filter(|(scheme, _)| {
            scheme.eq_ignore_ascii_case("bearer") && name.eq_ignore_ascii_case(AUTHORIZATION)
        });
        if let Some((_, token)) = bearer {
            let named = variable_of(token.trim()).map(str::to_owned);
            let variable = named.unwrap_or_else(|| {
                let variable = format!("{}_TOKEN", variable_name(&words.name));
                notes.push(secret_note("the token", &variable));
                variable
            });
            table.insert("token-variable".into(), json!(variable));
            continue;
        }
        let written = match variable_of(value) {
            Some(variable) => format!("${variable}"),
            None if is_secret_header(name, value) => {
                let variable = variable_name(name);
                notes.push(secret_note(&format!("the header {name}"), &variable));
                format!("${variable}")
            }
            None => match header_value_fault(value) {
                Some(fault) => return Err(format!("the header {name} {fault}")),
                None => value.clone(),
            },
        };
        headers.insert(name.clone(), json!(written));
    }
    if !headers.is_empty() {
        table.insert(HEADERS.into(), Value::Object(headers));
    }
    Ok(())
}

fn secret_note(what: &str, variable: &str) -> String {
    format!(
        "{SETTINGS} keeps no secrets: {what} is read from the environment variable {variable}, \
        which has to be set when toolcrib starts."
    )
}

/// The variable that a value is, and nothing beside it: `$NAME`, `${NAME}`.
fn variable_of(value: &str) -> Option<&str> {
    let rest = value.strip_prefix('$')?;
    let name = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(rest);
    Some(name).filter(|name| is_variable_name(name))
}

/// A name as variables are written: `X-Api-Key` as `X_API_KEY`. No variable begins with a digit.
fn variable_name(name: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let start = if name.starts_with(|letter: char| letter.is_ascii_digit()) { "_" } else { "" };
    start.chars().chain(name.chars().map(letter)).collect::<String>().to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::compose::server_words::read_server_words;

    fn added(text: &str) -> Result<(Value, usize), String> {
        let words = read_server_words(text, |_| true)?;
        let mut table = Map::new();
        let notes = add_values(&mut table, &words)?;
        Ok((Value::Object(table), notes.len()))
    }

    #[test]
    fn secrets_are_named_and_never_kept() {
        const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz012345";
        for (text, table, notes) in [
            ("A=b npx x", json!({"env": {"A": "b"}}), 0),
            ("GITHUB_TOKEN=ghp_x npx x", json!({"env": {"GITHUB_TOKEN": "$GITHUB_TOKEN"}}), 1),
            ("GITHUB_TOKEN=${MINE} npx x", json!({"env": {"GITHUB_TOKEN": "$MINE"}}), 0),
            (
                &format!("docker run -i -e GITHUB_TOKEN={TOKEN} image"),
                json!({"env": {"GITHUB_TOKEN": "$GITHUB_TOKEN"}}),
                1,
            ),
            (
                "shop https://h/mcp -H 'Authorization: Bearer abc' -H 'X-Tenant: acme'",
                json!({"token-variable": "SHOP_TOKEN", "headers": {"X-Tenant": "acme"}}),
                1,
            ),
            (
                "http://10.0.0.7/mcp -H 'Authorization: Bearer abc'",
                json!({"token-variable": "_10_0_0_7_TOKEN"}),
                1,
            ),
            (
                "codex mcp add docs --url https://h/mcp --bearer-token-env-var MINE",
                json!({"token-variable": "MINE"}),
                0,
            ),
            ("toolcrib mcp add shop --dir /srv -- npx x", json!({"dir": "/srv"}), 0),
            (
                "shop https://h/mcp -H 'authorization: Bearer $MINE' -H 'X-Api-Key: abc'",
                json!({"token-variable": "MINE", "headers": {"X-Api-Key": "$X_API_KEY"}}),
                1,
            ),
        ] {
            assert_eq!(added(text), Ok((table, notes)), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (text, expected) in [
            (
                "npx some-server --api-key=sk-abcdefghijklmnopqrstuvwxyz012345",
                "looks like a secret",
            ),
            ("A=b https://h/mcp", "variables are for a command"),
            ("https://h/mcp -H 'Host: x'", "toolcrib sets the header Host itself"),
            ("https://h/mcp -H 'a b: x'", "can't be the name of a header"),
            ("https://h/mcp?token=ghp_abcdefghijklmnopqrstuvwxyz012345", "holds a secret"),
        ] {
            let wrong = added(text).unwrap_err();
            assert!(wrong.contains(expected) && !wrong.contains("abcdef"), "{text}: {wrong}");
        }
    }
}
