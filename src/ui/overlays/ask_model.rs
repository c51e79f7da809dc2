//! What is asked before a model is: which one, and what; and a form for a model's connection where
//! there is none.

use serde_json::{Map, Value, json};

use super::{
    menu::{Item, Menu},
    value_form::{Asked, Shown, ValueForm},
};
use crate::{
    app::{
        agent_run::{AgentMessage, CallPolicy, ModelRun, RunSetup, RunSource},
        compose::{connections, context::ComposeContext},
        message::Message,
        state::State,
    },
    engine::{
        agent_loop::{
            apis::api_of_word,
            breakpoint::{BREAKPOINT_FORMS, Breakpoint},
            recording::Recording,
        },
        filter::{self, AskedGroups},
    },
    model::{
        call::Event,
        context::Context,
        trace::{Head, Trace},
    },
    systems::{
        model_settings::{MOCK_MODEL, MODEL, ModelSettings},
        table,
    },
    ui::view::Reply,
};

/// In the form: somebody decides each call, or nobody any.
const EVERY: &str = "every call";
const NOTHING: &str = "nothing";

/// A model that can be chosen.
#[derive(Clone)]
pub(crate) struct ModelRow {
    pub connection: String,
    detail: String,
}

/// The models that the workspace's connections lead to, and the mock.
pub(crate) fn model_rows(state: &State) -> Vec<ModelRow> {
    let row = |known: &crate::model::connection::Connection| {
        let model = ModelSettings::from_connection(known)?;
        let address = known.addresses().first().cloned().unwrap_or_default();
        Some(ModelRow {
            connection: known.name.clone(),
            detail: format!("{} at {address}", model.name),
        })
    };
    let connections = &state.network.connections;
    let mock = ModelRow {
        connection: MOCK_MODEL.into(),
        detail: "calls tools by rules: no account, nothing is sent".into(),
    };
    let mock = connections.find_by_name(MOCK_MODEL).is_none().then_some(mock);
    connections.known.iter().filter_map(row).chain(mock).collect()
}

/// Asks which model is meant, and goes on with the name of its connection.
pub(crate) fn choose_model(rows: &[ModelRow], then: impl Fn(&str) -> Reply + 'static) -> Reply {
    let item = |row: &ModelRow| Item {
        title: row.connection.clone(),
        detail: row.detail.clone(),
        ..Item::default()
    };
    let new = Item {
        title: "new model…".into(),
        detail: "add a connection to another one".into(),
        ..Item::default()
    };
    let items = rows.iter().map(item).chain([new]).collect();
    let (rows, then) = (rows.to_vec(), std::rc::Rc::new(then));
    Reply::Open(Box::new(Menu::with_replies("Which model?", items, move |row| {
        match rows.get(row) {
            Some(row) => then(&row.connection),
            None => {
                let then = std::rc::Rc::clone(&then);
                Reply::Open(Box::new(model_form(move |name| then(name))))
            }
        }
    })))
}

/// Asks for a model, then for a question, in the context of Workflow's run.
pub(crate) fn ask_model(state: &State) -> Reply {
    let question = state.workflow.simulation.question().unwrap_or_default().to_owned();
    let before = state.invoke.agent.asked.clone();
    let setup = RunSetup {
        question,
        system: before.as_ref().and_then(|before| before.system.clone()),
        source: RunSource::Model { connection: String::new() },
        context: None,
        policy: before.as_ref().map_or(CallPolicy::Ask, |before| before.policy),
        breakpoints: before.map_or_else(Vec::new, |before| before.breakpoints),
    };
    ask_again(state, setup)
}

/// The same with what is in the form from the beginning.
pub(crate) fn ask_again(state: &State, setup: RunSetup) -> Reply {
    let context = setup.context.clone().unwrap_or_else(|| state.context());
    let available = filter::available_tools(&state.gated_tools(), &context).len();
    let lack = match (available, table::kept_tools_at(&state.current_connection())) {
        (0, Some(_)) if state.catalog.tools.is_empty() => {
            " (“keep tools…” on Connections saves those of the server)"
        }
        _ => "",
    };
    let tools = match available {
        0 => "without tools, as none is available".to_owned(),
        1 => "with the tool that is available".to_owned(),
        count => format!("with the {count} tools that are available"),
    };
    let context = format!("{tools} for {}{lack}", context_words(&context));
    let form = move |model: &str| Reply::Open(Box::new(question_form(model, &setup, &context)));
    choose_model(&model_rows(state), form)
}

/// Asks what the model is to be asked.
fn question_form(model: &str, setup: &RunSetup, context: &str) -> ValueForm {
    let rules = match model {
        MOCK_MODEL => {
            " It calls the tools that the question names, in that order, each with the JSON object \
            behind its name or with example arguments; where none is named, each tool once."
        }
        _ => "",
    };
    let words = format!(
        "The question goes to {model} {context}, as in the \
        run of Workflow.{rules} Stop before: {EVERY}, {NOTHING}, or {BREAKPOINT_FORMS}."
    );
    let asked =
        |label: &str, text: String| Asked { label: label.into(), text, shown: Shown::Plain };
    let fields = vec![
        asked("Question", setup.question.clone()),
        asked("System prompt (optional)", setup.system.clone().unwrap_or_default()),
        asked("Stop before", stops_text(setup)),
    ];
    let (model, context) = (model.to_owned(), setup.context.clone());
    let form = ValueForm::new("Ask a model", words, fields, Reply::Handled, move |values, _| {
        let [question, system, stops] = values else { return Ok(Reply::Handled) };
        if question.trim().is_empty() {
            return Err("write a question".into());
        }
        let (policy, breakpoints) = read_stops(stops)?;
        let setup = RunSetup {
            question: question.trim().to_owned(),
            system: Some(system.trim().to_owned()).filter(|system| !system.is_empty()),
            source: RunSource::Model { connection: model.clone() },
            context: context.clone(),
            policy,
            breakpoints,
        };
        Ok(Reply::send(Message::Agent(AgentMessage::Begin(Box::new(setup)))))
    });
    form.with_act("ask")
}

fn stops_text(setup: &RunSetup) -> String {
    match (setup.policy, setup.breakpoints.as_slice()) {
        (CallPolicy::Ask, _) => EVERY.to_owned(),
        (CallPolicy::Make, []) => NOTHING.to_owned(),
        (CallPolicy::Make, breaks) => {
            breaks.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        }
    }
}

/// Breakpoints separated by spaces; a word that begins none belongs to the one before.
fn read_stops(text: &str) -> Result<(CallPolicy, Vec<Breakpoint>), String> {
    match text.trim() {
        "" | EVERY => return Ok((CallPolicy::Ask, Vec::new())),
        NOTHING => return Ok((CallPolicy::Make, Vec::new())),
        _ => {}
    }
    let begins = |word: &str| {
        word == "error"
            || ["tool:", "state:", "argument:"].iter().any(|kind| word.starts_with(kind))
    };
    let mut parts: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match parts.last_mut() {
            Some(last) if !begins(word) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => parts.push(word.to_owned()),
        }
    }
    let read = |part: &String| {
        Breakpoint::parse(part)
            .map_err(|_| format!("{part}: write {EVERY}, {NOTHING}, or {BREAKPOINT_FORMS}"))
    };
    Ok((CallPolicy::Make, parts.iter().map(read).collect::<Result<_, _>>()?))
}

/// Asks where a model is, and adds its connection to the settings.
fn model_form(then: impl Fn(&str) -> Reply + 'static) -> ValueForm {
    let words = "The workspace gets a connection to this model. A local Ollama, llama.cpp or vLLM \
        is such an address too. The key is read from the variable when a request is sent.";
    let asked = |label: &str, text: &str| Asked {
        label: label.into(),
        text: text.into(),
        shown: Shown::Plain,
    };
    let fields = vec![
        asked("Name", "local"),
        asked("Address", "http://127.0.0.1:11434/v1"),
        asked("Model", ""),
        asked("API: openai or anthropic", "openai"),
        asked("Variable with the key (optional)", ""),
    ];
    let form =
        ValueForm::new("Connect a model", words, fields, Reply::Handled, move |values, state| {
            let (name, table) = read_model(values)?;
            let plan = connections::add_tables(
                ComposeContext::from_state(state),
                &[(name, &table)],
                false,
            )?;
            let add = Message::Agent(AgentMessage::AddModel(Box::new(plan)));
            Ok(match then(name) {
                Reply::Open(overlay) => Reply::SendAndOpen(add, overlay),
                Reply::Send(messages) => Reply::Send([vec![add], messages].concat()),
                other => other,
            })
        });
    form.with_act("connect")
}

/// The connection's name and table that the values of the form come to.
fn read_model<'v>(values: &[&'v str]) -> Result<(&'v str, Map<String, Value>), String> {
    let value = |row: usize| values.get(row).map_or("", |value| value.trim());
    let [name, address, model, api, variable] = [0, 1, 2, 3, 4].map(value);
    if name.is_empty() || model.is_empty() {
        return Err("a model needs a name for its connection, and its own name".into());
    }
    if !["http://", "https://"].iter().any(|scheme| address.starts_with(scheme)) {
        return Err("the address begins with http:// or https://".into());
    }
    if api_of_word(api).is_none() {
        return Err("the API is openai or anthropic".into());
    }
    let mut table = Map::new();
    table.insert("servers".into(), json!([address]));
    if !variable.is_empty() {
        table.insert("token-variable".into(), variable.into());
    }
    table.insert(MODEL.into(), json!({"name": model, "api": api}));
    Ok((name, table))
}

/// In which context a model would be asked, in words.
fn context_words(context: &Context) -> String {
    let groups = AskedGroups::from_request(context.groups.as_deref()).names();
    let groups = if groups.is_empty() { "no group".to_owned() } else { groups.join(", ") };
    format!("groups {groups}, state {}", context.state())
}

/// What a run's model said, to run it again without the model.
pub(crate) fn recording_of(run: &ModelRun) -> Option<Recording> {
    Recording::from_trace(&trace_of(run))
}

/// A run as the history has it.
pub(crate) fn trace_of(run: &ModelRun) -> Trace {
    let event = |(at_ms, event): &(u64, crate::engine::agent_loop::event::AgentEvent)| Event {
        at_ms: *at_ms,
        kind: event.to_trace(),
    };
    let start = &run.start;
    let groups = start.context.groups.as_ref();
    let arguments = json!({
        "question": run.setup.question,
        "model": run.model,
        "groups": groups.map(|names| names.iter().map(|name| Value::from(&**name)).collect::<Value>()),
        "state": start.context.state(),
        "system": run.setup.system,
    });
    let head = Head { arguments: arguments.to_string().into(), ..Head::default() };
    Trace { head, events: run.log.iter().map(event).collect() }
}
