//! A block of JSON that configures servers for other programs, as READMEs have it, typed or pasted
//! where a server is asked for.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::server_words::{name_of_server, split_words, without_options};
use crate::systems::{
    facets::configured::{ConfigFile, FoundConfig},
    table,
};

/// The path that such a block has in place of a file's.
pub(crate) const PASTED: &str = "pasted";

/// The servers of a block such as `{"mcpServers": {…}}`, of what is inside of it, of one server's
/// entry, or of `claude mcp add-json NAME ENTRY`. `None`: the text is none of these.
///
/// # Errors
/// When it names no server.
pub(crate) fn read_block(text: &str) -> Option<Result<FoundConfig, String>> {
    let text = block_text(text.trim())?;
    let configured = table::configured().next()?;
    let variables = BTreeMap::new();
    let platform = match (cfg!(windows), cfg!(target_os = "macos")) {
        (true, _) => "win32",
        (_, true) => "darwin",
        _ => "linux",
    };
    let read = configured.read_config(&ConfigFile {
        path: PASTED,
        text: &text,
        home: None,
        project: None,
        variables: &variables,
        platform,
    });
    if read.servers.is_empty() {
        let found = read.findings.first().map(|found| format!(": {found}")).unwrap_or_default();
        return Some(Err(format!("this JSON names no server{found}")));
    }
    Some(Ok(FoundConfig { path: PASTED.into(), read }))
}

/// The whole block, with what was left out around it.
fn block_text(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix("claude mcp add-json ") {
        let words = split_words(rest).ok()?;
        let [name, entry, ..] = without_options(&words)[..] else { return None };
        let entry: Value = serde_json::from_str(entry).ok().filter(Value::is_object)?;
        return Some(json!({"mcpServers": {name: entry}}).to_string());
    }
    let whole = match begins_with_name(text) {
        // One member, as it is pasted between others.
        true => format!("{{{}}}", text.trim_end_matches(',')),
        false => text.to_owned(),
    };
    if !whole.starts_with('{') {
        return None;
    }
    let entry: Option<Value> = serde_json::from_str(&whole).ok();
    let entry = entry.filter(|entry| {
        ["command", "url"].iter().any(|key| entry.get(*key).is_some_and(Value::is_string))
    });
    let Some(entry) = entry else { return Some(whole) };
    let text_of = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let args = entry.get("args").and_then(Value::as_array).into_iter().flatten();
    let args = args.filter_map(Value::as_str).map(str::to_owned);
    let words: Vec<String> =
        text_of("command").or(text_of("url")).into_iter().chain(args).collect();
    let name = text_of("name").unwrap_or_else(|| name_of_server(&words));
    Some(json!({"mcpServers": {name: entry}}).to_string())
}

/// Whether a text begins as a member of an object does; a command may be in quotes, too:
/// `"C:\my tools\run.exe" --stdio`.
fn begins_with_name(text: &str) -> bool {
    let mut names = serde_json::Deserializer::from_str(text).into_iter::<String>();
    matches!(names.next(), Some(Ok(_))) && text[names.byte_offset()..].trim_start().starts_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Option<Result<Vec<String>, String>> {
        read_block(text).map(|read| {
            read.map(|config| config.read.servers.into_iter().map(|server| server.name).collect())
        })
    }

    #[test]
    fn blocks_of_other_programs_are_read_as_they_are_pasted() {
        for (text, expected) in [
            (r#"{"mcpServers": {"shop": {"command": "npx", "env": {"A": "b"}}}}"#, "shop"),
            (r#"{"servers": {"a": {"url": "https://h/mcp"}, "b": {"command": "x"}}}"#, "a b"),
            (r#""mcpServers": {"shop": {"command": "npx"}},"#, "shop"),
            (r#""shop": {"command": "npx", "args": ["-y", "x"]}"#, "shop"),
            (r#"{"command": "npx", "args": ["-y", "@a/server-shop"]}"#, "shop"),
            (r#"claude mcp add-json shop '{"type": "http", "url": "https://h/mcp"}'"#, "shop"),
            (r#"claude mcp add-json --scope user shop '{"command": "npx"}'"#, "shop"),
        ] {
            assert_eq!(names(text).unwrap().unwrap().join(" "), expected, "{text}");
        }
        for text in [
            "npx -y x",
            "shop https://h/mcp",
            "claude mcp add shop -- npx x",
            "\"C:\\my tools\\npx.cmd\" -y x",
            "\"/my tools/run\" --at http://h:1",
            "",
        ] {
            assert_eq!(names(text), None, "{text}");
        }
        for text in ["{", "{}", r#"{"mcpServers": {}}"#] {
            assert!(names(text).unwrap().unwrap_err().contains("names no server"), "{text}");
        }
    }
}
