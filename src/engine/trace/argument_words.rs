//! The arguments of a call in a few words, which tell the calls of one tool apart.

use serde_json::Value;

use crate::{engine::mask::Mask, schema::phrase::value_text};

/// Of a longer text only the beginning is read.
const READ: usize = 200;

/// Secrets that are repeated are looked for in no longer arguments: these words are made while rows
/// are drawn.
const LOOKED_INTO: usize = 16 * 1024;

/// The value of the first argument, then the others with their names; secrets are masked. A text
/// that is cut gives the value that it begins with.
#[must_use]
pub(crate) fn argument_words(arguments: &str) -> String {
    let beginning: String = arguments.chars().take(READ).collect();
    let looked_into = if arguments.len() <= LOOKED_INTO { arguments } else { beginning.as_str() };
    let mask = Mask::default().of_call(looked_into);
    let mut masked = mask.mask_text(&beginning).into_owned();
    if beginning.len() < arguments.len() {
        masked.truncate(mask.without_begun(&masked).len());
    }
    let words = match serde_json::from_str::<Value>(&masked) {
        Ok(Value::Object(members)) => {
            let said = members.iter().enumerate().map(|(at, (name, value))| match at {
                0 => value_text(value),
                _ => format!("{name}: {}", value_text(value)),
            });
            said.collect::<Vec<_>>().join(", ")
        }
        Ok(other) => value_text(&other),
        Err(_) => masked.split_once("\":").map_or(&*masked, |(_, value)| value).replace('"', ""),
    };
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_goes_first_without_the_json_around_it() {
        let long = format!(r#"{{"question":"What  are {}"}}"#, "the ".repeat(100));
        for (arguments, words) in [
            ("{}", ""),
            (r#"{"question":"What are\nthe \"top\" ones?"}"#, r#"What are the "top" ones?"#),
            (r#"{"order":{"id":7},"limit":5,"tag":"x"}"#, r#"{"id":7}, limit: 5, tag: x"#),
            (r#"{"password":"hunter2hunter2"}"#, "***"),
            (r#"{"pin_token":1234567,"n":"it is 1234567"}"#, "***, n: it is ***"),
            ("[1]", "[1]"),
        ] {
            assert_eq!(argument_words(arguments), words, "{arguments}");
        }
        assert!(argument_words(&long).starts_with("What are the the"), "{}", argument_words(&long));
        // Also where the rest is cut off, and where a secret is.
        let secret = "Corr3ct horse";
        for length in [0, 140, 152, 157] {
            let note = "x".repeat(length);
            let long = format!(
                r#"{{"password":"{secret}","note":"{note} {secret}","more":"{}"}}"#,
                "y".repeat(READ)
            );
            assert!(!argument_words(&long).contains("Corr"), "{}", argument_words(&long));
        }
    }
}
