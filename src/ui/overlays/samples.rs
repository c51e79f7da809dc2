//! Sample values for the variables that a tool's arguments are filled in from: what it would get
//! with them.

use serde_json::Map;

use super::{
    menu::{Item, Menu},
    prompt::Prompt,
};
use crate::{
    app::{calls::CallMessage, message::Message, state::State},
    model::{
        merging::{Merging, Origin},
        tool::Tool,
    },
    ui::view::Reply,
};

/// A variable, and what it is filled in with now.
struct Variable {
    /// As a sample's name: `agent_turn_id`, `$LAMP_TOKEN`.
    name: String,
    shown: String,
    now: String,
}

fn tool_of(state: &State) -> Option<&Tool> {
    let chosen = state.selected.as_ref().and_then(|id| state.tool(id));
    chosen.or_else(|| state.catalog.tools.first().map(|tool| &**tool))
}

fn variables(state: &State) -> Vec<Variable> {
    let Some(merging) = tool_of(state).and_then(|tool| state.merging_of(tool, &Map::new())) else {
        return Vec::new();
    };
    let now =
        |name: &str, value: Option<&str>, otherwise: &str| match (state.sample_of(name), value) {
            (Some(sample), _) => format!("{sample}, as a sample"),
            (None, Some(value)) => format!("{value}, from the connection"),
            (None, None) => otherwise.to_owned(),
        };
    let Merging { rows, variables, .. } = &merging;
    let filled = variables.iter().map(|(name, value)| Variable {
        shown: format!("{{{name}}}"),
        now: now(name, value.as_deref(), "known when it is called"),
        name: name.clone(),
    });
    let environment = rows.iter().filter_map(|row| match &row.origin {
        Origin::Environment(variable) => Some(format!("${variable}")),
        _ => None,
    });
    let environment = environment.map(|name| Variable {
        now: now(&name, None, "read by the service"),
        shown: name.clone(),
        name,
    });
    filled.chain(environment).collect()
}

/// Why there is nothing to try; `None` where there is.
#[must_use]
pub(crate) fn refusal_reason(state: &State) -> Option<String> {
    variables(state).is_empty().then(|| "this tool's arguments use no variables".to_owned())
}

/// The variables of the chosen tool; one is given a sample, or all samples are taken back.
#[must_use]
pub(crate) fn sample_menu(state: &State) -> Menu {
    let variables = variables(state);
    let item = |variable: &Variable| Item {
        title: variable.shown.clone(),
        detail: variable.now.clone(),
        ..Item::default()
    };
    let mut items: Vec<Item> = variables.iter().map(item).collect();
    let samples: Vec<String> = state.invoke.samples.iter().map(|(name, _)| name.clone()).collect();
    if !samples.is_empty() {
        items.push(Item { title: "remove all samples".into(), ..Item::default() });
    }
    let present: Vec<String> = variables
        .iter()
        .map(|of| state.sample_of(&of.name).unwrap_or_default().to_owned())
        .collect();
    Menu::with_replies("What if", items, move |row| match variables.get(row) {
        Some(variable) => prompt(variable, &present[row]),
        None => {
            let back = |name: &String| {
                Message::Call(CallMessage::SetSample {
                    variable: name.clone(),
                    value: String::new(),
                })
            };
            Reply::Send(samples.iter().map(back).collect())
        }
    })
}

fn prompt(variable: &Variable, present: &str) -> Reply {
    let words = "A sample value to preview what the tool would receive; nothing is sent or saved. \
        It is shown in full, so don't use a real secret. Clear it to remove the sample.";
    let name = variable.name.clone();
    Reply::Open(Box::new(
        Prompt::new(format!("What if {}", variable.shown), words, present, move |text, _| {
            Ok(Reply::send(Message::Call(CallMessage::SetSample {
                variable: name.clone(),
                value: text.to_owned(),
            })))
        })
        .with_act("apply"),
    ))
}
