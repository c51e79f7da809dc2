//! What `toolcrib check` says of names in cases, scenarios and the settings that nothing in the
//! workspace has: a guard against a tool that was renamed guards nothing.

use serde_json::Value;

use super::{
    check_files::{at_place, new_finding},
    opened::OpenWorkspace,
    request::{unknown_group, unknown_state},
};
use crate::{
    engine::{
        case::{ask::AskCase, script::Case},
        scenario::page,
    },
    model::{finding::Finding, settings::SETTINGS},
    schema::pointer::Pointer,
    store::workspace::FileRead,
};

/// A name that nothing here has.
const UNKNOWN_NAME: &str = "file.unknown-name";

/// What a name is of.
#[derive(Clone, Copy)]
enum Named {
    Tool,
    Group,
    State,
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
    for naming in namings {
        texts_at(value, naming.path, &Pointer::root(), &mut |at, name| {
            if let Some(message) = unknown(naming.named, name, opened) {
                found.push(at_place(new_finding(UNKNOWN_NAME, &read.file, message), source, at));
            }
        });
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
