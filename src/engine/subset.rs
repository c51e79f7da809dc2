//! Whether a value has all of another one.

use serde_json::Value;

use super::mask::Mask;
use crate::schema::{decimal, pointer::Pointer};

/// What of the wanted value another one lacks, in words: objects may have more members, lists must
/// be as long. `whole` is what the value itself is called.
#[must_use]
pub(crate) fn describe_missing(
    at: &Pointer,
    whole: &str,
    wanted: &Value,
    value: &Value,
) -> Option<String> {
    let place = || if at.is_root() { whole.to_owned() } else { at.to_string() };
    match (wanted, value) {
        (Value::Object(wanted), Value::Object(value)) => {
            wanted.iter().find_map(|(name, wanted)| match value.get(name) {
                Some(value) => describe_missing(&at.child(name), whole, wanted, value),
                None => Some(format!("there is no {name:?} in {}", place())),
            })
        }
        (Value::Array(wanted), Value::Array(value)) if wanted.len() == value.len() => {
            let mut pairs = wanted.iter().zip(value).enumerate();
            pairs.find_map(|(row, (wanted, value))| {
                describe_missing(&at.child(row.to_string()), whole, wanted, value)
            })
        }
        (Value::Array(wanted), Value::Array(value)) => {
            Some(format!("{} has {} items, not {}", place(), value.len(), wanted.len()))
        }
        // 1 and 1.0 are one number.
        (Value::Number(one), Value::Number(other)) if decimal::numbers_equal(one, other) => None,
        (wanted, value) => (wanted != value).then(|| {
            let text = value.to_string();
            let shown =
                Mask::default().mask_named_value(at.last().unwrap_or_default(), &text).into_owned();
            // JSON has its own quotes.
            let (start, rest) = masked_start(&shown);
            format!("{} is {start}{rest}, not {wanted}", place())
        }),
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
