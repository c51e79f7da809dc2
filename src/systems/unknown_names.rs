//! Names in cases, scenarios and the settings that nothing in the workspace has: a guard against a tool
//! that was renamed guards nothing. Found by `check` and on the screen alike.

use std::cell::OnceCell;

use serde_json::Value;

use super::run_files::{at_place, new_finding};
use crate::{
    engine::{
        case::{ask::AskCase, script::Case},
        explain::state::StateView,
        filter::unknown_groups,
        gated::{Gated, Slot},
        groups::{CustomGroups, FlatGroup},
        lint::check::did_you_mean,
        scenario::page,
        workflow::similar::nearest_name,
    },
    model::{
        catalog::Catalog,
        context::{Context, Name, UNDEFINED},
        entry::FileId,
        finding::Finding,
        settings::SETTINGS,
        tool::States,
    },
    schema::pointer::Pointer,
    syntax::source::Source,
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

/// The names that a workspace has.
pub struct Known<'k> {
    pub catalog: &'k Catalog,
    /// Its tools with the workspace's own groups among their own.
    pub tools: &'k [Slot],
    /// The workspace's own groups, as the settings say them.
    pub groups: &'k Value,
    /// The states that the settings list.
    pub states: &'k [Name],
    /// That there is no tool of that name, in words; `None`: there is.
    pub missing_tool: &'k dyn Fn(&str) -> Option<String>,
}

/// Of each name in a file that nothing has, where the workspace has tools.
#[must_use]
pub fn unknown_names(file: &FileId, source: &Source, known: &Known<'_>) -> Vec<Finding> {
    if known.tools.is_empty() {
        return Vec::new();
    }
    // The value of a file of many sections would be put together for this; what is read of the others
    // isn't kept.
    if file.as_str() != SETTINGS && source.sections(0).is_some() {
        return Vec::new();
    }
    let source = &source.for_a_look();
    let Some(value) = source.value(0) else { return Vec::new() };
    let folder = file.path().parent().and_then(|folder| folder.file_name());
    let namings = match folder {
        _ if file.as_str() == SETTINGS => OF_SETTINGS.iter(),
        _ if AskCase::is_one(value) => ASK_CASE.iter(),
        Some(folder) if folder == page::FOLDER && !Case::is_one(value) => SCENARIO.iter(),
        _ => return Vec::new(),
    };
    let names = Names { known, groups_text: OnceCell::new(), own_groups: OnceCell::new() };
    let mut found = Vec::new();
    let mut look = |named, at, name: &str| {
        if let Some(message) = names.unknown(named, name) {
            found.push(at_place(new_finding(UNKNOWN_NAME, file, message), source, at));
        }
    };
    for naming in namings {
        let root = Pointer::root();
        texts_at(value, naming.path, &root, &mut |at, name| look(naming.named, at, name));
    }
    if let Some(groups) = value.get(GROUPS).filter(|_| file.as_str() == SETTINGS) {
        let at = Pointer::root().child(GROUPS);
        members_of(groups, &at, &mut |at, name| look(Named::Member, at, name));
    }
    found
}

/// Looks for the names of one file; what is made of the groups for that is made once.
struct Names<'k> {
    known: &'k Known<'k>,
    groups_text: OnceCell<String>,
    own_groups: OnceCell<Vec<FlatGroup>>,
}

impl Names<'_> {
    /// That nothing has a name, in words; `None`: something does.
    fn unknown(&self, named: Named, name: &str) -> Option<String> {
        let known = self.known;
        match named {
            Named::Tool => (known.missing_tool)(name),
            // Lists of groups may be made of groups that no tool is in.
            Named::Group if self.groups_text().contains(&Value::from(name).to_string()) => None,
            Named::Group => unknown_group(known.tools, name),
            Named::State => unknown_state(known.tools, known.states, name),
            Named::Member => {
                let tools = &known.catalog.tools;
                let groups = || self.own_groups().iter().map(|group| &*group.name);
                let is_tool = tools.iter().any(|tool| tool.entry.key == name || tool.name == name);
                if is_tool
                    || groups().any(|group| group == name)
                    || unknown_group(known.tools, name).is_none()
                {
                    return None;
                }
                let names = tools.iter().map(|tool| tool.entry.key.as_str()).chain(groups());
                let near = did_you_mean(nearest_name(name, names));
                Some(format!("there is no tool and no group \"{}\"{near}", name.escape_debug()))
            }
        }
    }

    fn groups_text(&self) -> &str {
        self.groups_text.get_or_init(|| self.known.groups.to_string())
    }

    fn own_groups(&self) -> &[FlatGroup] {
        let read = || CustomGroups::from_value(self.known.groups).unwrap_or_default();
        self.own_groups.get_or_init(|| read().flat_groups())
    }
}

/// What is said of a group that no tool is in; `None` where one is.
#[must_use]
pub fn unknown_group(tools: &[Slot], group: &str) -> Option<String> {
    let context = Context { groups: Some(vec![group.into()]), ..Context::default() };
    if unknown_groups(tools, &context).is_empty() {
        return None;
    }
    let known = tools.iter().flat_map(|tool| tool.gate().groups.as_deref().unwrap_or_default());
    let near = did_you_mean(nearest_name(group, known.map(|name| &**name)));
    Some(format!("no tool is in group {group}{near}"))
}

/// What is said of a state that nothing names; `None` where a tool or the settings do, or runs start
/// in it.
#[must_use]
pub fn unknown_state(tools: &[Slot], listed: &[Name], state: &str) -> Option<String> {
    let context = Context::default();
    if state == UNDEFINED || StateView::for_state(tools, &context, listed, state).is_some() {
        return None;
    }
    let gates = || tools.iter().map(Gated::gate);
    let of_gates = gates().flat_map(|gate| match &gate.states {
        States::Every => &[][..],
        States::Only(listed) => listed,
    });
    let known = of_gates.chain(gates().filter_map(|gate| gate.next.as_ref())).map(|name| &**name);
    let near = did_you_mean(nearest_name(state, known.chain([UNDEFINED])));
    Some(format!("no tool uses the state {state}{near}; `toolcrib states` lists the states"))
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
