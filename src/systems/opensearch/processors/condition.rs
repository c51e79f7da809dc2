//! Conditions of the routes of `conditional`: `exists`, `>=5`, `regex:…`, or a text itself.

use serde_json::Value;

use crate::systems::opensearch::{
    java::{self, Numbers},
    java_regex::JavaPattern,
};

/// How far apart numbers are equal still.
const NEAR: f64 = 1e-10;

/// What a condition is held to.
pub enum CheckedValue {
    /// What a path picked.
    Picked(Value),
    /// The output itself.
    Output(Value),
}

/// Whether a condition is met.
#[must_use]
pub fn is_met(condition: &str, checked: &CheckedValue) -> bool {
    let (CheckedValue::Picked(value) | CheckedValue::Output(value)) = checked;
    if value.is_null() || value.as_array().is_some_and(Vec::is_empty) {
        return matches!(condition, "null" | "not_exists");
    }
    let text = match checked {
        // A list of a path is written as JSON.
        CheckedValue::Picked(Value::Array(_)) => java::json_text(value, Numbers::AsRead),
        _ => java_string(value),
    };
    if condition == "exists" || condition == text {
        return true;
    }
    if let Some(number) = parse_double(&text) {
        let against = |mark: &str| {
            condition.strip_prefix(mark).map(|rest| parse_double(rest).unwrap_or(f64::NAN))
        };
        if let Some(other) = against(">=") {
            return number >= other;
        }
        if let Some(other) = against("<=") {
            return number <= other;
        }
        if let Some(other) = against(">") {
            return number > other;
        }
        if let Some(other) = against("<") {
            return number < other;
        }
        if let Some(other) = against("==") {
            return (number - other).abs() < NEAR;
        }
    }
    if let Some(pattern) = condition.strip_prefix("regex:") {
        return JavaPattern::is_whole_match(pattern, &text);
    }
    condition.strip_prefix("contains:").is_some_and(|part| text.contains(part))
}

/// A value as Java's `toString` writes it: `{a=1, b=[x, y]}`.
fn java_string(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(java_string).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, member)| format!("{name}={}", java_string(member)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        other => java::value_text(other, Numbers::AsRead),
    }
}

/// A text as Java's `Double.parseDouble` reads it, but for hexadecimal ones.
fn parse_double(text: &str) -> Option<f64> {
    let text = text.trim_matches(|letter| letter <= ' ');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, "NaN" | "Infinity") {
        return text.parse().ok();
    }
    let plain = text.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(text);
    if plain.contains(|letter: char| letter.is_ascii_alphabetic() && !"eE".contains(letter)) {
        return None;
    }
    plain.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conditions_are_met_as_in_java() {
        for (condition, value) in [
            ("{a=1, b=[x, y]}", json!({"a": 1, "b": ["x", "y"]})),
            (">=5", json!("5.0d")),
            ("==0.3", json!(0.300_000_000_001)),
            ("<Infinity", json!(3)),
            ("regex:p.*n", json!("plain")),
            ("contains:", json!("x")),
            ("not_exists", json!(null)),
            ("exists", json!(false)),
        ] {
            assert!(is_met(condition, &CheckedValue::Output(value.clone())), "{condition} {value}");
        }
        for (condition, value) in [
            (">x", json!(5)),
            ("<inf", json!(3)),
            ("exists", json!([])),
            ("regex:la", json!("plain")),
            ("{\"a\":1}", json!({"a": 1})),
        ] {
            assert!(
                !is_met(condition, &CheckedValue::Output(value.clone())),
                "{condition} {value}"
            );
        }
        assert!(is_met("[1,2]", &CheckedValue::Picked(json!([1, 2]))));
    }
}
