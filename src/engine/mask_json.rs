//! JSON with some of its values replaced: all else stays as it is written, letter by letter.

use std::{borrow::Cow, ops::Range};

use serde_json::{Value, value::RawValue};

/// What may be replaced by a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum JsonPart<'p> {
    /// The name of a member.
    Name(&'p str),
    /// A text, with the name of the member that it is; of an item of a list that is empty.
    Text { name: &'p str, text: &'p str },
    /// The same of a number, as it is written, or a word such as `true`.
    Plain { name: &'p str, written: &'p str },
}

/// An object or a list with what `replace` gives in the place of its parts; `None` where the text is
/// neither, or where it is no JSON. Each part comes with its place, which is within its quotes.
#[must_use]
pub(super) fn replace_parts(
    text: &str,
    replace: &mut dyn FnMut(JsonPart<'_>, Range<usize>) -> Option<String>,
) -> Option<String> {
    if !begins_json(text) || serde_json::from_str::<&RawValue>(text).is_err() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    // Whether what is open is an object, from the outside in.
    let mut open: Vec<bool> = Vec::new();
    let (mut name, mut names_member) = (Cow::Borrowed(""), false);
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let end = match byte {
            b'"' => end_of_text(text, at),
            b'{' | b'[' | b'}' | b']' | b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => at + 1,
            _ => end_of_plain(text, at),
        };
        let written = &text[at..end];
        let replaced = match byte {
            b'{' | b'[' => {
                open.push(*byte == b'{');
                None
            }
            b'}' | b']' => {
                open.pop();
                None
            }
            b'"' if names_member => {
                name = decode(written);
                replace(JsonPart::Name(&name), at + 1..end - 1)
            }
            b'"' => {
                let text = &decode(written);
                replace(JsonPart::Text { name: &name, text }, at + 1..end - 1)
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => None,
            _ => replace(JsonPart::Plain { name: &name, written }, at..end),
        };
        match byte {
            b'{' | b'[' | b'}' | b']' | b',' => {
                names_member = *byte != b']' && *byte != b'}' && open.last() == Some(&true);
                name = Cow::Borrowed("");
            }
            b':' => names_member = false,
            _ => {}
        }
        match replaced {
            Some(other) => out.push_str(&Value::from(other).to_string()),
            None => out.push_str(written),
        }
        at = end;
    }
    Some(out)
}

/// Whether a text may be an object or a list of JSON.
#[must_use]
pub(super) fn begins_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// Where the text ends that begins with a quote there.
fn end_of_text(text: &str, start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match text.as_bytes().get(at) {
            None => return text.len(),
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

fn end_of_plain(text: &str, start: usize) -> usize {
    let ends = |letter: char| letter.is_whitespace() || matches!(letter, ',' | '}' | ']');
    text[start..].find(ends).map_or(text.len(), |length| start + length)
}

/// What a text of JSON says.
pub(super) fn decode(written: &str) -> Cow<'_, str> {
    let inner = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inner {
        Some(inner) if !inner.contains('\\') => Cow::Borrowed(inner),
        // Half of a pair of letters can't be read: it stays as it is written.
        _ => serde_json::from_str(written)
            .map_or_else(|_| Cow::Borrowed(inner.unwrap_or(written)), Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parts_are_replaced_and_all_else_stays_as_it_is_written() {
        let text = "{ \"a\" : 1.50,\n  \"b\\u00e4\": [\"x\\\"\", {\"c\": null}, 1e400, \"y\"],\"d\":\"\\/\" }\n";
        let mut seen = Vec::new();
        let same = replace_parts(text, &mut |part, _| {
            seen.push(format!("{part:?}"));
            None
        });
        assert_eq!(same.as_deref(), Some(text));
        assert_eq!(
            seen.join("\n"),
            r#"Name("a")
Plain { name: "a", written: "1.50" }
Name("bä")
Text { name: "", text: "x\"" }
Name("c")
Plain { name: "c", written: "null" }
Plain { name: "", written: "1e400" }
Text { name: "", text: "y" }
Name("d")
Text { name: "d", text: "/" }"#
        );
        let marked = replace_parts(text, &mut |part, _| match part {
            JsonPart::Name(name) => (name == "c").then(|| "q\"".to_owned()),
            JsonPart::Text { text, .. } => (text == "/").then(|| "***".to_owned()),
            JsonPart::Plain { name, .. } => (name == "a").then(|| "***".to_owned()),
        });
        let expected =
            text.replace("1.50", "\"***\"").replace("\"c\"", "\"q\\\"\"").replace("\\/", "***");
        assert_eq!(marked, Some(expected));
    }

    #[test]
    fn what_is_no_object_or_list_of_json_is_left_out() {
        for text in ["", "1", "\"a\"", "{\"a\":", "{\"a\":***}", "[1] 2", "data: {}"] {
            assert_eq!(replace_parts(text, &mut |_, _| None), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_json_stays_as_it_is(text in r#"[\[{][0-9a-f\[\]{}",:\\ ]{0,16}[\]}]"#) {
            let seen = replace_parts(&text, &mut |_, _| None);
            if serde_json::from_str::<Value>(&text).is_ok() {
                prop_assert_eq!(seen, Some(text));
            }
        }
    }
}
