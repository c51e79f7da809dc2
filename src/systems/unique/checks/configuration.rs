//! The configuration of an entry, as far as the workspace knows its schema.

use serde_json::Value;

use super::each::{configuration_place, each_tool, quoted};
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
    systems::{
        pydantic::camel_name,
        unique::{
            config_schema::{ConfigSchema, ConfigSchemas, EntrySort},
            jinja::template_fault,
            keys,
            prompts::{is_prompt, prompt_texts},
            rendering::Rendering,
            verdict::{read_entry, rejections},
        },
    },
};

pub(super) fn unknown_tool(context: &LintContext<'_>, report: &mut Report<'_>) {
    let schemas = ConfigSchemas::of_catalog(context.catalog);
    let own = context.catalog.tools.iter().filter(|tool| tool.entry.system == keys::SYSTEM);
    for tool in own {
        let name = keys::NAME.get(&tool.entry.value).and_then(Value::as_str);
        let Some(name) = name else { continue };
        let is_known = keys::FACTORY.contains(&name) || schemas.named(name).is_some();
        if is_known || EntrySort::of_entry(&tool.entry.value) != EntrySort::Factory {
            continue;
        }
        let near = nearest_name(name, keys::FACTORY.into_iter().chain(schemas.names()));
        let words = format!(
            "no tool \"{name}\" is known here{}; where none is registered, the tool is disabled without a reason",
            did_you_mean(near)
        );
        let found = report.add_finding(&tool.entry, member_pointer(keys::NAME.camel), words);
        if let Some(near) = near {
            found.fix_set(format!("set to \"{near}\""), Value::from(near));
        }
    }
}

pub(super) fn rejected(context: &LintContext<'_>, report: &mut Report<'_>) {
    each_tool(context.catalog, |tool, schema| {
        for complaint in rejections(&tool.entry.value, schema) {
            let words = format!(
                "{}; the platform disables the tool, and says only that its configuration is invalid",
                complaint.words
            );
            let default = schema.and_then(|schema| default_at(schema, &complaint.at));
            let is_there = complaint.at.get(&tool.entry.value).is_some();
            let name = complaint.at.last().unwrap_or_default().to_owned();
            let is_whole = complaint.at == configuration_place();
            let found = report.add_finding(&tool.entry, complaint.at, words);
            match default {
                Some(default) => {
                    found.fix_set(format!("set to the default {}", quoted(&default)), default);
                }
                None if is_there && !is_whole => found.fix_remove(format!("remove {name}")),
                None => {}
            }
        }
    });
}

/// What the tool has at a place of the entry where nothing is said.
fn default_at(schema: &ConfigSchema, at: &Pointer) -> Option<Value> {
    let inside = at.strip_prefix(&configuration_place())?;
    let spelled: Pointer = inside.tokens().iter().map(|token| camel_name(token)).collect();
    let default = schema.default_config()?;
    inside.get(default).or_else(|| spelled.get(default)).cloned()
}

pub(super) fn ignored_key(context: &LintContext<'_>, report: &mut Report<'_>) {
    each_tool(context.catalog, |tool, schema| {
        let Some(reading) = read_entry(&tool.entry.value, schema) else { return };
        for ignored in reading.ignored {
            let name = ignored.at.last().unwrap_or_default().to_owned();
            let near = nearest_name(&name, ignored.known.iter().map(String::as_str));
            let words = format!("\"{name}\" has no effect{}", did_you_mean(near));
            let parent = ignored.at.parent().unwrap_or_default();
            let siblings = configuration_place().join(&parent);
            let is_free = |near: &&str| {
                let there = siblings.get(&tool.entry.value).and_then(Value::as_object);
                !there.is_some_and(|there| there.keys().any(|known| camel_name(known) == *near))
            };
            let at = configuration_place().join(&ignored.at);
            // What a class keeps out of its schema has a default all the same.
            if schema.is_some_and(|schema| default_at(schema, &at).is_some()) {
                continue;
            }
            let found = report.add_finding(&tool.entry, at, words);
            match near.filter(is_free) {
                Some(near) => found.fix_rename(near),
                None => found.fix_remove(format!("remove \"{name}\"")),
            }
        }
    });
}

pub(super) fn two_spellings(context: &LintContext<'_>, report: &mut Report<'_>) {
    each_tool(context.catalog, |tool, schema| {
        let Some(reading) = read_entry(&tool.entry.value, schema) else { return };
        for at in reading.doubled {
            let name = at.last().unwrap_or_default().to_owned();
            let words = format!("\"{}\" is there too, and counts in its place", camel_name(&name));
            report
                .add_finding(&tool.entry, configuration_place().join(&at), words)
                .fix_remove(format!("remove \"{name}\""));
        }
    });
}

pub(super) fn read_as(context: &LintContext<'_>, report: &mut Report<'_>) {
    each_tool(context.catalog, |tool, schema| {
        let Some(reading) = read_entry(&tool.entry.value, schema) else { return };
        for (at, taken) in reading.converted {
            let at = configuration_place().join(&at);
            let given = at.get(&tool.entry.value).map(quoted).unwrap_or_default();
            let words = format!("{given} is taken for {taken}");
            report.add_finding(&tool.entry, at, words).fix_set(format!("set to {taken}"), taken);
        }
    });
}

pub(super) fn mcp(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let configuration = tool.entry.value.get(keys::CONFIGURATION.camel).and_then(Value::as_object);
    let Some(members) = configuration else { return };
    if EntrySort::of_entry(&tool.entry.value) != EntrySort::Mcp {
        return;
    }
    for member in keys::MCP_REQUIRED {
        let name = member.camel;
        let at = configuration_place().child(name);
        match member.find(members) {
            None => drop(report.add_finding(
                &tool.entry,
                at,
                format!("{name} is missing; the platform writes it, and nothing else checks it"),
            )),
            Some((_, value)) if !value.is_string() => {
                let words = format!("{name} has to be text; nothing checks it");
                report.add_finding(&tool.entry, at, words);
            }
            Some(_) => {}
        }
    }
}

pub(super) fn template(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for (at, text, rendering) in texts_of(tool) {
        if rendering != Rendering::AsWritten
            && let Some(fault) = template_fault(text)
        {
            let words = format!("invalid template: {fault}");
            report.add_finding(&tool.entry, configuration_place().join(&at), words);
        }
    }
}

pub(super) fn not_rendered(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for (at, text, rendering) in texts_of(tool) {
        let sign = ["{{", "{%"].into_iter().find(|sign| text.contains(sign));
        if rendering == Rendering::AsWritten
            && is_prompt(&at)
            && let Some(sign) = sign
        {
            let words =
                format!("the platform does not render this text: a model reads {sign} as it is");
            report.add_finding(&tool.entry, configuration_place().join(&at), words);
        }
    }
}

/// The prompts of a configuration, and what becomes of each.
fn texts_of(tool: &Tool) -> impl Iterator<Item = (Pointer, &str, Rendering)> {
    let configuration = tool.entry.value.get(keys::CONFIGURATION.camel).unwrap_or(&Value::Null);
    prompt_texts(configuration).into_iter().map(|(at, text)| {
        let rendering = Rendering::of_text(&tool.entry.value, &at);
        (at, text, rendering)
    })
}
