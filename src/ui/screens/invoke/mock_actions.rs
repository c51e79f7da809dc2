//! What is done with the mock of a tool: turn it on and off, keep it; and answering by hand.

use serde_json::json;

use super::{parts::Part, refusals::is_unanswered, request::RequestPane, tools::tool_of};
use crate::{
    app::{
        actions::Scope,
        answering::AnsweringMessage,
        calls::{CallMessage, CallPart, CallText},
        compose::{context::ComposeContext, services::missing_service},
        message::{Message, ScreenId},
        state::State,
        verbs,
    },
    engine::stub::{
        mock::{MOST_PIECES, MockOptions, MockSource},
        page::file_of_tool,
    },
    model::{duration, entry::EntryId},
    schema::pointer::Pointer,
    syntax::edit::Edit,
    ui::{
        action_rows::{self, refuse_when},
        overlays::value_form::{Asked, Shown, ValueForm},
        stubs,
        view::Reply,
    },
};

type Row = action_rows::Row<RequestPane>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Invoke, "mock-tool", "mock", turn_mock)
        .keys(&[verbs::MOCK])
        .help(
            "Mock the tool's service: answer calls with an example, a kept answer, an echo or a \
            text; or send them to the service again",
        )
        .refused(|_, state| refuse_when(tool_of(state).is_none(), "there is no tool")),
    Row::new(Scope::Invoke, "answer-with", "answer with…", |_, state| answer_with(state))
        .help(
            "Say how calls of the tool are answered here: a text, in how many chunks, after which \
             delay, with which error; a stub of the workspace keeps it",
        )
        .refused(|_, state| refuse_when(tool_of(state).is_none(), "there is no tool")),
    Row::new(Scope::Invoke, "keep-mock", "keep mock…", |_, state| keep_mock(state))
        .help("Save the tool's mock as a stub in the workspace")
        .refused(|_, state| {
            let is_mocked = tool_of(state).is_some_and(|tool| state.invoke.mocks.contains(&tool));
            refuse_when(!is_mocked, "the tool is not mocked")
        }),
];

fn keep_mock(state: &State) -> Reply {
    let tool = tool_of(state).and_then(|id| state.tool(&id));
    let service = tool.and_then(|tool| Some((tool, state.mock_of(tool)?)));
    match service {
        Some((tool, service)) => {
            let lacks = missing_service(ComposeContext::from_state(state), tool).is_some();
            stubs::save_mock(tool, service, lacks, state)
        }
        None => Reply::Handled,
    }
}

/// Mocks the tool, and goes to how; or no longer.
fn turn_mock(pane: &mut RequestPane, state: &State) -> Reply {
    let Some(tool) = tool_of(state) else { return Reply::Handled };
    let is_on = state.invoke.mocks.contains(&tool);
    pane.show_part(if is_on { Part::Arguments } else { Part::Mock });
    Reply::send(Message::Call(CallMessage::TurnMock { tool }))
}

/// Asks how calls of the tool are answered, mocks it so, and keeps that as a stub.
fn answer_with(state: &State) -> Reply {
    let Some(tool) = tool_of(state).and_then(|id| state.tool(&id)) else { return Reply::Handled };
    let said = MockOptions::from_value(&state.value_of(tool.id(), CallPart::Mock));
    let text = match &said.source {
        MockSource::Text(text) => text.clone(),
        _ => String::new(),
    };
    let (error, message) = said.error.clone().unwrap_or_default();
    let asked =
        |label: &str, text: String| Asked { label: label.to_owned(), text, shown: Shown::Plain };
    let fields = vec![
        asked("Text", text.replace('\n', "\\n")),
        asked("Chunks", said.pieces.to_string()),
        asked("Delay", duration::print_duration(said.delay)),
        asked("Error type", error),
        asked("Error message", message),
    ];
    let title = format!("Answer {} with", tool.label());
    let words = format!(
        "Calls of the tool get this answer here; {} keeps it. Without a text: an example. \\n \
         breaks the line. Delay: {}.",
        file_of_tool(&tool.entry.key),
        duration::EXAMPLES
    );
    let id = tool.id().clone();
    let then = move |values: &[&str], state: &State| mock_messages(&id, values, state);
    let form = ValueForm::new(title, words, fields, Reply::Handled, then).with_act("mock");
    Reply::Open(Box::new(form))
}

fn mock_messages(id: &EntryId, values: &[&str], state: &State) -> Result<Reply, String> {
    let tool = state.tool(id).ok_or("the tool is gone")?;
    let [text, chunks, delay, error, message] = values else {
        return Err("a value is missing".into());
    };
    let pieces: u16 = chunks
        .trim()
        .parse()
        .ok()
        .filter(|count| (1..=MOST_PIECES).contains(count))
        .ok_or_else(|| format!("Chunks: a number from 1 to {MOST_PIECES}"))?;
    let is_time = delay.trim().is_empty() || duration::parse_duration(delay.trim()).is_some();
    if !is_time {
        return Err(format!("Delay: {}", duration::EXAMPLES));
    }
    let mut value = json!({"chunks": pieces});
    let text = text.replace("\\n", "\n");
    let members = [
        ("answer", if text.is_empty() { "example" } else { "text" }),
        ("text", text.as_str()),
        ("delay", delay.trim()),
        ("error", error.trim()),
        ("message", message.trim()),
    ];
    for (name, text) in members.into_iter().filter(|(_, text)| !text.is_empty()) {
        value[name] = text.into();
    }
    let service = state.make_mock_with(tool, &MockOptions::from_value(&value));
    let edits = vec![Edit::Set { at: Pointer::root(), to: value.into() }];
    let text = CallText { tool: id.clone(), part: CallPart::Mock };
    let mut messages = vec![Message::Call(CallMessage::EditText { text, edits })];
    if !state.invoke.mocks.contains(id) {
        messages.push(Message::Call(CallMessage::TurnMock { tool: id.clone() }));
    }
    messages.extend(stubs::keep_mock(tool, service, state)?);
    Ok(Reply::Send(messages))
}

/// Begins to answer for the chosen tool; where that is done already, shows the calls that wait.
pub(super) fn answer_by_hand(state: &State) -> Reply {
    match tool_of(state).filter(|tool| is_unanswered(state, tool)) {
        Some(tool) => Reply::send(Message::Answering(AnsweringMessage::Begin(tool))),
        None => Reply::send(Message::Show(ScreenId::Waiting)),
    }
}
