//! What can be done on the Invoke screen; [`super::mock_actions`] is what can be done with a mock,
//! [`super::step_actions`] what with the steps of a request.

use std::sync::Arc;

use super::{
    menus::{
        describe_tool, frame_connection, route_menu, routes_of, show_descriptor, time_limit_prompt,
        times_prompt, turn_new_agent,
    },
    mock_actions::answer_by_hand,
    refusals::{
        agent_refusal, by_hand_refusal, case_refusal, descriptor_refusal, has_no_end,
        listing_refusal, many_refusal, names_agent, no_call, send_refusal, stub_refusal,
    },
    screen::{Invoke, with_tool},
    tools::tool_of,
};
use crate::{
    app::{
        actions::Scope,
        calls::CallMessage,
        edited_text::EditedText,
        history::HistoryMessage,
        message::{Message, ScreenId},
        state::State,
        verbs,
    },
    model::call::Call,
    ui::{
        action_rows::{self, refuse_when},
        cases::request,
        everywhere,
        frames::frame_refusal,
        view::Reply,
        widgets::panes::Step,
    },
};

type Row = action_rows::Row<Invoke>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Invoke, "send", "send", Invoke::send)
        .keys(&[verbs::SEND])
        .help("Send the request")
        .refused(|_, state| send_refusal(state)),
    Row::new(Scope::Invoke, "send-many", "n times…", |_, state| {
        with_tool(state, |tool| times_prompt(state, tool))
    })
    .help("Send the request many times, several at once, and see the median and the slowest")
    .refused(|_, state| many_refusal(state)),
    Row::new(Scope::Invoke, "route", "route…", |_, state| route_menu(state))
        .help(
            "Choose the route of the tool's calls, where its system has several: as a stream, \
            whole, step by step, …",
        )
        .refused(|_, state| {
            refuse_when(routes_of(state).is_empty(), "this tool has only one route")
        }),
    Row::new(Scope::Invoke, "time-limit", "time limit…", |_, state| time_limit_prompt(state))
        .help(
            "How long an answer may take in calls of this session; the connection's timeout says it \
            for good",
        ),
    Row::new(Scope::Invoke, "new-agent", "new agent", |_, state| with_tool(state, turn_new_agent))
        .help(
            "Call as a new CommonGround agent although the connection names one (if that one is \
            busy or stuck); or as that one again",
        )
        .refused(|_, state| {
            let why = "the connection names no agent, so each call uses a new one";
            refuse_when(!names_agent(state), why)
        }),
    Row::new(Scope::Invoke, "answer-by-hand", "answer", |_, state| answer_by_hand(state))
        .help(
            "Answer calls of the CommonGround tool by hand, in place of its service; they appear \
            in Waiting",
        )
        .refused(|_, state| by_hand_refusal(state)),
    Row::new(Scope::Invoke, "deployed-tools", "deployed tools", Invoke::list_deployed)
        .help(
            "List the tools deployed on the connection's system (TrustGraph, CommonGround, OpenSearch, MCP, search-proxy), to \
            call them without a definition here",
        )
        .refused(|_, state| listing_refusal(state)),
    Row::new(Scope::Invoke, "cancel", "stop", |_, state| stop_call(state))
        .keys(&[verbs::STOP])
        .help("Stop the running call")
        .refused(|_, state| refuse_when(running_call(state).is_none(), "no call is running")),
    Row::new(Scope::Invoke, "resend", "resend", Invoke::resend)
        .keys(&[verbs::AGAIN])
        .help(
            "Send a request again: that of the selected call; in the tools and the form, the \
            newest of the tool",
        )
        .refused(Invoke::resend_refusal),
    Row::new(Scope::Calls, "edit-sent", "edit, resend", Invoke::edit_sent)
        .keys(&[verbs::EDIT])
        .help(
            "Put the arguments of the shown call into the form, to edit and send; under Raw, edit \
            and send the frame",
        )
        .refused(|_, state| no_call(state).or_else(|| agent_refusal(state))),
    Row::new(Scope::Invoke, "last-arguments", "last arguments", |_, state| {
        with_tool(state, |tool| Reply::send(Message::Call(CallMessage::EditLast { tool })))
    })
    .help(
        "Put the arguments of the tool's newest call into the form, also one of an earlier session",
    )
    .refused(|_, state| send_refusal(state)),
    Row::new(Scope::Invoke, "compare-session", "compare calls", |_, state| compare_calls(state))
        .help("Compare the shown call with the call of the same tool before it, in History")
        .refused(|_, state| {
            refuse_when(earlier_call(state).is_none(), "there is no earlier call of this tool")
        }),
    Row::new(Scope::Invoke, "send-frame", "send frame…", Invoke::edit_frame)
        .help("Edit a frame and send it to the MCP server exactly as written, valid or not")
        .refused(|_, state| frame_refusal(&frame_connection(state))),
    Row::new(Scope::Invoke, "keep-request", "save request as case", |_, state| {
        keep_request(state)
    })
    .help("Save what would be sent as a test case, before there is an answer")
    .refused(|_, state| send_refusal(state)),
    Row::new(Scope::Invoke, "copy-as", "copy as…", |screen, state| screen.open_copy_menu(state))
        .keys(&[verbs::COPY_AS])
        .help("Copy the call as a command, the request or the answer"),
    Row::new(Scope::Invoke, "edit-descriptor", "edit tool", |_, state| show_descriptor(state))
        .keys(&[verbs::EDIT])
        .help("Open the tool in Tools")
        .refused(|_, state| descriptor_refusal(state)),
    Row::new(Scope::Invoke, "describe-tool", "describe tool", |_, state| describe_tool(state))
        .keys(&[verbs::EXPLAIN])
        .help("Show all of the tool: its description, its definition, and what models see of it"),
    Row::new(Scope::Invoke, "arguments-as-json", "arguments as JSON", Invoke::switch_json)
        .edit_keys(&["alt+w"])
        .help("Edit all arguments as JSON text, or in their form again")
        .refused(|_, state| send_refusal(state)),
    Row::new(Scope::Invoke, "show-secrets", "show secrets", |screen, _| {
        screen.request.turn_secrets()
    })
    .keys(&[verbs::LARGER])
    .help(
        "Show values in the form and the request whose names are those of secrets, or hide them \
        again",
    ),
    Row::taking_over("next-pane", |screen, state| screen.step_focus(Step::Next, state)),
    Row::taking_over("previous-pane", |screen, state| screen.step_focus(Step::Previous, state)),
    Row::taking_over("undo", |screen, state| {
        screen.step_typed(state, EditedText::can_undo, CallMessage::UndoText)
    }),
    Row::taking_over("redo", |screen, state| {
        screen.step_typed(state, EditedText::can_redo, CallMessage::RedoText)
    }),
    Row::taking_over("reload", |_, state| everywhere::reload_with_server(state)),
    Row::taking_over("find", Invoke::open_find),
    Row::refusing("follow", |_, state| no_call(state)),
    Row::refusing("next-answer-view", |_, state| no_call(state)),
    // Without an answer, what would be sent is kept.
    Row::taking_over("keep-case", |_, state| match has_no_end(state) {
        true => keep_request(state),
        false => Reply::Ignored,
    })
    .refused(|_, state| case_refusal(state)),
    Row::refusing("keep-stub", |_, state| stub_refusal(state)),
];

/// The shown call, while it runs.
fn running_call(state: &State) -> Option<&Call> {
    state.invoke.calls.selected_call().filter(|call| call.outcome().is_none())
}

fn stop_call(state: &State) -> Reply {
    running_call(state)
        .map_or(Reply::Handled, |call| Reply::send(Message::Call(CallMessage::Cancel(call.id))))
}

/// Keeps what would be sent as a case.
fn keep_request(state: &State) -> Reply {
    let tool = tool_of(state);
    tool.map_or(Reply::Handled, |tool| request::save_request(&tool, state))
}

/// The shown call and the call of its tool before it, in this session.
fn earlier_call(state: &State) -> Option<(&Call, &Call)> {
    let shown = state.invoke.calls.selected_call()?;
    let mut of_tool = state.invoke.calls.calls_of(&shown.request.tool);
    let earlier = of_tool.find(|call| call.id < shown.id && call.outcome().is_some());
    Some((earlier?, shown)).filter(|(_, shown)| shown.outcome().is_some())
}

/// Shows both beside each other. The later one is selected first: so the list that is read meanwhile
/// leaves what is compared.
fn compare_calls(state: &State) -> Reply {
    let Some((earlier, shown)) = earlier_call(state) else { return Reply::Handled };
    let [earlier, shown] = [earlier, shown].map(|call| call.request.correlation.as_str().into());
    let of = Message::History;
    Reply::Send(vec![
        of(HistoryMessage::Find(String::new())),
        Message::Show(ScreenId::History),
        of(HistoryMessage::Select(Arc::clone(&shown))),
        of(HistoryMessage::Compare([earlier, shown])),
    ])
}
