//! The service that a tool calls: the one that it names and that is not there yet, or its first.

use super::{
    context::ComposeContext,
    entries::{EntryHome, Unplaced, free_key, place_new},
    plan::Plan,
};
use crate::{
    app::documents::Change,
    model::{
        entry::{Entry, EntryKind},
        finding::EntryEdit,
        tool::Tool,
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
    systems::{self, system::NewEntry},
};

/// What a new service of a tool is; `None` where its system has no such entries.
fn service_kind(tool: &Tool) -> Option<NewEntry> {
    let kinds = systems::by_id(tool.entry.system)?.new_entry_kinds();
    let is_its = |kind: &NewEntry| {
        kind.kind == EntryKind::Service && kind.place.section() == Some(tool.kind.as_str())
    };
    kinds.into_iter().find(is_its)
}

/// The kind and the key of the service that a tool names and that is not there; `None` where it is,
/// or its system has no such entries.
#[must_use]
pub(crate) fn missing_service(
    context: ComposeContext<'_>,
    tool: &Tool,
) -> Option<(NewEntry, String)> {
    let key = tool.service.as_deref().filter(|key| !key.is_empty())?;
    if context.catalog.service_by_key(tool.entry.system, key).is_some() {
        return None;
    }
    Some((service_kind(tool)?, key.to_owned()))
}

/// The kind and the key of the server that a tool names and that is not there.
fn missing_server(context: ComposeContext<'_>, tool: &Tool) -> Option<(NewEntry, String)> {
    let system = systems::by_id(tool.entry.system)?;
    let named = system.tool_reference(tool)?;
    let is_it = |entry: &Entry| {
        entry.kind == EntryKind::Server
            && entry.system == tool.entry.system
            && entry.key == named.key
    };
    let is_missing = named.kind == EntryKind::Server && !named.key.is_empty();
    if !is_missing || context.catalog.entries().any(is_it) {
        return None;
    }
    let mut kinds = system.new_entry_kinds().into_iter();
    Some((kinds.find(|kind| kind.kind == EntryKind::Server)?, named.key))
}

/// The kind and the key of what a tool calls by name and what is not there: a service or a server.
#[must_use]
pub(crate) fn missing_entry(
    context: ComposeContext<'_>,
    tool: &Tool,
) -> Option<(NewEntry, String)> {
    missing_service(context, tool).or_else(|| missing_server(context, tool))
}

/// What such an entry is, in a word or two.
#[must_use]
pub(crate) fn entry_word(kind: &NewEntry) -> &'static str {
    match kind.kind {
        EntryKind::Server => "MCP server",
        _ => "service",
    }
}

/// Makes the service or the server that a tool names, beside the tool.
///
/// # Errors
/// When it is there, or there is no place for it.
pub(crate) fn make_service(context: ComposeContext<'_>, tool: &Tool) -> Result<Plan, String> {
    let names_one = tool.service.as_deref().is_some_and(|key| !key.is_empty());
    let (kind, key) = missing_entry(context, tool).ok_or_else(|| match names_one {
        true => format!("the service of {} exists", tool.entry.key),
        false => format!("{} names no service", tool.entry.key),
    })?;
    let service = new_service(context, tool, &kind, &key)?;
    Ok(Plan::new(format!("new {} {key}", entry_word(&kind)), vec![service]))
}

/// Where a tool has room for the name of a service and names none.
fn empty_reference(tool: &Tool) -> Option<Pointer> {
    let reference = systems::by_id(tool.entry.system)?.tool_reference(tool)?;
    (reference.kind == EntryKind::Service && reference.key.is_empty()).then_some(reference.at)
}

/// Whether a tool can get a first service: it names none yet.
#[must_use]
pub(crate) fn lacks_service(tool: &Tool) -> bool {
    empty_reference(tool).is_some() && service_kind(tool).is_some()
}

/// The key that a tool's first service gets unless another one is chosen, where no service has it:
/// one that isn't the tool's, so that a file can be named after each.
#[must_use]
pub(crate) fn default_key(context: ComposeContext<'_>, tool: &Tool) -> String {
    let key = format!("{}-service", tool.entry.key);
    let is_free = free_key(&key, EntryKind::Service, context).is_ok();
    if is_free { key } else { String::new() }
}

/// Makes a service of that key beside a tool that names none, and names it in the tool.
///
/// # Errors
/// When the key can't be had, or the tool names a service.
pub(crate) fn make_first_service(
    context: ComposeContext<'_>,
    tool: &Tool,
    key: &str,
) -> Result<Plan, String> {
    let (at, kind) = empty_reference(tool)
        .zip(service_kind(tool))
        .ok_or_else(|| format!("{} can't name a new service", tool.entry.key))?;
    let service = new_service(context, tool, &kind, key)?;
    let edit = EntryEdit { entry: tool.id().clone(), edit: Edit::Set { at, to: key.into() } };
    Ok(Plan::new(format!("new service {key}"), vec![Change::Entry(edit), service]))
}

fn new_service(
    context: ComposeContext<'_>,
    tool: &Tool,
    kind: &NewEntry,
    key: &str,
) -> Result<Change, String> {
    free_key(key, kind.kind, context)?;
    let home = EntryHome::beside_entry(Some(&tool.entry));
    let value = kind.named_value(key);
    let entry = Unplaced { key, kind: kind.kind, place: kind.place, value: &value };
    Ok(place_new(entry, &home, &[], context))
}
