//! Names, descriptions, and members that nobody reads.

use serde_json::Value;

use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean, member_pointer},
            context::LintContext,
        },
        workflow::similar::nearest_name,
    },
    model::{entry::Entry, tool::Tool},
    systems::{
        commonground::{entries, keys},
        gate_tables,
    },
};

/// What the worker has itself, under a name that the API does not reserve.
const BUILT_IN: &str = "submit_result";

/// Members of what the API answers, which it drops when they come back.
const ANSWERED: [&str; 3] = ["project_id", "created_at", "updated_at"];

pub(crate) fn no_description(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    if tool.description.trim().is_empty() && tool.entry.value.is_object() {
        report.add_finding(
            &tool.entry,
            member_pointer(keys::DESCRIPTION),
            "it has no description: a model can't know when to use it",
        );
    }
}

pub(crate) fn name_shadowed(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let at = member_pointer(entries::name_key(&tool.entry.value));
    if tool.name == BUILT_IN {
        let message = format!(
            "the worker's own tool \"{BUILT_IN}\" takes precedence: this one is never called"
        );
        report.add_finding(&tool.entry, at, message);
        return;
    }
    let near = keys::RESERVED
        .iter()
        .find(|name| **name != tool.name && name.eq_ignore_ascii_case(&tool.name));
    if let Some(near) = near {
        let message = format!(
            "it differs from CommonGround's own tool \"{near}\" only in case; models mix them up"
        );
        report.add_finding(&tool.entry, at, message);
    }
}

pub(crate) fn unknown_key(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if gate_tables::is_setting(entry) {
        return;
    }
    let Some(members) = entry.value.as_object() else { return };
    let named_by = entries::name_key(&entry.value);
    for key in members.keys().filter(|key| !keys::MEMBERS.contains(&key.as_str())) {
        if key == keys::NAME {
            if named_by == keys::TOOL_NAME
                && members.get(keys::NAME) != members.get(keys::TOOL_NAME)
            {
                let message = "\"tool_name\" applies: \"name\" is only used without it, and \
                    dropped here";
                report.add_finding(entry, member_pointer(key), message).fix_remove("remove it");
            }
            continue;
        }
        if ANSWERED.contains(&key.as_str()) {
            continue;
        }
        let missing = keys::MEMBERS.iter().copied().filter(|known| !members.contains_key(*known));
        let near = nearest_name(key, missing);
        let message = format!("the API drops \"{key}\"{}", did_you_mean(near));
        let found = report.add_finding(entry, member_pointer(key), message);
        match near {
            Some(near) => found.fix_rename(near),
            None => found.fix_remove("remove it"),
        }
    }
}

/// The options of a tool; null where it has none.
pub(crate) fn tool_options(tool: &Tool) -> &Value {
    tool.entry.value.get(keys::OPTIONS).unwrap_or(&Value::Null)
}
