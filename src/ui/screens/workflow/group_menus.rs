//! What composing asks about groups: new ones, their names, whether to delete them.

use super::{
    facts::Facts,
    menu_rows::{action_rows, mark_risky, menu_reply, menu_row},
};
use crate::{
    app::{
        compose::{
            cells,
            context::{ComposeContext, parse_name},
            groups,
            plan::list_names,
        },
        state::State,
    },
    model::{context::Name, entry::EntryId},
    ui::{
        overlays::{prompt::Prompt, proposal::Proposal},
        view::Reply,
    },
};

/// What can be done with groups: make, rename, delete.
pub(crate) fn groups_menu(facts: &Facts, state: &State) -> Reply {
    let mut rows = action_rows(&["matrix"], state);
    rows.push(menu_row(
        "a new group list …",
        "saved in toolcrib.toml; parent/name makes a hierarchy",
        new_list,
    ));
    for group in &facts.groups {
        let name = group.name.clone();
        rows.push(menu_row(format!("{name} …"), "rename or delete", move || of_group(&name)));
    }
    menu_reply("Groups", rows)
}

pub(crate) fn new_list() -> Reply {
    list_prompt("")
}

fn list_prompt(name: &str) -> Reply {
    let words = "Name of a new list; parent/name puts it below another. Tick its tools in the \
        matrix.";
    Proposal::with_text_input("New group list", words, name, |name, state| {
        groups::add_list(ComposeContext::from_state(state), name)
    })
    .with_act("create")
    .into_reply()
}

pub(crate) fn of_group(name: &Name) -> Reply {
    let (one, other) = (name.clone(), name.clone());
    menu_reply(
        format!("Group {name}"),
        vec![
            menu_row("rename", "in every file that uses it", move || rename_group(&one)),
            mark_risky(menu_row("delete", "from every tool", move || delete_group(&other))),
        ],
    )
}

pub(crate) fn rename_group(name: &Name) -> Reply {
    let from = name.clone();
    let words = format!("The new name of {name}, in every file that names it.");
    Proposal::with_text_input("Rename group", words, &**name, move |to, state| {
        groups::rename_group(ComposeContext::from_state(state), &from, to)
    })
    .with_example()
    .with_act("rename")
    .into_reply()
}

pub(crate) fn delete_group(name: &Name) -> Reply {
    let name = name.clone();
    Proposal::new(format!("Delete group {name}?"), "", move |state| {
        groups::delete_group(ComposeContext::from_state(state), &name)
    })
    .with_removal("delete")
    .into_reply()
}

/// Asks for the name of a group that these tools are put into; without any, then for the first one.
pub(crate) fn new_group(ids: Vec<EntryId>, state: &State) -> Reply {
    if ids.is_empty() {
        let words = "Name of the new group. A group exists because a tool names it: choose its \
            first tool next.";
        let prompt = Prompt::new("New group", words, "", |text, state| {
            Ok(first_tool(&parse_name(text, "group")?, state))
        });
        return Reply::Open(Box::new(prompt.with_act("choose tool")));
    }
    let keys: Vec<&str> = ids
        .iter()
        .filter_map(|id| state.catalog.tool(id))
        .map(|tool| tool.entry.key.as_str())
        .collect();
    let words = format!(
        "Name of the new group. A group exists because a tool names it; its first: {}.{}",
        list_names(keys),
        stays_in_default(&ids, state)
    );
    Proposal::with_text_input("New group", words, "", move |name, state| {
        cells::put_into_group(ComposeContext::from_state(state), &ids, &parse_name(name, "group")?)
    })
    .with_act("create")
    .into_reply()
}

/// That a tool without groups of its own stays in the one that it has by that; empty where none is.
fn stays_in_default(ids: &[EntryId], state: &State) -> String {
    let mut tools = ids.iter().filter_map(|id| state.catalog.tool(id));
    match tools.any(|tool| tool.gate.groups.is_none()) {
        true => " It stays in default, too: requests that name no group still get it; the matrix \
                 takes it out."
            .to_owned(),
        false => String::new(),
    }
}

/// Asks which tool a new group begins with.
fn first_tool(name: &Name, state: &State) -> Reply {
    let rows = state.catalog.tools.iter().map(|tool| {
        let (id, name) = (tool.id().clone(), name.clone());
        let words = stays_in_default(std::slice::from_ref(&id), state).trim().to_owned();
        menu_row(tool.entry.key.clone(), tool.gate.groups().join(", "), move || {
            let (ids, title) = (vec![id.clone()], format!("New group {name}"));
            let name = name.clone();
            let put = move |state: &State| {
                cells::put_into_group(ComposeContext::from_state(state), &ids, &name)
            };
            Proposal::new(title, words.clone(), put).with_act("create").into_reply()
        })
    });
    let mut rows: Vec<_> = rows.collect();
    let list = name.to_string();
    rows.push(menu_row(
        "no tool yet: a group list …",
        "saved in toolcrib.toml, for this workspace only; may be empty",
        move || list_prompt(&list),
    ));
    menu_reply(format!("The first tool of group {name}"), rows)
}
