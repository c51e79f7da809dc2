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
        registration::{LONGEST_NAME, is_flow, needs_model},
        steps::plan::{is_dynamic, templates_of},
        template::{marks::PARAMETERS, parse::find_placeholders, text_map::text_of},
        tool::declared_schema,
        tool_parameters::ToolSpec,
    },
};

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

pub(super) fn agent_model(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if EntrySort::of_entry(&entry.value) != EntrySort::Agent {
        return;
    }
    let kind = entry.value.get(keys::TYPE).and_then(Value::as_str).unwrap_or_default();
    let given = |member: &str| entry.value.get(member).filter(|value| !value.is_null());
    if needs_model(kind) && given(keys::LLM).is_none() && given("model").is_none() {
        let words = format!("an agent of type {kind} needs a model: llm.model_id");
        report.add_finding(entry, member_pointer(keys::LLM), words);
    }
    let has_id = |llm: &Value| llm[keys::MODEL_ID].as_str().is_some_and(|id| !id.is_empty());
    if given(keys::LLM).is_some_and(|llm| !has_id(llm)) {
        let at = member_pointer(keys::LLM).child(keys::MODEL_ID);
        report.add_finding(entry, at, "llm needs the model's id: model_id");
    }
}

/// Tools that a cluster can't read.
pub(super) fn agent_tools(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if EntrySort::of_entry(&entry.value) != EntrySort::Agent {
        return;
    }
    let home = member_pointer(keys::TOOLS);
    let tools = match entry.value.get(keys::TOOLS) {
        None => return,
        Some(Value::Array(tools)) => tools,
        Some(_) => {
            report.add_finding(entry, home, "tools isn't a list");
            return;
        }
    };
    for (row, tool) in tools.iter().enumerate() {
        let at = home.item(row);
        if !tool.is_object() {
            report.add_finding(entry, at, "a tool is an object with a type");
        } else if !has_type(tool) {
            let words = format!("{} has no type", called_or_number(tool, row));
            report.add_finding(entry, at.child(keys::TYPE), words);
        }
    }
}

fn has_type(tool: &Value) -> bool {
    tool.get(keys::TYPE).and_then(Value::as_str).is_some_and(|kind| !kind.trim().is_empty())
}

/// The name of a step in quotes, or its number from 1.
fn called_or_number(step: &Value, row: usize) -> String {
    let name = step.get(keys::NAME).and_then(Value::as_str).filter(|name| !name.is_empty());
    name.map_or_else(|| format!("step {}", row + 1), |name| format!("\"{name}\""))
}

/// Agents and composite tools that have nothing to run.
pub(super) fn no_steps(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let member = match EntrySort::of_entry(&entry.value) {
        EntrySort::Composite => keys::TOOL_STEPS,
        EntrySort::Agent if is_flow(entry.value[keys::TYPE].as_str().unwrap_or_default()) => {
            keys::TOOLS
        }
        _ => return,
    };
    let listed = entry.value.get(member);
    if listed.is_none_or(|listed| listed.as_array().is_some_and(Vec::is_empty)) {
        report.add_finding(entry, member_pointer(member), format!("{member} is empty"));
    }
}

/// Steps of a composite tool that nothing says how to run.
pub(super) fn step_type(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    if EntrySort::of_entry(&entry.value) != EntrySort::Composite {
        return;
    }
    let steps = entry.value.get(keys::TOOL_STEPS).and_then(Value::as_array);
    for (row, step) in steps.into_iter().flatten().enumerate() {
        if !has_type(step) && !is_dynamic(&ToolSpec::from_entry(step)) {
            let at = member_pointer(keys::TOOL_STEPS).item(row).child(keys::TYPE);
            let words = format!("{} has neither a type nor a uri", called_or_number(step, row));
            report.add_finding(entry, at, words);
        }
    }
}

/// Tools that run something by its id, with that parameter.
const TARGETS: [(&str, &str); 3] = [
    (keys::MODEL_TOOL, keys::MODEL_ID),
    (keys::AGENT_TOOL, keys::AGENT_ID),
    (keys::CONNECTOR_TOOL, keys::CONNECTOR_ID),
];

pub(super) fn tool_target(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let declared = declared_schema(&entry.value);
    let is_asked_for = |name: &str| {
        declared.as_ref().is_some_and(|schema| schema["properties"].get(name).is_some())
    };
    let shared = ToolSpec::from_entry(&entry.value).parameters;
    for step in own_steps(entry) {
        let Some((_, member)) = TARGETS.iter().find(|(kind, _)| *kind == step.spec.tool_type)
        else {
            continue;
        };
        let is_given = [&step.spec.parameters, &step.spec.config, &shared]
            .iter()
            .any(|given| text_of(given, member).is_some_and(|id| !id.trim().is_empty()));
        if is_given || is_dynamic(&step.spec) || is_asked_for(member) {
            continue;
        }
        let words = format!(
            "{} needs {member}: without it in the request, too, the tool can't run",
            step.spec.tool_type
        );
        report.add_finding(entry, step.parameter(member), words);
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
