//! Text as the documentation and the Dev Tools console have it, which is not quite JSON: `"""` around
//! long texts, a line such as `POST /_plugins/_ml/agents/_register` before the body, comments.

use serde_json::Value;

/// Methods that a line before a body begins with.
const METHODS: [&str; 6] = ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"];

/// Every body in a text, in order.
///
/// # Errors
/// When one is not JSON apart from that, with its line.
pub fn read_bodies(text: &str) -> Result<Vec<Value>, String> {
    let plain = quote_long_texts(text)?;
    let mut bodies = Vec::new();
    // Lines of a body, and the number of its first line.
    let mut body = String::new();
    let mut begins = 1;
    for (row, line) in plain.lines().enumerate() {
        let trimmed = line.trim();
        let is_request = METHODS.iter().any(|method| {
            trimmed.strip_prefix(method).is_some_and(|rest| rest.starts_with([' ', '\t']))
        });
        let is_comment = trimmed.starts_with("//") || trimmed.starts_with('#');
        if is_request {
            push_body(&body, begins, &mut bodies)?;
            body.clear();
        }
        if is_request || is_comment {
            // Lines keep their numbers.
            body.push('\n');
        } else {
            body.push_str(line);
            body.push('\n');
        }
        if is_request {
            begins = row + 1;
        }
    }
    push_body(&body, begins, &mut bodies)?;
    if bodies.is_empty() { Err("it has no JSON".into()) } else { Ok(bodies) }
}

fn push_body(text: &str, begins: usize, to: &mut Vec<Value>) -> Result<(), String> {
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        to.push(value.map_err(|error| {
            let line = begins + error.line() - 1;
            format!("line {line}, column {}: {error}", error.column())
        })?);
    }
    Ok(())
}

/// The text with JSON's quotes around what is between `"""`.
fn quote_long_texts(text: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, is_long)) = next_quote(rest) {
        plain.push_str(&rest[..at]);
        if is_long {
            let inside = &rest[at + 3..];
            let length = inside.find("\"\"\"").ok_or("\"\"\" is not closed")?;
            plain.push_str(&Value::from(&inside[..length]).to_string());
            rest = &inside[length + 3..];
        } else {
            let length = short_length(&rest[at..]);
            plain.push_str(&rest[at..at + length]);
            rest = &rest[at + length..];
        }
    }
    plain.push_str(rest);
    Ok(plain)
}

/// Where the next text begins, and whether three quotes begin it.
fn next_quote(text: &str) -> Option<(usize, bool)> {
    let at = text.find('"')?;
    Some((at, text[at..].starts_with("\"\"\"")))
}

/// How long a text between single quotes is, both among it.
fn short_length(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_of_the_documentation_is_read() {
        let text = "# first\nPOST /_plugins/_ml/agents/_register\n{\n  \"name\": \"a \\\"b\\\"\",\n  \"prompt\": \"\"\"Say \"hi\"\nto \\ all\"\"\"\n}\n\nPUT /x\n{\"a\": \"\"}\n";
        assert_eq!(
            read_bodies(text).unwrap(),
            [json!({"name": "a \"b\"", "prompt": "Say \"hi\"\nto \\ all"}), json!({"a": ""})]
        );
        assert!(read_bodies("POST /x\n{\n  \"a\": b\n}").unwrap_err().starts_with("line 3"));
        assert!(read_bodies("{\"a\": \"\"\"x}").unwrap_err().contains("not closed"));
        assert!(read_bodies("GET /x\n").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in r#"(""|"|\\|\{|\}|a|:|\n|POST /|//|#){0,30}"#) {
            let _ = read_bodies(&text);
        }
    }
}
