//! Small pieces of language: values in a line, alternatives in a row.

use serde_json::Value;

/// `a, b or c`.
pub(crate) fn join_alternatives<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<&str> = words.collect();
    match words.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [head @ .., last] => format!("{} or {last}", head.join(", ")),
    }
}

/// A value in one line: text as it is, the rest as JSON.
#[must_use]
pub(crate) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_alternatives() {
        assert_eq!(join_alternatives(["a", "b", "c"].into_iter()), "a, b or c");
        assert_eq!(join_alternatives(["a"].into_iter()), "a");
        assert_eq!(value_text(&serde_json::json!([1, "x"])), r#"[1,"x"]"#);
    }
}
