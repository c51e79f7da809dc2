//! What `toolcrib check` says of names in cases, scenarios and the settings that nothing in the
//! workspace has: a guard against a tool that was renamed guards nothing.

use serde_json::Value;

use super::{
    opened::OpenWorkspace,
    request::{unknown_group, unknown_state},
};
use crate::{
    engine::{
        case::{ask::AskCase, script::Case},
        groups::CustomGroups,
        lint::check::did_you_mean,
        scenario::page,
        workflow::similar,
    },
    model::{finding::Finding, settings::SETTINGS},
    schema::pointer::Pointer,
    store::workspace::FileRead,
    systems::run_files::{at_place, new_finding},
};

/// The table of the settings that has the workspace's own groups.
const GROUPS: &str = "groups";

/// A name that nothing here has.
const UNKNOWN_NAME: &str = "file.unknown-name";

/// What a name is of.
#[derive(Clone, Copy)]
enum Named {
    Tool,
    Group,
    State,
    /// A tool, or a group.
    Member,
}

/// Where a document names something: the members on the way, `*` for each item or member.
struct Naming {
    path: &'static [&'static str],
    named: Named,
}

const fn naming(path: &'static [&'static str], named: Named) -> Naming {
    Naming { path, named }
}

const ASK_CASE: [Naming; 7] = [
    naming(&["groups", "*"], Named::Group),
    naming(&["state"], Named::State),
    naming(&["expect", "tools", "*"], Named::Tool),
    naming(&["expect", "tools", "*", "call"], Named::Tool),
    naming(&["expect", "never"], Named::Tool),
    naming(&["expect", "never", "*"], Named::Tool),
    naming(&["expect", "state"], Named::State),
];

const SCENARIO: [Naming; 12] = [
    naming(&["start", "groups", "*"], Named::Group),
    naming(&["start", "state"], Named::State),
    naming(&["steps", "*", "tool"], Named::Tool),
    naming(&["steps", "*", "groups", "*"], Named::Group),
    naming(&["steps", "*", "expect", "before"], Named::State),
    naming(&["steps", "*", "expect", "after"], Named::State),
    naming(&["steps", "*", "expect", "state"], Named::State),
    naming(&["steps", "*", "expect", "available", "*"], Named::Tool),
    naming(&["steps", "*", "expect", "includes", "*"], Named::Tool),
    naming(&["steps", "*", "expect", "hidden", "*"], Named::Tool),
    naming(&["steps", "*", "expect", "filtered_by_group", "*"], Named::Tool),
    naming(&["steps", "*", "expect", "filtered_by_state", "*"], Named::Tool),
];

const OF_SETTINGS: [Naming; 3] = [
    naming(&["context", "groups", "*"], Named::Group),
    naming(&["context", "state"], Named::State),
    naming(&["profiles", "*", "*"], Named::Group),
];

/// Of each name that nothing has, where the workspace has tools.
pub(super) fn unknown_names(opened: &OpenWorkspace) -> Vec<Finding> {
    if opened.tools.is_empty() {
        return Vec::new();
    }
    let asked = opened.files.iter().filter(|read| opened.is_asked(&read.file));
    asked.flat_map(|read| of_file(read, opened)).collect()
}

fn of_file(read: &FileRead, opened: &OpenWorkspace) -> Vec<Finding> {
    let Ok(source) = &read.source else { return Vec::new() };
    let Some(value) = source.value(0) else { return Vec::new() };
    let folder = read.file.path().parent().and_then(|folder| folder.file_name());
    let namings = match folder {
        _ if read.file.as_str() == SETTINGS => OF_SETTINGS.iter(),
        _ if source.sections(0).is_some() => return Vec::new(),
        _ if AskCase::is_one(value) => ASK_CASE.iter(),
        Some(folder) if folder == page::FOLDER && !Case::is_one(value) => SCENARIO.iter(),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut look = |named, at, name: &str| {
        if let Some(message) = unknown(named, name, opened) {
            found.push(at_place(new_finding(UNKNOWN_NAME, &read.file, message), source, at));
        }
    };
    for naming in namings {
        let root = Pointer::root();
        texts_at(value, naming.path, &root, &mut |at, name| look(naming.named, at, name));
    }
    if let Some(groups) = value.get(GROUPS).filter(|_| read.file.as_str() == SETTINGS) {
        let at = Pointer::root().child(GROUPS);
        members_of(groups, &at, &mut |at, name| look(Named::Member, at, name));
    }
    found
}

fn unknown(named: Named, name: &str, opened: &OpenWorkspace) -> Option<String> {
    match named {
        Named::Tool => {
            let problem = opened.tool(name).err()?;
            Some(format!("{}: {}", problem.cause, problem.remedy))
        }
        // Lists of groups may be made of groups that no tool is in.
        Named::Group
            if opened.settings.groups.to_string().contains(&Value::from(name).to_string()) =>
        {
            None
        }
        Named::Group => unknown_group(opened, name),
        Named::State => unknown_state(opened, name),
        Named::Member => {
            let tools = &opened.catalog.tools;
            let own = CustomGroups::from_value(&opened.settings.groups).unwrap_or_default();
            let own = own.flat_groups();
            let groups = || own.iter().map(|group| &*group.name);
            let is_tool = tools.iter().any(|tool| tool.entry.key == name || tool.name == name);
            if is_tool
                || groups().any(|group| group == name)
                || unknown_group(opened, name).is_none()
            {
                return None;
            }
            let known = tools.iter().map(|tool| tool.entry.key.as_str()).chain(groups());
            let near = did_you_mean(similar::nearest_name(name, known));
            Some(format!("there is no tool and no group \"{}\"{near}", name.escape_debug()))
        }
    }
}

/// Hands over each member of the workspace's own groups, with its place.
fn members_of(groups: &Value, at: &Pointer, take: &mut impl FnMut(Pointer, &str)) {
    match groups {
        Value::Object(below) => {
            for (name, value) in below {
                members_of(value, &at.child(name.as_str()), take);
            }
        }
        members => texts_at(members, &["*"], at, take),
    }
}

/// Hands over each text that the path leads to, with its place.
fn texts_at(value: &Value, path: &[&str], at: &Pointer, take: &mut impl FnMut(Pointer, &str)) {
    match (path, value) {
        ([], Value::String(text)) => take(at.clone(), text),
        (["*", rest @ ..], Value::Array(items)) => {
            for (row, item) in items.iter().enumerate() {
                texts_at(item, rest, &at.item(row), take);
            }
        }
        (["*", rest @ ..], Value::Object(members)) => {
            for (name, member) in members {
                texts_at(member, rest, &at.child(name.as_str()), take);
            }
        }
        ([name, rest @ ..], Value::Object(members)) => {
            if let Some(member) = members.get(*name) {
                texts_at(member, rest, &at.child(*name), take);
            }
        }
        _ => {}
    }
}
