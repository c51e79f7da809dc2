//! What `toolcrib.toml` says of a turn.

use serde_json::{Map, Value};

use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean},
            context::LintContext,
        },
        settings::gate_table::{GateFault, gate_faults},
        workflow::similar::nearest_name,
    },
    model::{catalog::Catalog, entry::Entry},
    schema::pointer::Pointer,
    systems::unique::{
        entries::is_setting,
        keys,
        turn::{CHOICES, DISABLED, KEYS, RESPONSES, SAMPLES, TOOLS},
    },
};

/// The table of an entry that is one of settings.
fn table(entry: &Entry) -> Option<&Map<String, Value>> {
    is_setting(entry).then(|| entry.value.as_object()).flatten()
}

pub(super) fn malformed(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if is_setting(entry) && !entry.value.is_object() {
        report.add_finding(entry, Pointer::root(), "has to be a table: [unique]");
    }
    for (key, value) in table(entry).into_iter().flatten() {
        let at = Pointer::root().child(key.as_str());
        let is_list = || value.as_array().is_some_and(|names| names.iter().all(Value::is_string));
        let wanted = match key.as_str() {
            CHOICES | DISABLED if !is_list() => "has to be a list of names of tools",
            RESPONSES if !value.is_boolean() => "has to be true or false",
            TOOLS if !value.is_object() => "has to be tables: [unique.tools.TOOL]",
            SAMPLES if !value.is_object() => "has to be a table: [unique.samples]",
            _ => continue,
        };
        report.add_finding(entry, at, format!("{key} {wanted}"));
    }
    for (at, fault) in faults_of_gates(entry) {
        if let GateFault::Malformed(words) = fault {
            report.add_finding(entry, at, words);
        }
    }
}

pub(super) fn unknown_key(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    for key in table(entry).into_iter().flat_map(Map::keys) {
        if !KEYS.contains(&key.as_str()) {
            let near = did_you_mean(nearest_name(key, KEYS));
            let at = Pointer::root().child(key.as_str());
            report.add_finding(entry, at, format!("\"{key}\" has no effect{near}"));
        }
    }
    for (at, fault) in faults_of_gates(entry) {
        if let GateFault::UnknownKey(words) = fault {
            report.add_finding(entry, at, words);
        }
    }
}

pub(super) fn unknown_tool(context: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let Some(table) = table(entry) else { return };
    let names = own_names(context.catalog);
    let own = context.catalog.tools.iter().filter(|tool| tool.entry.system == keys::SYSTEM);
    let keys: Vec<&str> = own.map(|tool| tool.entry.key.as_str()).collect();
    let mut look = |name: &str, at: Pointer| {
        if !names.contains(&name) && !keys.contains(&name) {
            let near = did_you_mean(nearest_name(name, names.iter().copied()));
            report.add_finding(entry, at, format!("there is no entry \"{name}\"{near}"));
        }
    };
    for key in [CHOICES, DISABLED] {
        let listed = table.get(key).and_then(Value::as_array).into_iter().flatten();
        for (row, name) in listed.enumerate() {
            look(name.as_str().unwrap_or_default(), Pointer::root().child(key).item(row));
        }
    }
    for name in table.get(TOOLS).and_then(Value::as_object).into_iter().flat_map(Map::keys) {
        look(name, Pointer::root().child(TOOLS).child(name.as_str()));
    }
}

fn own_names(catalog: &Catalog) -> Vec<&str> {
    let own = catalog.tools.iter().filter(|tool| tool.entry.system == keys::SYSTEM);
    own.map(|tool| tool.name.as_str()).collect()
}

/// What is wrong with the gates of tools, each at its place in the settings.
fn faults_of_gates(entry: &Entry) -> Vec<(Pointer, GateFault)> {
    let tools = table(entry).and_then(|table| table.get(TOOLS)?.as_object());
    tools
        .into_iter()
        .flatten()
        .flat_map(|(name, table)| {
            let home = Pointer::root().child(TOOLS).child(name.as_str());
            gate_faults(table).into_iter().map(move |(at, fault)| (home.join(&at), fault))
        })
        .collect()
}
