//! Keys of the gate: those that are not read keep it open.

use serde_json::Value;

use super::known::{known_keys, meant_key};
use crate::{
    engine::lint::{
        check::{Report, member_pointer},
        context::LintContext,
    },
    model::{entry::EntryKind, tool::Tool},
    schema::pointer::Pointer,
    systems::trustgraph::keys,
};

pub(crate) fn misspelt_key(context: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Value::Object(members) = &*tool.entry.value else { return };
    let known = known_keys(&tool.entry);
    let service = tool
        .service
        .as_deref()
        .and_then(|key| context.catalog.service_by_key(tool.entry.system, key));
    let declared = |key: &str| {
        service
            .is_some_and(|service| service.parameters.iter().any(|parameter| parameter.name == key))
    };
    debug_assert_eq!(tool.entry.kind, EntryKind::Tool);
    for key in members.keys().filter(|key| !known.contains(&key.as_str()) && !declared(key)) {
        let Some(meant) = meant_key(key) else { continue };
        let effect = match meant {
            keys::GROUP => "the tool is not in these groups",
            keys::STATE => "the state doesn't change",
            _ => "the tool is available in every state",
        };
        let found = report.add_finding(
            &tool.entry,
            member_pointer(key),
            format!("TrustGraph ignores \"{key}\": {effect}; did you mean \"{meant}\"?"),
        );
        if !members.contains_key(meant) {
            found.fix_rename(meant);
        }
    }
}

pub(crate) fn states_key_ignored(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let value = &*tool.entry.value;
    if value.get(keys::STATES_DOCUMENT).is_some() && value.get(keys::STATES_DEPLOYED).is_none() {
        let message = format!(
            "TrustGraph as deployed ignores \"{}\" and reads \"{}\": there the tool is available in every state",
            keys::STATES_DOCUMENT,
            keys::STATES_DEPLOYED
        );
        report
            .add_finding(&tool.entry, member_pointer(keys::STATES_DOCUMENT), message)
            .fix_rename(keys::STATES_DEPLOYED);
    }
}

pub(crate) fn both_keys(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let value = &*tool.entry.value;
    let (Some(document), Some(deployed)) =
        (value.get(keys::STATES_DOCUMENT), value.get(keys::STATES_DEPLOYED))
    else {
        return;
    };
    if document != deployed {
        let message = format!(
            "\"{}\" and \"{}\" differ; only the second applies",
            keys::STATES_DOCUMENT,
            keys::STATES_DEPLOYED
        );
        let at: Pointer = member_pointer(keys::STATES_DOCUMENT);
        report
            .add_finding(&tool.entry, at, message)
            .fix_remove(format!("remove \"{}\"", keys::STATES_DOCUMENT));
    }
}

/// Lists of the gate without the items that they have already.
pub(crate) fn listed_twice(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for key in [keys::GROUP, keys::STATES_DOCUMENT, keys::STATES_DEPLOYED] {
        let Some(items) = tool.entry.value.get(key).and_then(Value::as_array) else { continue };
        let mut once: Vec<&Value> = Vec::with_capacity(items.len());
        let mut twice = None;
        for item in items {
            match once.contains(&item) {
                true => twice = twice.or(Some(item)),
                false => once.push(item),
            }
        }
        if let Some(item) = twice {
            let message = format!("\"{key}\" lists {item} twice; once is enough");
            let once = Value::from_iter(once.into_iter().cloned());
            report
                .add_finding(&tool.entry, member_pointer(key), message)
                .safely()
                .fix_set(format!("list {item} once"), once);
        }
    }
}
