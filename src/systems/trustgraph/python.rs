//! What TrustGraph's loader does with a value that `json.loads` reads: whether it can be a key,
//! what it iterates over, whether `int()` takes it.
//!
//! The loader never looks at types; what it accepts follows from these.

use serde_json::{Map, Number, Value};

use crate::syntax::python::text::{self as python, is_float};

/// The name of a value's type.
#[must_use]
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if is_float(number) => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

/// What `str()` makes of a value, or of none at all.
#[must_use]
pub(crate) fn optional_str(value: Option<&Value>) -> String {
    value.map_or_else(|| "None".into(), python::str)
}

/// A value as the key of a dictionary: equal for values that are one key there, such as `1`, `1.0`
/// and `True`.
///
/// # Errors
/// Lists and objects can be none.
pub(crate) fn dict_key(value: Option<&Value>) -> Result<String, String> {
    match value {
        Some(Value::Array(_) | Value::Object(_)) => {
            Err(format!("unhashable type: '{}'", value.map_or("NoneType", type_name)))
        }
        Some(Value::String(text)) => Ok(format!("'{text}")),
        Some(Value::Bool(is)) => Ok(u8::from(*is).to_string()),
        Some(Value::Number(number)) => Ok(number_key(number)),
        None | Some(Value::Null) => Ok("None".into()),
    }
}

/// Floats that are whole are the same key as the integer.
fn number_key(number: &Number) -> String {
    let text = python::repr(&number.clone().into());
    match text.parse::<f64>() {
        Ok(float) if is_float(number) && float.is_finite() && float.fract() == 0.0 => {
            format!("{:.0}", float + 0.0)
        }
        _ => text,
    }
}

/// What keeps `for item in value` from running, in Python's words; the items otherwise: of a text
/// its letters, of an object its keys.
///
/// # Errors
/// Numbers, truth values and `None` have no items.
pub(crate) fn items(value: &Value) -> Result<Vec<Value>, String> {
    match value {
        Value::Array(items) => Ok(items.clone()),
        Value::String(text) => Ok(text.chars().map(|letter| letter.to_string().into()).collect()),
        Value::Object(members) => Ok(members.keys().map(|key| key.as_str().into()).collect()),
        other => Err(format!("'{}' object is not iterable", type_name(other))),
    }
}

/// The members of what has `get`.
///
/// # Errors
/// Only objects have it.
pub(crate) fn members(value: &Value) -> Result<&Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("'{}' object has no attribute 'get'", type_name(value)))
}

/// Whether `int()` takes a value.
///
/// # Errors
/// What Python says where it does not.
pub(crate) fn check_int(value: &Value) -> Result<(), String> {
    match value {
        Value::Bool(_) => Ok(()),
        Value::Number(_) => match python::repr(value).as_str() {
            "nan" => Err("cannot convert float NaN to integer".into()),
            "inf" | "-inf" => Err("cannot convert float infinity to integer".into()),
            _ => Ok(()),
        },
        Value::String(text) => python::parse_int(text).map(drop),
        other => {
            let named = type_name(other);
            Err(format!(
                "int() argument must be a string, a bytes-like object or a real number, not '{named}'"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_have_pythons_text() {
        assert_eq!(
            (optional_str(Some(&json!("a\n"))), optional_str(Some(&json!(["a\n"])))),
            ("a\n".into(), r"['a\n']".into())
        );
        assert_eq!(optional_str(None), "None");
    }

    #[test]
    fn int_takes_what_python_takes() {
        for text in ["20", " +20\n", "-1", "1_0", "٣", "1_٣", "\u{a0}7\u{2003}", "０"] {
            assert_eq!(check_int(&json!(text)), Ok(()), "{text:?}");
        }
        for text in [
            "", " ", "_1", "1_", "1__0", "1.0", "0x1", "+", "+-1", "- 1", "½", "²", "1 0",
            "\u{1c}5", "ten",
        ] {
            assert!(check_int(&json!(text)).is_err(), "{text:?}");
        }
        for value in [json!(1.5), json!(-3), json!(true)] {
            assert_eq!(check_int(&value), Ok(()), "{value}");
        }
        assert!(check_int(&json!(null)).unwrap_err().ends_with("not 'NoneType'"));
    }

    #[test]
    fn keys_are_equal_where_pythons_are() {
        let of = |value: Value| dict_key(Some(&value)).unwrap();
        assert_eq!(of(json!(1)), of(json!(1.0)));
        assert_eq!(of(json!(1)), of(json!(true)));
        assert_eq!(of(json!(0)), of(json!(-0.0)));
        assert_eq!(of(json!(1e22)), of(json!(1e22)));
        assert_eq!(dict_key(None).unwrap(), of(json!(null)));
        assert_ne!(of(json!("None")), of(json!(null)));
        assert_ne!(of(json!("1")), of(json!(1)));
        assert_eq!(dict_key(Some(&json!(["x"]))).unwrap_err(), "unhashable type: 'list'");
    }
}
