//! Values as Python prints, counts and trims them.

use serde_json::{Number, Value};

use crate::syntax::python_json::{HALF, is_half, too_long};

/// What `str.strip` cuts.
#[must_use]
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `text.strip()`
#[must_use]
pub(crate) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `bool(value)`
#[must_use]
pub(crate) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

/// `str(value)`
#[must_use]
pub(crate) fn str(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => repr(other),
    }
}

/// `repr(value)`
#[must_use]
pub(crate) fn repr(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Number(number) => number_repr(number),
        Value::String(text) => text_repr(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(repr).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let member =
                |(key, value): (&String, &Value)| format!("{}: {}", text_repr(key), repr(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Whether Python reads a number as a float: `1.0`, `1e3`, `NaN`, `Infinity`.
#[must_use]
pub(crate) fn is_float(number: &Number) -> bool {
    number.to_string().contains(|letter: char| letter != '-' && !letter.is_ascii_digit())
}

fn number_repr(number: &Number) -> String {
    let written = number.to_string();
    match written.parse() {
        Ok(float) if is_float(number) => float_repr(float),
        _ if written == "-0" => "0".into(),
        _ => written,
    }
}

/// `repr` of a float: the shortest digits, with an exponent from 1e16 on and below 1e-4.
#[must_use]
pub(crate) fn float_repr(float: f64) -> String {
    if !float.is_finite() {
        return float.to_string().to_lowercase();
    }
    let scientific = format!("{float:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let power: i32 = exponent.parse().unwrap_or_default();
    if (-4..16).contains(&power) {
        let plain = float.to_string();
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    format!("{mantissa}e{}{:02}", if power < 0 { '-' } else { '+' }, power.unsigned_abs())
}

/// `repr` of a text.
#[must_use]
pub(crate) fn text_repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for (at, c) in text.char_indices() {
        match c {
            HALF if is_half(&text[at + c.len_utf8()..]) => out.push_str("\\u"),
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if c == quote => out.extend(['\\', c]),
            c if is_printable(c) => out.push(c),
            c => match u32::from(c) {
                code @ ..0x100 => out.push_str(&format!("\\x{code:02x}")),
                code @ ..0x1_0000 => out.push_str(&format!("\\u{code:04x}")),
                code => out.push_str(&format!("\\U{code:08x}")),
            },
        }
    }
    out.push(quote);
    out
}

/// Neither a control, nor a separator other than the space, nor without an assignment: Rust escapes
/// the same in texts.
fn is_printable(c: char) -> bool {
    // A mark at the begin of a text is escaped too, so that one is before it.
    matches!(c, '\'' | '"') || format!("a{c}").escape_debug().nth(2).is_none()
}

/// `int(text)`, as digits with their sign.
///
/// # Errors
/// What Python says where that raises.
pub(crate) fn parse_int(text: &str) -> Result<String, String> {
    let trimmed = text.trim();
    let (minus, digits) = match trimmed.strip_prefix(['+', '-']) {
        Some(rest) => (trimmed.starts_with('-'), rest),
        None => (false, trimmed),
    };
    let is_integer =
        |digits: &String| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let Some(digits) = plain_digits(digits).filter(is_integer) else {
        return Err(format!("invalid literal for int() with base 10: {}", text_repr(text)));
    };
    if let Some(words) = too_long(digits.len()) {
        return Err(words);
    }
    let digits = match digits.trim_start_matches('0') {
        "" => return Ok("0".into()),
        digits => digits,
    };
    Ok(if minus { format!("-{digits}") } else { digits.to_owned() })
}

/// `float(text)`; `None` where that raises.
#[must_use]
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    plain_digits(text.trim())?.parse().ok()
}

/// Digits of every script as those of ASCII, without the underscores between them; `None` where one
/// is elsewhere.
fn plain_digits(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '_' {
            let before = out.ends_with(|c: char| c.is_ascii_digit());
            let after = chars.peek().is_some_and(|next| ascii_digit(*next).is_some());
            if !(before && after) {
                return None;
            }
        } else {
            out.push(ascii_digit(c).unwrap_or(c));
        }
    }
    Some(out)
}

/// A decimal digit of any script, as ASCII has it.
fn ascii_digit(c: char) -> Option<char> {
    if c.is_ascii() {
        return c.is_ascii_digit().then_some(c);
    }
    let code = u32::from(c);
    let zero = ZEROS.into_iter().rev().find(|zero| *zero <= code)?;
    char::from_digit(code - zero, 10)
}

/// The zeros of Unicode's decimal digits; the nine others follow each.
const ZEROS: [u32; 67] = [
    0x0660,
    0x06F0,
    0x07C0,
    0x0966,
    0x09E6,
    0x0A66,
    0x0AE6,
    0x0B66,
    0x0BE6,
    0x0C66,
    0x0CE6,
    0x0D66,
    0x0DE6,
    0x0E50,
    0x0ED0,
    0x0F20,
    0x1040,
    0x1090,
    0x17E0,
    0x1810,
    0x1946,
    0x19D0,
    0x1A80,
    0x1A90,
    0x1B50,
    0x1BB0,
    0x1C40,
    0x1C50,
    0xA620,
    0xA8D0,
    0xA900,
    0xA9D0,
    0xA9F0,
    0xAA50,
    0xABF0,
    0xFF10,
    0x0001_04A0,
    0x0001_0D30,
    0x0001_1066,
    0x0001_10F0,
    0x0001_1136,
    0x0001_11D0,
    0x0001_12F0,
    0x0001_1450,
    0x0001_14D0,
    0x0001_1650,
    0x0001_16C0,
    0x0001_1730,
    0x0001_18E0,
    0x0001_1950,
    0x0001_1C50,
    0x0001_1D50,
    0x0001_1DA0,
    0x0001_1F50,
    0x0001_6A60,
    0x0001_6AC0,
    0x0001_6B50,
    0x0001_D7CE,
    0x0001_D7D8,
    0x0001_D7E2,
    0x0001_D7EC,
    0x0001_D7F6,
    0x0001_E140,
    0x0001_E2F0,
    0x0001_E4F0,
    0x0001_E950,
    0x0001_FBF0,
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::syntax::python_json;

    #[test]
    fn values_print_as_in_python() {
        for (value, text) in [
            (
                json!({"a": [1, 2.0, null, true], "b'": "x\n"}),
                r#"{'a': [1, 2.0, None, True], "b'": 'x\n'}"#,
            ),
            (
                json!([1e16, 1e15, 1e-5, 0.0001, -0.0, 1.5e300]),
                "[1e+16, 1000000000000000.0, 1e-05, 0.0001, -0.0, 1.5e+300]",
            ),
            (json!([true, "it's", 1, {"a": false}]), r#"[True, "it's", 1, {'a': False}]"#),
            (json!(["a\n\\\"'\u{1}"]), r#"['a\n\\"\'\x01']"#),
            (json!([1.0, 1.5e-5, 123_456.75]), "[1.0, 1.5e-05, 123456.75]"),
            (json!("'\"\\"), r#"'\'"\\'"#),
            (
                python_json::parse_value("[NaN, -Infinity, 1e999, -0]").unwrap(),
                "[nan, -inf, inf, 0]",
            ),
            (
                python_json::parse_value(r#"["\ud800", "\ufdd0x"]"#).unwrap(),
                r"['\ud800', '\ufdd0x']",
            ),
            (
                json!("é\u{200b}\u{e000}\u{a0}\u{301}\u{7f}\u{10ffff}"),
                "'é\\u200b\\ue000\\xa0\u{301}\\x7f\\U0010ffff'",
            ),
        ] {
            assert_eq!(repr(&value), text);
        }
        assert_eq!((str(&json!("x")), str(&json!([]))), ("x".to_owned(), "[]".to_owned()));
    }

    #[test]
    fn numbers_are_read_as_in_python() {
        for (text, number) in [
            ("0_1", Some("1")),
            (" +7\n", Some("7")),
            ("-0", Some("0")),
            ("-12", Some("-12")),
            ("٣", Some("3")),
            ("12345678901234567890123", Some("12345678901234567890123")),
            ("", None),
            ("1__0", None),
            ("_1", None),
            ("1_", None),
            ("1.0", None),
            ("+-1", None),
            ("²", None),
        ] {
            assert_eq!(parse_int(text).ok().as_deref(), number, "{text:?}");
        }
        // What `strip` cuts and Rust calls no white space is none to `int` either.
        assert_eq!(
            parse_int("\u{1c}5").unwrap_err(),
            r"invalid literal for int() with base 10: '\x1c5'"
        );
        assert_eq!(
            parse_int("a'b").unwrap_err(),
            r#"invalid literal for int() with base 10: "a'b""#
        );
        assert!(parse_int(&"1".repeat(4300)).is_ok());
        assert!(parse_int(&"1".repeat(4301)).unwrap_err().contains("value has 4301 digits"));
        assert_eq!(
            (parse_float(" 1_0.5 "), parse_float("٣"), parse_float("1e"), parse_float("")),
            (Some(10.5), Some(3.0), None, None)
        );
        assert_eq!((parse_float("inf"), parse_float("0x1")), (Some(f64::INFINITY), None));
        assert_eq!(
            (strip("\u{1f} a\u{3000}"), is_true(&json!(-0.0)), is_true(&json!(" "))),
            ("a", false, true)
        );
    }

    #[test]
    fn truth_is_pythons() {
        for value in
            [json!(null), json!(false), json!(0), json!(-0.0), json!(""), json!([]), json!({})]
        {
            assert!(!is_true(&value), "{value}");
        }
        for value in
            [json!(true), json!(5), json!(0.1), json!("false"), json!([0]), json!({"a": 0})]
        {
            assert!(is_true(&value), "{value}");
        }
    }
}
