//! The variables that a request may name: what they are over its connection, which names are offered
//! while one is typed, and which names nothing defines.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    app::state::State,
    engine::{
        case::expected::collect_texts,
        template,
        variables::{DEFINE, undefined_words},
    },
    model::{
        connection::{Connection, RequestVariables},
        finding::Severity,
        tool::Tool,
    },
    schema::pointer::Pointer,
    ui::form::{notes::Note, templates::TemplateName, view::Form},
};

/// What a variable is over a connection, and where that is from; `None`: nothing defines it.
#[must_use]
pub(super) fn value_words(
    name: &str,
    connection: &Connection,
    shared: &RequestVariables,
) -> Option<String> {
    let variable = connection.variables.get(name)?;
    let origin = match shared.get(name) == Some(variable) {
        true => "the workspace".to_owned(),
        false => format!("connection {}", connection.name),
    };
    Some(format!("{variable} · {origin}"))
}

/// The names that a form offers, for the connection that the request goes over.
#[derive(Default)]
pub(super) struct OfferedNames {
    connection: String,
    variables: RequestVariables,
    names: Arc<[TemplateName]>,
}

impl OfferedNames {
    /// Takes in what the connection of the tool's calls has, and passes it to the form that is shown.
    pub fn follow(&mut self, state: &State, tool: &Tool, form: Option<&mut Form>) {
        let connection = state.call_connection(tool.id());
        let is_known = self.connection == connection.name && self.variables == connection.variables;
        if !is_known {
            self.take_names(state, connection);
        }
        let Some(form) = form else { return };
        form.set_template_names(&self.names);
        // Its value may be as it was.
        if !is_known {
            form.set_notes(undefined_notes(form.value(), state, tool));
        }
    }

    fn take_names(&mut self, state: &State, connection: Connection) {
        let shared = &state.network.connections.variables;
        let of_settings = connection.variables.keys().map(|name| TemplateName {
            name: format!("var.{name}"),
            help: value_words(name, &connection, shared).unwrap_or_default(),
        });
        let of_environment = state.environment.iter().map(|name| TemplateName {
            name: format!("env.{name}"),
            help: "the environment".to_owned(),
        });
        self.names = of_settings.chain(of_environment).collect();
        self.connection = connection.name;
        self.variables = connection.variables;
    }
}

/// What is to be said of the names in a value that nothing defines, at their fields.
#[must_use]
pub(super) fn undefined_notes(value: &Value, state: &State, tool: &Tool) -> Vec<Note> {
    let mut texts = Vec::new();
    collect_texts(value, &Pointer::root(), &mut texts);
    texts.retain(|(_, text)| template::template_names(text).next().is_some());
    if texts.is_empty() {
        return Vec::new();
    }
    let connection = state.call_connection(tool.id());
    let is_set = |name: &str| {
        state.environment.is_empty() || state.environment.iter().any(|known| known == name)
    };
    let mut notes = Vec::new();
    for (at, text) in texts {
        let mut note = |text: String| {
            let severity = Severity::Warning;
            notes.push(Note { at: at.clone(), severity, text, fix: None });
        };
        let undefined = |name: &&str| !connection.variables.contains_key(*name);
        for name in template::variable_names(text).filter(undefined) {
            let words = undefined_words(name, &connection);
            note(if words.ends_with('?') { words } else { format!("{words}: {DEFINE}") });
        }
        for name in template::environment_names(text).filter(|name| !is_set(name)) {
            note(format!("the environment has no variable {name}: set it before toolcrib starts"));
        }
    }
    notes
}
