//! The whole set: what stops TrustGraph from loading any tool.

use crate::{
    engine::lint::{
        check::{Report, member_pointer},
        context::LintContext,
    },
    model::entry::Entry,
    schema::pointer::Pointer,
    systems::trustgraph::{
        configuration::deployed_value,
        keys,
        load::{self, LoadError, Services},
    },
};

/// Each entry that would stop the loading, were all others right.
pub(crate) fn loading_refused(context: &LintContext<'_>, report: &mut Report<'_>) {
    let ours = |entry: &Entry| entry.system == keys::SYSTEM;
    let tools = || context.catalog.tools.iter().map(|tool| &tool.entry).filter(|entry| ours(entry));
    let services = context.catalog.services.iter().map(|service| &service.entry);
    let services: Vec<Entry> = services.filter(|entry| ours(entry)).cloned().collect();
    let readable: Services<'_> = services
        .iter()
        .filter_map(|entry| Some((entry.key.as_str(), deployed_value(entry).ok()?)))
        .collect();
    let count = tools().count();
    let mut say = |entry: &Entry, field: &str, logged: &str| {
        let others = if count > 1 {
            format!("none of the {count} tools is loaded")
        } else {
            "no tool is loaded".to_owned()
        };
        let at =
            if entry.value.get(field).is_some() { member_pointer(field) } else { Pointer::root() };
        report.add_finding(
            entry,
            at,
            format!("because of this entry {others}; TrustGraph logs: {logged}"),
        );
    };
    for entry in &services {
        if let Err(logged) = deployed_value(entry) {
            say(entry, "", &logged);
        }
    }
    for entry in tools() {
        let entry = &entry.clone();
        let refused = match deployed_value(entry) {
            Ok(value) => load::load_keyed_tool(value, &readable)
                .err()
                .map(|LoadError { field, logged, .. }| (field, logged)),
            Err(logged) => Some(("", logged)),
        };
        if let Some((field, logged)) = refused {
            say(entry, field, &logged);
        }
    }
}
