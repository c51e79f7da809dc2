//! What can be done with the server of a connection beside its tools' list: comparing its eras, and
//! making tools of another system of its tools.

use serde_json::{Value, json};

use crate::{
    app::{
        connection_test::Report,
        message::{ConnectionMessage, Message},
        state::State,
    },
    systems::{deployed::item::Item, facets::remote_tools::RemoteServer, table},
    ui::{
        overlays::{
            checklist::{Checklist, Row},
            importing::import_proposal,
            prompt::Prompt,
        },
        styles::Role,
        view::Reply,
    },
};

use super::kept::NOTHING_LISTED;

/// Asks for a tool to call in both eras, and compares them.
pub(super) fn compare_prompt(state: &State, name: &str) -> Reply {
    let words = "Opens the server once in each era and compares its lists. To compare a call too, \
        type a tool and its arguments as JSON, such as echo {\"message\": \"hi\"}. Empty: no call.";
    let name = name.to_owned();
    let last = last_call(state, &name);
    Reply::Open(Box::new(
        Prompt::new("Compare the eras", words, last, move |text, _| {
            let call = read_call(text)?.map(Box::new);
            let name = name.clone();
            Ok(Reply::send(Message::Connection(ConnectionMessage::CompareEras { name, call })))
        })
        .with_act("compare"),
    ))
}

/// A tool's name, and its arguments as JSON after it; `None` where nothing is written.
fn read_call(text: &str) -> Result<Option<(String, Value)>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let (tool, arguments) = text.split_once(char::is_whitespace).unwrap_or((text, "{}"));
    let arguments: Value = serde_json::from_str(arguments)
        .map_err(|error| format!("the arguments aren't JSON: {error}"))?;
    match arguments.is_object() {
        true => Ok(Some((tool.to_owned(), arguments))),
        false => Err(format!("the arguments must be an object, such as {}", json!({}))),
    }
}

/// The last call that was made through the connection, as the prompt takes it.
fn last_call(state: &State, name: &str) -> String {
    let mut calls = state.invoke.calls.iter();
    let last = calls.rfind(|call| call.connection == name && !call.request.name.is_empty());
    last.map_or_else(String::new, |call| {
        format!("{} {}", call.request.name, call.request.arguments)
    })
}

/// The tools that the last test of a connection listed.
fn listed_tools<'s>(state: &'s State, name: &str) -> Option<&'s [Value]> {
    match state.network.tests.reports.get(name) {
        Some((_, Report::Reached(reached))) => Some(&reached.listed.as_ref()?.tools),
        _ => None,
    }
}

/// The entries by which another system calls these tools of a server.
fn adopted_items(state: &State, name: &str, tools: &[Value]) -> Result<Vec<Item>, String> {
    let system = table::remote_tools().ok_or("no system here calls tools of MCP servers")?;
    let connection = state.network.connections.find_by_name(name).ok_or("it cannot be used")?;
    let url = connection.addresses().first().map(String::as_str);
    system.adopt_tools(&RemoteServer { name, url, tools })
}

/// Why no tools can be made of those of a server.
pub(super) fn adopt_refusal(state: &State, name: &str) -> Option<String> {
    match listed_tools(state, name) {
        None => Some(NOTHING_LISTED.to_owned()),
        Some([]) => Some("the server has no tools".to_owned()),
        // Whether it can be reached does not depend on the tools.
        Some(_) => adopted_items(state, name, &[]).err(),
    }
}

/// Asks which tools of a server are to be called by another system, and shows the entries.
pub(super) fn adopt_tools(state: &State, name: &str) -> Reply {
    let Some(tools) = listed_tools(state, name) else {
        return Reply::Refused(NOTHING_LISTED.into());
    };
    let rows = tools.iter().map(tool_row).collect();
    let (tools, name) = (tools.to_vec(), name.to_owned());
    let title = format!("Make TrustGraph tools of {name}");
    let then = move |ticked: &[usize], state: &State| {
        let chosen: Vec<Value> = ticked.iter().filter_map(|row| tools.get(*row).cloned()).collect();
        let items = adopted_items(state, &name, &chosen)?;
        let title = format!("Make TrustGraph tools of {name}");
        Ok(Reply::Open(Box::new(import_proposal(title, items))))
    };
    let list = Checklist::new(title, "Show the entries", rows, Reply::Handled, then);
    Reply::Open(Box::new(list))
}

fn tool_row(tool: &Value) -> Row {
    let text = |name: &str| tool.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let schema = tool.get("inputSchema").map(serde_json::to_string_pretty);
    let mut details = vec![(Role::Heading, text("name")), (Role::Text, text("description"))];
    details.extend(schema.and_then(Result::ok).map(|schema| (Role::Dim, schema)));
    Row { title: text("name"), note: String::new(), details, refusal: None, is_on: false }
}
