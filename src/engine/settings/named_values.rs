//! Values by their names whose secrets lie elsewhere: variables that a server gets, and headers of
//! requests over HTTP.

use std::{borrow::Cow, collections::BTreeMap};

use super::table::{Reader, Table};
use crate::{
    engine::{mask::Mask, secret::looks_secret},
    model::{
        connection::{Credentials, SecretAt, SettingValue},
        finding::Severity,
    },
    schema::pointer::Pointer,
};

/// Variables that a server gets: a text, or `$NAME` for the value of that variable of ours.
pub(crate) const ENV: &str = "env";

/// The same by the names that their values have in the system's key store.
pub(crate) const ENV_KEY: &str = "env-key";

/// Headers that each request carries, written as variables are.
pub(crate) const HEADERS: &str = "headers";

/// The same by the names that their values have in the system's key store.
pub(crate) const HEADERS_KEY: &str = "headers-key";

/// Headers that a request has of itself, or that say how it is sent.
const OWN_HEADERS: [&str; 9] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// The header in which a request says who makes it.
pub(crate) const AUTHORIZATION: &str = "authorization";

/// A value as settings write it: `$NAME` is that environment variable.
#[must_use]
pub(crate) fn parse_value(text: &str) -> SettingValue {
    match text.strip_prefix('$') {
        Some(name) => SettingValue::Secret(SecretAt::Variable(name.to_owned())),
        None => SettingValue::Text(text.to_owned()),
    }
}

/// Whether a variable or a header of that name usually holds a secret.
#[must_use]
pub(crate) fn is_secret_name(name: &str) -> bool {
    const WORDS: [&str; 8] =
        ["token", "secret", "password", "passwd", "apikey", "credential", AUTHORIZATION, "cookie"];
    let plain: String =
        name.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
    WORDS.iter().any(|word| plain.contains(word))
}

/// Whether a header's or a variable's name ends as those of secrets do: `X-Functions-Key`.
#[must_use]
pub(crate) fn ends_as_secret(name: &str) -> bool {
    const ENDINGS: [&str; 5] = ["key", "pat", "pass", "pwd", "auth"];
    let last = name.rsplit(['_', '-']).next().unwrap_or_default();
    ENDINGS.iter().any(|ending| last.eq_ignore_ascii_case(ending))
}

/// Whether a header's value must not be in a file.
#[must_use]
pub(crate) fn is_secret_header(name: &str, text: &str) -> bool {
    is_secret(name, text) || !text.is_empty() && ends_as_secret(name)
}

/// Where among the arguments of a command is a secret that must not be in a file: one that looks
/// like a secret, or the value of an option whose name says so.
#[must_use]
pub(crate) fn find_secret_argument(args: &[String]) -> Option<usize> {
    let option = |row: usize| {
        let before = row.checked_sub(1).and_then(|before| args.get(before));
        before.filter(|word| word.starts_with('-') && !word.contains('=')).map_or("", |word| word)
    };
    (0..args.len()).find(|row| {
        let word = args[*row].as_str();
        let name = if word.starts_with('-') { "" } else { option(*row) };
        let value = word.split_once('=').map_or(word, |(_, value)| value);
        !is_path(value) && (looks_secret(name, word).is_some() || holds_secret(word))
    })
}

/// Whether a text says where a file lies: `--credentials /run/keys.json`.
fn is_path(text: &str) -> bool {
    ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start))
}

/// Whether something in a text looks like a secret: in an address, beside a name.
#[must_use]
pub(crate) fn holds_secret(text: &str) -> bool {
    matches!(Mask::default().mask_text(text), Cow::Owned(_))
}

/// Whether a variable's value must not be in a file.
#[must_use]
pub(crate) fn is_secret(name: &str, text: &str) -> bool {
    !text.is_empty() && (is_secret_name(name) || looks_secret(name, text).is_some())
}

/// Whether a text has a variable in it, which only counts as the whole value.
fn has_variable(text: &str) -> bool {
    text.split('$').skip(1).any(|rest| {
        rest.starts_with(|letter: char| letter.is_ascii_alphabetic() || "_{".contains(letter))
    })
}

/// Why a text can't be the value of a header; `None`: it can.
#[must_use]
pub(crate) fn header_value_fault(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        Some("has no value")
    } else if !is_header_value(text) {
        Some("has characters that no header can have")
    } else if has_variable(text) {
        Some("has a variable in a longer text: put the whole value into the variable")
    } else {
        None
    }
}

/// Whether toolcrib gives each request a header of that name.
#[must_use]
pub(crate) fn is_own_header(name: &str) -> bool {
    OWN_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// Whether a text can be the name of a header.
#[must_use]
pub(crate) fn is_header_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_letter)
}

/// Reads both tables, `env` and `env-key`, say; a secret in the file itself is noted.
pub(super) fn read_values(
    reader: &mut Reader,
    table: &Table<'_>,
    [text_key, store_key]: [&'static str; 2],
) -> BTreeMap<String, SettingValue> {
    let is_header = text_key == HEADERS;
    let mut values = BTreeMap::new();
    if let Some(own) = reader.read_table(table, text_key) {
        for name in own.members.keys() {
            let Some(text) = reader.read_text(&own, name) else { continue };
            let value = parse_value(&text);
            let at = own.at.child(name.as_str());
            let is_secret = match &value {
                SettingValue::Text(text) if is_header => is_secret_header(name, text),
                SettingValue::Text(text) => is_secret(name, text),
                SettingValue::Secret(place) => {
                    reader.note_place(&at, place);
                    false
                }
            };
            if is_secret {
                note_secret(reader, &at, name, store_key);
            }
            values.insert(name.clone(), value);
        }
    }
    let kept = read_kept(reader, table, store_key).into_iter();
    values.extend(kept.map(|(name, at)| (name, SettingValue::Secret(at))));
    values
}

/// Notes that the value of that name is a secret, which may be in the key store instead.
pub(super) fn note_secret(reader: &mut Reader, at: &Pointer, name: &str, store_key: &str) {
    let message = format!(
        "secrets don't belong in this file; use {name} = \"$NAME\" for an environment variable of \
        yours, or name it in {store_key}"
    );
    reader.add_finding(Severity::Error, "settings.secret", at, message);
}

/// Reads a table of values that are in the system's key store, each with its name there.
pub(super) fn read_kept(
    reader: &mut Reader,
    table: &Table<'_>,
    store_key: &str,
) -> Vec<(String, SecretAt)> {
    let Some(own) = reader.read_table(table, store_key) else { return Vec::new() };
    let mut kept = Vec::new();
    for name in own.members.keys() {
        let Some(key) = reader.read_text(&own, name) else { continue };
        let place = SecretAt::KeyStore(key);
        reader.note_place(&own.at.child(name.as_str()), &place);
        kept.push((name.clone(), place));
    }
    kept
}

/// Reads the headers of a connection; those that can't be sent are noted and left out.
pub(super) fn read_headers(
    reader: &mut Reader,
    table: &Table<'_>,
    credentials: &Credentials,
) -> BTreeMap<String, SettingValue> {
    let mut headers: BTreeMap<String, SettingValue> = BTreeMap::new();
    for (name, value) in read_values(reader, table, [HEADERS, HEADERS_KEY]) {
        let fault = match &value {
            SettingValue::Text(text) => header_value_fault(text),
            SettingValue::Secret(_) => None,
        };
        let is_here =
            |key: &str| table.members.get(key).is_some_and(|own| own.get(&name).is_some());
        let is_named = headers.keys().any(|known| known.eq_ignore_ascii_case(&name))
            || is_here(HEADERS) && is_here(HEADERS_KEY);
        let says_who = name.eq_ignore_ascii_case(AUTHORIZATION);
        let shown = name.escape_debug();
        let (code, message) = if !is_header_name(&name) {
            ("settings.header", format!("\"{shown}\" can't be the name of a header"))
        } else if is_own_header(&name) {
            ("settings.header", format!("toolcrib sets the header {shown} itself"))
        } else if is_named {
            ("settings.header", format!("the header {shown} is here twice"))
        } else if let Some(fault) = fault {
            ("settings.header", format!("the header {shown} {fault}"))
        } else if says_who && *credentials != Credentials::None {
            let message = format!(
                "set either the header {shown}, or user with password-variable or password-key, \
                or token-variable or token-key"
            );
            ("settings.credentials", message)
        } else {
            headers.insert(name, value);
            continue;
        };
        let key = if is_here(HEADERS) { HEADERS } else { HEADERS_KEY };
        reader.add_finding(
            Severity::Error,
            code,
            &table.at.child(key).child(name.as_str()),
            message,
        );
    }
    headers
}

/// Whether a text can be the value of a header: letters that can be seen, and spaces between them.
fn is_header_value(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\t')
}
