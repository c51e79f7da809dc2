//! What is done with the mock of a tool: turn it on and off, keep it.

use super::{parts::Part, request::RequestPane, tools::tool_of};
use crate::{
    app::{actions::Scope, calls::CallMessage, message::Message, state::State, verbs},
    ui::{
        action_rows::{self, refuse_when},
        stubs,
        view::Reply,
    },
};

type Row = action_rows::Row<RequestPane>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Invoke, "mock-tool", "mock", turn_mock)
        .keys(&[verbs::MOCK])
        .help(
            "Mock the tool's service: answer calls with an example, a saved answer, the arguments \
            or a text; or send them to the service again",
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
        Some((tool, service)) => stubs::save_mock(&tool.entry.key, service, state),
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
