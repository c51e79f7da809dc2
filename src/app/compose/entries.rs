//! New entries: where they go, under which key, as which text.

use std::{fmt, sync::Arc};

use serde_json::{Value, json};

use super::{context::ComposeContext, plan::Plan};
use crate::{
    app::documents::Change,
    model::{
        context::Mode,
        entry::{Entry, EntryForm, EntryId, EntryKind, EntryPlace, FileId, SystemId},
        numbered::numbered_names,
        settings::SETTINGS,
        tool::{Gate, Tool},
    },
    schema::{ordering::PutInOrder, pointer::Pointer},
    syntax::{
        edit::Edit,
        print,
        source::{Format, Source},
    },
    systems::{
        read,
        system::{NewEntry, NewList, NewPlace, System},
        table::{self, every_system},
    },
};

/// Where a new entry goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryHome {
    /// Into a map of entries in this file.
    Map { file: FileId, document: usize },
    /// Into a file of its own, in this folder with this ending.
    Folder { folder: String, ending: String },
    /// Into a map in this file, which is not there yet.
    Fresh { file: FileId },
    /// Into the list of what holds it, in this file, which may not be there yet.
    List { file: FileId, holder: String },
}

impl fmt::Display for EntryHome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Map { file, .. } | Self::Fresh { file } | Self::List { file, .. } => {
                write!(f, "It is added to {file}.")
            }
            Self::Folder { folder, ending } => {
                write!(f, "It gets a file of its own: {folder}KEY.{ending}.")
            }
        }
    }
}

impl EntryHome {
    /// Beside an entry; without one, in a file of its own.
    #[must_use]
    pub fn beside_entry(entry: Option<&Entry>) -> Self {
        match entry {
            Some(entry) if !entry.id.place().at.is_root() => {
                Self::Map { file: entry.id.file().clone(), document: entry.id.place().document }
            }
            Some(entry) => Self::beside_file(entry.id.file()),
            None => Self::Folder { folder: String::new(), ending: "json".into() },
        }
    }

    /// In a file of its own beside another.
    fn beside_file(beside: &FileId) -> Self {
        let path = beside.as_str();
        let folder =
            path.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
        let ending = path.rsplit_once('.').map_or("json", |(_, ending)| ending).to_owned();
        Self::Folder { folder, ending }
    }

    /// Beside the entry that is chosen, where that is one of the same system: a file of another one
    /// would not hold it. Else beside the first tool of the system, else in a file of its own.
    #[must_use]
    pub fn of_kind(kind: &NewEntry, context: ComposeContext<'_>, near: Option<&EntryId>) -> Self {
        match kind.place {
            NewPlace::Folder(folder) => {
                Self::Folder { folder: format!("{folder}/"), ending: "json".into() }
            }
            NewPlace::List(list) => Self::of_list(kind.system, list, context, near),
            NewPlace::Alone | NewPlace::Map(_) => {
                Self::beside_entry(entry_of_system(kind.system, context, near))
            }
        }
    }

    /// Where tools of a workflow go: the same, but without an entry of the system into
    /// `tools.yaml`, all together, or into files of the folder `tools`, where each has one.
    #[must_use]
    pub fn of_workflow(
        kind: &NewEntry,
        context: ComposeContext<'_>,
        near: Option<&EntryId>,
    ) -> Self {
        let has_place = matches!(kind.place, NewPlace::Folder(_) | NewPlace::List(_));
        if has_place || entry_of_system(kind.system, context, near).is_some() {
            return Self::of_kind(kind, context, near);
        }
        if matches!(kind.place, NewPlace::Alone) {
            return Self::Folder { folder: "tools/".into(), ending: "yaml".into() };
        }
        let free = |name: &String| {
            context.documents.get(&FileId::new(name.as_str())).is_none_or(|document| document.gone)
        };
        let mut names = numbered_names("tools").map(|name| format!("{name}.yaml"));
        Self::Fresh { file: FileId::new(names.find(free).unwrap_or_default()) }
    }

    /// Into the list that the chosen entry is in, else the first of the system, else a new one of
    /// the first connection that has none.
    fn of_list(
        system: SystemId,
        list: NewList,
        context: ComposeContext<'_>,
        near: Option<&EntryId>,
    ) -> Self {
        let mut holders = context.catalog.others.iter().filter(|entry| {
            entry.system == system && entry.value.get(list.member).is_some_and(Value::is_array)
        });
        let is_near = |entry: &&Entry| near.is_some_and(|near| near.file() == entry.id.file());
        if let Some(entry) = holders.clone().find(is_near).or_else(|| holders.next()) {
            return Self::List { file: entry.id.file().clone(), holder: entry.key.clone() };
        }
        let holder = connections_to(system, context).into_iter().next();
        let holder = holder.unwrap_or_else(|| FIRST_HOLDER.to_owned());
        Self::List { file: FileId::new((list.path)(&holder)), holder }
    }

    /// A key without the end of a file's name, and the home where files end so.
    #[must_use]
    pub fn with_ending_of<'k>(&self, key: &'k str) -> (&'k str, Self) {
        let known = ["yaml", "yml", "json", "toml"];
        match (key.rsplit_once('.'), self) {
            (Some((key, ending)), Self::Folder { folder, .. }) if known.contains(&ending) => {
                let (folder, ending) = (folder.clone(), ending.to_owned());
                (key, Self::Folder { folder, ending })
            }
            _ => (key, self.clone()),
        }
    }

    /// What the key of an entry begins with there.
    pub(crate) fn key_prefix(&self) -> String {
        match self {
            Self::List { holder, .. } => format!("{holder}/"),
            Self::Map { .. } | Self::Folder { .. } | Self::Fresh { .. } => String::new(),
        }
    }
}

/// The holder of a first list that no connection names.
const FIRST_HOLDER: &str = "server";

/// The connections of the settings that lead to a system, by name.
fn connections_to(system: SystemId, context: ComposeContext<'_>) -> Vec<String> {
    let settings = context.documents.get(&FileId::new(SETTINGS));
    let source = settings.and_then(|document| document.source.as_ref().ok());
    let root = source.and_then(|source| source.value(0));
    let all = root.and_then(|root| root.get("connections")?.as_object());
    let leads = |(name, table): (&String, &Value)| {
        (table.get("system").and_then(Value::as_str) == Some(system)).then(|| name.clone())
    };
    all.into_iter().flatten().filter_map(leads).collect()
}

fn entry_of_system<'c>(
    system: SystemId,
    context: ComposeContext<'c>,
    near: Option<&EntryId>,
) -> Option<&'c Entry> {
    let chosen = near.and_then(|id| context.catalog.entry(id));
    let mut tools = context.catalog.tools.iter().map(|tool| &tool.entry);
    let is_of_system = |entry: &&Entry| entry.system == system;
    chosen
        .filter(is_of_system)
        .or_else(|| tools.find(is_of_system))
        .or_else(|| context.catalog.entries().find(is_of_system))
}

/// Whether a key can be had: nothing of its kind has it yet.
///
/// # Errors
/// Why it can't.
pub(crate) fn free_key(
    key: &str,
    kind: EntryKind,
    context: ComposeContext<'_>,
) -> Result<(), String> {
    free_key_in("", key, kind, context)
}

/// The same of an entry whose key begins with what holds it (`SPACE/`), and then has its own.
///
/// # Errors
/// Why it can't.
pub(crate) fn free_key_in(
    holder: &str,
    key: &str,
    kind: EntryKind,
    context: ComposeContext<'_>,
) -> Result<(), String> {
    if key.is_empty() {
        return Err("a key is needed".into());
    }
    // What something holds has no file of its own that is called after it.
    let is_unfit = key.contains(['/', '\\']) || key.starts_with('.');
    if is_unfit && holder.is_empty() || key.chars().any(char::is_control) {
        return Err("a key can't hold slashes, or begin with a dot".into());
    }
    if kind == EntryKind::Service && key.contains(char::is_whitespace) {
        return Err("the key of a service can't hold spaces: its queues are named after it".into());
    }
    let is_it = |entry: &&Entry| {
        entry.kind == kind && entry.key.strip_prefix(holder).is_some_and(|own| own == key)
    };
    match context.catalog.entries().find(is_it) {
        Some(taken) => Err(format!("{key} is taken: {}:{}", taken.id.file(), taken.line)),
        None => Ok(()),
    }
}

/// An entry that is to be placed.
#[derive(Clone, Copy)]
pub(crate) struct Unplaced<'e> {
    pub key: &'e str,
    pub kind: EntryKind,
    pub place: NewPlace,
    pub value: &'e Value,
}

/// The change that puts a new entry in its place; `before` are changes that are made before it.
pub(crate) fn place_new(
    entry: Unplaced<'_>,
    home: &EntryHome,
    before: &[Change],
    context: ComposeContext<'_>,
) -> Change {
    let Unplaced { key, kind, place, value } = entry;
    match home {
        EntryHome::Map { file, document } => {
            let in_document =
                |entry: &&Entry| entry.kind == kind && entry.id.place().document == *document;
            let like = context.catalog.of_file(file).find(in_document);
            let Some(section) = place.section() else {
                let list = like.and_then(|entry| {
                    Some((entry.id.place().at.parent()?, entry.id.place().at.last_index()?))
                });
                let Some((list, _)) = list else {
                    let home = EntryHome::beside_file(file);
                    return place_new(entry, &home, before, context);
                };
                return append_item(&list, value, (file, *document), before, context);
            };
            let parent = like
                .and_then(|entry| entry.id.place().at.parent())
                .unwrap_or_else(|| Pointer::root().child(section));
            let as_text = like
                .or_else(|| context.catalog.of_file(file).next())
                .is_some_and(|entry| entry.id.place().form == EntryForm::JsonText);
            let written = if as_text { Value::String(pretty_json(value)) } else { value.clone() };
            let edit = Edit::Set { at: parent.child(key), to: written.into() };
            Change::File { file: file.clone(), document: *document, edit }
        }
        EntryHome::Folder { folder, ending } => {
            let is_free = |file: &FileId| {
                context.documents.get(file).is_none_or(|document| document.gone)
                    && !before.iter().any(|change| change.file() == file)
            };
            create_entry_file(entry, &free_file(folder, key, kind, ending, is_free))
        }
        EntryHome::Fresh { file } => {
            let value = in_section(place.section(), key, value);
            create_file(file, Format::Yaml, &value)
        }
        EntryHome::List { file, holder } => {
            let NewPlace::List(list) = place else {
                return place_new(entry, &EntryHome::beside_file(file), before, context);
            };
            let is_there = context.documents.get(file).is_some_and(|document| !document.gone)
                || before.iter().any(|change| change.file() == file);
            if !is_there {
                return create_file(file, Format::Json, &(list.value)(holder, vec![value.clone()]));
            }
            append_item(&Pointer::root().child(list.member), value, (file, 0), before, context)
        }
    }
}

/// The change that makes a file with an entry alone.
pub(super) fn create_entry_file(entry: Unplaced<'_>, file: &FileId) -> Change {
    let Unplaced { key, place, value, .. } = entry;
    let format = Format::from_path(file.path()).unwrap_or(Format::Json);
    let text = file_text(file, format, key, place.section(), value);
    Change::Create { file: file.clone(), text }
}

fn create_file(file: &FileId, otherwise: Format, value: &Value) -> Change {
    let format = Format::from_path(file.path()).unwrap_or(otherwise);
    Change::Create { file: file.clone(), text: print::print_value(format, value).into() }
}

/// An item at the end of a list, also behind those that other changes bring there.
fn append_item(
    list: &Pointer,
    value: &Value,
    (file, document): (&FileId, usize),
    before: &[Change],
    context: ComposeContext<'_>,
) -> Change {
    let brings_one = |change: &&Change| match change {
        Change::File { file: other, edit: Edit::Insert { at, .. }, .. } => {
            other == file && at.parent().as_ref() == Some(list)
        }
        Change::Create { file: other, .. } => other == file,
        _ => false,
    };
    let row = list_length(context, file, document, list) + before.iter().filter(brings_one).count();
    let edit = Edit::Insert { at: list.item(row), item: value.clone().into() };
    Change::File { file: file.clone(), document, edit }
}

/// How many items a list in a file has.
fn list_length(
    context: ComposeContext<'_>,
    file: &FileId,
    document: usize,
    list: &Pointer,
) -> usize {
    let source = context.documents.present(file).and_then(|known| known.source.as_ref().ok());
    source.and_then(|source| list.get(source.value(document)?)?.as_array()).map_or(0, Vec::len)
}

/// An entry as a file's whole value.
fn in_section(section: Option<&str>, key: &str, value: &Value) -> Value {
    section.map_or_else(|| value.clone(), |section| json!({section: {key: value}}))
}

/// The file of a new entry: its key's, else with what it is behind it, for a tool and its service
/// may have the same key.
fn free_file(
    folder: &str,
    key: &str,
    kind: EntryKind,
    ending: &str,
    is_free: impl Fn(&FileId) -> bool,
) -> FileId {
    let word = if kind == EntryKind::Service { "service" } else { "tool" };
    let names = [key.to_owned(), format!("{key}-{word}")].into_iter();
    let mut files = names
        .chain(numbered_names(key).skip(1))
        .map(|name| FileId::new(format!("{folder}{name}.{ending}")));
    files.find(is_free).unwrap_or_else(|| FileId::new(format!("{folder}{key}.{ending}")))
}

/// The text of a new entry's own file; in a map where the entry alone would not be known again.
fn file_text(
    file: &FileId,
    format: Format,
    key: &str,
    section: Option<&str>,
    value: &Value,
) -> Arc<str> {
    let alone = print::print_value(format, value);
    let known = Source::parse(format, alone.as_str()).is_ok_and(|source| {
        let part = read::read_part(file, &source, Mode::Document);
        let tools = part.tools.iter().map(|tool| &tool.entry);
        let services = part.services.iter().map(|service| &service.entry);
        let mut keys = tools.chain(services).chain(&part.others).map(|entry| &*entry.key);
        keys.next() == Some(key) && keys.next().is_none()
    });
    if known {
        alone.into()
    } else {
        print::print_value(format, &in_section(section, key, value)).into()
    }
}

fn pretty_json(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// All kinds, first those of the system that is in use: that of the chosen entry, of the first tool,
/// or of a connection.
#[must_use]
pub fn kinds_in_order(context: ComposeContext<'_>, near: Option<&EntryId>) -> Vec<NewEntry> {
    let chosen = near.and_then(|id| context.catalog.entry(id)).map(|entry| entry.system);
    let first = || context.catalog.tools.first().map(|tool| tool.entry.system);
    let connected = || {
        let mut ids = every_system().iter().map(|system| system.id());
        ids.find(|id| !connections_to(id, context).is_empty())
    };
    let used = chosen.or_else(first).or_else(connected);
    let mut kinds: Vec<NewEntry> =
        every_system().iter().flat_map(|system| system.new_entry_kinds()).collect();
    kinds.order_by_key(|kind| Some(kind.system) != used);
    kinds
}

/// The types of tools, with where one of each goes.
#[must_use]
pub fn tool_kinds(
    context: ComposeContext<'_>,
    near: Option<&EntryId>,
) -> Vec<(NewEntry, EntryHome)> {
    let kinds = every_system().iter().flat_map(|system| system.new_entry_kinds());
    let tools = kinds.filter(|kind| kind.kind == EntryKind::Tool);
    let home = |kind: &NewEntry| EntryHome::of_workflow(kind, context, near);
    tools.map(|kind| (kind.clone(), home(&kind))).collect()
}

/// Makes a new tool with a gate.
///
/// # Errors
/// When its key cannot be had, or there is no place for it.
pub fn new_tool(
    context: ComposeContext<'_>,
    kind: &NewEntry,
    key: &str,
    gate: &Gate,
    home: &EntryHome,
) -> Result<Plan, String> {
    let prefix = home.key_prefix();
    free_key_in(&prefix, key, EntryKind::Tool, context)?;
    let value = kind.named_value(key);
    let owner = table::by_id(kind.system);
    let value = match owner.and_then(|system| system.gates()) {
        Some(gates) => gates.add_gate(value, gate),
        None => value,
    };
    let mut changes = vec![place_new(
        Unplaced { key, kind: kind.kind, place: kind.place, value: &value },
        home,
        &[],
        context,
    )];
    if let Some(system) = owner.filter(|system| system.gates().is_none()) {
        let key = format!("{prefix}{key}");
        let tool = system.read_tool(&unplaced_entry(system, kind, &key, value), Mode::Document);
        changes.extend(context.regate_changes([(&tool, gate)]));
    }
    Ok(Plan::new(format!("new tool {key}"), changes))
}

/// The changes that give the copy of a tool, which is called so, the tool's gate, where the settings
/// hold it.
#[must_use]
pub fn copied_gate(context: ComposeContext<'_>, tool: &Tool, name: &str) -> Vec<Change> {
    let Some(table) = tool.gate_table.as_ref().and_then(Pointer::parent) else {
        return Vec::new();
    };
    let copy = Tool { gate: Gate::ungated(), gate_table: Some(table.child(name)), ..tool.clone() };
    context.regate_changes([(&copy, &tool.gate)])
}

/// An entry that is in no file yet.
fn unplaced_entry(system: &dyn System, kind: &NewEntry, key: &str, value: Value) -> Entry {
    let place = EntryPlace::plain(FileId::new(""), 0, Pointer::root());
    Entry {
        id: EntryId::new(place),
        system: system.id(),
        kind: kind.kind,
        key: key.to_owned(),
        value: value.into(),
        line: 0,
        column: 0,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{
        app::{
            message::{DocumentMessage, Loaded, Message},
            state::{Start, State},
            update::update,
        },
        model::clock::Millis,
    };

    #[test]
    fn reading_a_new_entry_gives_it_back_in_every_format() {
        for kind in every_system().iter().flat_map(|system| system.new_entry_kinds()) {
            // What holds it makes its file, in the one format that there is.
            if matches!(kind.place, NewPlace::List(_)) {
                continue;
            }
            for ending in ["json", "yaml", "toml"] {
                let folder = match kind.place {
                    NewPlace::Folder(folder) => format!("{folder}/"),
                    _ => String::new(),
                };
                let file = FileId::new(format!("{folder}new.{ending}"));
                let format = Format::from_path(file.path()).unwrap();
                let source = Source::parse(
                    format,
                    file_text(&file, format, "new", kind.place.section(), &kind.named_value("new")),
                )
                .unwrap();
                let part = read::read_part(&file, &source, Mode::Document);
                let keys = part
                    .tools
                    .iter()
                    .map(|tool| &tool.entry)
                    .chain(part.services.iter().map(|service| &service.entry));
                let keys = keys
                    .chain(&part.others)
                    .map(|entry| (entry.kind, entry.key.clone()))
                    .collect::<Vec<_>>();
                assert_eq!(keys, [(kind.kind, "new".to_owned())], "{} as {ending}", kind.type_name);
            }
        }
    }

    /// A workspace of one file.
    pub(in crate::app::compose) fn loaded(path: &str, text: Arc<str>) -> State {
        let (mut state, file) = (State::new(Start::default()), FileId::new(path));
        let source = Source::parse(Format::from_path(file.path()).unwrap(), Arc::clone(&text));
        let loaded = Loaded { text, source, held: None };
        let (names, skipped) = (vec![file.clone()], Vec::new());
        for message in [
            DocumentMessage::Loaded(vec![(file, loaded)]),
            DocumentMessage::LoadEnded { names, skipped, unread: Vec::new() },
        ] {
            update(&mut state, Message::Document(message), Millis(1));
        }
        state
    }

    fn kind_called(type_name: &str) -> NewEntry {
        let mut kinds = every_system().iter().flat_map(|system| system.new_entry_kinds());
        kinds.find(|kind| kind.type_name == type_name).unwrap()
    }

    /// Where a connection leads to a server of that system, its list gets the name of that one.
    #[test]
    fn a_first_tool_begins_the_list_of_its_server() {
        let kind = kind_called("mcp-server-tool");
        for (settings, path) in [
            ("name = \"w\"\n", "mcp/server.json"),
            ("[connections.orders]\nsystem = \"mcp\"\ncommand = \"x\"\n", "mcp/orders.json"),
        ] {
            let mut state = loaded("toolcrib.toml", settings.into());
            for key in ["one", "two"] {
                let context = ComposeContext::from_state(&state);
                let home = EntryHome::of_kind(&kind, context, None);
                assert_eq!(home.to_string(), format!("It is added to {path}."));
                let plan = new_tool(context, &kind, key, &Gate::ungated(), &home).unwrap();
                let taken = new_tool(context, &kind, key, &Gate::ungated(), &home);
                assert!(taken.is_ok(), "nothing is there yet");
                update(&mut state, Message::Document(DocumentMessage::Compose(plan)), Millis(2));
            }
            let context = ComposeContext::from_state(&state);
            assert_eq!(kinds_in_order(context, None)[0].system, kind.system);
            let keys: Vec<_> = context.catalog.tools.iter().map(|tool| &*tool.entry.key).collect();
            let server = path.trim_start_matches("mcp/").trim_end_matches(".json");
            assert_eq!(keys, [format!("{server}/one"), format!("{server}/two")]);
            let home = EntryHome::of_kind(&kind, context, None);
            let refusal = new_tool(context, &kind, "two", &Gate::ungated(), &home).unwrap_err();
            assert!(refusal.contains("is taken: mcp/"), "{refusal}");
        }
    }
}
