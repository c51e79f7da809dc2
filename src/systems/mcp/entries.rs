//! Finds kept lists in a workspace's files, and what `toolcrib.toml` says of their servers.

use std::sync::Arc;

use serde_json::Value;

use super::keys;
use crate::{
    model::{
        entry::{Entry, EntryId, EntryKind, EntryPlace, FileId},
        settings::SETTINGS,
    },
    schema::pointer::Pointer,
    syntax::{lazy_value::LazyValue, source::Source},
};

/// The entries of a file: a server and its tools of a kept list, servers of the settings.
#[must_use]
pub fn read_entries(file: &FileId, source: &Source) -> Vec<Entry> {
    let is_settings = file.as_str() == SETTINGS;
    // The value of a large file as a whole takes long to put together, and stays.
    if !is_settings && (!may_be_kept(file) || source.sections(0).is_some()) {
        return Vec::new();
    }
    let Some(root) = source.value(0) else { return Vec::new() };
    if is_settings {
        return settings_entries(file, source, root);
    }
    if !is_kept(root) {
        return Vec::new();
    }
    // A list that does not say it is of the server that its file is named after.
    let stem = file.path().file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let server = root.get(keys::SERVER).and_then(Value::as_str).unwrap_or(stem);
    let mut entries = vec![new_entry(
        file,
        source,
        Pointer::root(),
        EntryKind::Server,
        server.to_owned(),
        Arc::clone(root).into(),
    )];
    for (row, tool) in
        root.get(keys::TOOLS).and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        let at = Pointer::root().child(keys::TOOLS).item(row);
        let name = tool.get("name").and_then(Value::as_str);
        let key =
            name.map_or_else(|| format!("{server}/#{row}"), |name| format!("{server}/{name}"));
        let value = LazyValue::of_item(root, keys::TOOLS, row);
        entries.push(new_entry(file, source, at, EntryKind::Tool, key, value));
    }
    entries
}

/// Whether a file is where kept lists do, in a folder `mcp`. What a server has now is in no file of
/// a workspace, which all have an ending.
fn may_be_kept(file: &FileId) -> bool {
    let folder = file.path().parent().and_then(|folder| folder.file_name());
    folder.is_some_and(|folder| folder == keys::MCP) || file.path().extension().is_none()
}

/// Whether a file there holds a kept list: it has tools, and says of which server they are (also
/// with an object, which names none) or what else only such a list says.
fn is_kept(root: &Value) -> bool {
    let has_text = |key: &str| root.get(key).is_some_and(Value::is_string);
    let own_keys = [keys::SERVER, keys::ERA, keys::TIME, keys::HASH];
    let has_server = root.get(keys::SERVER).is_some_and(Value::is_object);
    root.get(keys::TOOLS).is_some_and(Value::is_array)
        && (has_server || own_keys.into_iter().any(has_text))
}

/// `[mcp.NAME]`, each a server.
fn settings_entries(file: &FileId, source: &Source, root: &Value) -> Vec<Entry> {
    let servers = root.get(keys::MCP).and_then(Value::as_object).into_iter().flatten();
    let server = |(name, value): (&String, &Value)| {
        let at = Pointer::from_iter([keys::MCP, name.as_str()]);
        new_entry(file, source, at, EntryKind::Server, name.clone(), value.clone().into())
    };
    servers.map(server).collect()
}

fn new_entry(
    file: &FileId,
    source: &Source,
    at: Pointer,
    kind: EntryKind,
    key: String,
    value: LazyValue,
) -> Entry {
    let place = source.find_place(0, &at);
    Entry {
        id: EntryId::new(EntryPlace::plain(file.clone(), 0, at)),
        system: keys::SYSTEM,
        kind,
        key,
        value,
        line: place.map_or(0, |place| place.line),
        column: place.map_or(0, |place| place.column),
    }
}

/// Whether an entry is what `toolcrib.toml` says of a server.
#[must_use]
pub fn is_setting(entry: &Entry) -> bool {
    entry.system == keys::SYSTEM && entry.id.file().as_str() == SETTINGS
}

/// The server that a tool of a kept list belongs to: its key without the tool's name.
#[must_use]
pub fn server_of(entry: &Entry) -> &str {
    let name = entry.value.get("name").and_then(Value::as_str);
    let alone = name.and_then(|name| entry.key.strip_suffix(name)?.strip_suffix('/'));
    alone.or_else(|| entry.key.rsplit_once("/#").map(|(server, _)| server)).unwrap_or(&entry.key)
}
