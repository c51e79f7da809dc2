//! The members of an entry.

use serde_json::{Map, Value};

use super::each::{each_tool, quoted};
use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean, member_pointer},
            context::LintContext,
        },
        schema_faults::text_faults,
        workflow::similar::nearest_name,
    },
    model::tool::Tool,
    syntax::python::text,
    systems::{
        pydantic::{camel_name, read_boolean},
        unique::{
            config_schema::EntrySort,
            keys::{self, TOOL_DESCRIPTION},
            tool::{ASSISTANT_ID, INPUT_SCHEMA},
            verdict::{FLAGS, refusals, rejections},
        },
    },
};

/// The members of a tool's entry; none where it is no object.
fn members(tool: &Tool) -> impl Iterator<Item = (&String, &Value)> {
    tool.entry.value.as_object().into_iter().flatten()
}

fn find(tool: &Tool, member: keys::Member) -> Option<(&'static str, &Value)> {
    member.find(tool.entry.value.as_object()?)
}

pub(super) fn schema_text(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let found = find(tool, keys::CONFIGURATION).and_then(|(holder, configuration)| {
        let (name, schema) = INPUT_SCHEMA.find(configuration.as_object()?)?;
        Some((member_pointer(holder).child(name), schema.as_str()?))
    });
    // An empty text is the message that a sub-agent takes by default.
    let Some((at, text)) = found.filter(|(_, text)| !text.is_empty()) else { return };
    for words in text_faults(text) {
        report.add_finding(&tool.entry, at.clone(), words);
    }
}

pub(super) fn refused(context: &LintContext<'_>, report: &mut Report<'_>) {
    each_tool(context.catalog, |tool, schema| {
        let value = &*tool.entry.value;
        let is_rejected = !rejections(value, schema).is_empty();
        for complaint in refusals(value, is_rejected) {
            let words = format!("{}; the platform rejects the whole list", complaint.words);
            let name = complaint.at.last().unwrap_or_default().to_owned();
            let given = complaint.at.get(value);
            let found = report.add_finding(&tool.entry, complaint.at, words);
            if keys::SELECTION_POLICY.is_called(&name) {
                let near = given
                    .and_then(Value::as_str)
                    .and_then(|given| nearest_name(given, keys::POLICIES))
                    .unwrap_or(keys::BY_USER);
                found.fix_set(format!("set to \"{near}\""), Value::from(near));
            } else if FLAGS.iter().any(|flag| flag.is_called(&name))
                || keys::DISPLAY_NAME.is_called(&name)
            {
                found.fix_remove(format!("remove {name}: its default counts"));
            } else if name == keys::CONFIGURATION.camel {
                found.fix_set("set to {}", Value::Object(Map::new()));
            }
        }
    });
}

pub(super) fn icon(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some((name, value)) = find(tool, keys::ICON) else { return };
    let icon = value.as_str();
    if icon.is_some_and(|icon| keys::ICONS.contains(&icon)) {
        return;
    }
    let near = icon.and_then(|icon| nearest_name(icon, keys::ICONS));
    let words = format!("{} is no icon; IconBook is shown{}", quoted(value), did_you_mean(near));
    let to = near.unwrap_or(keys::DEFAULT_ICON);
    report
        .add_finding(&tool.entry, member_pointer(name), words)
        .fix_set(format!("set to \"{to}\""), Value::from(to));
}

pub(super) fn ignored_key(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let known = || keys::MEMBERS.iter().chain([&keys::CONFIG_ERROR, &keys::MCP_SOURCE_ID]);
    for (name, _) in members(tool) {
        if known().any(|member| member.is_called(name)) {
            continue;
        }
        let free = keys::MEMBERS
            .iter()
            .filter(|member| find(tool, **member).is_none())
            .map(|member| member.camel);
        let near = nearest_name(name, free);
        let words = format!("\"{name}\" has no effect{}", did_you_mean(near));
        let found = report.add_finding(&tool.entry, member_pointer(name), words);
        match near {
            Some(near) => found.fix_rename(near),
            None => found.fix_remove(format!("remove \"{name}\"")),
        }
    }
}

pub(super) fn two_spellings(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let has = |name: &str| members(tool).any(|(known, _)| known == name);
    for member in keys::MEMBERS.iter().filter(|member| member.camel != member.snake) {
        if has(member.camel) && has(member.snake) {
            let words = format!("\"{}\" is there too, and counts in its place", member.camel);
            report
                .add_finding(&tool.entry, member_pointer(member.snake), words)
                .fix_remove(format!("remove \"{}\"", member.snake));
        }
    }
}

pub(super) fn config_error(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for (name, _) in members(tool).filter(|(name, _)| keys::CONFIG_ERROR.is_called(name)) {
        report
            .add_finding(&tool.entry, member_pointer(name), "only the platform says this")
            .fix_remove(format!("remove {name}"));
    }
}

pub(super) fn read_as(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    for (name, value) in FLAGS.into_iter().filter_map(|flag| find(tool, flag)) {
        if let Some(is) = read_boolean(value).filter(|_| !value.is_boolean()) {
            let words = format!("{} is taken for {is}", quoted(value));
            report
                .add_finding(&tool.entry, member_pointer(name), words)
                .fix_set(format!("set to {is}"), Value::Bool(is));
        }
    }
}

pub(super) fn sub_agent_flag(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let sort = EntrySort::of_entry(&tool.entry.value);
    if let Some((name, value)) = find(tool, keys::IS_SUB_AGENT)
        && sort == EntrySort::SubAgent
        && (!text::is_true(value) || read_boolean(value) == Some(false))
    {
        let words = "the configuration is read as that of a sub-agent, but the entry counts as none: no tool is made of it";
        report
            .add_finding(&tool.entry, member_pointer(name), words)
            .fix_set("set to true", Value::Bool(true));
    }
}

/// Where the configuration has none, the tool's class may.
pub(super) fn no_description(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let of = keys::CONFIGURATION.get(&tool.entry.value).and_then(Value::as_object);
    let Some((name, text)) = of.and_then(|of| TOOL_DESCRIPTION.find(of)) else { return };
    if text.as_str().is_some_and(|text| text.trim().is_empty()) {
        let at = member_pointer(keys::CONFIGURATION.camel).child(name);
        let words = "no description: a model can't know when to use it";
        report.add_finding(&tool.entry, at, words);
    }
}

pub(super) fn no_assistant(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    if EntrySort::of_entry(&tool.entry.value) != EntrySort::SubAgent {
        return;
    }
    let Some((holder, configuration)) = find(tool, keys::CONFIGURATION) else { return };
    let found = configuration.as_object().map(|members| ASSISTANT_ID.find(members));
    let is_empty = |value: &Value| value.as_str().is_some_and(|id| id.trim().is_empty());
    let Some((name, _)) = found.flatten().filter(|(_, value)| is_empty(value)) else { return };
    let words = "assistantId is empty: set the id of the space that is asked";
    report.add_finding(&tool.entry, member_pointer(holder).child(name), words);
}

pub(super) fn exclusive_unread(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let sort = EntrySort::of_entry(&tool.entry.value);
    if let Some((name, value)) = find(tool, keys::IS_EXCLUSIVE)
        && sort != EntrySort::Factory
        && read_boolean(value) == Some(true)
    {
        let of = if sort == EntrySort::Mcp { "an MCP server's tool" } else { "a sub-agent" };
        let words = format!("{} of {of} has no effect", camel_name(name));
        report
            .add_finding(&tool.entry, member_pointer(name), words)
            .fix_remove(format!("remove {name}"));
    }
}
