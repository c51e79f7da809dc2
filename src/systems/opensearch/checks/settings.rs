//! What `toolcrib.toml` says of when tools are available.

use serde_json::{Map, Value};

use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean, member_pointer},
            context::LintContext,
        },
        settings::gate_table::{GateFault, gate_faults},
        workflow::similar::nearest_name,
    },
    model::entry::Entry,
    schema::pointer::Pointer,
    systems::opensearch::{entries::is_setting, keys},
};

/// What is wrong with the tables of tools, each at its place.
fn faults_of(entry: &Entry) -> Vec<(Pointer, GateFault)> {
    let tables = entry.value.get(keys::TOOLS).and_then(Value::as_object);
    let of_table = |(name, table): (&String, &Value)| {
        let home = member_pointer(keys::TOOLS).child(name.as_str());
        let faults = gate_faults(table).into_iter();
        faults.map(|(at, fault)| (home.join(&at), fault)).collect::<Vec<_>>()
    };
    tables.into_iter().flatten().flat_map(of_table).collect()
}

pub(super) fn malformed(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if !is_setting(entry) {
        return;
    }
    if !entry.value.is_object() {
        report.add_finding(entry, Pointer::root(), "has to be a table: [opensearch.tools.NAME]");
    }
    if entry.value.get(keys::TOOLS).is_some_and(|tools| !tools.is_object()) {
        let words = "has to be tables: [opensearch.tools.NAME]";
        report.add_finding(entry, member_pointer(keys::TOOLS), words);
    }
    for (at, fault) in faults_of(entry) {
        if let GateFault::Malformed(words) = fault {
            report.add_finding(entry, at, words);
        }
    }
}

pub(super) fn unknown(context: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if !is_setting(entry) {
        return;
    }
    let members = entry.value.as_object();
    for key in members.into_iter().flat_map(Map::keys).filter(|key| *key != keys::TOOLS) {
        report.add_finding(entry, member_pointer(key), format!("\"{key}\" is not read"));
    }
    for (at, fault) in faults_of(entry) {
        if let GateFault::UnknownKey(words) = fault {
            report.add_finding(entry, at, words);
        }
    }
    let own = context.catalog.tools.iter().filter(|tool| tool.entry.system == keys::SYSTEM);
    let names: Vec<&str> = own.map(|tool| tool.name.as_str()).collect();
    let tables = entry.value.get(keys::TOOLS).and_then(Value::as_object);
    for name in tables.into_iter().flat_map(Map::keys) {
        if !names.contains(&name.as_str()) {
            let near = did_you_mean(nearest_name(name, names.iter().copied()));
            let at = member_pointer(keys::TOOLS).child(name.as_str());
            report.add_finding(entry, at, format!("no entry has the name \"{name}\"{near}"));
        }
    }
}
