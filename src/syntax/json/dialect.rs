//! Strict JSON, JSON with comments, and JSON5: what each takes, and how JSON5 writes texts, numbers
//! and names.

use serde_json::Number;

use crate::syntax::{number, place::Format};

/// Which JSON a text is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dialect {
    /// RFC 8259.
    Strict,
    /// With comments and trailing commas, as editors keep their settings.
    Commented,
    Json5,
}

impl Dialect {
    /// The dialect of a format; that of other formats is strict, for JSON inside of them.
    pub fn from_format(format: Format) -> Self {
        match format {
            Format::Jsonc => Self::Commented,
            Format::Json5 => Self::Json5,
            Format::Json | Format::Yaml | Format::Toml => Self::Strict,
        }
    }

    pub fn is_json5(self) -> bool {
        self == Self::Json5
    }

    pub fn has_comments(self) -> bool {
        self != Self::Strict
    }
}

/// Whether a letter may stand between values of JSON5.
pub(crate) fn is_space(letter: char) -> bool {
    letter.is_whitespace() || letter == '\u{feff}'
}

/// Whether a key can be written without quotes.
pub(crate) fn is_name(key: &str) -> bool {
    let mut letters = key.chars();
    letters.next().is_some_and(begins_name) && letters.all(continues_name)
}

pub(crate) fn begins_name(letter: char) -> bool {
    letter.is_alphabetic() || matches!(letter, '$' | '_')
}

pub(crate) fn continues_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '$' | '_' | '\u{200c}' | '\u{200d}')
}

/// The text between quotes, or a name with escapes; on failure the offset in it and why.
pub(crate) fn unescape_text(written: &str) -> Result<String, (usize, String)> {
    let mut text = String::with_capacity(written.len());
    let mut at = 0;
    while let Some(length) = written[at..].find('\\') {
        text.push_str(&written[at..at + length]);
        at += length;
        at += unescape_at(written, at, &mut text)?;
    }
    text.push_str(&written[at..]);
    Ok(text)
}

/// Adds what an escape at an offset means; answers how long the escape is.
fn unescape_at(written: &str, at: usize, text: &mut String) -> Result<usize, (usize, String)> {
    let rest = &written[at + 1..];
    let Some(letter) = rest.chars().next() else {
        return Err((at, "nothing follows the backslash".into()));
    };
    let meant = match letter {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '0' if !rest[1..].starts_with(|next: char| next.is_ascii_digit()) => '\0',
        '0'..='9' => {
            return Err((
                at,
                "a backslash before a digit has no meaning; write \\x and two hex digits".into(),
            ));
        }
        'x' => {
            let code = parse_hex(rest, 1, 2).and_then(char::from_u32);
            text.push(code.ok_or_else(|| (at, "\\x needs two hex digits".to_owned()))?);
            return Ok(4);
        }
        'u' => return unescape_unicode(rest, text).map_err(|words| (at, words)),
        // The line goes on.
        '\r' => return Ok(if rest[1..].starts_with('\n') { 3 } else { 2 }),
        '\n' | '\u{2028}' | '\u{2029}' => return Ok(1 + letter.len_utf8()),
        other => other,
    };
    text.push(meant);
    Ok(1 + letter.len_utf8())
}

/// `u` and four hex digits, or two such for a letter beyond the first plane.
fn unescape_unicode(rest: &str, text: &mut String) -> Result<usize, String> {
    let code = parse_hex(rest, 1, 4).ok_or("\\u needs four hex digits")?;
    if let Some(letter) = char::from_u32(code) {
        text.push(letter);
        return Ok(6);
    }
    let second = rest.get(5..7).filter(|next| *next == "\\u").and_then(|_| parse_hex(rest, 7, 4));
    let pair = second.filter(|_| code < 0xdc00).and_then(|second| {
        let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
        char::from_u32(0x10000 + ((code - 0xd800) << 10) + low)
    });
    text.push(pair.ok_or("half of a surrogate pair is no letter")?);
    Ok(12)
}

fn parse_hex(text: &str, from: usize, len: usize) -> Option<u32> {
    let digits = text
        .get(from..from + len)
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

/// The number that a token means, with its sign; why it is none.
pub(crate) fn parse_number(token: &str) -> Result<Number, String> {
    let (negative, bare) = match token.as_bytes().first() {
        Some(b'-') => (true, &token[1..]),
        Some(b'+') => (false, &token[1..]),
        _ => (false, token),
    };
    let not_a_number = || format!("{token:?} is not a number");
    if matches!(bare, "Infinity" | "NaN") {
        return Err(format!(
            "{token} has no value in JSON; write a number, null or text in quotes"
        ));
    }
    if let Some(digits) = bare.strip_prefix("0x").or_else(|| bare.strip_prefix("0X")) {
        let sound = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        return number::parse_radix(digits, 16, negative)
            .filter(|_| sound)
            .ok_or_else(not_a_number);
    }
    let zeros = bare.len() > 1 && bare.starts_with('0') && bare.as_bytes()[1].is_ascii_digit();
    let sound = bare.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    number::parse_decimal(token).filter(|_| sound && !zeros && bare != ".").ok_or_else(not_a_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_mean_what_json5_says() {
        for (written, text) in [
            (r"\x41\u00e9\ud83d\ude42", "Aé🙂"),
            ("a\\\nb\\\r\nc", "abc"),
            (r"\v\0\'\q", "\u{b}\0'q"),
            ("\\\u{2028}x", "x"),
        ] {
            assert_eq!(unescape_text(written).as_deref(), Ok(text), "{written}");
        }
        for written in [r"\x4", r"\u12", r"\ud83d", r"\ud83dx", r"\1", r"\01", r"a\"] {
            assert!(unescape_text(written).is_err(), "{written}");
        }
    }

    #[test]
    fn numbers_are_those_of_json5() {
        for (token, json) in [
            ("+1", "1"),
            ("-.5", "-0.5"),
            ("5.", "5.0"),
            ("0xff", "255"),
            ("-0X10", "-16"),
            ("1e3", "1000.0"),
            ("0", "0"),
        ] {
            assert_eq!(
                parse_number(token).unwrap(),
                serde_json::from_str::<Number>(json).unwrap(),
                "{token}"
            );
        }
        for token in ["Infinity", "-NaN", "01", "0x", ".", "+", "1_0", "1e", "--1", "0xg"] {
            assert!(parse_number(token).is_err(), "{token}");
        }
    }
}
