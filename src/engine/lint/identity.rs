//! Keys and names.

use std::{collections::HashMap, sync::Arc};

use super::{
    check::{Report, member_pointer},
    context::LintContext,
};
use crate::{
    engine::{
        model_view::{Client, accepted_name},
        workflow::twins,
    },
    model::{
        entry::{Entry, EntryKind, SystemId},
        settings::SETTINGS,
        tool::{NotLoaded, Tool},
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
};

pub(crate) fn duplicate_key(context: &LintContext<'_>, report: &mut Report<'_>) {
    let mut first: HashMap<(SystemId, EntryKind, &str), &Entry> = HashMap::new();
    // Settings say more of what is elsewhere, and are loaded by no system.
    let is_loaded = |entry: &&Entry| entry.id.file().as_str() != SETTINGS;
    for entry in context.catalog.entries().filter(is_loaded) {
        if let Some(earlier) = first.get(&(entry.system, entry.kind, entry.key.as_str())) {
            let words = |one: &Entry, other: &Entry| {
                format!(
                    "the {} \"{}\" is also in {}; if both are loaded, the last one applies",
                    one.kind.as_str(),
                    one.key,
                    relative_place(other, one)
                )
            };
            let mut found = report.add_finding(entry, Pointer::root(), words(entry, earlier));
            found.relate(earlier, Pointer::root(), words(earlier, entry));
        } else {
            first.insert((entry.system, entry.kind, &entry.key), entry);
        }
    }
}

pub(crate) fn duplicate_name(context: &LintContext<'_>, report: &mut Report<'_>) {
    let mut first: HashMap<(SystemId, Option<&str>, &str), &Tool> = HashMap::new();
    // What is left out no model sees.
    let is_left_out =
        |tool: &Tool| matches!(tool.gate.not_loaded(), Some(NotLoaded::LeftOut { .. }));
    for tool in context.catalog.tools.iter().filter(|tool| !is_left_out(tool)) {
        let named = (tool.entry.system, holder_of(tool), tool.name.as_str());
        match first.get(&named) {
            // The same key twice is said already, and is most often the same tool in two files.
            Some(earlier) if earlier.entry.key != tool.entry.key => {
                let words = |one: &Tool, other: &Tool| {
                    format!(
                        "another tool is called \"{}\", in {}; a model sees only one of them",
                        one.name,
                        relative_place(&other.entry, &one.entry)
                    )
                };
                let message = words(tool, earlier);
                let mut found = report.add_finding(&tool.entry, name_place(tool), message);
                found.relate(&earlier.entry, name_place(earlier), words(earlier, tool));
            }
            Some(_) => {}
            None => drop(first.insert(named, tool)),
        }
    }
}

pub(crate) fn twin_tools(context: &LintContext<'_>, report: &mut Report<'_>) {
    let tools = &context.catalog.tools;
    for set in twins::find_twins(tools) {
        let mut set = set.iter().filter_map(|row| tools.get(*row));
        let Some(first) = set.next() else { continue };
        let is_beside =
            |tool: &&Arc<Tool>| tool.name != first.name && holder_of(tool) == holder_of(first);
        for tool in set.filter(is_beside) {
            let words = |one: &Tool, other: &Tool| {
                format!(
                    "it differs from \"{}\" ({}) only in its name",
                    other.name,
                    relative_place(&other.entry, &one.entry)
                )
            };
            let message = words(tool, first);
            let mut found = report.add_finding(&tool.entry, Pointer::root(), message);
            found.relate(&first.entry, Pointer::root(), words(first, tool));
        }
    }
}

/// Tools of several servers are offered to one model at once.
const OFFERED_TOGETHER: SystemId = "mcp";

/// What a tool is part of, by its key: no model sees the tools of two agents, or of two spaces.
fn holder_of(tool: &Tool) -> Option<&str> {
    if tool.entry.system == OFFERED_TOGETHER {
        return None;
    }
    tool.entry.key.strip_suffix(&*tool.name)?.strip_suffix('/')
}

/// Where an entry is, as seen from another.
pub(crate) fn relative_place(entry: &Entry, from: &Entry) -> String {
    if entry.id.file() == from.id.file() {
        format!("line {}", entry.line)
    } else {
        format!("{}, line {}", entry.id.file(), entry.line)
    }
}

/// The longest name that OpenAI's and Anthropic's APIs take.
const LONGEST_NAME: usize = 64;

pub(crate) fn name_refused(_: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let fault = match tool.name.chars().find(|letter| !fits(*letter)) {
        Some(' ') => "has a space in it".to_owned(),
        Some(letter) => format!("has '{}' in it", letter.escape_debug()),
        None if tool.name.len() > LONGEST_NAME => format!("is longer than {LONGEST_NAME} letters"),
        None => return,
    };
    let found = report.add_finding(
        &tool.entry,
        name_place(tool),
        format!("the name \"{}\" {fault}; function-calling APIs reject it", tool.name),
    );
    // As a conversion names it.
    let plain = accepted_name(&tool.name, Client::OpenAi);
    let says_something = plain.contains(|letter: char| letter.is_ascii_alphanumeric());
    if says_something && tool.entry.value.is_object() {
        found.fix_edits(
            format!("name it \"{plain}\""),
            [Edit::Set { at: member_pointer(tool.name_key), to: plain.into() }],
        );
    }
}

fn name_place(tool: &Tool) -> Pointer {
    if tool.entry.value.parsed().get(tool.name_key).is_some() {
        member_pointer(tool.name_key)
    } else {
        Pointer::root()
    }
}
