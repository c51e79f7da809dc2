//! Whether a value has all of another one.

use serde_json::Value;

use super::mask::Mask;
use crate::schema::{decimal, pointer::Pointer};

/// What of the wanted value another one lacks first, in words: objects may have more members, lists
/// must be as long. `whole` is what the value itself is called.
#[must_use]
pub(crate) fn describe_missing(
    at: &Pointer,
    whole: &str,
    wanted: &Value,
    value: &Value,
) -> Option<String> {
    missing_parts(at, whole, wanted, value, 1).pop()
}

/// The same of all that it lacks, up to so many parts.
#[must_use]
pub(crate) fn missing_parts(
    at: &Pointer,
    whole: &str,
    wanted: &Value,
    value: &Value,
    most: usize,
) -> Vec<String> {
    let mut parts = Vec::new();
    add_missing(at, whole, (wanted, value), most, &mut parts);
    parts
}

fn add_missing(
    at: &Pointer,
    whole: &str,
    (wanted, value): (&Value, &Value),
    most: usize,
    parts: &mut Vec<String>,
) {
    let place = || if at.is_root() { whole.to_owned() } else { at.to_string() };
    if parts.len() >= most {
        return;
    }
    match (wanted, value) {
        (Value::Object(wanted), Value::Object(value)) => {
            for (name, wanted) in wanted {
                match value.get(name) {
                    Some(value) => {
                        add_missing(&at.child(name), whole, (wanted, value), most, parts);
                    }
                    None if parts.len() < most => {
                        parts.push(format!("there is no {name:?} in {}", place()));
                    }
                    None => {}
                }
            }
        }
        (Value::Array(wanted), Value::Array(value)) if wanted.len() == value.len() => {
            for (row, pair) in wanted.iter().zip(value).enumerate() {
                add_missing(&at.child(row.to_string()), whole, pair, most, parts);
            }
        }
        (Value::Array(wanted), Value::Array(value)) => {
            parts.push(format!("{} has {} items, not {}", place(), value.len(), wanted.len()));
        }
        // 1 and 1.0 are one number.
        (Value::Number(one), Value::Number(other)) if decimal::numbers_equal(one, other) => {}
        (wanted, value) if wanted == value => {}
        (wanted, value) => {
            let text = value.to_string();
            let shown =
                Mask::default().mask_named_value(at.last().unwrap_or_default(), &text).into_owned();
            // JSON has its own quotes.
            let (start, rest) = masked_start(&shown);
            parts.push(format!("{} is {start}{rest}, not {wanted}", place()));
        }
    }
}

/// The wanted value with what isn't looked at as another value has it; a member that the other lacks
/// is not wanted. A `*` in a place is every item or member.
#[must_use]
pub(crate) fn without_ignored(mut wanted: Value, value: &Value, ignored: &[Pointer]) -> Value {
    ignored.iter().for_each(|at| take_over(&mut wanted, value, at.tokens()));
    wanted
}

fn take_over(wanted: &mut Value, value: &Value, tokens: &[String]) {
    let Some((token, rest)) = tokens.split_first() else { return wanted.clone_from(value) };
    match wanted {
        Value::Object(members) => {
            let is_meant = |name: &String| token == "*" || token == name;
            let is_end = rest.is_empty();
            members.retain(|name, _| !(is_end && is_meant(name) && value.get(name).is_none()));
            for (name, member) in members.iter_mut().filter(|(name, _)| is_meant(name)) {
                if let Some(value) = value.get(name) {
                    take_over(member, value, rest);
                }
            }
        }
        Value::Array(items) => {
            for (row, item) in items.iter_mut().enumerate() {
                if let Some(value) =
                    value.get(row).filter(|_| token == "*" || *token == row.to_string())
                {
                    take_over(item, value, rest);
                }
            }
        }
        _ => {}
    }
}

/// As much of a text as a sentence can hold, in quotes and without what looks like a secret.
#[must_use]
pub(crate) fn quoted_start(text: &str) -> String {
    let (start, rest) = masked_start(text);
    format!("{start:?}{rest}")
}

/// The same without quotes, and a sign where more follows.
fn masked_start(text: &str) -> (String, &'static str) {
    const MOST: usize = 120;
    let near: String = text.chars().take(MOST * 4).collect();
    let masked = Mask::default().mask_text(&near).into_owned();
    let start: String = masked.chars().take(MOST).collect();
    let rest = if start.len() < masked.len() || near.len() < text.len() { "…" } else { "" };
    (start, rest)
}
