//! Groups: rename through every file, delete, and the lists and hierarchies of the workspace's own.

use serde_json::{Value, json};

use super::{
    context::{ComposeContext, files_of, parse_name},
    plan::{Plan, list_names},
};
use crate::{
    app::documents::Change,
    engine::mentions::{NameKind, Naming},
    model::{
        context::{DEFAULT_GROUP, Name},
        tool::{Gate, Tool},
    },
    schema::pointer::Pointer,
    syntax::{edit::Edit, print, source::Format},
    systems::rename,
};

/// The key of the workspace's own groups in the settings file.
pub(crate) const GROUPS: &str = "groups";

/// Where one of the workspace's own groups is in the settings, by its full name: `knowledge/read`.
#[must_use]
pub(crate) fn own_place(settings: &Value, name: &str) -> Option<Pointer> {
    fn find_nested_group(value: &Value, at: &Pointer, above: &str, name: &str) -> Option<Pointer> {
        value.as_object()?.iter().find_map(|(key, value)| {
            let full = if above.is_empty() { key.clone() } else { format!("{above}/{key}") };
            let at = at.child(key.as_str());
            if full == name { Some(at) } else { find_nested_group(value, &at, &full, name) }
        })
    }
    find_nested_group(settings.get(GROUPS)?, &Pointer::root().child(GROUPS), "", name)
}

fn is_in(tool: &Tool, name: &str) -> bool {
    tool.gate.groups.iter().flatten().any(|group| &**group == name)
}

fn is_there(context: ComposeContext<'_>, name: &str) -> bool {
    context.catalog.tools.iter().any(|tool| is_in(tool, name))
        || context.settings_value().is_some_and(|settings| own_place(settings, name).is_some())
}

/// Gives a group another name in every file that names it; one that is there already is joined.
///
/// # Errors
/// When it cannot be renamed so.
pub fn rename_group(context: ComposeContext<'_>, from: &str, to: &str) -> Result<Plan, String> {
    let to = parse_name(to, "group")?;
    if &*to == from {
        return Err("type the new name".into());
    }
    if from == DEFAULT_GROUP {
        return Err("tools that name no group are in default; it can't be renamed".into());
    }
    let own = context.settings_value().and_then(|settings| own_place(settings, from));
    let there = is_there(context, &to);
    let mut changes = Vec::new();
    match own {
        Some(_) if there => return Err(format!("{to} already exists")),
        Some(at) => {
            let above =
                from.rsplit_once('/').map(|(above, _)| format!("{above}/")).unwrap_or_default();
            let Some(key) =
                to.strip_prefix(&above).filter(|key| !key.is_empty() && !key.contains('/'))
            else {
                return Err(format!("it keeps its place in the hierarchy: {above}NAME"));
            };
            changes.extend(
                context.rename_mentions(&context.find_mentions(NameKind::Group, from), &to),
            );
            changes
                .push(context.in_settings(Edit::Rename { at, key: key.to_owned() }, String::new));
        }
        None => {
            changes.extend(
                rename::group_edits(from, &to, context.catalog).into_iter().map(Change::Entry),
            );
            let mut mentions = context.find_mentions(NameKind::Group, from);
            mentions.extend(context.gate_mentions(NameKind::Group, from));
            changes.extend(context.rename_mentions(&mentions, &to));
        }
    }
    if changes.is_empty() {
        return Err(format!("no file uses {from}"));
    }
    let note = there.then(|| format!("{to} already exists: the two are merged."));
    let label = match there {
        true => format!("merge group {from} into {to}"),
        false => format!("rename group {from} to {to}"),
    };
    Ok(Plan::new(label, changes).with_note(note).with_renaming(NameKind::Group, from, &to, there))
}

/// Takes a group out of every tool and of the settings.
///
/// # Errors
/// When nothing names it, or it cannot go.
pub fn delete_group(context: ComposeContext<'_>, name: &str) -> Result<Plan, String> {
    let is_default = name == DEFAULT_GROUP;
    let mentions = context.find_mentions(NameKind::Group, name);
    let (own, scenarios): (Vec<_>, Vec<_>) =
        mentions.into_iter().partition(|mention| mention.naming == Naming::Settings);
    let mut gates = Vec::new();
    let mut bare = Vec::new();
    let mut keys = Vec::new();
    for tool in context.catalog.tools.iter().filter(|tool| is_in(tool, name)) {
        let groups: Vec<Name> =
            tool.gate.groups().into_iter().filter(|group| &**group != name).collect();
        // Without groups it would be in default all the same.
        if is_default && groups.is_empty() {
            continue;
        }
        keys.push(tool.entry.key.as_str());
        if groups.is_empty() {
            bare.push(tool.entry.key.as_str());
        }
        gates.push((tool, Gate { groups: Some(groups), ..tool.gate.clone() }));
    }
    let mut changes = context.regate_changes(gates.iter().map(|(tool, to)| (&***tool, to)));
    changes.extend(ComposeContext::remove_mentions(&own));
    if let Some(at) = context.settings_value().and_then(|settings| own_place(settings, name)) {
        changes.push(context.in_settings(Edit::Remove { at }, String::new));
    }
    if changes.is_empty() && is_default {
        return Err("tools that name no group are in default; it can't be deleted".into());
    }
    if changes.is_empty() {
        return Err(format!("no file uses {name}"));
    }
    let refer = (!keys.is_empty()).then(|| format!("In it: {}.", list_names(keys)));
    let bare = (!bare.is_empty()).then(|| {
        format!(
            "These will be in no group, so only a request for all groups gets them: {}.",
            list_names(bare)
        )
    });
    let kept = files_of(&scenarios);
    let kept = (!kept.is_empty())
        .then(|| format!("Not changed, although it uses the group: {}.", list_names(kept)));
    Ok(Plan::new(format!("delete group {name}"), changes)
        .with_note(refer)
        .with_note(bare)
        .with_note(kept))
}

/// Makes an empty list of the workspace's own; `above/name` puts it below another.
///
/// # Errors
/// When it cannot be called so, or there is no place for it.
pub fn add_list(context: ComposeContext<'_>, name: &str) -> Result<Plan, String> {
    let name = parse_name(name, "group")?;
    if is_there(context, &name) {
        return Err(format!("{name} already exists"));
    }
    let parts: Vec<&str> = name.split('/').collect();
    if parts.iter().any(|part| part.trim().is_empty()) {
        return Err("type a name on both sides of /".into());
    }
    for end in 1..parts.len() {
        let above = parts[..end].join("/");
        let settings = context.settings_value();
        let held = settings.and_then(|settings| own_place(settings, &above)?.get(settings));
        if held.is_some_and(Value::is_array) {
            return Err(format!("{above} is a list of tools; it can't contain groups"));
        }
    }
    let at = parts.iter().fold(Pointer::root().child(GROUPS), |at, part| at.child(*part));
    let new = || {
        let value = parts.iter().rev().fold(json!([]), |below, part| json!({ *part: below }));
        print::print_value(Format::Toml, &json!({ GROUPS: value }))
    };
    let change = context.in_settings(Edit::Set { at, to: json!([]).into() }, new);
    let note = "Lists of the workspace are saved in toolcrib.toml; the running system doesn't \
        know them."
        .to_owned();
    Ok(Plan::new(format!("add group list {name}"), vec![change]).with_note(Some(note)))
}
