//! Values as Java's libraries write them, where the text is what a server stores or sends.

use serde_json::{Map, Number, Value};

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Whole numbers stay whole, as in parameters of a request.
    AsRead,
    /// All are doubles, as Gson reads those of a text: `5` is `5.0`.
    Doubles,
}

/// A value as JSON text without spaces, as Gson writes it.
#[must_use]
pub fn json_text(value: &Value, numbers: Numbers) -> String {
    let mut text = String::new();
    JsonWriter { numbers, quote: quote_text }.write_json(&mut text, value);
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

/// A tool's output as text, as Jackson writes it: a text as it is, everything else as JSON.
#[must_use]
pub fn output_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => {
            let mut text = String::new();
            let writer = JsonWriter { numbers: Numbers::AsRead, quote: quote_output };
            writer.write_json(&mut text, other);
            text
        }
    }
}

/// How one of Java's libraries writes JSON.
struct JsonWriter {
    numbers: Numbers,
    /// A text as it is between quotes.
    quote: fn(&str) -> String,
}

impl JsonWriter {
    fn write_json(&self, to: &mut String, value: &Value) {
        match value {
            Value::Null => to.push_str("null"),
            Value::Bool(true) => to.push_str("true"),
            Value::Bool(false) => to.push_str("false"),
            Value::Number(number) => to.push_str(&number_text(number, self.numbers)),
            Value::String(text) => self.write_quoted(to, text),
            Value::Array(items) => {
                to.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        to.push(',');
                    }
                    self.write_json(to, item);
                }
                to.push(']');
            }
            Value::Object(members) => {
                to.push('{');
                for (at, (name, member)) in members.iter().enumerate() {
                    if at > 0 {
                        to.push(',');
                    }
                    self.write_quoted(to, name);
                    to.push(':');
                    self.write_json(to, member);
                }
                to.push('}');
            }
        }
    }

    fn write_quoted(&self, to: &mut String, text: &str) {
        to.push('"');
        to.push_str(&(self.quote)(text));
        to.push('"');
    }
}

/// Whether a number that no double holds is in a value.
#[must_use]
pub fn is_too_large(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.to_string().parse::<f64>().is_ok_and(|double| !double.is_finite())
        }
        Value::Array(items) => items.iter().any(is_too_large),
        Value::Object(members) => members.values().any(is_too_large),
        _ => false,
    }
}

/// A value with whole numbers as doubles, as Gson reads those of a text.
#[must_use]
pub fn with_doubles(value: &Value) -> Value {
    match value {
        Value::Number(number) => {
            let text = number_text(number, Numbers::Doubles);
            serde_json::from_str(&text).unwrap_or_else(|_| value.clone())
        }
        Value::Array(items) => items.iter().map(with_doubles).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), with_doubles(member)))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

/// A text as it is between quotes in JSON; what is not ASCII stays.
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

/// A text as it is between quotes where Jackson writes it.
fn quote_output(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            _ if short_escape(letter).is_some() => quoted.extend(short_escape(letter)),
            _ if letter < ' ' => quoted.push_str(&format!("\\u{:04X}", u32::from(letter))),
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

    #[test]
    fn outputs_are_written_as_jackson_does() {
        let value = json!({"a": "\u{1f}\u{2028}<é/\t", "b": [1, 1e5]});
        assert_eq!(output_text(&value), "{\"a\":\"\\u001F\u{2028}<é/\\t\",\"b\":[1,100000.0]}");
        assert_eq!(output_text(&json!("plain \"text\"")), "plain \"text\"");
    }
}
