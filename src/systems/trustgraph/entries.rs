//! Finds TrustGraph's entries in a file: one entry alone, maps by configuration type, and
//! configuration exports.
//!
//! What the configuration's key of an entry is:
//! - in a map (`tool: {tell-joke: …}`) and in an export, the key it is under;
//! - for a tool or server alone in a file, the file's stem: `tell-joke.json` is loaded as
//!   `tool/tell-joke`;
//! - for a service alone in a file, its `id`, and the file's stem where it has none.
//!   The document finds a service by its `id`, the deployed code by its configuration key; storing
//!   it under its `id` satisfies both.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{keys, types};
use crate::{
    model::entry::{Entry, EntryForm, EntryId, EntryKind, EntryPlace, FileId},
    schema::pointer::Pointer,
    syntax::{
        lazy_value::LazyValue,
        python_json,
        source::{Format, Member, Source},
    },
};

/// Configuration types, with the kind of their entries.
const MAPS: [(&str, EntryKind); 3] = [
    (keys::TOOLS, EntryKind::Tool),
    (keys::SERVICES, EntryKind::Service),
    (keys::SERVERS, EntryKind::Server),
];

/// The entries of a file in the order they stand; none when nothing in it is TrustGraph's.
#[must_use]
pub(crate) fn read_entries(file: &FileId, source: &Source) -> Vec<Entry> {
    let stem = file.path().file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let doubt =
        if source.format() == Format::Toml { NeededCertainty::High } else { NeededCertainty::Low };
    let mut entries = Vec::new();
    for document in 0..source.document_count() {
        let found = match in_sections(source, document, doubt) {
            Some(found) => found,
            None => {
                source.value(document).map(|root| found_in(root, stem, doubt)).unwrap_or_default()
            }
        };
        entries.extend(found.into_iter().map(|found| {
            let (line, column) = source
                .start_offset(document, &found.at)
                .map_or((0, 0), |start| source.position(start));
            Entry {
                id: EntryId::new(EntryPlace {
                    file: file.clone(),
                    document,
                    at: found.at,
                    form: found.form,
                }),
                system: keys::SYSTEM,
                kind: found.kind,
                key: found.key,
                value: found.value,
                line,
                column,
            }
        }));
    }
    entries
}

/// The entry as a later revision of its file has it; `None` where the file is to be read again to
/// tell which entries it holds.
#[must_use]
pub(crate) fn refresh_entry(entry: &Entry, source: &Source) -> Option<Entry> {
    let EntryPlace { document, at, form, .. } = entry.id.place();
    let value = source
        .section_member(*document, at)
        .filter(|value| *form == EntryForm::Plain && !value.is_string())?;
    // As long as it is one for certain, it makes the others certain too.
    is_a(entry.kind, &value, NeededCertainty::Low).then(|| Entry { value, ..entry.clone() })
}

/// The entries of a document that is read in pieces, if it is one of maps.
fn in_sections(
    source: &Source,
    document: usize,
    doubt: NeededCertainty,
) -> Option<Vec<FoundEntry>> {
    let of = |name: &str| MAPS.iter().find(|(of, _)| *of == name).map(|(_, kind)| *kind);
    let mut maps = Vec::new();
    for (name, members) in source.sections(document)? {
        if matches!(name, "config" | "values") {
            return None;
        }
        if let Some(kind) = of(name) {
            let read = |Member { key, value, is_text }: Member<'_>| match is_text {
                true => (key.to_string(), EntryForm::JsonText, decode_json_text(&value).into()),
                false => (key.to_string(), EntryForm::Plain, value),
            };
            maps.push((name.to_owned(), kind, members.map(read).collect()));
        }
    }
    let found = certain_entries(&Pointer::root(), maps, doubt);
    (!found.is_empty()).then_some(found)
}

/// How sure a map must make us: `[tool.…]` in TOML is most often another program's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NeededCertainty {
    Low,
    High,
}

#[derive(Debug)]
struct FoundEntry {
    at: Pointer,
    form: EntryForm,
    kind: EntryKind,
    key: String,
    value: LazyValue,
}

fn found_in(root: &Arc<Value>, stem: &str, doubt: NeededCertainty) -> Vec<FoundEntry> {
    let Value::Object(members) = &**root else { return Vec::new() };
    let (home, members) = match members.get("config") {
        Some(Value::Object(inner)) if MAPS.iter().any(|(name, _)| inner.contains_key(*name)) => {
            (Pointer::root().child("config"), inner)
        }
        _ => (Pointer::root(), members),
    };
    let mut found = in_maps(&home, members, doubt);
    found.extend(in_values(members));
    if found.is_empty() && home.is_root() {
        found.extend(single_entry(members, stem).map(|(kind, key)| FoundEntry {
            at: home,
            form: EntryForm::Plain,
            kind,
            key,
            value: Arc::clone(root).into(),
        }));
    }
    found
}

/// A file that is one entry: its kind and key.
fn single_entry(members: &Map<String, Value>, stem: &str) -> Option<(EntryKind, String)> {
    if is_service(members) {
        let id = text_member(members, keys::ID).filter(|id| !id.is_empty()).unwrap_or(stem);
        Some((EntryKind::Service, id.to_owned()))
    } else if is_tool(members) {
        Some((EntryKind::Tool, stem.to_owned()))
    } else if is_server(members)
        && [keys::REMOTE_NAME, keys::AUTH_TOKEN].iter().any(|key| members.contains_key(*key))
    {
        Some((EntryKind::Server, stem.to_owned()))
    } else {
        None
    }
}

/// `{"tool": {key: entry}, "tool-service": …, "mcp": …}`, with entries as values or as JSON text.
fn in_maps(
    home: &Pointer,
    members: &Map<String, Value>,
    doubt: NeededCertainty,
) -> Vec<FoundEntry> {
    let maps: Vec<_> = members
        .iter()
        .filter_map(|(name, value)| {
            let (_, kind) = MAPS.iter().find(|(of, _)| of == name)?;
            Some((name.clone(), *kind, read_map(value.as_object()?)))
        })
        .collect();
    certain_entries(home, maps, doubt)
}

/// A map's members, by their keys.
type Members = Vec<(String, EntryForm, LazyValue)>;

/// All members of maps, once one of them is an entry for certain.
fn certain_entries(
    home: &Pointer,
    maps: Vec<(String, EntryKind, Members)>,
    doubt: NeededCertainty,
) -> Vec<FoundEntry> {
    let is_sure = maps
        .iter()
        .any(|(_, kind, map)| map.iter().any(|(_, _, value)| is_a(*kind, &value.parsed(), doubt)));
    if !is_sure {
        return Vec::new();
    }
    let found = maps.into_iter().flat_map(|(name, kind, map)| {
        let home = home.child(name);
        map.into_iter().map(move |(key, form, value)| FoundEntry {
            at: home.child(key.as_str()),
            form,
            kind,
            key,
            value,
        })
    });
    found.collect()
}

/// A map's members, JSON text opened where it can be; text that holds no JSON stays as it is.
fn read_map(map: &Map<String, Value>) -> Members {
    map.iter()
        .map(|(key, value)| (key.clone(), form_of(value), decode_json_text(value).into()))
        .collect()
}

fn form_of(value: &Value) -> EntryForm {
    if value.is_string() { EntryForm::JsonText } else { EntryForm::Plain }
}

/// The value that a text holds. A text that holds none, or another text, stays as it is written, so
/// that the two can be known apart.
fn decode_json_text(value: &Value) -> Value {
    let Value::String(text) = value else { return value.clone() };
    python_json::parse_value(text)
        .ok()
        .filter(|inner| !inner.is_string())
        .unwrap_or_else(|| value.clone())
}

/// `{"values": [{"type": "tool", "key": …, "value": "<json text>"}]}`, as the configuration service
/// answers and takes them.
fn in_values(members: &Map<String, Value>) -> Vec<FoundEntry> {
    let Some(Value::Array(items)) = members.get("values") else { return Vec::new() };
    let home = Pointer::root().child("values");
    let found = items.iter().enumerate().filter_map(|(index, item)| {
        let item = item.as_object()?;
        let (name, key, value) =
            (text_member(item, "type")?, text_member(item, "key")?, item.get("value")?);
        let (_, kind) = MAPS.iter().find(|(of, _)| *of == name)?;
        let at = home.item(index).child("value");
        Some(FoundEntry {
            at,
            form: form_of(value),
            kind: *kind,
            key: key.to_owned(),
            value: decode_json_text(value).into(),
        })
    });
    found.collect()
}

fn is_a(kind: EntryKind, value: &Value, doubt: NeededCertainty) -> bool {
    let Value::Object(members) = value else { return false };
    match kind {
        EntryKind::Tool if doubt == NeededCertainty::Low => {
            is_tool(members)
                || [keys::TYPE, keys::NAME].iter().any(|key| text_member(members, key).is_some())
        }
        EntryKind::Tool => is_tool(members),
        EntryKind::Service => is_service(members) || members.contains_key(keys::CONFIG_PARAMS),
        EntryKind::Server => is_server(members),
        EntryKind::Schema => false,
    }
}

/// Whether these members can hardly be anything but a tool of TrustGraph's.
fn is_tool(members: &Map<String, Value>) -> bool {
    let says = |key: &str| text_member(members, key).is_some();
    match text_member(members, keys::TYPE) {
        Some(name) if types::by_name(name).is_some() => true,
        of => {
            let gated = [keys::STATES_DEPLOYED, keys::STATES_DOCUMENT]
                .iter()
                .any(|key| members.contains_key(*key));
            let grouped = members.get(keys::GROUP).is_some_and(is_texts);
            let asked = members.get(keys::ARGUMENTS).is_some_and(is_arguments);
            let marks = [gated, grouped, asked, says(keys::SERVICE)]
                .into_iter()
                .filter(|mark| *mark)
                .count();
            says(keys::DESCRIPTION) && (gated || marks >= 2 || (marks == 1 && of.is_some()))
        }
    }
}

fn is_service(members: &Map<String, Value>) -> bool {
    [keys::REQUEST_QUEUE, keys::RESPONSE_QUEUE].iter().any(|key| members.contains_key(*key))
}

fn is_server(members: &Map<String, Value>) -> bool {
    text_member(members, keys::URL).is_some()
}

fn is_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
}

/// A list of objects with names: what TrustGraph has, and hardly anyone else.
fn is_arguments(value: &Value) -> bool {
    value.as_array().is_some_and(|items| {
        !items.is_empty()
            && items.iter().all(|item| item.get(keys::NAME).is_some_and(Value::is_string))
    })
}

fn text_member<'m>(members: &'m Map<String, Value>, key: &str) -> Option<&'m str> {
    members.get(key)?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keys(
        root: Value,
        stem: &str,
        doubt: NeededCertainty,
    ) -> Vec<(EntryKind, String, String, EntryForm)> {
        let found = found_in(&Arc::new(root), stem, doubt);
        found
            .into_iter()
            .map(|found| (found.kind, found.key, found.at.to_string(), found.form))
            .collect()
    }

    fn one(
        kind: EntryKind,
        key: &str,
        at: &str,
        form: EntryForm,
    ) -> (EntryKind, String, String, EntryForm) {
        (kind, key.to_owned(), at.to_owned(), form)
    }

    #[test]
    fn a_tool_alone_has_its_files_stem_for_a_key() {
        let tool = json!({"type": "tool-service", "name": "tell-joke", "service": "joke-service"});
        assert_eq!(
            keys(tool, "joke", NeededCertainty::Low),
            [one(EntryKind::Tool, "joke", "", EntryForm::Plain)]
        );
    }

    #[test]
    fn a_service_alone_has_its_id_for_a_key() {
        let service = json!({"id": "joke-service", "request-queue": "a", "response-queue": "b"});
        assert_eq!(
            keys(service, "joke", NeededCertainty::Low),
            [one(EntryKind::Service, "joke-service", "", EntryForm::Plain)]
        );
        let nameless = json!({"request-queue": "a"});
        assert_eq!(
            keys(nameless, "joke", NeededCertainty::Low),
            [one(EntryKind::Service, "joke", "", EntryForm::Plain)]
        );
    }

    #[test]
    fn maps_give_all_their_members_once_one_is_a_tool() {
        let file = json!({
            "tool": {"a": {"type": "prompt", "name": "a"}, "b": {"nothing": 1}, "c": 3},
            "tool-service": {"s": {"request-queue": "q"}},
            "mcp": {"m": {"url": "http://localhost"}},
        });
        assert_eq!(
            keys(file, "x", NeededCertainty::High),
            [
                one(EntryKind::Tool, "a", "/tool/a", EntryForm::Plain),
                one(EntryKind::Tool, "b", "/tool/b", EntryForm::Plain),
                one(EntryKind::Tool, "c", "/tool/c", EntryForm::Plain),
                one(EntryKind::Service, "s", "/tool-service/s", EntryForm::Plain),
                one(EntryKind::Server, "m", "/mcp/m", EntryForm::Plain),
            ]
        );
    }

    #[test]
    fn exports_hold_json_text() {
        let file = json!({"tool": {"a": "{\"type\":\"prompt\",\"name\":\"a\"}", "b": "{broken"}});
        let found = found_in(&Arc::new(file), "x", NeededCertainty::Low);
        assert_eq!(found[0].value["name"], "a");
        assert_eq!((found[1].form, &*found[1].value), (EntryForm::JsonText, &json!("{broken")));
    }

    #[test]
    fn replies_of_the_configuration_service_are_read() {
        let config = json!({"version": 2, "config": {"tool": {"a": "{\"type\":\"prompt\"}"}}});
        assert_eq!(
            keys(config, "x", NeededCertainty::Low),
            [one(EntryKind::Tool, "a", "/config/tool/a", EntryForm::JsonText)]
        );
        let values = json!({"values": [{"type": "other", "key": "k", "value": "1"}, {"type": "tool", "key": "a", "value": "{}"}]});
        assert_eq!(
            keys(values, "x", NeededCertainty::Low),
            [one(EntryKind::Tool, "a", "/values/1/value", EntryForm::JsonText)]
        );
    }

    #[test]
    fn files_of_others_give_nothing() {
        let npm = json!({"name": "x", "version": "1.0.0", "description": "d", "type": "module", "scripts": {}, "config": {"port": 1}});
        let poetry = json!({"tool": {"poetry": {"name": "x", "description": "d", "group": {"dev": {}}}, "black": {"line-length": 88}}});
        let mcp_settings = json!({"mcp": {"servers": {"a": {"command": "x"}}}});
        let server = json!({"name": "x", "url": "http://a"});
        let function = json!({"type": "function", "function": {"name": "a", "description": "d", "parameters": {}}});
        let settings = json!({"mode": "document", "profiles": {"analyst": {"groups": ["read-only"]}}, "connections": {}});
        let scenario = json!({"name": "s", "description": "d", "start": {"groups": ["a"], "state": "x"}, "steps": [{"tool": "a"}]});
        let case = json!({"tool": "tell-joke", "arguments": {"topic": "x"}, "expect": {}});
        for (file, doubt) in [
            (npm, NeededCertainty::Low),
            (poetry, NeededCertainty::High),
            (mcp_settings, NeededCertainty::Low),
            (server, NeededCertainty::Low),
            (function, NeededCertainty::Low),
            (settings, NeededCertainty::Low),
            (scenario, NeededCertainty::Low),
            (case, NeededCertainty::Low),
            (json!([1, 2]), NeededCertainty::Low),
            (json!("text"), NeededCertainty::Low),
        ] {
            assert_eq!(keys(file.clone(), "x", doubt), [], "{file}");
        }
    }

    #[test]
    fn a_misspelt_type_is_still_a_tool() {
        for tool in [
            json!({"type": "graph-update", "name": "u", "description": "d", "group": ["write"]}),
            json!({"name": "u", "description": "d", "available_in_states": ["a"]}),
            json!({"type": "tool_service", "description": "d", "service": "joke-service"}),
        ] {
            assert_eq!(keys(tool.clone(), "x", NeededCertainty::Low).len(), 1, "{tool}");
        }
    }
}
