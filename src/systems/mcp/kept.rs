//! A list of tools as a server gave it, kept in the workspace as `mcp/NAME.json`: the catalog while
//! the server is away, and what later lists are compared with. A list may also be written before
//! there is a server.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{
    keys,
    version::{DEFAULT, Era},
};
use crate::{
    model::entry::EntryKind,
    systems::system::{NewEntry, NewList, NewPlace, OWN_NAME},
};

/// A kept list.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptList {
    /// The server's name in the workspace.
    pub server: String,
    pub era: Era,
    /// The revision of the protocol that it spoke.
    pub version: String,
    /// When it was asked, as RFC 3339 has it.
    pub time: String,
    /// Each tool as it came.
    pub tools: Vec<Value>,
}

impl KeptList {
    /// The list that the root of a file holds; `None` where it is none.
    #[must_use]
    pub fn from_value(root: &Value) -> Option<Self> {
        let text = |name: &str| root.get(name).and_then(Value::as_str).map(str::to_owned);
        let version = text(keys::VERSION)?;
        Some(Self {
            server: text(keys::SERVER)?,
            era: Era::from_version(&version),
            version,
            time: text(keys::TIME).unwrap_or_default(),
            tools: root.get(keys::TOOLS)?.as_array()?.clone(),
        })
    }

    /// The text of its file.
    #[must_use]
    pub fn print(&self) -> String {
        let members = [
            (keys::SERVER, json!(self.server)),
            (keys::ERA, json!(self.era.as_str())),
            (keys::VERSION, json!(self.version)),
            (keys::TIME, json!(self.time)),
            (keys::HASH, json!(hash_tools(&self.tools))),
            (keys::TOOLS, Value::Array(self.tools.clone())),
        ];
        let root: Map<String, Value> =
            members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        format!("{:#}\n", Value::Object(root))
    }

    /// Where the list of a server is kept, by names that every file system takes.
    #[must_use]
    pub fn path(server: &str) -> String {
        let plain =
            |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        let name: String =
            server.chars().map(|letter| if plain(letter) { letter } else { '-' }).collect();
        format!(
            "{}/{}.json",
            keys::MCP,
            if name.trim_matches('.').is_empty() { "server" } else { &name }
        )
    }
}

/// A tool in such a list, and a list without tools.
#[must_use]
pub(crate) fn new_entry_kinds() -> Vec<NewEntry> {
    let tool = NewEntry {
        system: keys::SYSTEM,
        kind: EntryKind::Tool,
        type_name: "mcp-server-tool",
        place: NewPlace::List(NewList {
            member: keys::TOOLS,
            path: KeptList::path,
            value: designed_list,
        }),
        named: &[keys::NAME],
        help: "A tool of an MCP server, as its tools/list shows it.",
        value: json!({
            keys::NAME: "", "description": "",
            "inputSchema": {"type": "object", "properties": {}},
        }),
    };
    let list = NewEntry {
        system: keys::SYSTEM,
        kind: EntryKind::Server,
        type_name: "mcp-server-tools",
        place: NewPlace::Folder(keys::MCP),
        named: &[keys::SERVER],
        help: "The tools of an MCP server that you write: a list, with none yet.",
        value: designed_list(OWN_NAME, Vec::new()),
    };
    vec![tool, list]
}

/// A list that no server gave: without the time and the hash of one that was read.
fn designed_list(server: &str, tools: Vec<Value>) -> Value {
    let mut list = json!({keys::SERVER: server, keys::VERSION: DEFAULT});
    list[keys::TOOLS] = tools.into();
    list
}

/// What says whether tools are as they came: of each number only what a 64-bit one holds of it, as
/// a file's values are known.
#[must_use]
pub fn hash_tools(tools: &[Value]) -> String {
    let mut hash = Sha256::new();
    for tool in tools {
        hash.update(with_plain_numbers(tool).to_string());
        hash.update("\n");
    }
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

fn with_plain_numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => value.clone(),
        Value::Number(number) => number.as_f64().map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().map(with_plain_numbers).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), with_plain_numbers(value)))
            .collect::<Map<_, _>>()
            .into(),
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::source::{Format, Source};

    #[test]
    fn a_list_is_kept_to_the_digit() {
        let tools: Value =
            serde_json::from_str(r#"[{"name": "a", "z": 12345678901234567890123, "b": [1.10]}]"#)
                .unwrap();
        let list = KeptList {
            server: "files".into(),
            era: Era::Legacy,
            version: "2025-11-25".into(),
            time: "2026-11-22T10:00:00Z".into(),
            tools: tools.as_array().unwrap().clone(),
        };
        let text = list.print();
        assert!(
            text.contains("12345678901234567890123")
                && text.contains("1.10")
                && text.ends_with("}\n"),
            "{text}"
        );
        let root: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(KeptList::from_value(&root), Some(list.clone()));
        assert_eq!(root["hash"], hash_tools(&list.tools));
        assert_ne!(hash_tools(&list.tools), hash_tools(&[]));
        // As the workspace knows them: with 64-bit numbers.
        let known = Source::parse(Format::Json, text.as_str()).unwrap();
        let known = known.value(0).unwrap()["tools"].as_array().unwrap().clone();
        assert_eq!(root["hash"], hash_tools(&known));
        assert_eq!(KeptList::from_value(&json!({"tools": []})), None);
    }

    #[test]
    fn a_file_has_a_plain_name() {
        for (server, path) in [
            ("files", "mcp/files.json"),
            ("io.x/a b", "mcp/io.x-a-b.json"),
            ("../..", "mcp/..-...json"),
            ("", "mcp/server.json"),
        ] {
            assert_eq!(KeptList::path(server), path);
        }
    }
}
