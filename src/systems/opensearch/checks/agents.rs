//! Agents, and steps with one another.

use serde_json::Value;

use super::each::{StepAt, listed_steps, own_steps};
use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean, member_pointer},
            context::LintContext,
        },
        workflow::similar::nearest_name,
    },
    model::entry::Entry,
    schema::pointer::Pointer,
    systems::opensearch::{
        entries::{AGENT_TYPES, EntrySort, agent_of},
        keys,
        steps::plan::{is_dynamic, templates_of},
        template::{marks::PARAMETERS, parse::find_placeholders},
    },
};

/// How long an agent's name may be.
const LONGEST_NAME: usize = 128;

/// The steps of a composite tool or an agent.
fn steps_of(entry: &Entry) -> Vec<StepAt> {
    match EntrySort::of_entry(&entry.value) {
        EntrySort::Composite => listed_steps(&entry.value, keys::TOOL_STEPS),
        EntrySort::Agent => listed_steps(&entry.value, keys::TOOLS),
        _ => Vec::new(),
    }
}

pub(super) fn step_output(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let steps = steps_of(entry);
    let names: Vec<&str> = steps.iter().map(|step| step.spec.called()).collect();
    for (number, step) in steps.iter().enumerate() {
        for (member, template) in templates_of(&step.spec) {
            for found in find_placeholders(template, PARAMETERS) {
                let Some(named) = found.name.strip_suffix(keys::OUTPUT_SUFFIX) else { continue };
                let before = names.get(..number).unwrap_or_default();
                if before.contains(&named) || step.spec.parameters.contains_key(found.name) {
                    continue;
                }
                let at = step.parameter(member);
                if names.contains(&named) {
                    let words = format!("\"{named}\" runs only after \"{}\"", step.spec.called());
                    report.add_finding(entry, at, words);
                    continue;
                }
                let near = nearest_name(named, before.iter().copied());
                let words =
                    format!("no step before it is called \"{named}\"{}", did_you_mean(near));
                let finding = report.add_finding(entry, at, words);
                if let Some(near) = near {
                    let mut mended = template.to_owned();
                    let start = found.range.start + PARAMETERS.len();
                    mended.replace_range(start..start + named.len(), near);
                    finding.fix_set(format!("name \"{near}\""), Value::from(mended));
                }
            }
        }
    }
}

pub(super) fn name_clash(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let steps = steps_of(entry);
    for (number, step) in steps.iter().enumerate() {
        let called = step.spec.called();
        let before = steps.get(..number).unwrap_or_default();
        if called.is_empty() || !before.iter().any(|other| other.spec.called() == called) {
            continue;
        }
        let is_taken = |name: &str| steps.iter().any(|step| step.spec.called() == name);
        let free = (2..).map(|count| format!("{called}_{count}")).find(|name| !is_taken(name));
        let words = format!("an earlier step is also called \"{called}\"");
        let finding = report.add_finding(entry, step.at.child(keys::NAME), words);
        if let Some(free) = free {
            finding.fix_set(format!("name it \"{free}\""), Value::from(free));
        }
    }
}

pub(super) fn agent_type(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if EntrySort::of_entry(&entry.value) != EntrySort::Agent {
        return;
    }
    let kind = entry.value.get(keys::TYPE).and_then(Value::as_str).unwrap_or_default();
    if AGENT_TYPES.iter().any(|known| known.eq_ignore_ascii_case(kind)) {
        return;
    }
    let near = nearest_name(kind, AGENT_TYPES.iter().copied());
    let words = format!("\"{kind}\" isn't an agent type{}", did_you_mean(near));
    let finding = report.add_finding(entry, member_pointer(keys::TYPE), words);
    if let Some(near) = near {
        finding.fix_set(format!("set to \"{near}\""), Value::from(near));
    }
}

/// Types of agents that ask a model what to do.
const ASKING_TYPES: [&str; 2] = ["conversational", "plan_execute_and_reflect"];

pub(super) fn agent_model(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if EntrySort::of_entry(&entry.value) != EntrySort::Agent {
        return;
    }
    let kind = entry.value.get(keys::TYPE).and_then(Value::as_str).unwrap_or_default();
    let is_asking = ASKING_TYPES.iter().any(|asking| asking.eq_ignore_ascii_case(kind));
    let is_given = |member: &str| entry.value.get(member).is_some_and(|value| !value.is_null());
    if is_asking && !is_given("llm") && !is_given("model") {
        let words = format!("an agent of type {kind} needs a model: llm.model_id");
        report.add_finding(entry, member_pointer("llm"), words);
    }
}

pub(super) fn agent_name(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if EntrySort::of_entry(&entry.value) != EntrySort::Agent {
        return;
    }
    let name = entry.value.get(keys::NAME).and_then(Value::as_str).unwrap_or_default();
    let length = name.encode_utf16().count();
    if name.trim().is_empty() || length > LONGEST_NAME {
        let words = format!("the name has {length} letters; 1 to {LONGEST_NAME} are allowed");
        report.add_finding(entry, member_pointer(keys::NAME), words);
    }
}

pub(super) fn unknown_type(context: &LintContext<'_>, report: &mut Report<'_>) {
    let own = || context.catalog.tools.iter().filter(|tool| tool.entry.system == keys::SYSTEM);
    let is_listed = |entry: &Entry| EntrySort::of_entry(&entry.value) == EntrySort::Listed;
    let kind = |entry: &Entry| {
        entry.value.get(keys::TYPE).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let listed: Vec<String> =
        own().filter(|tool| is_listed(&tool.entry)).map(|tool| kind(&tool.entry)).collect();
    if listed.is_empty() {
        return;
    }
    for tool in own() {
        for (at, named) in run_by_type(&tool.entry) {
            if named.is_empty() || listed.contains(&named) {
                continue;
            }
            let near = nearest_name(&named, listed.iter().map(String::as_str));
            let words =
                format!("the cluster lists no tool of type \"{named}\"{}", did_you_mean(near));
            let finding = report.add_finding(&tool.entry, at, words);
            if let Some(near) = near {
                finding.fix_set(format!("set to \"{near}\""), Value::from(near));
            }
        }
    }
}

/// The types of those steps of an entry that the cluster runs by their type, and where they stand.
fn run_by_type(entry: &Entry) -> Vec<(Pointer, String)> {
    let is_of_agent = agent_of(entry).is_some();
    own_steps(entry)
        .into_iter()
        // A step with a path is sent to it, but for one that an agent of the cluster has.
        .filter(|step| is_of_agent || !is_dynamic(&step.spec))
        .map(|step| (step.at.child(keys::TYPE), step.spec.tool_type))
        .collect()
}
