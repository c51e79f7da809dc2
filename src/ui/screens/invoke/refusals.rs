//! Why what Invoke offers can't be done now.

use super::{menus::routes_of, tools::tool_of};
use crate::{
    app::{batch::CallBatch, deployed::DeployedTools, state::State},
    model::{entry::EntryId, traffic::FRAMES},
    systems::{agents, by_hand, calling, facets::caller::CallingAgent, table},
    ui::{action_rows::refuse_when, cases::request},
};

pub(super) fn send_refusal(state: &State) -> Option<String> {
    match tool_of(state) {
        Some(tool) => state.build_request(&tool).err().map(|problem| problem.cause),
        None if has_only_deployed(state) => {
            Some("there is no tool yet; Enter lists those of the connection's system".into())
        }
        None => Some("there is no tool".into()),
    }
}

pub(super) fn many_refusal(state: &State) -> Option<String> {
    let is_under_way = state.invoke.batch.as_ref().is_some_and(CallBatch::under_way);
    refuse_when(is_under_way, "a series is running; Ctrl+X stops it")
        .or_else(|| send_refusal(state))
}

pub(super) fn by_hand_refusal(state: &State) -> Option<String> {
    let is_possible = !state.answering.is_idle() || is_answerable(state);
    (!is_possible)
        .then(|| format!("only {}'s tools can be answered by hand", by_hand::supported_systems()))
}

pub(super) fn listing_refusal(state: &State) -> Option<String> {
    let connection = state.current_connection();
    let mut known = state.network.connections.known.iter();
    let has_server = known.any(|known| table::kept_tools_at(known).is_some());
    (!has_server && table::deployment_at(&connection).is_none()).then(|| {
        format!("the system behind connection \"{}\" can't list its tools", connection.name)
    })
}

/// Whether no tool is here and nothing was called, and the tools of the connection's system can be
/// listed.
pub(super) fn has_only_deployed(state: &State) -> bool {
    state.catalog.tools.is_empty()
        && state.deployed_lists().all(DeployedTools::has_none)
        && state.invoke.calls.iter().next().is_none()
        && listing_refusal(state).is_none()
}

pub(super) fn no_call(state: &State) -> Option<String> {
    refuse_when(state.invoke.calls.selected_call().is_none(), "there is no call yet")
}

pub(super) fn agent_refusal(state: &State) -> Option<String> {
    let shown = state.invoke.calls.selected_call();
    shown.is_some_and(|call| agents::is_at(&call.request.to)).then(|| {
        let keys = state.keymap.way_to("ask-agent");
        format!("this was a question to the agent; {keys} asks it again")
    })
}

pub(super) fn stub_refusal(state: &State) -> Option<String> {
    no_tools_refusal(state).or_else(|| refuse_when(has_no_end(state), "no call has ended here"))
}

/// Where no call has ended, what would be sent is kept as a case.
pub(super) fn case_refusal(state: &State) -> Option<String> {
    let of_request = || has_no_end(state).then(|| send_refusal(state)).flatten();
    no_tools_refusal(state).or_else(of_request)
}

/// Whether no call is shown that has ended.
pub(super) fn has_no_end(state: &State) -> bool {
    state.invoke.calls.selected_call().is_none_or(|call| call.outcome().is_none())
}

/// What is shown was no call of a tool.
fn no_tools_refusal(state: &State) -> Option<String> {
    let shown = state.invoke.calls.selected_call();
    let is_frame = shown.is_some_and(|call| call.request.to == FRAMES);
    agent_refusal(state).or_else(|| refuse_when(is_frame, "this was a frame, not a call of a tool"))
}

pub(super) fn descriptor_refusal(state: &State) -> Option<String> {
    match tool_of(state) {
        Some(tool) => {
            state.deployed_on(&tool).is_some().then(|| request::without_definition(state))
        }
        None => Some("there is no tool".into()),
    }
}

/// Whether the chosen tool is of a system whose calls can be answered by hand.
pub(super) fn is_answerable(state: &State) -> bool {
    let tool = tool_of(state).and_then(|id| state.tool(&id).cloned());
    tool.is_some_and(|tool| by_hand::is_possible(&tool)) && !routes_of(state).is_empty()
}

/// Whether it could be answered for, and is not.
pub(super) fn is_unanswered(state: &State, tool: &EntryId) -> bool {
    let name = state.tool(tool).map(|tool| tool.name.as_str());
    is_answerable(state) && name.is_some_and(|name| state.answering.stand_of(name).is_none())
}

pub(super) fn names_agent(state: &State) -> bool {
    let agent = tool_of(state).and_then(|tool| calling::calling_agent(&state.connection_of(&tool)));
    matches!(agent, Some(CallingAgent::Named(_)))
}

/// What leads to a tool while none is chosen.
pub(super) fn no_tool_words(state: &State) -> String {
    match has_only_deployed(state) {
        true => {
            let network = &state.network;
            let servers: Vec<&str> = network.unlisted_servers(&state.catalog).collect();
            match (network.failed_listing(&state.catalog), servers.as_slice()) {
                (Some(failed), []) => format!("Enter tries {failed} again."),
                (Some(failed), servers) => {
                    let others = servers.join(" or ");
                    format!("Enter tries {failed} again, or lists the tools of {others}.")
                }
                (None, []) => {
                    let current = state.current_connection().name;
                    format!("Enter lists the tools of {current}; then choose one.")
                }
                (None, servers) => {
                    let servers = servers.join(" or ");
                    format!("Enter lists the tools of {servers}; then choose one.")
                }
            }
        }
        false => "Choose a tool.".to_owned(),
    }
}
