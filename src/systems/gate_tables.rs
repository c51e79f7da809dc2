//! What `toolcrib.toml` says of a system that knows neither groups nor states: in
//! `[SYSTEM.tools.NAME]`, when the tool of that name is available.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean, member_pointer},
            context::LintContext,
        },
        settings::gate_table::{GATE_KEYS, GateFault, gate_faults, table_schema},
        workflow::similar::nearest_name,
    },
    model::{
        entry::{Entry, EntryId, EntryKind, EntryPlace, FileId, SystemId},
        settings::SETTINGS,
        tool::{Gate, Tool},
    },
    schema::pointer::Pointer,
    syntax::source::Source,
};

/// The member of a system's table that holds those of its tools.
const TOOLS: &str = "tools";

/// The table of a tool's gate.
#[must_use]
pub(crate) fn table_pointer(system: SystemId, name: &str) -> Pointer {
    Pointer::from_iter([system, TOOLS, name])
}

/// A tool that its entry describes, and whose gate is written in such a table. Its kind is for its
/// system to say.
pub(crate) fn read_tool(entry: &Entry, name: &str) -> Tool {
    let description = entry.value.get("description").and_then(Value::as_str);
    Tool {
        name: name.to_owned(),
        name_key: "name",
        kind: String::new(),
        description: description.unwrap_or_default().to_owned(),
        service: None,
        gate: Gate::ungated(),
        keys: GATE_KEYS,
        gate_table: Some(table_pointer(entry.system, name)),
        known: None,
        entry: entry.clone(),
    }
}

/// The table of a system, where a file is the settings' and has it.
#[must_use]
pub(crate) fn settings_entry(file: &FileId, source: &Source, system: SystemId) -> Option<Entry> {
    let value = Arc::new(source.value(0)?.get(system)?.clone());
    let at = Pointer::root().child(system);
    let place = source.find_place(0, &at);
    Some(Entry {
        id: EntryId::new(EntryPlace::plain(file.clone(), 0, at)),
        system,
        kind: EntryKind::Server,
        key: system.to_owned(),
        value: value.into(),
        line: place.map_or(0, |place| place.line),
        column: place.map_or(0, |place| place.column),
    })
}

/// Whether an entry is a table of `toolcrib.toml`.
#[must_use]
pub(crate) fn is_setting(entry: &Entry) -> bool {
    entry.id.file().as_str() == SETTINGS
}

/// The form of a system's table.
#[must_use]
pub(crate) fn settings_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            TOOLS: {
                "type": "object", "description": "When tools are available. Tools not listed are \
                always available.",
                "additionalProperties": table_schema(),
            },
        },
    })
}

/// What is wrong with the tables of tools, each at its place.
fn faults_of(entry: &Entry) -> Vec<(Pointer, GateFault)> {
    let tables = entry.value.get(TOOLS).and_then(Value::as_object);
    let of_table = |(name, table): (&String, &Value)| {
        let home = member_pointer(TOOLS).child(name.as_str());
        let faults = gate_faults(table).into_iter();
        faults.map(|(at, fault)| (home.join(&at), fault)).collect::<Vec<_>>()
    };
    tables.into_iter().flatten().flat_map(of_table).collect()
}

/// Finds what has another shape than is read.
pub(crate) fn find_malformed(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if !is_setting(entry) {
        return;
    }
    let wanted = format!("[{}.tools.NAME]", entry.system);
    if !entry.value.is_object() {
        report.add_finding(entry, Pointer::root(), format!("must be a table: {wanted}"));
    }
    if entry.value.get(TOOLS).is_some_and(|tools| !tools.is_object()) {
        report.add_finding(entry, member_pointer(TOOLS), format!("must be tables: {wanted}"));
    }
    for (at, fault) in faults_of(entry) {
        if let GateFault::Malformed(words) = fault {
            report.add_finding(entry, at, words);
        }
    }
}

/// Finds keys that are not read, and tools that no entry has.
pub(crate) fn find_unknown(context: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if !is_setting(entry) {
        return;
    }
    let members = entry.value.as_object();
    for key in members.into_iter().flat_map(Map::keys).filter(|key| *key != TOOLS) {
        report.add_finding(entry, member_pointer(key), format!("\"{key}\" has no effect"));
    }
    for (at, fault) in faults_of(entry) {
        if let GateFault::UnknownKey(words) = fault {
            report.add_finding(entry, at, words);
        }
    }
    let own = context.catalog.tools.iter().filter(|tool| tool.entry.system == entry.system);
    let names: Vec<&str> = own.map(|tool| tool.name.as_str()).collect();
    let tables = entry.value.get(TOOLS).and_then(Value::as_object);
    for name in tables.into_iter().flat_map(Map::keys) {
        if !names.contains(&name.as_str()) {
            // Lists show a tool with what it is part of: `AGENT/TOOL`.
            let own = name.rsplit_once('/').map(|(_, own)| own).filter(|own| names.contains(own));
            let near = did_you_mean(own.or_else(|| nearest_name(name, names.iter().copied())));
            let at = member_pointer(TOOLS).child(name.as_str());
            report.add_finding(entry, at, format!("there is no entry \"{name}\"{near}"));
        }
    }
}
