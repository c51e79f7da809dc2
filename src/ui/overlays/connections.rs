//! Menus of the connections: the one that all calls go through, and the one that a tool's calls
//! always do.

use std::collections::BTreeSet;

use super::menu::{Item, Menu};
use crate::{
    app::{
        compose::{connections, context::ComposeContext, plan::Plan},
        message::{ConnectionMessage, DocumentMessage, Message},
        state::State,
    },
    model::{connection::Connection, settings::SETTINGS},
    ui::view::Reply,
};

fn connection_item(connection: &Connection, note: &str) -> Item {
    Item {
        title: connection.name.clone(),
        detail: format!(
            "{} {}",
            connection.transport().as_str(),
            connection.addresses().join(", ")
        ),
        note: note.to_owned(),
        ..Item::default()
    }
}

/// The names of the variables that aren't the same for all of these.
fn differing_variables(connections: &[Connection]) -> BTreeSet<&String> {
    let names = connections.iter().flat_map(|known| known.variables.keys());
    let differs = |name: &&String| {
        let mut values = connections.iter().map(|known| known.variables.get(*name));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    names.filter(differs).collect()
}

/// The connections, to choose one that all calls go through.
pub(crate) fn connection_menu(state: &State) -> Menu {
    let connections = &state.network.connections;
    let usual = Item {
        title: format!("as {SETTINGS} says"),
        detail: match connections.of_tools.len() {
            0 => connections.usual.clone(),
            1 => format!("{}; 1 tool has a connection of its own", connections.usual),
            count => format!("{}; {count} tools have connections of their own", connections.usual),
        },
        ..Item::default()
    };
    let here = state.connection_here().name;
    let differing = differing_variables(&connections.known);
    let rows = connections.known.iter().map(|known| {
        let note = if known.name == here { "in use here" } else { "" };
        let mut item = connection_item(known, note);
        let values = differing.iter().filter_map(|name| Some((name, known.variables.get(*name)?)));
        let words: Vec<String> = values.map(|(name, value)| format!("{name} = {value}")).collect();
        if !words.is_empty() {
            item.detail = format!("{} · {}", item.detail.trim_end(), words.join(", "));
        }
        item
    });
    let items = std::iter::once(usual).chain(rows).collect();
    let names: Vec<_> = connections.known.iter().map(|known| known.name.clone()).collect();
    let at = connections
        .chosen
        .as_ref()
        .and_then(|chosen| names.iter().position(|name| name == chosen))
        .map_or(0, |row| row + 1);
    let choose = move |row: usize| {
        Reply::send(Message::Connection(ConnectionMessage::Use(
            row.checked_sub(1).map(|row| names[row].clone()),
        )))
    };
    Menu::with_replies("All calls go through", items, choose).with_row(at)
}

/// The connection after the one that is used here, round and round; `None`: there is no other. The
/// one that is always there counts where it is the usual one.
pub(crate) fn next_name(state: &State) -> Option<String> {
    let connections = &state.network.connections;
    let always = Connection::embedded().name;
    let counts = |known: &&Connection| known.name != always || known.name == connections.usual;
    let names: Vec<&String> =
        connections.known.iter().filter(counts).map(|known| &known.name).collect();
    let here = state.connection_here().name;
    let at = names.iter().position(|name| **name == here);
    let next = names.get(at.map_or(0, |at| (at + 1) % names.len()))?;
    (**next != here).then(|| (*next).clone())
}

/// The connections, to choose one that calls of the selected tool always go through.
pub(crate) fn of_tool(state: &State) -> Reply {
    if let Some(connection) = state.selected.as_ref().and_then(|id| state.deployed_on(id)) {
        return Reply::Refused(format!(
            "no file here defines this tool: it is called on {connection}, where it is deployed"
        ));
    }
    let Some(tool) = state.selected_tool() else {
        return Reply::Refused("choose a tool first".into());
    };
    let connections = &state.network.connections;
    let own = connections.assigned_name(tool);
    let none = Item {
        title: "no connection of its own".into(),
        detail: connections.usual.clone(),
        ..Item::default()
    };
    let known = connections.known.iter().map(|known| {
        connection_item(known, if own == Some(&*known.name) { "its own" } else { "" })
    });
    let choices: Vec<Option<String>> = std::iter::once(None)
        .chain(connections.known.iter().map(|known| Some(known.name.clone())))
        .collect();
    let planned = |to: &Option<String>| {
        connections::of_tool(ComposeContext::from_state(state), connections, tool, to.as_deref())
    };
    let plans: Vec<Result<Plan, String>> = choices.iter().map(planned).collect();
    let items = std::iter::once(none).chain(known).zip(&plans);
    let items =
        items.map(|(item, plan)| Item { refusal: plan.as_ref().err().cloned(), ..item }).collect();
    let at = choices.iter().position(|to| to.as_deref() == own).unwrap_or(0);
    let choose = move |row: usize| match &plans[row] {
        Ok(plan) => Reply::send(Message::Document(DocumentMessage::Compose(plan.clone()))),
        Err(why) => Reply::Refused(why.clone()),
    };
    Reply::Open(Box::new(
        Menu::with_replies(format!("Calls of {} always go through", tool.entry.key), items, choose)
            .with_row(at),
    ))
}
