//! What Python makes of a value that `json.loads` reads: its text, its truth, whether it can be a key, whether `int()` takes it.
//!
//! TrustGraph's loader never looks at types; what it accepts follows from these.

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

use crate::syntax::python_json::{HALF, too_long};

/// The name of a value's type.
#[must_use]
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if is_float(&number.to_string()) => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

/// A number that Python reads as a float: `1.0`, `1e3`, `NaN`, `Infinity`.
fn is_float(written: &str) -> bool {
    written.contains(|letter: char| letter != '-' && !letter.is_ascii_digit())
}

/// What `str()` makes of a value, or of none at all.
#[must_use]
pub fn text(value: Option<&Value>) -> String {
    match value {
        None => "None".into(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => repr(other),
    }
}

/// What `repr()` makes of a value.
#[must_use]
pub fn repr(value: &Value) -> String {
    let joined = |items: Vec<String>, open: char, close: char| format!("{open}{}{close}", items.join(", "));
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Number(number) => number_text(number),
        Value::String(text) => quoted(text),
        Value::Array(items) => joined(items.iter().map(repr).collect(), '[', ']'),
        Value::Object(members) => {
            joined(members.iter().map(|(key, value)| format!("{}: {}", quoted(key), repr(value))).collect(), '{', '}')
        }
    }
}

fn number_text(number: &Number) -> String {
    let written = number.to_string();
    if !is_float(&written) {
        return if written == "-0" { "0".into() } else { written };
    }
    match written.as_str() {
        "NaN" => "nan".into(),
        "Infinity" => "inf".into(),
        "-Infinity" => "-inf".into(),
        digits => digits.parse().map_or(written, float_text),
    }
}

/// The shortest digits that mean the same float; with an exponent only where the number is very large or very small.
fn float_text(float: f64) -> String {
    if float.is_infinite() {
        return if float > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or_default() {
        -4..16 => format!("{float:?}"),
        power => format!("{mantissa}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs()),
    }
}

fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut quoted = String::from(quote);
    for letter in text.chars() {
        match letter {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\\' => quoted.push_str("\\\\"),
            HALF => quoted.push_str("\\u"),
            letter if letter == quote => drop(write!(quoted, "\\{letter}")),
            letter if letter.is_control() => drop(write!(quoted, "\\x{:02x}", letter as u32)),
            letter => quoted.push(letter),
        }
    }
    quoted.push(quote);
    quoted
}

/// Whether a value counts as true.
#[must_use]
pub fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is) => *is,
        Value::Number(number) => number.to_string().parse() != Ok(0.0_f64),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

/// A value as the key of a dictionary: equal for values that are one key there, such as `1`, `1.0` and `True`.
///
/// # Errors
/// Lists and objects can be none.
pub fn key(value: Option<&Value>) -> Result<String, String> {
    match value {
        Some(Value::Array(_) | Value::Object(_)) => Err(format!("unhashable type: '{}'", value.map_or("NoneType", type_name))),
        Some(Value::String(text)) => Ok(format!("'{text}")),
        Some(Value::Bool(is)) => Ok(u8::from(*is).to_string()),
        Some(Value::Number(number)) => Ok(number_key(&number_text(number))),
        None | Some(Value::Null) => Ok("None".into()),
    }
}

/// Floats that are whole are the same key as the integer.
fn number_key(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(float) if is_float(text) && float.is_finite() && float.fract() == 0.0 => format!("{:.0}", float + 0.0),
        _ => text.to_owned(),
    }
}

/// What keeps `for item in value` from running, in Python's words; the items otherwise: of a text its letters, of an object its keys.
///
/// # Errors
/// Numbers, truth values and `None` have no items.
pub fn items(value: &Value) -> Result<Vec<Value>, String> {
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
pub fn members(value: &Value) -> Result<&Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("'{}' object has no attribute 'get'", type_name(value)))
}

/// Whether `int()` takes a value.
///
/// # Errors
/// What Python says where it does not.
pub fn int(value: &Value) -> Result<(), String> {
    match value {
        Value::Bool(_) => Ok(()),
        Value::Number(number) => match number_text(number).as_str() {
            "nan" => Err("cannot convert float NaN to integer".into()),
            "inf" | "-inf" => Err("cannot convert float infinity to integer".into()),
            _ => Ok(()),
        },
        Value::String(text) => int_of_text(text),
        other => {
            let named = type_name(other);
            Err(format!("int() argument must be a string, a bytes-like object or a real number, not '{named}'"))
        }
    }
}

/// Digits of any script, with single `_` between them, a sign before and spaces around.
fn int_of_text(text: &str) -> Result<(), String> {
    let is_space = |letter: char| letter.is_whitespace();
    let digits = text.trim_matches(is_space);
    let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    let groups = || digits.split('_');
    if groups().any(|group| group.is_empty() || !group.chars().all(is_digit)) {
        return Err(format!("invalid literal for int() with base 10: {}", quoted(text)));
    }
    too_long(groups().map(|group| group.chars().count()).sum()).map_or(Ok(()), Err)
}

/// The zeros of all scripts that have ten digits in a row (Unicode's Nd).
const ZEROS: [u32; 66] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20, 0x1040,
    0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0,
    0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650,
    0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec,
    0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

fn is_digit(letter: char) -> bool {
    let code = letter as u32;
    let row = ZEROS.partition_point(|zero| *zero <= code);
    row.checked_sub(1).and_then(|row| ZEROS.get(row)).is_some_and(|zero| code - zero < 10)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_have_pythons_text() {
        for (value, expected) in [
            (json!(null), "None"),
            (json!([true, "it's", 1, {"a": false}]), r#"[True, "it's", 1, {'a': False}]"#),
            (json!("a\n\\\"'"), "a\n\\\"'"),
            (json!(["a\n\\\"'\u{1}"]), r#"['a\n\\"\'\x01']"#),
            (json!([1.0, 1e16, 1.5e-5, 0.0001, 123_456.75]), "[1.0, 1e+16, 1.5e-05, 0.0001, 123456.75]"),
        ] {
            assert_eq!(text(Some(&value)), expected);
        }
        assert_eq!(text(None), "None");
    }

    #[test]
    fn int_takes_what_python_takes() {
        for text in ["20", " +20\n", "-1", "1_0", "٣", "1_٣", "\u{a0}7\u{2003}", "０"] {
            assert_eq!(int(&json!(text)), Ok(()), "{text:?}");
        }
        for text in ["", " ", "_1", "1_", "1__0", "1.0", "0x1", "+", "+-1", "- 1", "½", "²", "1 0", "\u{1c}5", "ten"] {
            assert!(int(&json!(text)).is_err(), "{text:?}");
        }
        for value in [json!(1.5), json!(-3), json!(true)] {
            assert_eq!(int(&value), Ok(()), "{value}");
        }
        assert_eq!(int(&json!("a'b")).unwrap_err(), r#"invalid literal for int() with base 10: "a'b""#);
        assert!(int(&json!(null)).unwrap_err().ends_with("not 'NoneType'"));
        assert!(int(&json!("1".repeat(4300))).is_ok());
        assert!(int(&json!("1".repeat(4301))).unwrap_err().contains("value has 4301 digits"));
    }

    #[test]
    fn keys_are_equal_where_pythons_are() {
        let of = |value: Value| key(Some(&value)).unwrap();
        assert_eq!(of(json!(1)), of(json!(1.0)));
        assert_eq!(of(json!(1)), of(json!(true)));
        assert_eq!(of(json!(0)), of(json!(-0.0)));
        assert_eq!(of(json!(1e22)), of(json!(1e22)));
        assert_eq!(key(None).unwrap(), of(json!(null)));
        assert_ne!(of(json!("None")), of(json!(null)));
        assert_ne!(of(json!("1")), of(json!(1)));
        assert_eq!(key(Some(&json!(["x"]))).unwrap_err(), "unhashable type: 'list'");
    }

    #[test]
    fn truth_is_pythons() {
        for value in [json!(null), json!(false), json!(0), json!(-0.0), json!(""), json!([]), json!({})] {
            assert!(!is_true(&value), "{value}");
        }
        for value in [json!(true), json!(5), json!(0.1), json!("false"), json!([0]), json!({"a": 0})] {
            assert!(is_true(&value), "{value}");
        }
    }
}
