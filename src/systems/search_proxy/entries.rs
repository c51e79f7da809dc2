//! Finds tools of the proxy in a file: an object alone, or those of a list.

use std::sync::Arc;

use serde_json::Value;

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

/// The entries of a file in the order they stand; none when nothing in it is the proxy's.
#[must_use]
pub fn read_entries(file: &FileId, source: &Source) -> Vec<Entry> {
    if file.as_str() == SETTINGS {
        return gate_tables::settings_entry(file, source, keys::SYSTEM).into_iter().collect();
    }
    let mut entries = Vec::new();
    for document in 0..source.document_count() {
        if let Some(mut sections) = source.sections(document)
            && !sections.any(|(name, _)| name == keys::ENDPOINT)
        {
            continue;
        }
        let Some(root) = source.value(document) else { continue };
        let found = match &**root {
            Value::Array(items) => {
                let at = |row| Pointer::root().item(row);
                items.iter().enumerate().map(|(row, item)| (at(row), item)).collect()
            }
            value => vec![(Pointer::root(), value)],
        };
        for (at, value) in found.into_iter().filter(|(_, value)| is_entry(value)) {
            entries.push(new_entry(file, source, document, at, value));
        }
    }
    entries
}

fn is_entry(value: &Value) -> bool {
    value.get(keys::ENDPOINT).is_some_and(Value::is_string)
}

fn new_entry(file: &FileId, source: &Source, document: usize, at: Pointer, value: &Value) -> Entry {
    let place = source.find_place(document, &at);
    let stem = file.path().file_stem().and_then(|stem| stem.to_str());
    let name = value.get(keys::NAME).and_then(Value::as_str);
    Entry {
        key: name.or(stem).unwrap_or_default().to_owned(),
        id: EntryId::new(EntryPlace::plain(file.clone(), document, at)),
        system: keys::SYSTEM,
        kind: EntryKind::Tool,
        line: place.map_or(0, |place| place.line),
        column: place.map_or(0, |place| place.column),
        value: Arc::new(value.clone()).into(),
    }
}
