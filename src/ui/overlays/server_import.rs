//! Servers that other programs have configured, to be taken in as connections.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{
    checklist::{Checklist, Row},
    proposal::{Proposed, propose_plan},
    value_form::{Asked, Shown, ValueForm},
};
use crate::{
    app::{
        compose::{
            connections,
            context::ComposeContext,
            plan::Plan,
            server_block::{PASTED, read_block},
        },
        message::{ConnectionMessage, DocumentMessage, Message, ScreenId},
        notices::NoticeKind,
        state::State,
    },
    engine::secret::HiddenText,
    model::{entry::FileId, settings::SETTINGS},
    schema::count::count_text,
    systems::facets::configured::{ConfigServer, FoundConfig, ValuePlace, WantedValue},
    ui::{styles::Role, view::Reply},
};

/// A server that can be chosen.
#[derive(Clone)]
struct Choice {
    name: String,
    table: Map<String, Value>,
    notes: Vec<String>,
    wanted: Vec<WantedValue>,
}

impl Choice {
    fn from_server(server: &ConfigServer) -> Self {
        Self {
            name: server.name.clone(),
            table: server.table.clone().unwrap_or_default(),
            notes: server.notes.clone(),
            wanted: server.wanted.clone(),
        }
    }

    /// The same with the values that the user gives; what is not given of a secret is noted.
    fn fill_values(&mut self, values: &[&str]) -> Result<Vec<Message>, String> {
        let mut messages = Vec::new();
        for (wanted, value) in self.wanted.iter().zip(values) {
            match &wanted.place {
                ValuePlace::KeyStore(_) if value.is_empty() => {
                    self.notes.extend(wanted.command_note());
                }
                ValuePlace::KeyStore(key) if variable_of(value).is_some() => {
                    let variable = variable_of(value).unwrap_or_default();
                    take_from_variable(&mut self.table, key, variable);
                    let title = &wanted.title;
                    self.notes.push(format!("{title} is taken from the variable {variable}"));
                }
                ValuePlace::KeyStore(key) => {
                    let (name, secret) = (key.clone(), HiddenText((*value).to_owned()));
                    let message = ConnectionMessage::KeepSecret { name, secret };
                    messages.push(Message::Connection(message));
                }
                ValuePlace::Text(_) if value.is_empty() => {
                    return Err(format!("{} of {} is required", wanted.title, self.name));
                }
                ValuePlace::Text(place) => {
                    self.table.values_mut().for_each(|member| replace_text(member, place, value));
                }
            }
        }
        Ok(messages)
    }
}

/// The environment variable that a typed text names: `$API_KEY`.
fn variable_of(text: &str) -> Option<&str> {
    let name = text.trim().strip_prefix('$')?;
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    let is_letter = |letter: char| letter == '_' || letter.is_ascii_uppercase();
    let may_be_one = |letter: char| is_letter(letter) || letter.is_ascii_digit();
    (name.starts_with(is_letter) && name.chars().all(may_be_one)).then_some(name)
}

/// What a table takes from the key store under a name, it takes from an environment variable:
/// `env-key = { KEY = "name" }` becomes `env = { KEY = "$VARIABLE" }`, `token-key` `token-variable`.
fn take_from_variable(table: &mut Map<String, Value>, name: &str, variable: &str) {
    let of_key_store = table.iter().filter_map(|(member, value)| {
        let plain = member.strip_suffix("-key")?.to_owned();
        let named = match value {
            Value::String(_) => None,
            value => Some(value.as_object()?.iter().find(|(_, value)| *value == name)?.0.clone()),
        };
        (named.is_some() || value == name).then(|| (member.clone(), plain, named))
    });
    for (member, plain, named) in of_key_store.collect::<Vec<_>>() {
        let Some(named) = named else {
            table.remove(&member);
            table.insert(format!("{plain}-variable"), variable.into());
            continue;
        };
        if let Some(Value::Object(names)) = table.get_mut(&member) {
            names.remove(&named);
            if names.is_empty() {
                table.remove(&member);
            }
        }
        if let Value::Object(values) = table.entry(plain).or_insert_with(|| json!({})) {
            values.insert(named, format!("${variable}").into());
        }
    }
}

/// Puts a text in the place of another one, wherever a value has that.
fn replace_text(value: &mut Value, place: &str, to: &str) {
    match value {
        Value::String(text) => *text = text.replace(place, to),
        Value::Array(items) => items.iter_mut().for_each(|item| replace_text(item, place, to)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| replace_text(member, place, to));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
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
        choices.push(Choice::from_server(server));
    }
    let aside = Reply::send(Message::CancelQuestion);
    Checklist::new(
        "Import MCP servers",
        "Add the ticked servers",
        rows,
        aside,
        move |ticked, state| {
            let chosen = ticked.iter().filter_map(|row| choices.get(*row)).cloned().collect();
            ask_values(chosen, state)
        },
    )
}

/// What comes of a text that is typed where a server is asked for: of a block of JSON that other
/// programs have their servers in, a choice among these; of all else, what `plan` makes of it, and
/// what follows for the connection of that name.
pub(crate) fn propose_server(
    text: &str,
    state: &State,
    plan: impl Fn(ComposeContext<'_>, &str) -> Result<Plan, String>,
    then: impl Fn(String) -> Vec<Message>,
) -> Result<Proposed, String> {
    let Some(block) = read_block(text) else {
        let context = ComposeContext::from_state(state);
        let mut proposed = propose_plan(plan(context, text)?, state)?;
        proposed.messages.extend(then(connections::typed_name(context, text)?));
        return Ok(proposed);
    };
    let config = block?;
    let names: Vec<&str> = config.read.servers.iter().map(|server| &*server.name).collect();
    Ok(Proposed {
        notes: vec![format!(
            "{}: {}",
            count_text(names.len(), "server", "servers"),
            names.join(", ")
        )],
        lines: Vec::new(),
        messages: vec![Message::DropQuestion, choose_servers(config)],
        act: Some("choose"),
    })
}

/// Offers the servers of a configuration.
pub(crate) fn choose_servers(config: FoundConfig) -> Message {
    let (configs, problems) = (vec![config], Vec::new());
    Message::Connection(ConnectionMessage::ServersFound { configs, problems })
}

/// Adds servers as connections, after asking for what they need.
pub(crate) fn add_servers(servers: &[&ConfigServer], state: &State) -> Result<Reply, String> {
    ask_values(servers.iter().map(|server| Choice::from_server(server)).collect(), state)
}

fn to_row(config: &FoundConfig, server: &ConfigServer, written: Option<&Value>) -> Row {
    let is_in = |table: &Map<String, Value>| {
        written.and_then(Value::as_object).is_some_and(|known| known == table)
    };
    let (note, refusal) = match (&server.table, written) {
        (Err(reason), _) => ("can't add", Some(reason.clone())),
        (Ok(table), Some(_)) if is_in(table) => {
            ("added", Some(format!("{} is already in {SETTINGS}", server.name)))
        }
        (Ok(_), Some(_)) => (
            "name taken",
            Some(format!(
                "{SETTINGS} has a different connection {}; rename that \
                first",
                server.name
            )),
        ),
        (Ok(_), None) if server.disabled => ("off there", None),
        (Ok(_), None) => ("", None),
    };
    // What was pasted is wanted.
    let is_pasted = config.path == Path::new(PASTED) && !server.disabled;
    let mut details = vec![
        (Role::Heading, server.name.clone()),
        (Role::Text, server.shown.clone()),
        (Role::Dim, format!("{} ({})", config.path.display(), config.read.form)),
    ];
    if let Some(refusal) = &refusal {
        details.push((Role::Warning, format!("⚠ {refusal}")));
    }
    if server.disabled {
        details.push((Role::Info, "It is disabled in that file.".to_owned()));
    }
    details.extend(server.notes.iter().map(|note| (Role::Info, note.clone())));
    details.extend(server.wanted.iter().map(|wanted| {
        let words = match wanted.place {
            ValuePlace::KeyStore(_) => "is saved in the key store",
            ValuePlace::Text(_) => "is part of its settings",
        };
        (Role::Info, format!("It asks for {}, which {words}.", wanted.title))
    }));
    if !config.read.findings.is_empty() {
        details.push((Role::Text, String::new()));
        details.push((Role::Heading, "Found in this file".to_owned()));
        let words = config.read.findings.iter().map(|found| (Role::Warning, found_words(found)));
        details.extend(words);
    }
    Row {
        title: server.name.clone(),
        note: note.to_owned(),
        details,
        is_on: refusal.is_none() && is_pasted,
        refusal,
    }
}

/// What was found in a file, `CODE at PLACE: WORDS`, without its code.
fn found_words(found: &str) -> String {
    match found.split_once(": ") {
        Some((code, words)) => match code.split_once(" at ") {
            Some((_, place)) => format!("{place}: {words}"),
            None => words.to_owned(),
        },
        None => found.to_owned(),
    }
}

/// Asks for what the servers need to know first, and adds them.
fn ask_values(chosen: Vec<Choice>, state: &State) -> Result<Reply, String> {
    let asked = chosen.iter().flat_map(|choice| {
        choice.wanted.iter().map(move |wanted| Asked {
            label: format!("{} · {}", choice.name, wanted.title),
            text: wanted.default.clone(),
            shown: match wanted.place {
                ValuePlace::KeyStore(_) => Shown::Hidden,
                ValuePlace::Text(_) => Shown::Plain,
            },
        })
    });
    let asked: Vec<Asked> = asked.collect();
    if asked.is_empty() {
        return take_servers(&chosen, Vec::new(), state);
    }
    // Two servers of one name are refused before anything is typed.
    take_servers(&chosen, Vec::new(), state)?;
    let words = match state.network.lacks_key_store {
        true => {
            "Values that these servers need. There is no key store here: secrets are hidden as \
            you type and kept until toolcrib ends. $NAME in place of one takes the environment \
            variable NAME each time."
        }
        false => {
            "Values that these servers need. Secrets are hidden as you type and saved in the \
            system's key store, not in the settings. $NAME in place of one takes the environment \
            variable NAME. You can leave one empty and enter it later."
        }
    };
    let then = move |values: &[&str], state: &State| {
        let (mut chosen, mut secrets, mut rest) = (chosen.clone(), Vec::new(), values);
        for choice in &mut chosen {
            let (own, others) = rest.split_at(choice.wanted.len().min(rest.len()));
            secrets.extend(choice.fill_values(own)?);
            rest = others;
        }
        take_servers(&chosen, secrets, state)
    };
    let aside = Reply::send(Message::CancelQuestion);
    let form = ValueForm::new("Import MCP servers", words, asked, aside, then);
    Ok(Reply::Open(Box::new(form.with_act("import"))))
}

/// Adds these to the settings as connections; nothing is started.
fn take_servers(chosen: &[Choice], secrets: Vec<Message>, state: &State) -> Result<Reply, String> {
    let servers: Vec<(&str, &Map<String, Value>)> =
        chosen.iter().map(|choice| (choice.name.as_str(), &choice.table)).collect();
    let names: Vec<&str> = servers.iter().map(|(name, _)| *name).collect();
    let plan = connections::add_tables(ComposeContext::from_state(state), &servers, true)?;
    let mut words = format!("Added {}; t tests it, nothing was started", names.join(", "));
    for note in chosen.iter().flat_map(|choice| &choice.notes) {
        words.push_str("; ");
        words.push_str(note);
    }
    let mut messages = vec![
        Message::DropQuestion,
        Message::Document(DocumentMessage::Change { label: plan.label, changes: plan.changes }),
        Message::Document(DocumentMessage::Save(Some(FileId::new(SETTINGS)))),
        Message::Show(ScreenId::Connections),
    ];
    let first = names.first().map(|name| ConnectionMessage::Show((*name).to_owned()));
    messages.extend(first.map(Message::Connection));
    messages.push(Message::Notice(NoticeKind::Done, words));
    messages.extend(secrets);
    Ok(Reply::Send(messages))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_named_in_place_of_a_secret() {
        for (text, name) in [
            ("$API_KEY", Some("API_KEY")),
            ("${API_KEY} ", Some("API_KEY")),
            ("$ecret", None),
            ("$1A", None),
            ("API_KEY", None),
            ("$", None),
        ] {
            assert_eq!(variable_of(text), name, "{text}");
        }
        let mut table = json!({"command": "run", "token-key": "a-token", "env": {"B": "b"},
            "env-key": {"KEY": "a-KEY", "OTHER": "a-OTHER"}, "headers-key": {"X": "a-X"}});
        let table = table.as_object_mut().unwrap();
        for (name, variable) in [("a-token", "T"), ("a-KEY", "K"), ("a-X", "X"), ("none", "N")] {
            take_from_variable(table, name, variable);
        }
        let expected = json!({"command": "run", "token-variable": "T", "env": {"B": "b", "KEY": "$K"},
            "env-key": {"OTHER": "a-OTHER"}, "headers": {"X": "$X"}});
        assert_eq!(Value::Object(table.clone()), expected);
    }
}
