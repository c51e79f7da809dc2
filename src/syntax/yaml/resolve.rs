//! What a plain scalar means: by YAML 1.2's core schema, and to readers of YAML 1.1 such as PyYAML.

use serde_json::{Number, Value};

use crate::syntax::number;

/// The kind of thing that a plain scalar is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Null,
    Flag,
    Integer,
    Float,
    Time,
    Text,
}

/// The words that mean something, in any spelling.
const WORDS: [&str; 7] = ["null", "true", "false", "yes", "no", "on", "off"];

/// Most words are text by their first letter alone, nearly all others by their length.
fn is_surely_text(text: &str) -> bool {
    match text.as_bytes().first() {
        None | Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'~') => false,
        Some(b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'y' | b'Y' | b'o' | b'O') => {
            !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
        }
        Some(_) => true,
    }
}

/// The value of a plain scalar by the core schema. `.inf` and `.nan`, which JSON cannot say, stay
/// text.
pub(crate) fn core_value(text: &str) -> Value {
    match core_kind(text) {
        Kind::Null => Value::Null,
        Kind::Flag => Value::Bool(text.eq_ignore_ascii_case("true")),
        Kind::Integer => parse_integer(text).unwrap_or_else(|| Value::String(text.to_owned())),
        Kind::Float => number::parse_decimal(text)
            .map_or_else(|| Value::String(text.to_owned()), Value::Number),
        Kind::Time | Kind::Text => Value::String(text.to_owned()),
    }
}

/// Whether a reader of YAML 1.1 takes the plain scalar for something else than the core schema
/// does.
pub(crate) fn reads_differently(text: &str) -> bool {
    if is_surely_text(text) {
        return false;
    }
    let (new, old) = (core_kind(text), old_kind(text));
    let octal = text.trim_start_matches(['+', '-']);
    let counts_in_eights =
        octal.len() > 1 && octal.starts_with('0') && octal.bytes().any(|digit| digit != b'0');
    new != old || (new == Kind::Integer && !octal.starts_with("0x") && counts_in_eights)
}

/// Whether a plain scalar is text to every reader.
pub(crate) fn is_text(text: &str) -> bool {
    core_kind(text) == Kind::Text && old_kind(text) == Kind::Text
}

/// What a plain scalar is to PyYAML.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ScalarKind {
    Json(Value),
    /// Nothing that JSON has: the type, as Python calls it.
    Other(&'static str),
}

/// The value of a plain scalar by YAML 1.1.
pub(crate) fn yaml11_value(text: &str) -> ScalarKind {
    let text_as_is = || Value::String(text.to_owned());
    ScalarKind::Json(match old_kind(text) {
        Kind::Null => Value::Null,
        Kind::Flag => {
            Value::Bool(matches!(text.to_ascii_lowercase().as_str(), "yes" | "true" | "on"))
        }
        Kind::Integer => old_integer(text).map_or_else(text_as_is, Value::Number),
        Kind::Float => match old_float(text) {
            Some(number) => Value::Number(number),
            None => return ScalarKind::Other("float"),
        },
        Kind::Time if text.contains(':') => return ScalarKind::Other("datetime"),
        Kind::Time => return ScalarKind::Other("date"),
        Kind::Text => text_as_is(),
    })
}

fn split_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn old_integer(text: &str) -> Option<Number> {
    let (negative, digits) = split_sign(text);
    match digits.get(..2) {
        Some("0b") => number::parse_radix(&digits[2..], 2, negative),
        Some("0x") => number::parse_radix(&digits[2..], 16, negative),
        _ if digits.contains(':') => {
            let whole = digits.split(':').try_fold(0_i64, |sum, part| {
                sum.checked_mul(60)?.checked_add(part.replace('_', "").parse().ok()?)
            })?;
            Some(if negative { -whole } else { whole }.into())
        }
        _ if digits.len() > 1 && digits.starts_with('0') => {
            number::parse_radix(&digits[1..], 8, negative)
        }
        _ => number::parse_decimal(text),
    }
}

/// `None` for what is no number.
fn old_float(text: &str) -> Option<Number> {
    let (negative, digits) = split_sign(text);
    let Some((whole, last)) = digits.rsplit_once(':') else {
        // PyYAML reads floats of 64 bits.
        return number::parse_decimal(text)
            .and_then(|number| number.as_f64())
            .and_then(Number::from_f64);
    };
    let minutes = old_integer(whole).and_then(|whole| whole.as_f64())?;
    let sum = minutes * 60.0 + last.replace('_', "").parse::<f64>().ok()?;
    Number::from_f64(if negative { -sum } else { sum })
}

fn parse_integer(text: &str) -> Option<Value> {
    let number = match text.get(..2) {
        Some("0x") => number::parse_radix(&text[2..], 16, false),
        Some("0o") => number::parse_radix(&text[2..], 8, false),
        _ => number::parse_decimal(text),
    };
    number.map(Value::Number)
}

fn core_kind(text: &str) -> Kind {
    if is_surely_text(text) {
        return Kind::Text;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let all =
        |digits: &str, of: fn(&u8) -> bool| !digits.is_empty() && digits.as_bytes().iter().all(of);
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Kind::Flag,
        ".nan" | ".NaN" | ".NAN" => Kind::Float,
        _ if matches!(unsigned, ".inf" | ".Inf" | ".INF") => Kind::Float,
        _ if all(unsigned, u8::is_ascii_digit) => Kind::Integer,
        _ if text.strip_prefix("0x").is_some_and(|digits| all(digits, u8::is_ascii_hexdigit)) => {
            Kind::Integer
        }
        _ if text
            .strip_prefix("0o")
            .is_some_and(|digits| all(digits, |digit| matches!(digit, b'0'..=b'7'))) =>
        {
            Kind::Integer
        }
        _ if is_core_float(unsigned) => Kind::Float,
        _ => Kind::Text,
    }
}

fn is_core_float(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_holds = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent_holds
}

/// As PyYAML's resolver has it.
fn old_kind(text: &str) -> Kind {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Kind::Null,
        "yes" | "Yes" | "YES" | "no" | "No" | "NO" | "true" | "True" | "TRUE" | "false"
        | "False" | "FALSE" | "on" | "On" | "ON" | "off" | "Off" | "OFF" => return Kind::Flag,
        ".nan" | ".NaN" | ".NAN" => return Kind::Float,
        _ if matches!(unsigned, ".inf" | ".Inf" | ".INF") => return Kind::Float,
        _ => {}
    }
    if is_old_integer(unsigned) {
        Kind::Integer
    } else if is_old_float(unsigned) && !(unsigned.starts_with('.') && unsigned != text) {
        // `.5` is a number to PyYAML, `+.5` is not.
        Kind::Float
    } else if is_time(text) {
        Kind::Time
    } else {
        Kind::Text
    }
}

fn is_old_integer(unsigned: &str) -> bool {
    let of = |digits: &str, base: u32| {
        !digits.is_empty() && digits.chars().all(|letter| letter == '_' || letter.is_digit(base))
    };
    if let Some(digits) = unsigned.strip_prefix("0b") {
        return of(digits, 2);
    }
    if let Some(digits) = unsigned.strip_prefix("0x") {
        return of(digits, 16);
    }
    match unsigned.as_bytes().first() {
        Some(b'0') => unsigned.len() == 1 || of(&unsigned[1..], 8),
        Some(b'1'..=b'9') => {
            let mut parts = unsigned.split(':');
            parts.next().is_some_and(|first| of(first, 10)) && parts.all(is_sixtieth)
        }
        _ => false,
    }
}

fn is_old_float(unsigned: &str) -> bool {
    let Some((whole, rest)) = unsigned.split_once('.') else { return false };
    let (fraction, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte == b'_' || byte.is_ascii_digit());
    let signed = |exponent: &str| {
        exponent
            .strip_prefix(['+', '-'])
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|d| d.is_ascii_digit()))
    };
    if let Some((first, sixtieths)) = whole.split_once(':') {
        return first.starts_with(|letter: char| letter.is_ascii_digit())
            && digits(first)
            && sixtieths.split(':').all(is_sixtieth)
            && digits(fraction)
            && exponent.is_none();
    }
    let begins = |text: &str| text.starts_with(|letter: char| letter.is_ascii_digit());
    digits(whole)
        && digits(fraction)
        && exponent.is_none_or(signed)
        && (begins(whole) || (whole.is_empty() && begins(fraction)))
}

fn is_sixtieth(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
}

fn is_time(text: &str) -> bool {
    let date = text.split(['T', 't', ' ', '\t']).next().unwrap_or_default();
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let number = |text: &str, most: usize| {
        (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let clock = text[date.len()..].trim_start_matches(['T', 't', ' ', '\t']);
    year.len() == 4
        && number(year, 4)
        && number(month, 2)
        && number(day, 2)
        && (clock.is_empty()
            || (clock.contains(':') && clock.starts_with(|letter: char| letter.is_ascii_digit())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_the_core_schema() {
        for (text, value) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("True", json!(true)),
            ("yes", json!("yes")),
            ("on", json!("on")),
            ("012", json!(12)),
            ("-0x1f", json!("-0x1f")),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("1e3", json!(1000.0)),
            (".5", json!(0.5)),
            (".inf", json!(".inf")),
            ("1_000", json!("1_000")),
            ("2026-11-21", json!("2026-11-21")),
            ("18446744073709551616", serde_json::from_str("18446744073709551616").unwrap()),
            ("1e999", json!("1e999")),
            ("-", json!("-")),
        ] {
            assert_eq!(core_value(text), value, "{text}");
        }
    }

    #[test]
    fn knows_what_old_readers_take_for_something_else() {
        for text in [
            "yes",
            "No",
            "ON",
            "off",
            "012",
            "1:30",
            "1_000",
            "0b11",
            "0o17",
            "2026-11-21",
            "1e3",
            "1:30.5",
            "-012",
        ] {
            assert!(reads_differently(text), "{text}");
        }
        for text in [
            "true", "null", "12", "0", "00", "1.5", "1.5e+3", "0x1F", "text", "y", "a:b", "1.2.3",
            "2026-11", "-", ".",
        ] {
            assert!(!reads_differently(text), "{text}");
        }
    }
}
