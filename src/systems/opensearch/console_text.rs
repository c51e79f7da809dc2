//! Text as the documentation and the Dev Tools console have it, which is not quite JSON: `"""` around
//! long texts, a line such as `POST /_plugins/_ml/agents/_register` before the body, comments, or
//! the whole as a curl command.

use serde_json::Value;

/// Methods that a line before a body begins with.
const METHODS: [&str; 6] = ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"];

/// Every body in a text, in order: of requests as the console has them, or of curl commands.
///
/// # Errors
/// When one is not JSON apart from that, with its line.
pub fn read_bodies(text: &str) -> Result<Vec<Value>, String> {
    let mut bodies = Vec::new();
    if text.trim_start().starts_with("curl ") {
        for body in curl_bodies(text)? {
            push_body(&plain_json(&body)?, 1, &mut bodies).map_err(|why| format!("-d: {why}"))?;
        }
        return if bodies.is_empty() { Err("curl sends no JSON".into()) } else { Ok(bodies) };
    }
    let plain = plain_json(text)?;
    // Lines of a body, and the number of its first line.
    let mut body = String::new();
    let mut begins = 1;
    for (row, line) in plain.lines().enumerate() {
        if is_request(line) {
            push_body(&body, begins, &mut bodies)?;
            // Lines keep their numbers.
            body.clear();
            begins = row + 1;
        } else {
            body.push_str(line);
        }
        body.push('\n');
    }
    push_body(&body, begins, &mut bodies)?;
    if bodies.is_empty() { Err("it has no JSON".into()) } else { Ok(bodies) }
}

/// Whether a line begins a request.
fn is_request(line: &str) -> bool {
    let line = line.trim_start();
    let follows = |rest: &str| rest.starts_with([' ', '\t']);
    METHODS.iter().any(|method| line.strip_prefix(method).is_some_and(follows))
}

/// What curl commands send.
fn curl_bodies(text: &str) -> Result<Vec<String>, String> {
    const LONG: [&str; 4] = ["--data", "--data-raw", "--data-binary", "--json"];
    let words = shlex::split(text).ok_or("a quote of the curl command is not closed")?;
    let mut words = words.into_iter();
    let mut bodies = Vec::new();
    while let Some(word) = words.next() {
        let given = LONG.iter().find_map(|option| word.strip_prefix(option)?.strip_prefix('='));
        if LONG.contains(&word.as_str()) || word == "-d" {
            bodies.extend(words.next());
        } else if let Some(given) = given.or_else(|| word.strip_prefix("-d")) {
            bodies.push(given.to_owned());
        }
    }
    Ok(bodies)
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

/// The text with JSON's quotes around what is between `"""`, and without comments. Its lines are as
/// many as before, one for one, but for those within a long text, which follow it.
fn plain_json(text: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut begins_line = true;
    while let Some(first) = rest.chars().next() {
        let line = rest.find('\n').unwrap_or(rest.len());
        let taken = if begins_line && is_request(&rest[..line]) {
            plain.push_str(&rest[..line]);
            line
        } else if let Some(inside) = rest.strip_prefix("\"\"\"") {
            let length = inside.find("\"\"\"").ok_or("\"\"\" is not closed")?;
            let long = &inside[..length];
            plain.push_str(&Value::from(long).to_string());
            plain.extend(long.matches('\n'));
            length + 6
        } else if first == '"' {
            let length = short_length(rest);
            plain.push_str(&rest[..length]);
            length
        } else if first == '#' || rest.starts_with("//") {
            line
        } else if let Some(inside) = rest.strip_prefix("/*") {
            let length = inside.find("*/").ok_or("/* is not closed")?;
            plain.extend(inside[..length].matches('\n'));
            length + 4
        } else {
            plain.push(first);
            first.len_utf8()
        };
        begins_line = first == '\n';
        rest = &rest[taken..];
    }
    Ok(plain)
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

    #[test]
    fn comments_are_passed_over_wherever_the_console_takes_them() {
        let text = "POST /a//b\n{ // what it is\n  \"u\": \"http://x#y\", # and /* more\n  /* \"v\": 1,\n  */ \"w\": 2\n}";
        assert_eq!(read_bodies(text).unwrap(), [json!({"u": "http://x#y", "w": 2})]);
        assert!(read_bodies("{} /* x").unwrap_err().contains("not closed"));
        // What is wrong is named with its own line, behind a long text, too.
        let text = "POST /x\n{\n/* 3\n4 */\n\"a\": \"\"\"5\n6\"\"\",\n\"b\": c}";
        assert!(read_bodies(text).unwrap_err().starts_with("line 7"), "{:?}", read_bodies(text));
    }

    #[test]
    fn a_curl_command_is_read_for_what_it_sends() {
        let text = "curl -XPOST \"http://localhost:9200/_plugins/_ml/agents/_register\" \\\n  -H 'Content-Type: application/json' -d'\n{\n  \"a\": \"it'\\''s\" // why\n}'\ncurl --data-raw='{\"b\": 1}' x --json '{}'";
        assert_eq!(read_bodies(text).unwrap(), [json!({"a": "it's"}), json!({"b": 1}), json!({})]);
        assert!(read_bodies("curl -d '{").unwrap_err().contains("not closed"));
        assert_eq!(read_bodies("curl http://x").unwrap_err(), "curl sends no JSON");
        assert!(read_bodies("curl -d '{\n\"a\": b}'").unwrap_err().starts_with("-d: line 2"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in r#"(""|"|\\|\{|\}|a|:|\n|POST /|//|#|/\*|\*/|curl |-d|'|ü){0,30}"#) {
            let _ = read_bodies(&text);
        }
    }
}
