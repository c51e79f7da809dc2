//! Tools of elsewhere as the list of an MCP server.

use serde_json::{Value, json};

use super::{
    kept::{KeptList, hash_tools},
    keys,
    version::{DEFAULT, Era},
};
use crate::{
    engine::{
        model_view::Client,
        portable::{formats::META_STRICT, tool::object_schema},
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
    systems::facets::portable::{KeyedTool, Portable, PortableFile},
};

pub(crate) struct PortableTools;

/// The server that is said to list them.
const SERVER: &str = "converted";
const OUTPUT_SCHEMA: &str = "outputSchema";

impl Portable for PortableTools {
    fn client(&self) -> Option<Client> {
        Some(Client::Mcp)
    }

    fn shows_keys(&self) -> bool {
        false
    }

    fn why_lost(&self, field: &str) -> Option<&'static str> {
        (field == "answer").then_some("this version of MCP has only schemas of type object")
    }

    /// The hash of the tools, where it was theirs before.
    fn edits_beside(&self, before: &Value, after: &Value) -> Vec<Edit> {
        let hash_of = |list: &Value| {
            list.get(keys::TOOLS).and_then(Value::as_array).map(|tools| hash_tools(tools))
        };
        let kept = before.get(keys::HASH).and_then(Value::as_str);
        let (was, is) = (hash_of(before), hash_of(after));
        match is {
            Some(hash) if kept.is_some() && kept == was.as_deref() && was != Some(hash.clone()) => {
                vec![Edit::Set { at: Pointer::root().child(keys::HASH), to: hash.into() }]
            }
            _ => Vec::new(),
        }
    }

    fn name_file(&self, value: &mut Value, name: &str) {
        if let Some(members) = value.as_object_mut() {
            members.shift_insert(0, keys::SERVER.to_owned(), name.into());
        }
    }

    fn write_tools(&self, tools: &[KeyedTool]) -> Vec<PortableFile> {
        let write = |KeyedTool { tool, entry, .. }: &KeyedTool| {
            if let Some(entry) = entry {
                return whole_entry(entry);
            }
            let mut value = json!({
                "name": tool.name, "description": tool.description, "inputSchema": tool.parameters,
            });
            if let Some(output) = tool.output.as_ref().and_then(output_schema) {
                value[OUTPUT_SCHEMA] = output;
            }
            if let Some(strict) = tool.strict {
                value["_meta"] = json!({META_STRICT: strict});
            }
            value
        };
        let list = KeptList {
            server: SERVER.to_owned(),
            era: Era::from_version(DEFAULT),
            version: DEFAULT.to_owned(),
            time: String::new(),
            tools: tools.iter().map(write).collect(),
        };
        let mut value: Value = serde_json::from_str(&list.print()).unwrap_or_default();
        // It is of the server that its file is named after, whichever name that gets.
        if let Some(members) = value.as_object_mut() {
            members.shift_remove(keys::SERVER);
        }
        vec![PortableFile { path: KeptList::path(SERVER), value }]
    }
}

/// The schema of answers as the version takes it: of objects.
fn output_schema(schema: &Value) -> Option<Value> {
    let is_object = match schema.get("type") {
        Some(kind) => kind == "object",
        None => schema.get("properties").is_some(),
    };
    if Era::from_version(DEFAULT) != Era::Legacy {
        return Some(schema.clone());
    }
    is_object.then(|| object_schema(schema.clone()))
}

/// A tool of another list, without a schema of answers that the version doesn't take.
fn whole_entry(entry: &Value) -> Value {
    let mut entry = entry.clone();
    if let Some(members) = entry.as_object_mut()
        && members.get(OUTPUT_SCHEMA).is_some_and(|schema| output_schema(schema).is_none())
    {
        members.shift_remove(OUTPUT_SCHEMA);
    }
    entry
}
