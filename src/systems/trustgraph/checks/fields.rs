//! Fields: missing, of the wrong type, unknown.

use serde_json::{Value, json};

use super::known::{self, MemberShape, expected_members, known_keys};
use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean, member_pointer},
            context::LintContext,
        },
        workflow::similar::nearest_name,
    },
    model::{
        context::Mode,
        entry::{Entry, EntryKind},
        tool::Tool,
    },
    syntax::{edit::Edit, python::text::is_true},
    systems::trustgraph::{
        descriptor::{self, text_member},
        keys, python,
        types::{self, FieldKind},
    },
};

pub(crate) fn type_missing(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let value = &*tool.entry.value;
    if value.is_object() && value.get(keys::TYPE).is_none_or(|of| of.is_null() || of == "") {
        report.add_finding(
            &tool.entry,
            member_pointer(keys::TYPE),
            format!("no type; use one of {}", type_names().join(", ")),
        );
    }
}

pub(crate) fn type_unknown(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    if tool.kind.is_empty() || types::by_name(&tool.kind).is_some() {
        return;
    }
    let near = nearest_name(&tool.kind, type_names());
    let message = format!("TrustGraph has no type \"{}\"{}", tool.kind, did_you_mean(near));
    let message = if near.is_some() {
        message
    } else {
        format!("{message}; it knows {}", type_names().join(", "))
    };
    let found = report.add_finding(&tool.entry, member_pointer(keys::TYPE), message);
    if let Some(near) = near {
        found.fix_set(format!("change to \"{near}\""), near);
    }
}

fn type_names() -> Vec<&'static str> {
    types::TYPES.iter().map(|of| of.name).collect()
}

pub(crate) fn no_name(context: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    if lacks_text(&tool.entry.value, keys::NAME) {
        let breaks =
            context.mode() == Mode::AsDeployed && descriptor::request_failure(tool).is_some();
        let breaks =
            if breaks { ", and TrustGraph's agent fails every request that offers it" } else { "" };
        let message = format!("no name: the model can't call it{breaks}");
        let found = report.add_finding(&tool.entry, member_pointer(keys::NAME), message);
        found.fix_edits(
            format!("name it \"{}\"", tool.entry.key),
            [Edit::Set { at: member_pointer(keys::NAME), to: tool.entry.key.as_str().into() }],
        );
    }
}

pub(crate) fn no_description(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    if lacks_text(&tool.entry.value, keys::DESCRIPTION) {
        report.add_finding(
            &tool.entry,
            member_pointer(keys::DESCRIPTION),
            "no description: a model can't know when to use it",
        );
    }
}

/// The longest description that OpenAI's API takes.
const LONGEST_DESCRIPTION: usize = 1024;

pub(crate) fn description_long(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let length = tool.description.chars().count();
    if length > LONGEST_DESCRIPTION {
        report.add_finding(
            &tool.entry,
            member_pointer(keys::DESCRIPTION),
            format!(
                "the description has {length} characters; OpenAI's API rejects more than 1,024"
            ),
        );
    }
}

pub(crate) fn field_missing(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let value = &*tool.entry.value;
    let fields = types::by_name(&tool.kind).map_or(&[][..], |of| of.fields);
    // A missing service is said by service.not-named, the document's spelling of mcp-tool by
    // descriptor.key-ignored.
    for field in fields.iter().filter(|field| {
        field.required && field.kind != FieldKind::Service && lacks_text(value, field.key)
    }) {
        if field.kind == FieldKind::Server && text_member(value, keys::MCP_TOOL_DOCUMENT).is_some()
        {
            continue;
        }
        let message =
            format!("a tool of type {} needs \"{}\": {}", tool.kind, field.key, lower(field.about));
        report.add_finding(&tool.entry, member_pointer(field.key), message);
    }
}

/// Whether an object lacks a text, or has an empty one. Other types are said by
/// descriptor.wrong-type.
fn lacks_text(value: &Value, key: &str) -> bool {
    value.is_object()
        && value.get(key).is_none_or(|member| {
            member.is_null() || member.as_str().is_some_and(|text| text.trim().is_empty())
        })
}

fn lower(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// Members that hold what TrustGraph's loader refuses, or cannot work with.
pub(crate) fn wrong_type(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    odd_types(entry, LoaderChoice::No, report);
}

/// Members that hold something odd, which the loader takes as it is.
pub(crate) fn unusual_type(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    odd_types(entry, LoaderChoice::AsItIs, report);
}

/// What the loader does with a value that a member should not hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LoaderChoice {
    No,
    AsItIs,
}

impl LoaderChoice {
    fn from_member(entry: &Entry, key: &str, holds: MemberShape, value: &Value) -> Self {
        let taken = match (entry.kind, key) {
            (EntryKind::Server, _) => false,
            (EntryKind::Tool, keys::TYPE | keys::NAME | keys::STATE | keys::SERVICE) => false,
            (EntryKind::Service, keys::REQUEST_QUEUE | keys::RESPONSE_QUEUE) => is_true(value),
            _ => match holds {
                MemberShape::Text => true,
                MemberShape::Texts => false,
                MemberShape::List => python::items(value).is_ok(),
                MemberShape::Count => python::check_int(value).is_ok(),
            },
        };
        if taken { Self::AsItIs } else { Self::No }
    }
}

fn odd_types(entry: &Entry, taken: LoaderChoice, report: &mut Report<'_>) {
    for (key, holds) in expected_members(entry) {
        let Some(value) = entry
            .value
            .get(key)
            .filter(|value| LoaderChoice::from_member(entry, key, holds, value) == taken)
        else {
            continue;
        };
        match (holds, value) {
            (MemberShape::Text, Value::String(_))
            | (MemberShape::List | MemberShape::Texts, Value::Array(_))
                if holds != MemberShape::Texts => {}
            (MemberShape::Count, value) if python::check_int(value).is_ok() => {}
            (MemberShape::Texts, Value::Array(items)) => wrong_items(entry, key, items, report),
            (MemberShape::Texts, Value::String(one)) => {
                let message = format!(
                    "\"{key}\" is a text but must be a list of texts; TrustGraph refuses to load it"
                );
                report
                    .add_finding(entry, member_pointer(key), message)
                    .safely()
                    .fix_set("make it a list of one", json!([one]));
            }
            _ => wrong_value(entry, key, holds, report),
        }
    }
}

fn wrong_value(entry: &Entry, key: &str, holds: MemberShape, report: &mut Report<'_>) {
    let Some(value) = entry.value.get(key) else { return };
    let then = match (key, value) {
        (keys::GROUP, Value::Null) => ": the tool is in no group",
        (keys::STATES_DEPLOYED | keys::STATES_DOCUMENT, Value::Null) => {
            ": the tool is available in no state"
        }
        _ if LoaderChoice::from_member(entry, key, holds, value) == LoaderChoice::AsItIs => {
            "; TrustGraph loads it as it is"
        }
        _ => "",
    };
    let found = report.add_finding(
        entry,
        member_pointer(key),
        format!("\"{key}\" is {} but must be {}{then}", actual_type(value), expected_type(holds)),
    );
    match (holds, value) {
        (_, Value::Null) => found.fix_remove("remove it"),
        (MemberShape::Text, Value::Number(_) | Value::Bool(_)) => {
            found.safely().fix_set("make it a text", value.to_string());
        }
        _ => {}
    }
}

fn wrong_items(entry: &Entry, key: &str, items: &[Value], report: &mut Report<'_>) {
    for (index, item) in items.iter().enumerate().filter(|(_, item)| !item.is_string()) {
        let found = report.add_finding(
            entry,
            member_pointer(key).item(index),
            format!("an item of \"{key}\" is {} but must be a text", actual_type(item)),
        );
        match item {
            Value::Number(_) | Value::Bool(_) => {
                found.safely().fix_set("make it a text", item.to_string());
            }
            _ => found.fix_remove("remove it"),
        }
    }
}

fn expected_type(holds: MemberShape) -> &'static str {
    match holds {
        MemberShape::Text => "a text",
        MemberShape::Texts => "a list of texts",
        MemberShape::List => "a list",
        MemberShape::Count => "a whole number",
    }
}

fn actual_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "empty (null)",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

pub(crate) fn unknown_key(context: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let Value::Object(members) = &*entry.value else { return };
    let known = known_keys(entry);
    let serves = text_member(&entry.value, keys::TYPE) == Some(keys::TOOL_SERVICE)
        && entry.kind == EntryKind::Tool;
    let service = text_member(&entry.value, keys::SERVICE)
        .and_then(|key| context.catalog.service_by_key(entry.system, key));
    let declared = |key: &str| {
        service
            .is_some_and(|service| service.parameters.iter().any(|parameter| parameter.name == key))
    };
    for key in members.keys().filter(|key| !known.contains(&key.as_str()) && !declared(key)) {
        if entry.kind == EntryKind::Tool && known::meant_key(key).is_some() {
            continue;
        }
        let near = nearest_name(
            key,
            known.iter().copied().chain(
                service
                    .into_iter()
                    .flat_map(|service| &service.parameters)
                    .map(|parameter| parameter.name.as_str()),
            ),
        );
        // Other keys of a tool with a service are values for it: service.value-undeclared.
        if serves && near.is_none() {
            continue;
        }
        let message = format!(
            "TrustGraph doesn't know the key \"{key}\" and ignores it{}",
            did_you_mean(near)
        );
        let found = report.add_finding(entry, member_pointer(key), message);
        match near.filter(|near| !members.contains_key(*near)) {
            Some(near) => found.fix_rename(near),
            None => found.fix_remove("remove it"),
        }
    }
}

pub(crate) fn mcp_key_ignored(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let value = &*tool.entry.value;
    if tool.kind == "mcp-tool"
        && value.get(keys::MCP_TOOL_DOCUMENT).is_some()
        && value.get(keys::MCP_TOOL).is_none()
    {
        let message = format!(
            "TrustGraph as deployed ignores \"{}\" and reads \"{}\"",
            keys::MCP_TOOL_DOCUMENT,
            keys::MCP_TOOL
        );
        report
            .add_finding(&tool.entry, member_pointer(keys::MCP_TOOL_DOCUMENT), message)
            .fix_rename(keys::MCP_TOOL);
    }
}
