//! Finds CommonGround's tool definitions in a file: one a document, or a list of them.
//!
//! A definition's key is its name, outer spaces cut, as the API stores it; where it has none, the
//! file's stem.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::keys;
use crate::{
    model::{
        entry::{Entry, EntryId, EntryKind, EntryPlace, FileId},
        settings::SETTINGS,
    },
    schema::pointer::Pointer,
    syntax::source::Source,
    systems::gate_tables,
};

/// The definitions of a file in the order they stand; none when nothing in it is CommonGround's.
#[must_use]
pub(crate) fn read_entries(file: &FileId, source: &Source) -> Vec<Entry> {
    if file.as_str() == SETTINGS {
        return gate_tables::settings_entry(file, source, keys::SYSTEM).into_iter().collect();
    }
    let stem = file.path().file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let mut entries = Vec::new();
    for document in 0..source.document_count() {
        // Objects in an object: only their names can make it a definition.
        if let Some(sections) = source.sections(document)
            && !is_definition(&sections.map(|(name, _)| (name.to_owned(), Value::Null)).collect())
        {
            continue;
        }
        let Some(root) = source.value(document) else { continue };
        entries.extend(found_in(root).into_iter().map(|(at, value)| {
            let place = source.find_place(document, &at);
            Entry {
                id: EntryId::new(EntryPlace::plain(file.clone(), document, at)),
                system: keys::SYSTEM,
                kind: EntryKind::Tool,
                key: definition_name(&value).unwrap_or(stem).to_owned(),
                value: value.into(),
                line: place.map_or(0, |place| place.line),
                column: place.map_or(0, |place| place.column),
            }
        }));
    }
    entries
}

/// A document that is a definition; all items of a list, or of the list `tools` that the API
/// answers with, once one of them is.
fn found_in(root: &Arc<Value>) -> Vec<(Pointer, Arc<Value>)> {
    let (home, items) = match &**root {
        Value::Object(members) if is_definition(members) => {
            return vec![(Pointer::root(), Arc::clone(root))];
        }
        Value::Object(members) => match members.get("tools") {
            Some(Value::Array(items)) => (Pointer::root().child("tools"), items),
            _ => return Vec::new(),
        },
        Value::Array(items) => (Pointer::root(), items),
        _ => return Vec::new(),
    };
    if !items.iter().filter_map(Value::as_object).any(is_definition) {
        return Vec::new();
    }
    items.iter().enumerate().map(|(row, item)| (home.item(row), Arc::new(item.clone()))).collect()
}

/// Whether these members can hardly be anything but a definition, complete or not.
fn is_definition(members: &Map<String, Value>) -> bool {
    let has = |key: &str| members.contains_key(key);
    let named = [keys::TOOL_NAME, keys::NAME].iter().any(|key| has(key));
    let rest = [keys::AFTER_EXECUTION, keys::PARAMETERS, keys::OPTIONS, keys::DESCRIPTION];
    // The content of a call card has a subject too.
    let is_call = has("arguments") && has("status");
    let sent = has(keys::TARGET_SUBJECT) && (named || rest.iter().any(|key| has(key)));
    !is_call
        && (sent
            || (has(keys::TOOL_NAME) && rest.iter().any(|key| has(key)))
            || (named && has(keys::AFTER_EXECUTION)))
}

/// The name under which the API stores a definition: `tool_name`, else `name`, outer spaces cut;
/// `None` where that is no text or blank.
#[must_use]
pub(crate) fn definition_name(value: &Value) -> Option<&str> {
    let given = value.get(name_key(value))?.as_str()?.trim();
    (!given.is_empty()).then_some(given)
}

/// The member that a definition's name is read from.
#[must_use]
pub(crate) fn name_key(value: &Value) -> &'static str {
    // As upstream has it: what counts as nothing in Python gives way.
    let empty = match value.get(keys::TOOL_NAME) {
        None | Some(Value::Null | Value::Bool(false)) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Number(number)) => number.as_f64() == Some(0.0),
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(members)) => members.is_empty(),
        Some(Value::Bool(true)) => false,
    };
    if empty && value.get(keys::NAME).is_some() { keys::NAME } else { keys::TOOL_NAME }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::syntax::source::Format;

    fn keys(format: Format, text: &str) -> Vec<(usize, String, String)> {
        let source = Source::parse(format, text).unwrap();
        let found = read_entries(&FileId::new("folder/stem.yaml"), &source);
        found
            .into_iter()
            .map(|entry| (entry.id.place().document, entry.id.place().at.to_string(), entry.key))
            .collect()
    }

    #[test]
    fn one_a_document_or_a_list_of_them() {
        let one = "tool_name: ' lamp '\ntarget_subject: x\nafter_execution: suspend\n";
        assert_eq!(keys(Format::Yaml, one), [(0, String::new(), "lamp".into())]);
        let two = format!("{one}---\nname: b\ntarget_subject: y\n---\nother: 1\n");
        assert_eq!(
            keys(Format::Yaml, &two),
            [(0, String::new(), "lamp".into()), (1, String::new(), "b".into())]
        );
        let list = json!([{"tool_name": "a", "parameters": {}}, {"description": "no name"}, 3])
            .to_string();
        assert_eq!(
            keys(Format::Json, &list),
            [
                (0, "/0".into(), "a".into()),
                (0, "/1".into(), "stem".into()),
                (0, "/2".into(), "stem".into())
            ]
        );
        let answer =
            json!({"tools": [{"tool_name": "a", "target_subject": "x"}], "total": 1}).to_string();
        assert_eq!(keys(Format::Json, &answer), [(0, "/tools/0".into(), "a".into())]);
    }

    #[test]
    fn files_of_others_give_nothing() {
        for file in [
            json!({"tool_name": "lamp", "arguments": {}, "status": "called", "target_subject": "x"}),
            json!({"name": "x", "description": "d", "parameters": {}}),
            json!({"tool": {"a": {"type": "prompt"}}}),
            json!({"tools": {"a": 1}}),
            json!([1, 2]),
            json!("text"),
        ] {
            assert_eq!(keys(Format::Json, &file.to_string()), [], "{file}");
        }
    }
}
