//! Servers that other programs have configured, to be taken in as connections.

use serde_json::{Map, Value};

use super::checklist::{Checklist, Row};
use crate::{
    app::{
        compose::{connections, context::ComposeContext},
        message::{ConnectionMessage, DocumentMessage, Message, ScreenId},
        notices::NoticeKind,
        state::State,
    },
    model::settings::SETTINGS,
    systems::facets::configured::{ConfigServer, FoundConfig},
    ui::{styles::Role, view::Reply},
};

/// A server that can be chosen.
struct Choice {
    name: String,
    table: Map<String, Value>,
    notes: Vec<String>,
}

/// The servers of these configurations, to tick.
pub(crate) fn server_checklist(configs: &[FoundConfig], state: &State) -> Checklist {
    let settings = ComposeContext::from_state(state);
    let mut rows = Vec::new();
    let mut choices = Vec::new();
    for (config, server) in
        configs.iter().flat_map(|config| config.read.servers.iter().map(move |s| (config, s)))
    {
        let written = connections::written_table(settings, &server.name);
        rows.push(to_row(config, server, written));
        choices.push(Choice {
            name: server.name.clone(),
            table: server.table.clone().unwrap_or_default(),
            notes: server.notes.clone(),
        });
    }
    let aside = Reply::send(Message::DropQuestion);
    Checklist::new(
        "Import MCP servers",
        "Add the ticked servers",
        rows,
        aside,
        move |ticked, state| {
            let chosen: Vec<&Choice> = ticked.iter().filter_map(|row| choices.get(*row)).collect();
            take_servers(&chosen, state)
        },
    )
}

fn to_row(config: &FoundConfig, server: &ConfigServer, written: Option<&Value>) -> Row {
    let is_in = |table: &Map<String, Value>| {
        written.and_then(Value::as_object).is_some_and(|known| known == table)
    };
    let (note, refusal) = match (&server.table, written) {
        (Err(reason), _) => ("can't be added", Some(reason.clone())),
        (Ok(table), Some(_)) if is_in(table) => {
            ("added", Some(format!("{} is in {SETTINGS} already", server.name)))
        }
        (Ok(_), Some(_)) => (
            "name taken",
            Some(format!("{SETTINGS} has another connection {}; rename that first", server.name)),
        ),
        (Ok(_), None) if server.disabled => ("off there", None),
        (Ok(_), None) => ("", None),
    };
    let mut details = vec![
        (Role::Heading, server.name.clone()),
        (Role::Text, server.shown.clone()),
        (Role::Dim, format!("{} ({})", config.path.display(), config.read.form)),
    ];
    if let Some(refusal) = &refusal {
        details.push((Role::Warning, format!("⚠ {refusal}")));
    }
    if server.disabled {
        details.push((Role::Info, "It is switched off in that file.".to_owned()));
    }
    details.extend(server.notes.iter().map(|note| (Role::Info, note.clone())));
    if !config.read.findings.is_empty() {
        details.push((Role::Text, String::new()));
        details.push((Role::Heading, "Found in this file".to_owned()));
        details.extend(config.read.findings.iter().map(|found| (Role::Warning, found.clone())));
    }
    Row { title: server.name.clone(), note: note.to_owned(), details, refusal, is_on: false }
}

/// Adds these to the settings as connections; nothing is started.
fn take_servers(chosen: &[&Choice], state: &State) -> Result<Reply, String> {
    let servers: Vec<(&str, &Map<String, Value>)> =
        chosen.iter().map(|choice| (choice.name.as_str(), &choice.table)).collect();
    let plan = connections::add_tables(ComposeContext::from_state(state), &servers)?;
    let names: Vec<&str> = servers.iter().map(|(name, _)| *name).collect();
    let mut words = format!("Added {}; t tests it, nothing was started", names.join(", "));
    for note in chosen.iter().flat_map(|choice| &choice.notes) {
        words.push_str("; ");
        words.push_str(note);
    }
    let mut messages = vec![
        Message::DropQuestion,
        Message::Document(DocumentMessage::Change { label: plan.label, changes: plan.changes }),
        Message::Show(ScreenId::Connections),
    ];
    let first = names.first().map(|name| ConnectionMessage::Show((*name).to_owned()));
    messages.extend(first.map(Message::Connection));
    messages.push(Message::Notice(NoticeKind::Done, words));
    Ok(Reply::Send(messages))
}
