//! The ways in which other programs write a text in JSON: a service may repeat a secret in any of them.

use std::{collections::BTreeSet, fmt::Write as _};

use serde_json::Value;

/// A text as it may be within a text of any kind: as it is, as libraries write it in JSON, and each
/// of these within a text of JSON once more. One without odd letters has a single spelling.
#[must_use]
pub(super) fn spellings_of(text: &str) -> BTreeSet<String> {
    let escaped = escape(text);
    let ascii = escape_letters(&escaped, |letter| !matches!(letter, ' '..='~'));
    let of_html = escape_letters(&escaped, |letter| matches!(letter, '<' | '>' | '&'));
    let slashes = [&escaped, &ascii].map(|text| text.replace('/', "\\/"));
    let mut all: BTreeSet<String> = [text.to_owned(), escaped, ascii, of_html].into();
    all.extend(slashes);
    let nested: Vec<String> = all.iter().map(|text| escape(text)).collect();
    all.extend(nested);
    all
}

/// As JSON needs it: quotes, backslashes and control characters.
fn escape(text: &str) -> String {
    let written = Value::from(text).to_string();
    let inner = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(&written).to_owned()
}

/// Such letters as `\u00e4`, those beyond 16 bits as a pair: Python's `json.dumps` does so with all
/// beyond ASCII, Go's `json.Marshal` with those of HTML.
fn escape_letters(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_escaped(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                // Writing to a text never fails.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_spelled_as_libraries_write_it() {
        assert_eq!(spellings_of("Corr3ct horse"), ["Corr3ct horse".to_owned()].into());
        for (text, written) in [
            // Python, and PHP with its slashes.
            ("pässwört", r"p\u00e4ssw\u00f6rt"),
            ("pa/ä", r"pa\/\u00e4"),
            ("pa/ä", r"pa\/ä"),
            ("key🔑", r"key\ud83d\udd11"),
            // Go.
            ("a<b&c", r"a\u003cb\u0026c"),
            // The quote at the end is its own.
            (r#"hun t"er2""#, r#"hun t\"er2\""#),
            // JSON within JSON.
            (r#"hun t"er2""#, r#"hun t\\\"er2\\\""#),
            ("pässwört", r"p\\u00e4ssw\\u00f6rt"),
        ] {
            let all = spellings_of(text);
            assert!(all.contains(text) && all.contains(written), "{written}: {all:?}");
        }
    }
}
