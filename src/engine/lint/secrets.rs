//! Values that look like keys, tokens or passwords. The value itself is never repeated.

use serde_json::Value;

use super::{check::Report, ground::Ground};
use crate::{model::entry::Entry, schema::pointer::Pointer};

pub fn in_descriptor(_: &Ground<'_>, entry: &Entry, report: &mut Report<'_>) {
    visit(&entry.value, &mut Vec::new(), &mut |path, text| {
        let key = path.iter().rev().find(|token| token.parse::<usize>().is_err()).copied().unwrap_or_default();
        if let Some(what) = looks_secret(key, text) {
            let variable = variable(key);
            let message = format!(
                "\"{key}\" holds what looks like {what}; keep it in the environment (say {variable}), not in a file that is shared"
            );
            report.at(entry, path.iter().copied().collect::<Pointer>(), message);
        }
    });
}

fn visit<'v>(value: &'v Value, path: &mut Vec<&'v str>, see: &mut impl FnMut(&[&'v str], &'v str)) {
    match value {
        Value::String(text) => see(path, text),
        Value::Object(members) => {
            for (key, member) in members {
                path.push(key);
                visit(member, path, see);
                path.pop();
            }
        }
        // Items are looked at, but the finding stands at their list.
        Value::Array(items) => items.iter().for_each(|item| visit(item, path, see)),
        _ => {}
    }
}

/// How well-known keys and tokens begin, and what they are.
const BEGINNINGS: &[(&str, &str)] = &[
    ("sk-", "an API key"),
    ("ghp_", "a GitHub token"),
    ("github_pat_", "a GitHub token"),
    ("glpat-", "a GitLab token"),
    ("xoxb-", "a Slack token"),
    ("xoxp-", "a Slack token"),
    ("AKIA", "an AWS key"),
    ("AIza", "a Google key"),
    ("hf_", "a Hugging Face token"),
    ("tg_", "a TrustGraph key"),
    ("eyJ", "a JSON web token"),
    ("Bearer ", "a bearer token"),
    ("Basic ", "a password"),
    ("-----BEGIN", "a private key"),
];

/// Ends of keys whose values are secrets.
const ENDINGS: &[&str] =
    &["token", "password", "passwd", "secret", "apikey", "accesskey", "privatekey", "credential", "credentials"];

fn looks_secret(key: &str, text: &str) -> Option<&'static str> {
    let text = text.trim();
    if text.is_empty() || is_reference(text) {
        return None;
    }
    let begins = BEGINNINGS.iter().find(|(beginning, _)| text.strip_prefix(beginning).is_some_and(is_token));
    if let Some((_, what)) = begins {
        return Some(what);
    }
    if has_password(text) {
        return Some("a password in an address");
    }
    let named = ENDINGS.iter().any(|ending| ends_with(key, ending));
    (named && !text.contains(char::is_whitespace)).then_some("a secret")
}

/// Whether a key ends with a word, whatever its case and its dashes.
fn ends_with(key: &str, word: &str) -> bool {
    let mut letters = key.chars().rev().filter(|letter| letter.is_alphanumeric());
    word.chars().rev().all(|letter| letters.next().is_some_and(|of| of.to_ascii_lowercase() == letter))
}

/// What stands for a value that comes from elsewhere: `${TOKEN}`, `$TOKEN`, `<token>`, `{{token}}`, `***`.
fn is_reference(text: &str) -> bool {
    ["$", "<", "{{", "%"].iter().any(|beginning| text.starts_with(beginning))
        || text.chars().all(|letter| matches!(letter, '*' | 'x' | 'X' | '.' | '…'))
}

/// Whether the rest of a key looks made by a machine: long, without blanks, with a digit.
fn is_token(rest: &str) -> bool {
    rest.len() >= 12 && rest.chars().any(|letter| letter.is_ascii_digit()) && !rest.trim().contains(' ')
        || rest.trim_start_matches(['-', ' ']).starts_with("RSA PRIVATE")
        || rest.contains("PRIVATE KEY")
}

/// `scheme://user:password@host`.
fn has_password(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let Some((user, _)) = authority.rsplit_once('@') else { return false };
    user.split_once(':').is_some_and(|(_, password)| !password.is_empty() && !is_reference(password))
}

/// The environment variable that a key suggests.
fn variable(key: &str) -> String {
    let letters = key.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' });
    let name: String = letters.collect();
    if name.trim_matches('_').is_empty() { "TOKEN".into() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_tokens_are_told_from_other_words() {
        for (key, text) in [
            ("note", "sk-proj-0123456789abcdef"),
            ("note", "ghp_0123456789abcdefghij"),
            ("header", "Bearer 0123456789abcdef"),
            ("note", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x"),
            ("url", "nats://user:hunter2@localhost:4222"),
            ("auth-token", "anything"),
            ("API_KEY", "anything"),
            ("pem", "-----BEGIN RSA PRIVATE KEY-----\nabc"),
        ] {
            assert!(looks_secret(key, text).is_some(), "{key}: {text}");
        }
        for (key, text) in [
            ("description", "Ask for a token, then use it"),
            ("name", "sk-learn-helper"),
            ("auth-token", "${TOKEN}"),
            ("auth-token", "<token>"),
            ("auth-token", ""),
            ("password", "what the user typed"),
            ("url", "https://user@localhost/a:b@c"),
            ("url", "nats://user:$PASSWORD@localhost"),
            ("description", "Basic arithmetic in 2 steps"),
            ("tokens", "many"),
        ] {
            assert_eq!(looks_secret(key, text), None, "{key}: {text}");
        }
    }

    #[test]
    fn a_variable_is_named_after_the_key() {
        assert_eq!((variable("auth-token"), variable("")), ("AUTH_TOKEN".into(), "TOKEN".into()));
    }
}
