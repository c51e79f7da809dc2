//! Values as Java's libraries write them, where the text is what a server stores or sends.

use serde_json::{Number, Value};

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Whole numbers stay whole, as in parameters of a request.
    AsRead,
    /// All are doubles, as Gson reads those of a text: `5` is `5.0`.
    Doubles,
}

/// A value as JSON text without blanks.
#[must_use]
pub fn json_text(value: &Value, numbers: Numbers) -> String {
    let mut text = String::new();
    write_json(&mut text, value, numbers);
    text
}

/// A value as text: a text as it is, everything else as JSON.
#[must_use]
pub fn value_text(value: &Value, numbers: Numbers) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => json_text(other, numbers),
    }
}

fn write_json(to: &mut String, value: &Value, numbers: Numbers) {
    match value {
        Value::Null => to.push_str("null"),
        Value::Bool(true) => to.push_str("true"),
        Value::Bool(false) => to.push_str("false"),
        Value::Number(number) => to.push_str(&number_text(number, numbers)),
        Value::String(text) => write_quoted(to, text),
        Value::Array(items) => {
            to.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    to.push(',');
                }
                write_json(to, item, numbers);
            }
            to.push(']');
        }
        Value::Object(members) => {
            to.push('{');
            for (at, (name, member)) in members.iter().enumerate() {
                if at > 0 {
                    to.push(',');
                }
                write_quoted(to, name);
                to.push(':');
                write_json(to, member, numbers);
            }
            to.push('}');
        }
    }
}

/// A text in quotes, with what has to be escaped between them.
fn write_quoted(to: &mut String, text: &str) {
    to.push('"');
    to.push_str(&quote_text(text));
    to.push('"');
}

/// A text as it stands between quotes in JSON; what is not ASCII stays.
#[must_use]
pub fn quote_text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\u{2028}' | '\u{2029}' => push_unicode(&mut quoted, letter),
            _ if short_escape(letter).is_some() => quoted.extend(short_escape(letter)),
            _ if letter < ' ' => push_unicode(&mut quoted, letter),
            _ => quoted.push(letter),
        }
    }
    quoted
}

/// A text as commons-text's `escapeJson` writes it, which is how values are put into a body: `/`
/// becomes `\/`, and whatever is no printable ASCII becomes `\u` with four digits.
#[must_use]
pub fn escape_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '/' => escaped.push_str("\\/"),
            ' '..='~' => escaped.push(letter),
            _ => match short_escape(letter) {
                Some(short) => escaped.push_str(short),
                None => {
                    let mut units = [0; 2];
                    for unit in letter.encode_utf16(&mut units) {
                        escaped.push_str(&format!("\\u{unit:04X}"));
                    }
                }
            },
        }
    }
    escaped
}

fn short_escape(letter: char) -> Option<&'static str> {
    match letter {
        '\u{8}' => Some("\\b"),
        '\t' => Some("\\t"),
        '\n' => Some("\\n"),
        '\u{c}' => Some("\\f"),
        '\r' => Some("\\r"),
        _ => None,
    }
}

fn push_unicode(to: &mut String, letter: char) {
    to.push_str(&format!("\\u{:04x}", u32::from(letter)));
}

fn number_text(number: &Number, numbers: Numbers) -> String {
    let text = number.to_string();
    let is_whole = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if is_whole && numbers == Numbers::AsRead {
        return text;
    }
    match text.parse::<f64>() {
        Ok(double) if double.is_finite() => double_text(double),
        _ => text,
    }
}

/// A number as Java's `Double.toString` writes it: `1.0E10`, `0.5`.
#[must_use]
pub fn double_text(double: f64) -> String {
    let size = double.abs();
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{double:?}");
    }
    let scientific = format!("{double:E}");
    let (digits, exponent) = scientific.split_once('E').unwrap_or((&scientific, "0"));
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}E{exponent}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_those_of_java() {
        for (double, text) in [
            (0.5, "0.5"),
            (2.0, "2.0"),
            (-0.0, "-0.0"),
            (1e7, "1.0E7"),
            (9_999_999.0, "9999999.0"),
            (0.001, "0.001"),
            (1e-5, "1.0E-5"),
            (1.25e-4, "1.25E-4"),
            (-1.5e300, "-1.5E300"),
        ] {
            assert_eq!(double_text(double), text);
        }
        let value = json!({"a": [1, 2.0], "b": 12_345_678_901_i64});
        assert_eq!(json_text(&value, Numbers::AsRead), r#"{"a":[1,2.0],"b":12345678901}"#);
        assert_eq!(json_text(&value, Numbers::Doubles), r#"{"a":[1.0,2.0],"b":1.2345678901E10}"#);
    }
}
