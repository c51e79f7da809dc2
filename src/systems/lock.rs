//! `toolcrib.lock`: what entries looked like where they really are, and what of that has changed.
//!
//! Of each connection that leads to a running system or a server, the lock holds every entry with a
//! hash of its content. A change matters by what a model and its calls notice of it, so the tools that
//! the entries make are compared, and of the entries the rest.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

pub use super::changes::SEVERITIES;
use super::{
    changes::{
        BEHAVIOUR, BREAKING, COMPATIBLE, EntryPair, WORDING, seen_tool, sort_changes, value_text,
        whole_change,
    },
    deployed::{
        catalog::callable_catalog,
        deployment::Deployment,
        item::{Item, SAID},
    },
    facets::kept_tools::{SECRET_CHANGED, ToolChange},
    table::by_id,
};
use crate::{
    engine::mask::{MASKED, Mask},
    model::tool::Tool,
    schema::pointer::Pointer,
};

/// The file of a workspace that holds it.
pub const LOCK: &str = "toolcrib.lock";

/// The form of the file.
const VERSION: u64 = 1;

/// An entry that is gone, and one that wasn't there.
const REMOVED: &str = "entry.removed";
const ADDED: &str = "entry.added";

/// What was locked, by the name of the connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lock {
    pub connections: BTreeMap<String, LockedEntries>,
}

/// The entries of a system or server, by their names: `tool/joke`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LockedEntries {
    /// The system's id.
    pub system: String,
    pub entries: BTreeMap<String, LockedEntry>,
}

/// An entry without its secrets.
#[derive(Clone, Debug, PartialEq)]
pub struct LockedEntry {
    /// Of its value, whatever the order of its members.
    pub hash: String,
    /// A text where it was no JSON.
    pub value: Value,
    /// Hashes of its texts that have something masked, by their places: so a change of what looks
    /// like a secret is noticed. A lock of an older version has none.
    pub masked: BTreeMap<String, String>,
}

impl Lock {
    /// What a text holds.
    ///
    /// # Errors
    /// When it is no lock, or an entry in it has another content than its hash says.
    pub fn parse(text: &str) -> Result<Self, String> {
        let root: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match root.get("lock").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(version) => {
                return Err(format!(
                    "a newer toolcrib wrote it (lock {version}; this one reads {VERSION}): upgrade toolcrib"
                ));
            }
            None => return Err("it has no \"lock\", the version of its format".into()),
        }
        let connections = root.get("connections").and_then(Value::as_object);
        let connections = connections.ok_or("it has no \"connections\"")?;
        let read = |(name, locked): (&String, &Value)| {
            Ok((name.clone(), LockedEntries::parse(name, locked)?))
        };
        Ok(Self { connections: connections.iter().map(read).collect::<Result<_, String>>()? })
    }

    /// The text of its file.
    #[must_use]
    pub fn print(&self) -> String {
        let entry = |(name, entry): (&String, &LockedEntry)| {
            let mut written = json!({"hash": entry.hash, "value": entry.value});
            if !entry.masked.is_empty() {
                written["masked"] = json!(entry.masked);
            }
            (name.clone(), written)
        };
        let connection = |(name, locked): (&String, &LockedEntries)| {
            let entries: Map<String, Value> = locked.entries.iter().map(entry).collect();
            (name.clone(), json!({"system": locked.system, "entries": entries}))
        };
        let connections: Map<String, Value> = self.connections.iter().map(connection).collect();
        format!("{:#}\n", json!({"lock": VERSION, "connections": connections}))
    }
}

impl LockedEntries {
    fn parse(connection: &str, locked: &Value) -> Result<Self, String> {
        let broken = || format!("what it holds of \"{connection}\" can't be read");
        let system = locked.get("system").and_then(Value::as_str).ok_or_else(broken)?;
        let members = locked.get("entries").and_then(Value::as_object).ok_or_else(broken)?;
        let mut entries = BTreeMap::new();
        for (name, entry) in members {
            let hash = entry.get("hash").and_then(Value::as_str).ok_or_else(broken)?;
            let value = entry.get("value").ok_or_else(broken)?;
            if hash_value(value) != hash {
                return Err(format!(
                    "{name} of \"{connection}\" is not what was locked: its hash is another"
                ));
            }
            let masked = entry.get("masked").and_then(Value::as_object).into_iter().flatten();
            let masked = masked.filter_map(|(at, hash)| Some((at.clone(), hash.as_str()?.into())));
            let (hash, value) = (hash.to_owned(), value.clone());
            entries.insert(name.clone(), LockedEntry { hash, value, masked: masked.collect() });
        }
        Ok(Self { system: system.to_owned(), entries })
    }

    /// What is there now, as it is locked; the mask knows the secrets that were used to get there.
    #[must_use]
    pub fn of_items(
        system: &str,
        deployment: &dyn Deployment,
        items: &[Item],
        mask: &Mask,
    ) -> Self {
        let entry = |item: &Item| {
            let mut value = item
                .parse_value()
                .map_or_else(|| item.text.as_str().into(), |value| deployment.file_value(value));
            if let (Some(secret), Some(members)) = (deployment.secret(), value.as_object_mut()) {
                members.remove(secret);
            }
            (masked_name(item, mask), LockedEntry::of_value(value, mask))
        };
        Self { system: system.to_owned(), entries: items.iter().map(entry).collect() }
    }

    /// The entries that make tools, and what these need.
    pub fn made(&self) -> impl Iterator<Item = &String> {
        self.entries.keys().filter(|name| !is_said(name))
    }

    /// What changed since, the worst first; `items` is what is there now. What a server says beside
    /// its tools is compared where it was locked, and is among the items.
    #[must_use]
    pub fn compare(
        &self,
        deployment: &dyn Deployment,
        items: &[Item],
        mask: &Mask,
    ) -> Vec<ToolChange> {
        let now = Self::of_items(&self.system, deployment, items, mask);
        let by_name: BTreeMap<String, &Item> =
            items.iter().map(|item| (masked_name(item, mask), item)).collect();
        let mut changes = Vec::new();
        let before = self.masked_again(mask);
        let names: BTreeSet<&String> = before.entries.keys().chain(now.entries.keys()).collect();
        for name in names {
            if is_said(name) {
                if let (Some(old), Some(new)) = (before.entries.get(name), now.entries.get(name)) {
                    changes.extend(said_change(name, old, new));
                    changes.extend(secret_changes(name, old, new));
                }
                continue;
            }
            match (before.entries.get(name), now.entries.get(name), by_name.get(name)) {
                (Some(old), Some(new), Some(item)) => {
                    changes.extend(secret_changes(name, old, new));
                    if old.hash != new.hash {
                        let values = [&old.value, &new.value];
                        changes.extend(compare_items(deployment, item, name, values));
                    }
                }
                (Some(_), ..) => changes.push(whole_change(BREAKING, name, REMOVED)),
                (None, ..) => changes.push(whole_change(COMPATIBLE, name, ADDED)),
            }
        }
        name_renamed(&mut changes, &before, &now);
        sort_changes(&mut changes);
        changes
    }

    /// The same as they would be locked now: an older version may have masked less.
    fn masked_again(&self, mask: &Mask) -> Self {
        let entry = |(name, entry): (&String, &LockedEntry)| {
            (mask.mask_known(name).into_owned(), entry.masked_again(mask))
        };
        Self { system: self.system.clone(), entries: self.entries.iter().map(entry).collect() }
    }

    /// Takes entries in as they are in another; those that are not there any more go.
    pub fn accept(&mut self, now: &Self, names: &BTreeSet<&str>) {
        for name in names {
            match now.entries.get(*name) {
                Some(entry) => drop(self.entries.insert((*name).to_owned(), entry.clone())),
                None => drop(self.entries.remove(*name)),
            }
        }
    }
}

/// Of an entry that is gone and one that is new, the same but for its name, each change names the other:
/// it may be the same under another name. Of several that are alike, the first goes with the first.
fn name_renamed(changes: &mut [ToolChange], before: &LockedEntries, now: &LockedEntries) {
    let rows_of = |id: &str| {
        let rows = changes.iter().enumerate().filter(|(_, change)| change.id == id);
        rows.map(|(row, change)| (row, change.tool.clone())).collect::<Vec<_>>()
    };
    let (gone, new) = (rows_of(REMOVED), rows_of(ADDED));
    // A server may rename all of its tools, thousands of them, at once.
    let mut alike: HashMap<String, VecDeque<(usize, String)>> = HashMap::new();
    for (row, name) in new {
        if let Some(entry) = now.entries.get(&name) {
            alike.entry(entry.nameless()).or_default().push_back((row, name));
        }
    }
    for (row, old) in gone {
        let Some(entry) = before.entries.get(&old) else { continue };
        let found = alike.get_mut(&entry.nameless()).and_then(VecDeque::pop_front);
        let Some((there, name)) = found else { continue };
        changes[row].after = Some(format!("{name} is the same but for its name"));
        changes[there].after = Some(format!("the same as {old}, but for its name"));
    }
}

impl LockedEntry {
    /// A value without its secrets.
    fn of_value(mut value: Value, mask: &Mask) -> Self {
        let mut masked = BTreeMap::new();
        mask_texts(&mut value, ("", Pointer::root()), mask, &mut masked);
        Self { hash: hash_value(&value), value, masked }
    }

    fn masked_again(&self, mask: &Mask) -> Self {
        Self { masked: self.masked.clone(), ..Self::of_value(self.value.clone(), mask) }
    }

    /// A text that two entries have in common where they are the same but for their names.
    fn nameless(&self) -> String {
        let mut text = String::new();
        match self.value.as_object() {
            Some(members) => {
                write_members(members.iter().filter(|(key, _)| *key != "name"), &mut text);
            }
            None => write_sorted(&self.value, &mut text),
        }
        text
    }
}

fn masked_name(item: &Item, mask: &Mask) -> String {
    mask.mask_known(&item.name()).into_owned()
}

/// Where what looks like a secret is another one, in texts that are the same beside it.
fn secret_changes<'e>(
    name: &'e str,
    old: &'e LockedEntry,
    new: &'e LockedEntry,
) -> impl Iterator<Item = ToolChange> + 'e {
    let is_changed = move |(at, hash): &(&String, &String)| {
        new.masked.get(*at).is_some_and(|now| now != *hash)
            && old.value.pointer(at) == new.value.pointer(at)
    };
    old.masked.iter().filter(is_changed).map(move |(at, _)| ToolChange {
        severity: BEHAVIOUR,
        tool: name.to_owned(),
        id: SECRET_CHANGED,
        at: at.clone(),
        before: None,
        after: None,
    })
}

fn is_said(name: &str) -> bool {
    name.strip_prefix(SAID).is_some_and(|rest| rest.starts_with('/'))
}

/// That a server says something else than it did.
fn said_change(name: &str, old: &LockedEntry, new: &LockedEntry) -> Option<ToolChange> {
    let text = |entry: &LockedEntry| Some(value_text(&entry.value)).filter(|text| !text.is_empty());
    (old.hash != new.hash).then(|| ToolChange {
        severity: WORDING,
        tool: name.to_owned(),
        id: "text.changed",
        at: String::new(),
        before: text(old),
        after: text(new),
    })
}

/// Whether a word names an entry: `tool/joke` in full, or `joke`.
#[must_use]
pub fn is_named(entry: &str, word: &str) -> bool {
    entry == word
        || entry.split_once('/').is_some_and(|(_, key)| key == word)
        || entry.rsplit_once('/').is_some_and(|(_, name)| name == word)
}

/// What changed between two values of an entry that is locked under that name; `item` is it as it
/// is there now.
fn compare_items(
    deployment: &dyn Deployment,
    item: &Item,
    name: &str,
    [old, new]: [&Value; 2],
) -> Vec<ToolChange> {
    let tool_of = |value: &Value| {
        let item = Item { text: value.to_string(), ..item.clone() };
        let catalog = callable_catalog(deployment, "", std::slice::from_ref(&item));
        let tool: &Tool = catalog.tools.first()?;
        let system = by_id(tool.entry.system)?;
        let output = system.output_schema(tool);
        Some(seen_tool(&item.key, &system.model_function(tool), output.as_ref()))
    };
    let pair = EntryPair { name, old, new, tool_of: &tool_of };
    pair.compare(deployment.compare_tools(old, new))
}

/// A value without the member that holds a secret, and with what looks like one masked.
#[must_use]
pub(super) fn without_secrets(mut value: Value, secret: Option<&str>) -> Value {
    if let (Some(secret), Some(members)) = (secret, value.as_object_mut()) {
        members.remove(secret);
    }
    mask_texts(&mut value, ("", Pointer::root()), &Mask::default(), &mut BTreeMap::new());
    value
}

/// Keywords of a schema whose values are those of the property around it.
const OF_ITS_PROPERTY: [&str; 4] = ["const", "default", "example", "examples"];

/// Masks the secrets of a value that has that name and is at that place: in its texts what was
/// used, and what looks like a secret, and in its names what was used. Of texts with something
/// masked in them the hashes are noted; these hold nothing of what was used.
fn mask_texts(
    value: &mut Value,
    (name, at): (&str, Pointer),
    mask: &Mask,
    hashes: &mut BTreeMap<String, String>,
) {
    match value {
        Value::String(text) => {
            let known = mask.mask_known(text);
            let shown = mask.mask_named_value(name, &known);
            if shown.contains(MASKED) {
                hashes.insert(at.to_string(), hash_value(&known.as_ref().into()));
                *text = shown.into_owned();
            }
        }
        Value::Array(items) => {
            for (row, item) in items.iter_mut().enumerate() {
                mask_texts(item, (name, at.item(row)), mask, hashes);
            }
        }
        Value::Object(members) => {
            let own = std::mem::take(members);
            for (key, mut member) in own {
                let key = mask.mask_known(&key).into_owned();
                let inner = if OF_ITS_PROPERTY.contains(&key.as_str()) { name } else { &key };
                mask_texts(&mut member, (inner, at.child(key.as_str())), mask, hashes);
                members.insert(key, member);
            }
        }
        _ => {}
    }
}

/// A hash of a value that the order of members doesn't change.
fn hash_value(value: &Value) -> String {
    let mut text = String::new();
    write_sorted(value, &mut text);
    let digits: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

fn write_sorted(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => write_members(members.iter(), text),
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_sorted(item, text);
                text.push(',');
            }
            text.push(']');
        }
        other => *text += &other.to_string(),
    }
}

fn write_members<'v>(members: impl Iterator<Item = (&'v String, &'v Value)>, text: &mut String) {
    let sorted: BTreeMap<&String, &Value> = members.collect();
    text.push('{');
    for (key, value) in sorted {
        *text += &Value::from(key.as_str()).to_string();
        text.push(':');
        write_sorted(value, text);
        text.push(',');
    }
    text.push('}');
}
