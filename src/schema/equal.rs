//! When two values are the same to a schema.

use serde_json::Value;

use super::decimal;

/// Equality as JSON Schema has it: `1` and `1.0` are the same number, the order of members does not
/// count.
#[must_use]
pub(crate) fn values_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => decimal::numbers_equal(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| values_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| values_equal(a, b)))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_compared_by_what_they_are_worth() {
        assert!(values_equal(&json!({"a": [1, 2], "b": null}), &json!({"b": null, "a": [1.0, 2]})));
        assert!(
            !values_equal(&json!(1), &json!(true))
                && !values_equal(&json!([1]), &json!([1, 1]))
                && !values_equal(&json!("1"), &json!(1))
        );
        assert!(
            !values_equal(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64)),
            "whole numbers keep all their digits"
        );
    }
}
