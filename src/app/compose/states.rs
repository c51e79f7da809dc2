//! States: add, rename through every file, delete.
//!
//! A state is there because a tool names it. One that no tool names yet is kept in the list
//! `states` of the workspace's `toolcrib.toml`.

use serde_json::Value;

use super::{
    context::{ComposeContext, STATES, files_of, parse_name},
    plan::{Plan, list_names},
};
use crate::{
    app::documents::Change,
    engine::mentions::{NameKind, Naming},
    model::{
        context::{Name, UNDEFINED},
        tool::{Gate, States, Tool},
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
    systems::rename,
};

/// The states that the workspace's settings list.
#[must_use]
pub(crate) fn listed_states(settings: &Value) -> Vec<Name> {
    let items = settings.get(STATES).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).map(Name::from).collect()
}

/// Whether a tool or the settings name the state.
#[must_use]
pub(crate) fn is_there(context: ComposeContext<'_>, name: &str) -> bool {
    name == UNDEFINED
        || context.catalog.tools.iter().any(|tool| lists_state(tool, name) || leads_to(tool, name))
        || context
            .settings_value()
            .is_some_and(|settings| listed_states(settings).iter().any(|listed| &**listed == name))
}

fn lists_state(tool: &Tool, name: &str) -> bool {
    matches!(&tool.gate.states, States::Only(listed) if listed.iter().any(|listed| &**listed == name))
}

fn leads_to(tool: &Tool, name: &str) -> bool {
    tool.gate.next.as_deref() == Some(name)
}

/// Adds a state that no tool names yet.
///
/// # Errors
/// When it cannot be called so, or is there already.
pub fn add_state(context: ComposeContext<'_>, name: &str) -> Result<Plan, String> {
    let name = parse_name(name, "state")?;
    if is_there(context, &name) {
        return Err(format!("{name} already exists"));
    }
    let note = format!("{name} is saved in toolcrib.toml until a tool uses it.");
    Ok(Plan::new(format!("add state {name}"), vec![listing_change(context, &name)])
        .with_note(Some(note)))
}

/// The change that puts a state on the list.
fn listing_change(context: ComposeContext<'_>, name: &str) -> Change {
    let count = context
        .settings_value()
        .and_then(|settings| settings.get(STATES))
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    let at = Pointer::root().child(STATES);
    let edit = match count {
        0 => Edit::Set { at, to: serde_json::json!([name]).into() },
        count => Edit::Insert { at: at.item(count), item: name.into() },
    };
    context.in_settings(edit, || {
        crate::syntax::print::print_value(
            crate::syntax::source::Format::Toml,
            &serde_json::json!({STATES: [name]}),
        )
    })
}

/// Gives a state another name in every file that names it; one that is there already is joined.
///
/// # Errors
/// When it cannot be renamed so.
pub fn rename_state(context: ComposeContext<'_>, from: &str, to: &str) -> Result<Plan, String> {
    let to = parse_name(to, "state")?;
    if &*to == from {
        return Err("type the new name".into());
    }
    if from == UNDEFINED {
        return Err("undefined is the state of a request without one; it can't be renamed".into());
    }
    let mut changes = context.renamed_comments(from, &to);
    changes.extend(rename::state_edits(from, &to, context.catalog).into_iter().map(Change::Entry));
    let mut mentions = context.find_mentions(NameKind::State, from);
    mentions.extend(context.gate_mentions(NameKind::State, from));
    changes.extend(context.rename_mentions(&mentions, &to));
    if changes.is_empty() {
        return Err(format!("no file uses {from}"));
    }
    let joins = is_there(context, &to);
    let note = joins.then(|| format!("{to} already exists: the two are merged."));
    let label = match joins {
        true => format!("merge state {from} into {to}"),
        false => format!("rename state {from} to {to}"),
    };
    Ok(Plan::new(label, changes).with_note(note).with_renaming(NameKind::State, from, &to, joins))
}

/// What refers to a state, in words; empty where nothing does.
#[must_use]
pub(crate) fn state_references(context: ComposeContext<'_>, name: &str) -> Vec<String> {
    let keys = |fits: fn(&Tool, &str) -> bool| {
        list_names(
            context
                .catalog
                .tools
                .iter()
                .filter(|tool| fits(tool, name))
                .map(|tool| tool.entry.key.as_str()),
        )
    };
    let (waiting, leading) = (keys(lists_state), keys(leads_to));
    let mentions = context.find_mentions(NameKind::State, name);
    let files =
        |naming: Naming| files_of(mentions.iter().filter(move |mention| mention.naming == naming));
    let (scenarios, cases) = (files(Naming::Scenario), files(Naming::AskCase));
    let mut words = Vec::new();
    if !waiting.is_empty() {
        words.push(format!("available in it: {waiting}"));
    }
    if !leading.is_empty() {
        words.push(format!("leading to it: {leading}"));
    }
    if !scenarios.is_empty() {
        words.push(format!("{}{}", OF_FILES[0], list_names(scenarios)));
    }
    if !cases.is_empty() {
        words.push(format!("{}{}", OF_FILES[1], list_names(cases)));
    }
    words
}

/// Before the files that mention a state.
const OF_FILES: [&str; 2] = ["scenarios: ", "test cases: "];

/// Takes a state out: no tool lists it or leads to it any more.
///
/// # Errors
/// When nothing names it, or it cannot go.
pub fn delete_state(context: ComposeContext<'_>, name: &str) -> Result<Plan, String> {
    if name == UNDEFINED {
        return Err("undefined is the state of a request without one; it can't be deleted".into());
    }
    let mut gates = Vec::new();
    let mut nowhere = Vec::new();
    for tool in
        context.catalog.tools.iter().filter(|tool| lists_state(tool, name) || leads_to(tool, name))
    {
        let states = match &tool.gate.states {
            States::Only(listed) => {
                States::Only(listed.iter().filter(|state| &***state != name).cloned().collect())
            }
            States::Every => States::Every,
        };
        if states == States::Only(Vec::new()) && lists_state(tool, name) {
            nowhere.push(tool.entry.key.as_str());
        }
        let next = tool.gate.next.clone().filter(|next| &**next != name);
        gates.push((tool, Gate { states, next, ..tool.gate.clone() }));
    }
    let mut changes = context.regate_changes(gates.iter().map(|(tool, to)| (&***tool, to)));
    let (own, scenarios): (Vec<_>, Vec<_>) = context
        .find_mentions(NameKind::State, name)
        .into_iter()
        .partition(|mention| mention.naming == Naming::Settings);
    changes.extend(ComposeContext::remove_mentions(&own));
    if changes.is_empty() {
        return Err(format!("no tool uses {name}"));
    }
    // Files that stay as they are have a note of their own.
    let mut refer = state_references(context, name);
    refer.retain(|words| !OF_FILES.iter().any(|head| words.starts_with(head)));
    let refer = (!refer.is_empty()).then(|| format!("{}.", refer.join("; ")));
    let stranded = (!nowhere.is_empty())
        .then(|| format!("These will be available in no state: {}.", list_names(nowhere)));
    let kept = files_of(&scenarios);
    let kept = (!kept.is_empty())
        .then(|| format!("Not changed, although it uses the state: {}.", list_names(kept)));
    Ok(Plan::new(format!("delete state {name}"), changes)
        .with_note(refer)
        .with_note(stranded)
        .with_note(kept))
}
