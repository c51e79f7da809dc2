//! A call kept as a case.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{
    app::{
        documents::Change,
        message::{DocumentMessage, Message},
        state::State,
    },
    engine::{
        case::{
            offer::{self, Suggestion},
            page::{self, SentParts},
            verdict::Answer,
        },
        scenario::page::file_name,
        stub::page::file_of_tool,
    },
    model::{
        call::{Call, Outcome},
        entry::FileId,
        tool::Tool,
    },
    schema::literal::Literal,
    systems::{calling, table},
    ui::{
        overlays::ticked::{Tick, Ticked},
        stubs,
        view::Reply,
    },
};

/// Why what needs a definition can't be done with a tool that no file defines: it was listed of a
/// running system.
pub(crate) fn without_definition(state: &State) -> String {
    let words = "no file of this workspace defines this tool: it is only deployed";
    match table::kept_tools_at(&state.current_connection()) {
        Some(_) => {
            format!("{words}. “keep tools…” on Connections saves the server's tools")
        }
        None => words.into(),
    }
}

/// Asks for a name and for what is expected, and keeps the call as a file of the workspace.
pub(crate) fn save_case(call: &Call, state: &State) -> Reply {
    // A case is called by the tool's definition.
    let called = state.catalog.tool_called(&call.request.name);
    let is_its = |tool: &&Tool| {
        let own = state.network.connections.assigned_name(tool);
        own.is_none_or(|own| own == call.connection)
    };
    let name = call.request.name.clone();
    let (tool, connection) = match state.catalog.tool(&call.request.tool).or(called.filter(is_its))
    {
        // Of several tools of one name only the first is found by it.
        Some(tool) if called.is_some_and(|first| first.id() == tool.id()) => (name, None),
        Some(tool) => (tool.entry.key.clone(), None),
        None if lists_tools(state, &call.connection) => (name, Some(call.connection.clone())),
        None => return Reply::Refused(without_definition(state)),
    };
    let mocked = state.tool(&call.request.tool).filter(|_| call.is_mocked());
    let stub = mocked.map(|tool| file_of_tool(&tool.entry.key));
    let has_stub = stub.as_ref().is_some_and(|file| state.documents.has(file));
    // Rules that somebody wrote stay as they are.
    let kept_mock = mocked.filter(|_| !has_stub).map(|tool| tool.id().clone());
    let arguments = Arc::clone(&call.request.arguments);
    let meta = calling::request_meta(call.request.system, &call.request.body);
    let (route, steps) = calling::case_parts(&call.request);
    let answer = Answer::from_call(call);
    let offers = offer::suggest_expectations(&answer, &state.mask.of_call(&arguments));
    let ticks = expectation_ticks(&offers);
    let words = format!(
        "Saves the call as {}/NAME.yaml with the ticked expectations; secrets are left out.{}{} \
        Name:",
        page::FOLDER,
        match answer.outcome {
            Some(Outcome::Cancelled) => " You stopped this call, so its outcome isn't expected.",
            _ => "",
        },
        match &stub {
            Some(stub) if has_stub => format!(
                " This answer is a mock's: `toolcrib test --mock` answers by {stub} as it is; \
                without that, the case is called at its service."
            ),
            Some(stub) => format!(
                " This answer is a mock's, which is kept as {stub}: `toolcrib test --mock` answers \
                by it; without that, the case is called at its service."
            ),
            None => String::new(),
        }
    );
    Reply::Open(Box::new(Ticked::new(
        "Keep as case",
        words,
        state.documents.free_name(&tool, case_file),
        ticks,
        move |name, ticks, state| {
            if name.is_empty() {
                return Err("a case needs a name".into());
            }
            let file = case_file(name);
            if state.documents.has(&file) {
                return Err(format!("{file} already exists: choose another name"));
            }
            let mask = state.mask.of_call(&arguments);
            let masked = |text: &str| Literal::parse(&mask.mask_text(text));
            let arguments =
                masked(&arguments).map_err(|error| format!("can't read its arguments: {error}"))?;
            let meta = meta
                .as_deref()
                .map(masked)
                .transpose()
                .map_err(|error| format!("can't read its _meta: {error}"))?;
            let mut steps = steps.clone();
            if let Some(steps) = &mut steps {
                let text = Value::from(std::mem::take(&mut steps.outputs)).to_string();
                steps.outputs = serde_json::from_str(&mask.mask_text(&text))
                    .map_err(|error| format!("can't read the steps' stored outputs: {error}"))?;
            }
            let (route, connection) = (route.clone(), connection.clone());
            let sent = SentParts { arguments, meta, connection, route, steps };
            let expect = chosen_expectations(&offers, ticks);
            let text: Arc<str> = page::render_yaml(name, &tool, &sent, &expect, &answer).into();
            let create = Change::Create { file: file.clone(), text };
            let label = format!("keep the case {name}");
            // The case comes last: what was saved last is said.
            let mut messages = Vec::new();
            let mock = kept_mock.as_ref().and_then(|id| state.tool(id));
            if let Some((tool, service)) = mock.and_then(|tool| Some((tool, state.mock_of(tool)?)))
            {
                messages.extend(stubs::keep_mock(tool, service, state)?);
            }
            messages.extend([
                Message::Document(DocumentMessage::Change { label, changes: vec![create] }),
                Message::Document(DocumentMessage::Save(Some(file))),
            ]);
            Ok(Reply::Send(messages))
        },
    )))
}

/// Whether the system at that connection can be asked for its tools, so that no file has to define
/// them.
fn lists_tools(state: &State, connection: &str) -> bool {
    let known = state.network.connections.find_by_name(connection);
    known.is_some_and(|known| table::deployment_at(known).is_some())
}

/// What begins the title of a member of the JSON that is expected.
const MEMBER: &str = "  .";

/// A tick for each expectation; below that of a JSON object one for each of its members, since some
/// differ each time.
fn expectation_ticks(offers: &[Suggestion]) -> Vec<Tick> {
    let mut ticks = Vec::new();
    for offer in offers {
        let value = value_line(&offer.value);
        let detail = if offer.what == "chunks" { format!("at least {value}") } else { value };
        ticks.push(Tick { title: offer.what.into(), detail, on: offer.usual });
        let members = offer.value.as_object().filter(|_| offer.what == "json");
        let member = |(name, value): (&String, &Value)| Tick {
            title: format!("{MEMBER}{name}"),
            detail: value_line(value),
            on: offer::is_expected(value),
        };
        ticks.extend(members.into_iter().flatten().map(member));
    }
    ticks
}

/// The expectations that are ticked.
fn chosen_expectations(offers: &[Suggestion], ticks: &[Tick]) -> Map<String, Value> {
    let is_on = |title: &str| ticks.iter().any(|tick| tick.on && tick.title == title);
    let mut chosen = offer::chosen_expectations(offers, |offer| is_on(offer.what));
    if let Some(members) = chosen.get_mut("json").and_then(Value::as_object_mut) {
        let was_empty = members.is_empty();
        members.retain(|name, _| is_on(&format!("{MEMBER}{name}")));
        if members.is_empty() && !was_empty {
            chosen.remove("json");
        }
    }
    chosen
}

/// The file of a case of that name.
fn case_file(name: &str) -> FileId {
    FileId::new(format!("{}/{}", page::FOLDER, file_name(name)))
}

/// A value in a line.
fn value_line(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
