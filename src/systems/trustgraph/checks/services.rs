//! Services, their queues and parameters, MCP servers, and the tools that use them.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
};

use serde_json::Value;

use super::known;
use crate::{
    engine::{
        lint::{
            check::{Report, did_you_mean, member_pointer},
            context::LintContext,
        },
        workflow::similar::{Names, nearest_name},
    },
    model::{
        entry::{Entry, EntryKind},
        service::Service,
        tool::Tool,
    },
    syntax::python::text::is_true,
    systems::trustgraph::{descriptor::text_member, keys, queue},
};

/// The service that answers for a tool of type tool-service.
pub(crate) fn service_of<'c>(context: &LintContext<'c>, tool: &Tool) -> Option<&'c Service> {
    let key = tool.service.as_deref().filter(|_| tool.kind == keys::TOOL_SERVICE)?;
    context.catalog.service_by_key(tool.entry.system, key)
}

pub(crate) fn not_named(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let names = tool
        .entry
        .value
        .get(keys::SERVICE)
        .is_some_and(|service| !service.is_null() && service != "");
    if tool.kind == keys::TOOL_SERVICE && !names {
        report.add_finding(
            &tool.entry,
            member_pointer(keys::SERVICE),
            "a tool of type tool-service must name its \"service\"",
        );
    }
}

pub(crate) fn service_unknown(context: &LintContext<'_>, report: &mut Report<'_>) {
    let ours = |entry: &Entry| entry.system == keys::SYSTEM;
    let is_open = |tool: &&Tool| {
        ours(&tool.entry) && tool.kind == keys::TOOL_SERVICE && service_of(context, tool).is_none()
    };
    let tools = context.catalog.tools.iter().map(|tool| &**tool).filter(is_open);
    let open = tools
        .filter_map(|tool| Some((tool, tool.service.as_deref().filter(|key| !key.is_empty())?)));
    let known = OnceCell::new();
    for (tool, key) in open {
        let (ids, names) = known.get_or_init(|| {
            let services =
                || context.catalog.services.iter().filter(|service| ours(&service.entry));
            let mut ids: HashMap<String, &Service> = HashMap::new();
            for service in services() {
                if let Some(id) = text_member(&service.entry.value.parsed(), keys::ID) {
                    ids.entry(id.to_owned()).or_insert(service);
                }
            }
            (ids, Names::from_names(services().map(Service::key)))
        });
        // As deployed a service is found by its key alone; the id that the document goes by is the
        // likeliest reason.
        let by_id = ids.get(key);
        let near = by_id.map(|service| service.key()).or_else(|| names.nearest(key));
        let message = match by_id {
            Some(service) => format!(
                "no service has the key \"{key}\"; it is the id of \"{}\", but TrustGraph as \
                deployed uses keys",
                service.key()
            ),
            None => format!("there is no service \"{key}\"{}", did_you_mean(near)),
        };
        let found = report.add_finding(&tool.entry, member_pointer(keys::SERVICE), message);
        if let Some(near) = near {
            found.fix_set(format!("change to \"{near}\""), near);
        }
    }
}

pub(crate) fn parameter_missing(context: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(service) = service_of(context, tool) else { return };
    for parameter in service
        .parameters
        .iter()
        .filter(|parameter| parameter.required && tool.entry.value.get(&parameter.name).is_none())
    {
        let message = format!(
            "the service \"{}\" requires \"{}\", but the tool doesn't set it",
            service.key(),
            parameter.name
        );
        let at = member_pointer(&parameter.name);
        report
            .add_finding(&tool.entry, at, message)
            .fix_set(format!("add \"{}\"", parameter.name), "");
    }
}

pub(crate) fn value_undeclared(context: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let (Some(service), Value::Object(members)) = (service_of(context, tool), &*tool.entry.value)
    else {
        return;
    };
    let known = known::known_keys(&tool.entry);
    let names = || service.parameters.iter().map(|parameter| parameter.name.as_str());
    for key in members
        .keys()
        .filter(|key| !known.contains(&key.as_str()) && names().all(|name| name != key.as_str()))
    {
        // Slips are said by gates.misspelt-key and descriptor.unknown-key.
        if known::meant_key(key).is_some()
            || nearest_name(key, known.iter().copied().chain(names())).is_some()
        {
            continue;
        }
        let message = format!(
            "the service \"{}\" declares no \"{key}\": the value isn't passed on",
            service.key()
        );
        report.add_finding(&tool.entry, member_pointer(key), message).fix_remove("remove it");
    }
}

pub(crate) fn no_id(_: &LintContext<'_>, service: &Service, report: &mut Report<'_>) {
    let value = &*service.entry.value;
    if value.is_object() && value.get(keys::ID).is_none_or(|id| id.is_null() || id == "") {
        let at = member_pointer(keys::ID);
        report
            .add_finding(&service.entry, at, "no id, which tools refer to in the document")
            .fix_set(format!("add the id \"{}\"", service.key()), service.key());
    }
}

pub(crate) fn id_differs(_: &LintContext<'_>, service: &Service, report: &mut Report<'_>) {
    if let Some(id) = text_member(&service.entry.value, keys::ID)
        .filter(|id| !id.is_empty() && *id != service.key())
    {
        let message = format!(
            "its id is \"{id}\" and its key \"{}\": as deployed tools find it by the key, by the document by the id",
            service.key()
        );
        report
            .add_finding(&service.entry, member_pointer(keys::ID), message)
            .fix_set(format!("change to \"{}\"", service.key()), service.key());
    }
}

pub(crate) fn file_name(_: &LintContext<'_>, service: &Service, report: &mut Report<'_>) {
    let place = service.entry.id.place();
    let stem = place.file.path().file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if place.at.is_root() && stem != service.key() {
        let message = format!(
            "its file is called \"{stem}\": store it under the key \"{}\", or tools don't find it",
            service.key()
        );
        report.add_finding(&service.entry, member_pointer(keys::ID), message);
    }
}

const QUEUES: [(&str, &str); 2] =
    [(keys::REQUEST_QUEUE, "request"), (keys::RESPONSE_QUEUE, "response")];

pub(crate) fn queue_missing(_: &LintContext<'_>, service: &Service, report: &mut Report<'_>) {
    let value = &*service.entry.value;
    for (key, class) in QUEUES {
        if value.is_object() && value.get(key).is_none_or(|queue| queue.is_null() || queue == "") {
            let name = format!("non-persistent://tg/{class}/{}", service.key());
            let words = format!("no \"{key}\": TrustGraph loads no tool that uses this service");
            report
                .add_finding(&service.entry, member_pointer(key), words)
                .fix_set(format!("set it to {name}"), name);
        }
    }
}

pub(crate) fn queue_name(_: &LintContext<'_>, service: &Service, report: &mut Report<'_>) {
    for (key, _) in QUEUES {
        let Some(name) = text_member(&service.entry.value, key).filter(|name| !name.is_empty())
        else {
            continue;
        };
        if let Err(problem) = queue::nats_subject(name) {
            let near = misspelt_scheme(name);
            let message = format!(
                "invalid queue \"{}\": {}; {}",
                name.escape_debug(),
                problem.cause,
                problem.remedy
            );
            let found = report.add_finding(&service.entry, member_pointer(key), message);
            if let Some(better) = near {
                found.fix_set(format!("change to {better}"), better);
            }
        }
    }
}

/// The address with the scheme that was meant.
fn misspelt_scheme(name: &str) -> Option<String> {
    let (scheme, rest) = name.split_once("://")?;
    let near = nearest_name(scheme, ["non-persistent", "persistent", "nats"])?;
    Some(format!("{near}://{rest}"))
}

pub(crate) fn parameter_malformed(_: &LintContext<'_>, service: &Service, report: &mut Report<'_>) {
    let Some(items) = service.entry.value.get(keys::CONFIG_PARAMS).and_then(Value::as_array) else {
        return;
    };
    let mut seen = HashSet::new();
    for (index, item) in items.iter().enumerate() {
        let at = member_pointer(keys::CONFIG_PARAMS).item(index);
        let name =
            item.as_str().or_else(|| text_member(item, keys::NAME)).filter(|name| !name.is_empty());
        match name {
            None => drop(report.add_finding(
                &service.entry,
                if item.is_object() { at.child(keys::NAME) } else { at },
                "a parameter is a name, or an object with a \"name\"",
            )),
            Some(name) if !seen.insert(name) => {
                report
                    .add_finding(
                        &service.entry,
                        at,
                        format!("the parameter \"{name}\" appears twice"),
                    )
                    .fix_remove("remove this one");
            }
            Some(_) if item.get(keys::REQUIRED).is_some_and(|required| !required.is_boolean()) => {
                let meant =
                    if item.get(keys::REQUIRED).is_some_and(is_true) { "true" } else { "false" };
                let message =
                    format!("\"required\" must be true or false; TrustGraph reads it as {meant}");
                drop(report.add_finding(&service.entry, at.child(keys::REQUIRED), message));
            }
            Some(_) => {}
        }
    }
}

pub(crate) fn parameter_shadowed(_: &LintContext<'_>, service: &Service, report: &mut Report<'_>) {
    for (index, parameter) in service.parameters.iter().enumerate() {
        if known::COMMON.contains(&parameter.name.as_str()) || parameter.name == keys::SERVICE {
            let message = format!(
                "every tool has a \"{}\" of its own: the service gets that",
                parameter.name
            );
            report.add_finding(
                &service.entry,
                member_pointer(keys::CONFIG_PARAMS).item(index),
                message,
            );
        }
    }
}

pub(crate) fn server_unknown(context: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let Some(key) =
        tool.service.as_deref().filter(|key| tool.kind == "mcp-tool" && !key.is_empty())
    else {
        return;
    };
    if context.server_by_key(tool.entry.system, key).is_some() {
        return;
    }
    let near = nearest_name(key, context.server_keys(tool.entry.system));
    let at = [keys::MCP_TOOL, keys::MCP_TOOL_DOCUMENT]
        .into_iter()
        .find(|at| tool.entry.value.get(at).is_some())
        .unwrap_or(keys::MCP_TOOL);
    let found = report.add_finding(
        &tool.entry,
        member_pointer(at),
        format!("there is no MCP server \"{key}\" in this workspace{}", did_you_mean(near)),
    );
    if let Some(near) = near {
        found.fix_set(format!("change to \"{near}\""), near);
    }
}

pub(crate) fn server_url(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let url = entry.value.get(keys::URL).and_then(Value::as_str).unwrap_or_default();
    let is_web = ["http://", "https://"].iter().any(|scheme| {
        url.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    });
    // A template is filled in elsewhere.
    if entry.kind != EntryKind::Server || url.is_empty() || is_web || url.contains(['{', '$']) {
        return;
    }
    let found = report.add_finding(
        entry,
        member_pointer(keys::URL),
        format!("\"{url}\" doesn't begin with http:// or https://"),
    );
    if !url.contains("://") {
        found.fix_set(format!("write http://{url}"), format!("http://{url}"));
    }
}

pub(crate) fn server_no_url(_: &LintContext<'_>, entry: &Entry, report: &mut Report<'_>) {
    let lacks = entry.value.get(keys::URL).is_none_or(|url| url.is_null() || url == "");
    if entry.kind == EntryKind::Server && entry.value.is_object() && lacks {
        let words = "no url: its tools cannot be called";
        report.add_finding(entry, member_pointer(keys::URL), words);
    }
}
