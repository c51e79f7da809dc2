//! JSON for a terminal or a pipe: what would steer a terminal, or not show, is written as `\u061c`.

use std::{
    io::{self, Write},
    mem,
};

use serde_json::Value;

use crate::model::shown::{is_plain, is_replaced};

/// Writes JSON text on as it comes, with escapes for what [`visible_text`](crate::model::shown::visible_text)
/// would replace. Outside of strings JSON holds none of it.
#[derive(Debug)]
pub(crate) struct EscapedJson<W> {
    to: W,
    before: char,
}

/// A value as JSON over several lines, the last of them with its end.
#[must_use]
pub(crate) fn pretty_text(value: &Value) -> String {
    let mut text = Vec::new();
    // A vector takes all that is written to it.
    let _ = serde_json::to_writer_pretty(EscapedJson::new(&mut text), value);
    text.push(b'\n');
    String::from_utf8(text).unwrap_or_default()
}

impl<W: Write> EscapedJson<W> {
    /// Writes to what is given, at once.
    pub fn new(to: W) -> Self {
        Self { to, before: ' ' }
    }
}

impl<W: Write> Write for EscapedJson<W> {
    /// Takes all that it is given, which must be whole characters.
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        if is_plain(json.strip_suffix(b"\n").unwrap_or(json)) {
            self.before = json.last().map_or(self.before, |last| char::from(*last));
            self.to.write_all(json)?;
            return Ok(json.len());
        }
        let text = str::from_utf8(json)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let mut kept = 0;
        for (at, letter) in text.char_indices() {
            let is_plain = !is_replaced(mem::replace(&mut self.before, letter), letter);
            if is_plain || letter == '\n' {
                continue;
            }
            self.to.write_all(&json[kept..at])?;
            for unit in letter.encode_utf16(&mut [0; 2]) {
                write!(self.to, "\\u{unit:04x}")?;
            }
            kept = at + letter.len_utf8();
        }
        self.to.write_all(&json[kept..])?;
        Ok(json.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::shown::visible_text;

    fn escaped(json: &str) -> String {
        let mut escaped = EscapedJson::new(Vec::new());
        escaped.write_all(json.as_bytes()).unwrap();
        String::from_utf8(escaped.to).unwrap()
    }

    #[test]
    fn json_is_escaped_in_units_of_utf_16() {
        assert_eq!(escaped("\"\u{e0041}\u{61c}\"\n"), "\"\\udb40\\udc41\\u061c\"\n");
        for text in ["\"☎\u{fe0f}\"", "\"می\u{200c}خواهم\"", "\"👩\u{200d}💻\""] {
            assert_eq!(escaped(text), text);
        }
    }

    proptest! {
        #[test]
        fn escaped_json_says_the_same_and_nothing_in_it_is_replaced(
            text in "(\\PC|[\u{0}-\u{9f}\u{61c}\u{200b}-\u{2069}\u{feff}\u{fe00}-\u{fe0f}\u{e0000}-\u{e01ff}])*",
        ) {
            let json = serde_json::Value::from(text).to_string();
            let written = escaped(&json);
            // Joined pictures stay joined in JSON.
            prop_assert_eq!(visible_text(&written).replace('\u{200d}', ""), written.replace('\u{200d}', ""));
            let read: serde_json::Value = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(read.to_string(), json);
        }
    }
}
