//! A call kept as a case.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::request::{CalledTool, case_file, new_file};
use crate::{
    app::{
        documents::Change,
        message::{DocumentMessage, Message},
        state::State,
    },
    engine::{
        case::{
            offer::{self, Suggestion},
            page,
            verdict::Answer,
        },
        stub::page::file_of_tool,
    },
    model::call::{Call, Outcome},
    ui::{
        overlays::ticked::{Tick, Ticked},
        stubs,
        view::Reply,
    },
};

/// Asks for a name and for what is expected, and keeps the call as a file of the workspace.
pub(crate) fn save_case(call: &Call, state: &State) -> Reply {
    let called = match CalledTool::of_request(&call.request, &call.connection, state) {
        Ok(called) => called,
        Err(words) => return Reply::Refused(words),
    };
    let mocked = state.tool(&call.request.tool).filter(|_| call.is_mocked());
    let stub = mocked.map(|tool| file_of_tool(&tool.entry.key));
    let has_stub = stub.as_ref().is_some_and(|file| state.documents.has(file));
    // Rules that somebody wrote stay as they are.
    let kept_mock = mocked.filter(|_| !has_stub).map(|tool| tool.id().clone());
    let answer = Answer::from_call(call);
    let offers = offer::suggest_expectations(&answer, &state.mask.of_call(&call.request.arguments));
    let ticks = expectation_ticks(&offers);
    let words = format!(
        "Saves the call as {}/NAME.yaml with the ticked expectations; secrets are left out.{}{} \
        Name:",
        page::FOLDER,
        match answer.outcome {
            Some(Outcome::Cancelled) => {
                " You stopped this call: the case expects it to succeed, unless you tick its outcome."
            }
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
        state.documents.free_name(&called.tool, case_file),
        ticks,
        move |name, ticks, state| {
            let file = new_file(name, state)?;
            let sent = called.sent_parts(state)?;
            let expect = chosen_expectations(&offers, ticks);
            let tool = &called.tool;
            let text: Arc<str> = page::render_yaml(name, tool, &sent, &expect, &answer).into();
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

/// A value in a line.
fn value_line(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
