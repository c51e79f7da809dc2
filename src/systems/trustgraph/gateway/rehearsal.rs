//! An agent without a model, for rehearsing: it uses the tools that the question names, in that
//! order, under TrustGraph's own rules.

use serde_json::{Map, Value, json};

use super::messages::AGENTS_ERROR;
use crate::{
    engine::filter::{available_tools, next_state},
    model::{
        call::Outcome,
        catalog::Catalog,
        context::{Context, Mode},
        tool::Tool,
    },
    systems::trustgraph::agent::{MOST_STEPS, PLAN},
};

/// What an agent says, message by message, and the error that ends it: its kind and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RehearsedAnswer {
    pub messages: Vec<String>,
    pub error: Option<(String, String)>,
}

/// What the agent with these tools says to a request.
#[must_use]
pub(crate) fn rehearse(tools: &Catalog, request: &Map<String, Value>) -> RehearsedAnswer {
    let text = |name: &str| request.get(name).and_then(Value::as_str);
    let groups = request.get("group").and_then(Value::as_array);
    let mut context = Context {
        user: None,
        groups: groups
            .map(|groups| groups.iter().filter_map(Value::as_str).map(Into::into).collect()),
        state: text("state").map(Into::into),
    };
    let (question, stays) = (text("question").unwrap_or_default(), text("pattern") == Some(PLAN));
    let mut messages = Vec::new();
    // As the gateway says every error of its agent.
    let hidden = |messages| RehearsedAnswer {
        messages,
        error: Some(("gateway-error".into(), AGENTS_ERROR.into())),
    };
    let named = named_tools(tools, question);
    for (step, tool) in named.iter().enumerate() {
        if step == MOST_STEPS {
            return hidden(messages);
        }
        messages.push(text_message("thought", &format!("I will use {}", tool.name)));
        messages.push(action_message(&tool.name));
        let is_available = available_tools(&tools.tools, &context)
            .into_iter()
            .any(|row| tools.tools[row].name == tool.name);
        if !is_available {
            return hidden(messages);
        }
        messages.push(text_message(
            "observation",
            &format!("{} was not really called: this is a rehearsal", tool.name),
        ));
        if !stays {
            context.state =
                Some(next_state(&tool.gate, context.state(), Outcome::Succeeded, Mode::AsDeployed));
        }
    }
    let count = named.len();
    let answer = match count {
        0 => "This agent has no model. It uses the tools that a question names, one after another: name one.".to_owned(),
        1 => "done after 1 step".to_owned(),
        _ => format!("done after {count} steps"),
    };
    messages.push(text_message("answer", &answer));
    RehearsedAnswer { messages, error: None }
}

/// The tools that a question names, in its order.
fn named_tools<'c>(tools: &'c Catalog, question: &str) -> Vec<&'c Tool> {
    let parts =
        question.split(|letter: char| letter.is_whitespace() || ",;.!?\"'".contains(letter));
    // Of several with one name the one that is loaded counts.
    let called = |name: &str| {
        let known: Vec<&Tool> =
            tools.tools.iter().map(AsRef::as_ref).filter(|tool| tool.name == name).collect();
        known.iter().find(|tool| tool.gate.not_loaded().is_none()).or(known.last()).copied()
    };
    parts.filter_map(called).collect()
}

fn text_message(kind: &str, text: &str) -> String {
    json!({"message_type": kind, "content": text, "end_of_message": true}).to_string()
}

/// The use of a tool among the facts that explain a step, as the gateway shortens them.
fn action_message(tool: &str) -> String {
    let fact = |name: &str, value: &str| {
        json!({"s": {"t": "i", "i": "urn:toolcrib:step"}, "p": {"t": "i", "i": format!("https://trustgraph.ai/ns/{name}")},
               "o": {"t": "l", "v": value}})
    };
    let facts = [fact("action", tool), fact("arguments", "{}")];
    json!({"message_type": "explain", "explain_triples": facts, "end_of_message": false})
        .to_string()
}
