//! JSON as Python's `json.loads` reads it: also `NaN` and infinities, and halves of surrogate
//! pairs; with its words for what it refuses.
//!
//! A half of a pair has no place in our texts. It is there as [`HALF`] with its four digits, and
//! [`print_value`] makes an escape of it again.

use std::fmt;

use serde_json::{Map, Number, Value};

use crate::schema::decimal;

/// Is before the four digits of half a surrogate pair. Unicode keeps this sign for such use.
pub(crate) const HALF: char = '\u{fdd0}';

/// The longest integer that Python reads, in digits.
const MOST_DIGITS: usize = 4300;
/// Python stops a little before its own limit of 1000 calls.
const DEEPEST: usize = 985;

/// Four letters stand for the digits.
const BAD_CODE: &str = concat!("Invalid \\uXX", "XX escape");

/// Why a text is refused, as Python says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    words: String,
    /// Line, column and offset, in characters; `None` where Python names no place.
    place: Option<(usize, usize, usize)>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)?;
        match self.place {
            Some((line, column, offset)) => {
                write!(f, ": line {line} column {column} (char {offset})")
            }
            None => Ok(()),
        }
    }
}

/// The value of `NaN`, `Infinity` or `-Infinity`, which are numbers there: one that is written like
/// that.
#[must_use]
pub(crate) fn no_number(word: &str) -> Value {
    Value::Number(Number::from_string_unchecked(word.to_owned()))
}

/// The value that a text holds.
///
/// # Errors
/// When Python reads none from it.
pub(crate) fn parse_value(text: &str) -> Result<Value, Fault> {
    let letters: Vec<char> = text.chars().collect();
    let mut reader = Reader { letters: &letters, at: 0, depth: 0 };
    if letters.first() == Some(&'\u{feff}') {
        return Err(reader.fault_at("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0));
    }
    reader.skip_spaces();
    let value = reader.parse_value()?;
    reader.skip_spaces();
    if reader.at == letters.len() {
        Ok(value)
    } else {
        Err(reader.fault_at("Extra data", reader.at))
    }
}

/// The text that a quoted text means, where it has halves of surrogate pairs; `None` where it has
/// none, or is not well-formed.
#[must_use]
pub(crate) fn with_halves(quoted: &str) -> Option<String> {
    let may_have = quoted.contains("\\ud") || quoted.contains("\\uD");
    match may_have.then(|| parse_value(quoted)) {
        Some(Ok(Value::String(text))) if text.contains(HALF) => Some(text),
        _ => None,
    }
}

/// Whether Python reads a value that is written as JSON.
///
/// # Errors
/// When an integer in it is too long, in Python's words.
pub(crate) fn check_integers(value: &Value) -> Result<(), String> {
    match value {
        Value::Number(number) => {
            let written = number.to_string();
            let digits = written.trim_start_matches('-');
            let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
            if is_integer { too_long(digits.len()).map_or(Ok(()), Err) } else { Ok(()) }
        }
        Value::Array(items) => items.iter().try_for_each(check_integers),
        Value::Object(members) => members.values().try_for_each(check_integers),
        _ => Ok(()),
    }
}

/// What Python says of an integer of so many digits, where they are too many.
#[must_use]
pub(crate) fn too_long(digits: usize) -> Option<String> {
    (digits > MOST_DIGITS).then(|| {
        format!(
            "Exceeds the limit ({MOST_DIGITS} digits) for integer string conversion: value has {digits} digits; \
             use sys.set_int_max_str_digits() to increase the limit"
        )
    })
}

/// A value as JSON that reads back as it was written.
#[must_use]
pub(crate) fn print_value(value: &Value) -> String {
    let written = value.to_string();
    let Some((head, rest)) = written.split_once(HALF) else { return written };
    let mut whole = head.to_owned();
    for part in rest.split(HALF) {
        whole.push_str(if is_half(part) { "\\u" } else { "\u{fdd0}" });
        whole.push_str(part);
    }
    whole
}

/// Whether a text begins with the digits of half a pair.
pub(super) fn is_half(text: &str) -> bool {
    text.get(..4)
        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        .is_some_and(|code| (0xd800..0xe000).contains(&code))
}

struct Reader<'t> {
    letters: &'t [char],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn fault_at(&self, words: &str, at: usize) -> Fault {
        let before = &self.letters[..at.min(self.letters.len())];
        let line = before.iter().filter(|letter| **letter == '\n').count() + 1;
        let column = before.iter().rev().take_while(|letter| **letter != '\n').count() + 1;
        Fault { words: words.to_owned(), place: Some((line, column, at)) }
    }

    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn parse_value(&mut self) -> Result<Value, Fault> {
        match self.peek() {
            Some('"') => self.parse_string().map(Value::String),
            Some('{') => self.parse_nested("object", Self::parse_object),
            Some('[') => self.parse_nested("array", Self::parse_list),
            _ => match self.parse_word().or_else(|| self.parse_number()) {
                Some(value) => value,
                None => Err(self.fault_at("Expecting value", self.at)),
            },
        }
    }

    fn parse_nested(
        &mut self,
        what: &str,
        inner: fn(&mut Self) -> Result<Value, Fault>,
    ) -> Result<Value, Fault> {
        if self.depth == DEEPEST {
            let words = format!(
                "maximum recursion depth exceeded while decoding a JSON {what} from a unicode string"
            );
            return Err(Fault { words, place: None });
        }
        self.depth += 1;
        self.at += 1;
        self.skip_spaces();
        let read = inner(self);
        self.depth -= 1;
        read
    }

    fn parse_object(&mut self) -> Result<Value, Fault> {
        let mut members = Map::new();
        if self.consume_char('}') {
            return Ok(Value::Object(members));
        }
        loop {
            if self.peek() != Some('"') {
                return Err(
                    self.fault_at("Expecting property name enclosed in double quotes", self.at)
                );
            }
            let key = self.parse_string()?;
            self.skip_spaces();
            if !self.consume_char(':') {
                return Err(self.fault_at("Expecting ':' delimiter", self.at));
            }
            self.skip_spaces();
            let value = self.parse_value()?;
            members.insert(key, value);
            if self.close_or_comma('}')? {
                return Ok(Value::Object(members));
            }
        }
    }

    fn parse_list(&mut self) -> Result<Value, Fault> {
        let mut items = Vec::new();
        if self.consume_char(']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.parse_value()?);
            if self.close_or_comma(']')? {
                return Ok(Value::Array(items));
            }
        }
    }

    /// Whether what is nested ends here; else another one follows a comma.
    fn close_or_comma(&mut self, close: char) -> Result<bool, Fault> {
        self.skip_spaces();
        if self.consume_char(close) {
            return Ok(true);
        }
        if !self.consume_char(',') {
            return Err(self.fault_at("Expecting ',' delimiter", self.at));
        }
        self.skip_spaces();
        Ok(false)
    }

    fn consume_char(&mut self, letter: char) -> bool {
        let found = self.peek() == Some(letter);
        self.at += usize::from(found);
        found
    }

    fn parse_word(&mut self) -> Option<Result<Value, Fault>> {
        let rest = &self.letters[self.at..];
        let begins = |word: &&str| word.chars().eq(rest.iter().copied().take(word.len()));
        let word =
            ["null", "true", "false", "NaN", "Infinity", "-Infinity"].into_iter().find(begins)?;
        self.at += word.len();
        Some(Ok(match word {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            word => no_number(word),
        }))
    }

    /// The longest part that is a number.
    fn parse_number(&mut self) -> Option<Result<Value, Fault>> {
        let digits_from = |at: usize| {
            self.letters[at..].iter().take_while(|letter| letter.is_ascii_digit()).count()
        };
        let whole = self.at + usize::from(self.peek() == Some('-'));
        let mut end = match self.letters.get(whole)? {
            '0' => whole + 1,
            '1'..='9' => whole + digits_from(whole),
            _ => return None,
        };
        let digits = end - whole;
        let integer = end;
        if self.letters.get(end) == Some(&'.') && digits_from(end + 1) > 0 {
            end += 1 + digits_from(end + 1);
        }
        if matches!(self.letters.get(end), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.letters.get(end + 1), Some('+' | '-')));
            let power = self.letters.get(end + 1 + sign).map_or(0, |_| digits_from(end + 1 + sign));
            end += if power > 0 { 1 + sign + power } else { 0 };
        }
        if let Some(words) = (end == integer).then(|| too_long(digits)).flatten() {
            return Some(Err(Fault { words, place: None }));
        }
        let written: String = self.letters[self.at..end].iter().collect();
        self.at = end;
        let number = serde_json::from_str(&written)
            .map(|number| Value::Number(decimal::canonical_number(number)));
        Some(number.map_err(|error| Fault { words: error.to_string(), place: None }))
    }

    fn parse_string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let letter = self
                .peek()
                .ok_or_else(|| self.fault_at("Unterminated string starting at", start))?;
            self.at += 1;
            match letter {
                '"' => return Ok(text),
                '\\' => self.parse_escape(start, &mut text)?,
                '\0'..='\u{1f}' => {
                    return Err(self.fault_at("Invalid control character at", self.at - 1));
                }
                letter => text.push(letter),
            }
        }
    }

    fn parse_escape(&mut self, start: usize, text: &mut String) -> Result<(), Fault> {
        let letter =
            self.peek().ok_or_else(|| self.fault_at("Unterminated string starting at", start))?;
        self.at += 1;
        text.push(match letter {
            '"' | '\\' | '/' => letter,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.parse_unicode_escape(text),
            _ => return Err(self.fault_at("Invalid \\escape", self.at - 2)),
        });
        Ok(())
    }

    fn parse_unicode_escape(&mut self, text: &mut String) -> Result<(), Fault> {
        let first = self.hex_digits(self.at).ok_or_else(|| self.fault_at(BAD_CODE, self.at - 1))?;
        self.at += 4;
        let second = match self.letters.get(self.at..self.at + 2) {
            Some(['\\', 'u']) if (0xd800..0xdc00).contains(&first) => {
                self.hex_digits(self.at + 2).filter(|code| (0xdc00..0xe000).contains(code))
            }
            _ => None,
        };
        let code =
            second.map_or(first, |second| 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
        self.at += if second.is_some() { 6 } else { 0 };
        match char::from_u32(code) {
            Some(letter) => text.push(letter),
            None => text.extend([HALF].into_iter().chain(format!("{code:04x}").chars())),
        }
        Ok(())
    }

    /// Four digits, with at least the closing quote behind them.
    fn hex_digits(&self, at: usize) -> Option<u32> {
        let digits: String = self.letters.get(at..at + 4)?.iter().collect();
        let hex =
            digits.chars().all(|digit| digit.is_ascii_hexdigit()) && self.letters.len() > at + 4;
        hex.then(|| u32::from_str_radix(&digits, 16).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_json_has_is_read_as_everywhere() {
        for text in [
            "null",
            " [1, -2.5e3, \"a\\u00e9\\n\\ud83d\\ude00\", {\"a\": {}, \"b\": []}] ",
            "-0",
            "\"\u{7f}\u{e9}\"",
        ] {
            let mut elsewhere: Value = serde_json::from_str(text).unwrap();
            decimal::canonicalize(&mut elsewhere);
            assert_eq!(parse_value(text).unwrap(), elsewhere, "{text}");
        }
        assert_eq!(parse_value(r#"{"a": 1, "a": 2}"#).unwrap(), json!({"a": 2}));
        assert!(parse_value(&("[".repeat(400) + &"]".repeat(400))).is_ok());
    }

    #[test]
    fn what_only_python_has_is_kept() {
        for text in [r#"{"a":NaN,"b":[Infinity,-Infinity]}"#, r#"{"\udc00":"x\ud800y\udfff"}"#] {
            assert_eq!(print_value(&parse_value(text).unwrap()), text);
        }
        assert_eq!(parse_value(r#""\uD800""#).unwrap(), json!("\u{fdd0}d800"));
        assert_eq!(print_value(&json!("\u{fdd0}")), "\"\u{fdd0}\"");
        assert_eq!(print_value(&json!("\u{fdd0}0041")), "\"\u{fdd0}0041\"");
    }

    #[test]
    fn what_is_refused_is_refused_in_pythons_words() {
        for (text, words) in [
            ("", "Expecting value: line 1 column 1 (char 0)"),
            ("nonsense", "Expecting value: line 1 column 1 (char 0)"),
            (
                "{broken",
                "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
            ),
            ("{\"a\"}", "Expecting ':' delimiter: line 1 column 5 (char 4)"),
            ("{\"a\": 1\n \"b\": 2}", "Expecting ',' delimiter: line 2 column 2 (char 9)"),
            (
                "{\"a\": 1,}",
                "Expecting property name enclosed in double quotes: line 1 column 9 (char 8)",
            ),
            ("[1,]", "Expecting value: line 1 column 4 (char 3)"),
            ("[1", "Expecting ',' delimiter: line 1 column 3 (char 2)"),
            ("1 2", "Extra data: line 1 column 3 (char 2)"),
            ("01", "Extra data: line 1 column 2 (char 1)"),
            ("nullx", "Extra data: line 1 column 5 (char 4)"),
            ("-", "Expecting value: line 1 column 1 (char 0)"),
            ("1.", "Extra data: line 1 column 2 (char 1)"),
            ("\"abc", "Unterminated string starting at: line 1 column 1 (char 0)"),
            ("\"a\nb\"", "Invalid control character at: line 1 column 3 (char 2)"),
            ("\"\\x\"", "Invalid \\escape: line 1 column 2 (char 1)"),
            (
                "\u{feff}{}",
                "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)",
            ),
        ] {
            assert_eq!(
                parse_value(text).map_err(|fault| fault.to_string()),
                Err(words.to_owned()),
                "{text:?}"
            );
        }
        for text in ["\"\\u12\"", "\"\\u12g4\"", "\"\\u1234"] {
            assert_eq!(
                parse_value(text).unwrap_err().to_string(),
                format!("{BAD_CODE}: line 1 column 3 (char 2)"),
                "{text:?}"
            );
        }
        assert!(
            parse_value(&"1".repeat(4301))
                .unwrap_err()
                .to_string()
                .contains("value has 4301 digits")
        );
        assert!(
            parse_value(&"[".repeat(2000))
                .unwrap_err()
                .to_string()
                .starts_with("maximum recursion depth")
        );
    }
}
