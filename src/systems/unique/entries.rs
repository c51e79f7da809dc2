//! Finds entries of a space's tool list in a file: one alone, a list, or those of a whole space
//! with its modules; schema files in a folder `unique`; what `toolcrib.toml` says of a turn.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::keys;
use crate::{
    model::{
        entry::{Entry, EntryForm, EntryId, EntryKind, EntryPlace, FileId},
        settings::SETTINGS,
    },
    schema::pointer::Pointer,
    syntax::source::Source,
};

/// How deep lists of tools lie in a space: modules, one, configuration, space, tools, and what
/// deployments put between them.
const DEEPEST: usize = 8;
/// The list of entries, wherever it is.
const TOOLS: &str = "tools";
/// Members that a list of tools may lie in.
const AROUND: [&str; 5] = ["modules", "configuration", "space", "agent", "assistant"];

/// The entries of a file in the order they stand; none when nothing in it is Unique's.
#[must_use]
pub fn read_entries(file: &FileId, source: &Source) -> Vec<Entry> {
    if file.as_str() == SETTINGS {
        return settings_entry(file, source).into_iter().collect();
    }
    let mut entries = Vec::new();
    for document in 0..source.document_count() {
        if let Some(mut sections) = source.sections(document)
            && !sections.any(|(name, _)| AROUND.contains(&name) || name == keys::JSON_SCHEMA)
        {
            continue;
        }
        let Some(root) = source.value(document) else { continue };
        if document == 0 && is_schema_file(file, root) {
            let key = root.get("name").and_then(Value::as_str).unwrap_or_else(|| stem(file));
            let at = Pointer::root();
            let entry = FoundTool { at, key: key.to_owned(), value: Arc::clone(root) };
            return vec![new_entry(file, source, document, EntryKind::Schema, entry)];
        }
        let space = root.get("modules").and_then(|_| root.get("name")?.as_str());
        for found in found_in(root, space, stem(file)) {
            entries.push(new_entry(file, source, document, EntryKind::Tool, found));
        }
    }
    entries
}

fn stem(file: &FileId) -> &str {
    file.path().file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

/// Whether a file in a folder `unique` says what a tool may be configured with: as a server gives
/// it, or as the schema alone.
fn is_schema_file(file: &FileId, root: &Value) -> bool {
    let folder = file.path().parent().and_then(|folder| folder.file_name());
    let is_schema = root.get("properties").is_some_and(Value::is_object)
        && root.get("type").and_then(Value::as_str) == Some("object");
    folder.is_some_and(|folder| folder == keys::UNIQUE)
        && (root.get(keys::JSON_SCHEMA).is_some() || is_schema)
}

struct FoundTool {
    at: Pointer,
    key: String,
    value: Arc<Value>,
}

/// The entries of a document; `space` is the name of the space that it is.
fn found_in(root: &Arc<Value>, space: Option<&str>, stem: &str) -> Vec<FoundTool> {
    if let Value::Object(members) = &**root
        && is_entry(members)
    {
        let key = members.get(keys::NAME.camel).and_then(Value::as_str).unwrap_or(stem).to_owned();
        return vec![FoundTool { at: Pointer::root(), key, value: Arc::clone(root) }];
    }
    let mut lists = Vec::new();
    match &**root {
        Value::Array(items) => lists.push((Pointer::root(), items)),
        value => collect_lists(value, &Pointer::root(), 0, &mut lists),
    }
    let certain = |items: &&Vec<Value>| items.iter().filter_map(Value::as_object).any(is_entry);
    let mut found = Vec::new();
    for (home, items) in lists.into_iter().filter(|(_, items)| certain(items)) {
        for (row, item) in items.iter().enumerate() {
            let name = item.get(keys::NAME.camel).and_then(Value::as_str);
            let name = name.map_or_else(|| format!("#{row}"), str::to_owned);
            let key = space.map_or_else(|| name.clone(), |space| format!("{space}/{name}"));
            found.push(FoundTool { at: home.item(row), key, value: Arc::new(item.clone()) });
        }
    }
    found
}

/// Every list `tools` of a space, wherever a module has it.
fn collect_lists<'v>(
    value: &'v Value,
    at: &Pointer,
    depth: usize,
    lists: &mut Vec<(Pointer, &'v Vec<Value>)>,
) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::Array(items) if name == TOOLS => lists.push((at.child(TOOLS), items)),
                    member if AROUND.contains(&name.as_str()) => {
                        collect_lists(member, &at.child(name.as_str()), depth + 1, lists);
                    }
                    _ => {}
                }
            }
        }
        Value::Array(items) => {
            for (row, item) in items.iter().enumerate() {
                collect_lists(item, &at.item(row), depth + 1, lists);
            }
        }
        _ => {}
    }
}

/// Whether these members can hardly be anything but an entry, complete or not.
fn is_entry(members: &Map<String, Value>) -> bool {
    let has = |member: keys::Member| member.find(members).is_some();
    let own = [keys::SELECTION_POLICY, keys::IS_EXCLUSIVE, keys::IS_SUB_AGENT];
    let shared = [keys::ICON, keys::DISPLAY_NAME, keys::IS_ENABLED, keys::MCP_SOURCE_ID];
    let name = members.get(keys::NAME.camel).and_then(Value::as_str);
    let configuration = members.get(keys::CONFIGURATION.camel);
    let is_known = || {
        name.is_some_and(|name| keys::FACTORY.contains(&name))
            || configuration.is_some_and(|value| keys::MCP_SOURCE_ID.get(value).is_some())
            || shared.into_iter().any(has)
    };
    (members.contains_key(keys::NAME.camel) || configuration.is_some())
        && !members.contains_key("modules")
        && (own.into_iter().any(has) || (name.is_some() && configuration.is_some() && is_known()))
}

/// The table `[unique]`.
fn settings_entry(file: &FileId, source: &Source) -> Option<Entry> {
    let value = Arc::new(source.value(0)?.get(keys::UNIQUE)?.clone());
    let found =
        FoundTool { at: Pointer::root().child(keys::UNIQUE), key: "turn".to_owned(), value };
    Some(new_entry(file, source, 0, EntryKind::Server, found))
}

fn new_entry(
    file: &FileId,
    source: &Source,
    document: usize,
    kind: EntryKind,
    found: FoundTool,
) -> Entry {
    let place = source.find_place(document, &found.at);
    Entry {
        id: EntryId::new(EntryPlace {
            file: file.clone(),
            document,
            at: found.at,
            form: EntryForm::Plain,
        }),
        system: keys::SYSTEM,
        kind,
        key: found.key,
        value: found.value.into(),
        line: place.map_or(0, |place| place.line),
        column: place.map_or(0, |place| place.column),
    }
}

/// Whether an entry is what `toolcrib.toml` says of a turn.
#[must_use]
pub fn is_setting(entry: &Entry) -> bool {
    entry.system == keys::SYSTEM && entry.id.file().as_str() == SETTINGS
}

/// Where the list is that an entry is one of: of the same list are those that the platform reads
/// together.
#[must_use]
pub fn list_of(entry: &Entry) -> (FileId, usize, Option<Pointer>) {
    let place = entry.id.place();
    (place.file.clone(), place.document, place.at.parent())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::syntax::source::Format;

    fn found(file: &str, value: &Value) -> Vec<(String, String)> {
        let source = Source::parse(Format::Json, value.to_string()).unwrap();
        let entries = read_entries(&FileId::new(file), &source);
        entries
            .into_iter()
            .map(|entry| {
                (entry.id.place().at.to_string(), format!("{:?} {}", entry.kind, entry.key))
            })
            .collect()
    }

    fn pair(at: &str, words: &str) -> (String, String) {
        (at.to_owned(), words.to_owned())
    }

    #[test]
    fn an_entry_a_list_and_a_space_are_found() {
        let entry = json!({"name": "WebSearch", "configuration": {}});
        let own = json!({"name": "mine", "configuration": {}, "selection_policy": "ByUser"});
        assert_eq!(found("a.json", &entry), [pair("", "Tool WebSearch")]);
        assert_eq!(
            found("a.json", &json!([own, {"name": 3}])),
            [pair("/0", "Tool mine"), pair("/1", "Tool #1")]
        );
        let space = json!({"name": "Sales", "modules": [
            {"name": "UniqueAi", "configuration": {"space": {"tools": [entry, own]}}},
            {"name": "Other", "configuration": {"x": 1}},
        ]});
        let home = "/modules/0/configuration/space/tools";
        assert_eq!(
            found("space.json", &space),
            [
                pair(&format!("{home}/0"), "Tool Sales/WebSearch"),
                pair(&format!("{home}/1"), "Tool Sales/mine")
            ]
        );
        assert_eq!(found("a.json", &json!({"space": {"tools": [own]}})).len(), 1);
    }

    #[test]
    fn what_is_none_of_its_own_is_left() {
        for value in [
            json!({"name": "x", "configuration": {}}),
            json!({"tools": [{"name": "x", "description": "y"}]}),
            json!({"modules": {"a": {"b": 1}}}),
            json!([1, {"name": "x"}]),
            json!({"name": "WebSearch", "modules": []}),
            json!(3),
        ] {
            assert_eq!(found("a.json", &value), [], "{value}");
        }
    }

    #[test]
    fn a_schema_file_stands_in_its_folder() {
        let schema = json!({"json_schema": {"type": "object"}, "default_config": {}});
        assert_eq!(found("unique/Lamp.json", &schema), [pair("", "Schema Lamp")]);
        assert_eq!(found("other/Lamp.json", &schema), []);
        let plain = json!({"type": "object", "properties": {}});
        assert_eq!(found("a/unique/Lamp.json", &plain), [pair("", "Schema Lamp")]);
    }
}
