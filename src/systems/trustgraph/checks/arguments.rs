//! What a model gives: the list of arguments.

use std::collections::HashSet;

use serde_json::Value;

use super::services::service_of;
use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean, member_pointer},
            context::LintContext,
        },
        workflow::similar::nearest_name,
    },
    model::tool::Tool,
    schema::pointer::Pointer,
    systems::trustgraph::{
        descriptor::{argument_type, text_member},
        keys,
        types::{self, Arguments},
    },
};

const KEYS: [&str; 3] = [keys::NAME, keys::TYPE, keys::DESCRIPTION];
const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

/// The listed arguments with their rows; none where the type has a fixed one.
fn listed_arguments(tool: &Tool) -> impl Iterator<Item = (usize, &Value)> {
    let items =
        (!is_fixed(tool)).then(|| tool.entry.value.get(keys::ARGUMENTS)?.as_array()).flatten();
    items.into_iter().flatten().enumerate().filter(|(_, item)| item.is_object())
}

/// The place of an argument.
fn argument_pointer(row: usize) -> Pointer {
    member_pointer(keys::ARGUMENTS).item(row)
}

fn is_fixed(tool: &Tool) -> bool {
    types::by_name(&tool.kind).is_some_and(|of| of.arguments != Arguments::Listed)
}

/// An argument in words, for messages.
fn argument_title(item: &Value) -> String {
    text_member(item, keys::NAME)
        .filter(|name| !name.is_empty())
        .map_or_else(|| "an argument".to_owned(), |name| format!("the argument \"{name}\""))
}

fn lacks_text(item: &Value, key: &str) -> bool {
    item.get(key).is_none_or(|value| value.as_str().is_none_or(|text| text.trim().is_empty()))
}

pub(crate) fn arguments_malformed(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(value) = tool.entry.value.get(keys::ARGUMENTS).filter(|_| !is_fixed(tool)) else {
        return;
    };
    let Some(items) = value.as_array() else {
        report.add_finding(
            &tool.entry,
            member_pointer(keys::ARGUMENTS),
            "the arguments must be a list of objects with name, type and description",
        );
        return;
    };
    for (index, item) in items.iter().enumerate().filter(|(_, item)| !item.is_object()) {
        let found = report.add_finding(
            &tool.entry,
            member_pointer(keys::ARGUMENTS).item(index),
            "an argument must be an object with name, type and description",
        );
        if let Value::String(name) = item {
            found.fix_set(
                "make it an object",
                serde_json::json!({"name": name, "type": "string", "description": ""}),
            );
        }
    }
}

pub(crate) fn no_name(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for (row, _) in listed_arguments(tool).filter(|(_, item)| lacks_text(item, keys::NAME)) {
        let at = argument_pointer(row).child(keys::NAME);
        report.add_finding(&tool.entry, at, "an argument has no name");
    }
}

pub(crate) fn no_type(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for (row, item) in listed_arguments(tool).filter(|(_, item)| lacks_text(item, keys::TYPE)) {
        let at = argument_pointer(row).child(keys::TYPE);
        report
            .add_finding(&tool.entry, at, format!("{} has no type", argument_title(item)))
            .fix_set("set it to \"string\"", "string");
    }
}

pub(crate) fn unknown_type(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for (row, item) in listed_arguments(tool) {
        let Some(named) = text_member(item, keys::TYPE)
            .filter(|named| !named.trim().is_empty() && argument_type(named).is_none())
        else {
            continue;
        };
        let near = nearest_name(named, TYPES);
        let message = format!(
            "{} has the type \"{named}\", which isn't one of {}{}",
            argument_title(item),
            TYPES.join(", "),
            did_you_mean(near)
        );
        let found =
            report.add_finding(&tool.entry, argument_pointer(row).child(keys::TYPE), message);
        if let Some(near) = near {
            found.fix_set(format!("change to \"{near}\""), near);
        }
    }
}

pub(crate) fn no_description(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for (row, item) in
        listed_arguments(tool).filter(|(_, item)| lacks_text(item, keys::DESCRIPTION))
    {
        report.add_finding(
            &tool.entry,
            argument_pointer(row).child(keys::DESCRIPTION),
            format!("{} has no description for the model", argument_title(item)),
        );
    }
}

pub(crate) fn argument_duplicate(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let mut seen = HashSet::new();
    for (row, item) in listed_arguments(tool) {
        if let Some(name) =
            text_member(item, keys::NAME).filter(|name| !name.is_empty() && !seen.insert(*name))
        {
            report
                .add_finding(
                    &tool.entry,
                    argument_pointer(row),
                    format!("the argument \"{name}\" appears twice"),
                )
                .fix_remove("remove this one");
        }
    }
}

pub(crate) fn named_like_parameter(
    context: &LintContext<'_>,
    tool: &Tool,
    report: &mut Report<'_>,
) {
    let Some(service) = service_of(context, tool) else { return };
    for (row, item) in listed_arguments(tool) {
        if let Some(name) = text_member(item, keys::NAME)
            .filter(|name| service.parameters.iter().any(|parameter| parameter.name == *name))
        {
            let message = format!(
                "the argument \"{name}\" has the name of a configuration parameter of \"{}\"",
                service.key()
            );
            report.add_finding(&tool.entry, argument_pointer(row).child(keys::NAME), message);
        }
    }
}

/// The longest argument name that every API takes.
const LONGEST_NAME: usize = 64;

pub(crate) fn name_refused(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    for (row, item) in listed_arguments(tool) {
        let Some(name) = text_member(item, keys::NAME)
            .filter(|name| name.len() > LONGEST_NAME || !name.chars().all(fits))
        else {
            continue;
        };
        let message = format!(
            "function-calling APIs reject the argument name \"{name}\": use only letters, digits, \
            _ - . (at most {LONGEST_NAME})"
        );
        report.add_finding(&tool.entry, argument_pointer(row).child(keys::NAME), message);
    }
}

pub(crate) fn unknown_key(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for (row, item) in listed_arguments(tool) {
        for key in item
            .as_object()
            .into_iter()
            .flat_map(serde_json::Map::keys)
            .filter(|key| !KEYS.contains(&key.as_str()))
        {
            let near = nearest_name(key, KEYS).filter(|near| item.get(near).is_none());
            let message = format!(
                "\"{key}\" of {} has no effect: a model sees name, type and description{}",
                argument_title(item),
                did_you_mean(near)
            );
            let found = report.add_finding(&tool.entry, argument_pointer(row).child(key), message);
            if let Some(near) = near {
                found.fix_rename(near);
            }
        }
    }
}

pub(crate) fn arguments_ignored(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(Arguments::Fixed { name, .. }) = types::by_name(&tool.kind).map(|of| of.arguments)
    else {
        return;
    };
    for (key, what) in [(keys::ARGUMENTS, "list"), (keys::ARGUMENTS_SCHEMA, "schema")] {
        if tool.entry.value.get(key).is_some() {
            let message = format!(
                "a tool of type {} always takes \"{name}\": this {what} is ignored",
                tool.kind
            );
            report.add_finding(&tool.entry, member_pointer(key), message).fix_remove("remove it");
        }
    }
}

pub(crate) fn arguments_missing(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let listed = tool
        .entry
        .value
        .get(keys::ARGUMENTS)
        .is_some_and(|value| value.as_array().is_none_or(|items| !items.is_empty()));
    if tool.kind == "mcp-tool" && !listed {
        report.add_finding(
            &tool.entry,
            Pointer::root(),
            "no arguments are listed: the model guesses their names",
        );
    }
}
