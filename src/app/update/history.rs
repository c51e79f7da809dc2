//! Kept calls: found, opened, replayed, sent once more.

use std::sync::Arc;

use super::{calls, deployed};
use crate::{
    app::{
        calls::{CallPart, CallText, RequestGoal},
        deployed::{DeployedTools, Progress},
        effect::Effect,
        history::{AwaitedTool, HistoryMessage, KeptAct, request_of},
        message::ScreenId,
        notices::NoticeKind,
        state::State,
    },
    model::{
        call::Event,
        clock::Millis,
        entry::EntryId,
        problem::{Problem, ProblemKind},
        tool::Tool,
        trace::{Head, Listing, Trace, TraceId},
    },
    syntax::source::{Format, Source},
    systems::{agents, calling, table},
};

/// Takes a message about them in.
pub(super) fn handle_message(
    state: &mut State,
    message: HistoryMessage,
    now: Millis,
) -> Vec<Effect> {
    match message {
        HistoryMessage::Find(query) => return search_calls(state, query),
        HistoryMessage::Listed { turn, listing } => return on_calls_listed(state, turn, listing),
        HistoryMessage::Changed => return list_calls(state),
        HistoryMessage::NotKept(problem) => note_not_kept(state, problem, now),
        HistoryMessage::Select(id) => return select_call(state, id),
        HistoryMessage::Opened(trace) => on_trace_opened(state, *trace),
        HistoryMessage::NotListed { turn, problem } => {
            state.invoke.kept.answered = state.invoke.kept.answered.max(turn);
            state.notices.push_problem(&problem, now);
        }
        HistoryMessage::NotOpened { id, problem } => {
            state.invoke.kept.unreadable = Some(id);
            state.notices.push_problem(&problem, now);
        }
        HistoryMessage::Mark(id) => state.invoke.kept.toggle_mark(id),
        HistoryMessage::Compare(ids) => return vec![Effect::CompareKept(ids)],
        HistoryMessage::Compared(traces) => state.invoke.kept.compared = Some(traces),
        HistoryMessage::DropComparison => state.invoke.kept.compared = None,
        HistoryMessage::Replay { speed } => return start_replay(state, speed),
        HistoryMessage::Replayed { id, events, ended } => {
            on_replay_events(state, &id, events, ended);
        }
        HistoryMessage::StopReplay => return stop_replay(state),
        HistoryMessage::Resend => return act_on_open(state, KeptAct::Resend, now),
        HistoryMessage::Edit => return act_on_open(state, KeptAct::Edit, now),
        HistoryMessage::Export { id, path } => return vec![Effect::ExportKept { id, path }],
        HistoryMessage::Remove(id) => {
            state.invoke.kept.marked.retain(|marked| *marked != id);
            return vec![Effect::RemoveKept(id)];
        }
    }
    Vec::new()
}

/// Says once in a session that calls can't be kept, until the next key: the end of the call would
/// else hide it at once.
fn note_not_kept(state: &mut State, problem: Problem, now: Millis) {
    let kept = &mut state.invoke.kept;
    if kept.not_kept.is_none() {
        state.notices.push_alert(format!("calls can't be saved in the history: {problem}"), now);
    }
    kept.not_kept = Some(problem);
}

/// Looks for what was typed.
fn search_calls(state: &mut State, query: String) -> Vec<Effect> {
    let is_other = state.invoke.kept.query != query;
    state.invoke.kept.query = query;
    let effects = list_calls(state);
    if is_other {
        state.invoke.kept.searched = state.invoke.kept.asked;
    }
    effects
}

/// Reads the list again.
pub(super) fn list_calls(state: &mut State) -> Vec<Effect> {
    state.invoke.kept.asked += 1;
    vec![Effect::ListKept { turn: state.invoke.kept.asked, query: state.invoke.kept.query.clone() }]
}

/// The list was read.
fn on_calls_listed(state: &mut State, turn: u64, listing: Arc<Listing>) -> Vec<Effect> {
    if turn != state.invoke.kept.asked {
        return Vec::new();
    }
    state.invoke.kept.answered = turn;
    state.invoke.kept.listing = listing;
    if state.invoke.kept.selected_row().is_some() {
        return Vec::new();
    }
    state.invoke.kept.selected = None;
    state.invoke.kept.open = None;
    state.invoke.kept.compared = None;
    match state.invoke.kept.listing.calls.first().map(|call| call.id.clone()) {
        Some(first) => select_call(state, first),
        None => Vec::new(),
    }
}

/// The tool that a kept call was of: of several of one name the one whose connection it went through.
fn tool_of_head<'s>(state: &'s State, head: &Head) -> Option<&'s Tool> {
    let (word, connection) = (&*head.tool, &*head.connection);
    let deployed = || {
        let there = state.deployed_lists().find(|list| list.connection.name == connection);
        there?.catalog.tool_called(word)
    };
    let kept = state.network.connections.tool_of(connection, word, &state.catalog);
    kept.or_else(deployed).or_else(|| state.tool_called(word))
}

fn select_call(state: &mut State, id: TraceId) -> Vec<Effect> {
    let stop = stop_replay(state);
    state.invoke.kept.compared = None;
    state.invoke.kept.selected = Some(id.clone());
    stop.into_iter().chain([Effect::OpenKept(id)]).collect()
}

fn on_trace_opened(state: &mut State, trace: Trace) {
    if state.invoke.kept.selected.as_ref() == Some(&trace.head.id) {
        let request = request_of(&trace.head, tool_of_head(state, &trace.head));
        state.invoke.kept.show_trace(Arc::new(trace), request);
    }
}

/// Lets the open call come once more; `speed` times as fast, 0 is at once.
fn start_replay(state: &mut State, speed: u32) -> Vec<Effect> {
    let mut effects = stop_replay(state);
    state.invoke.kept.compared = None;
    effects.extend(state.invoke.kept.begin_replay().map(|trace| Effect::Replay { trace, speed }));
    effects
}

fn on_replay_events(state: &mut State, id: &TraceId, events: Vec<Event>, ended: bool) {
    let Some(open) =
        state.invoke.kept.open.as_mut().filter(|open| open.replaying && open.trace.head.id == *id)
    else {
        return;
    };
    for event in events {
        open.call.apply_event(event);
    }
    open.replaying = !ended;
}

/// Ends a replay; the call is shown whole again.
fn stop_replay(state: &mut State) -> Vec<Effect> {
    match state.invoke.kept.open.as_mut().filter(|open| open.replaying) {
        Some(open) => {
            open.show_all();
            vec![Effect::StopReplay]
        }
        None => Vec::new(),
    }
}

/// Does something with the open call by its tool. One that only its server has is listed first.
fn act_on_open(state: &mut State, act: KeptAct, now: Millis) -> Vec<Effect> {
    let Some(open) = state.invoke.kept.current_call() else { return Vec::new() };
    let trace = Arc::clone(&open.trace);
    let head = &trace.head;
    let is_refused = act == KeptAct::Resend && head.masked;
    let is_known = tool_of_head(state, head).is_some() || agents::is_at(&head.to);
    if !is_known && !is_refused && may_list(state, &head.connection) {
        let (call, connection) = (head.id.clone(), head.connection.to_string());
        let effects = deployed::list_deployed(state, Some(&connection), now);
        state.invoke.kept.awaited = Some(AwaitedTool { call, connection, act });
        return effects;
    }
    match act {
        KeptAct::Resend => resend_call(state, now),
        KeptAct::Edit => edit_call(state, now),
    }
}

/// Whether the tools there can be listed, and were not yet.
fn may_list(state: &State, name: &str) -> bool {
    let Some(connection) = state.connection_named(name) else { return false };
    let is_server = table::kept_tools_at(&connection).is_some();
    let is_current =
        || table::deployment_at(&connection).is_some() && state.current_connection().name == *name;
    (is_server || is_current()) && !is_listed(state, name)
}

fn is_listed(state: &State, name: &str) -> bool {
    let of_it = |list: &&DeployedTools| list.connection.name == name;
    state.deployed_lists().find(of_it).is_some_and(|list| list.progress == Progress::Listed)
}

/// The tools there were listed, or could not be: what waited for that is done, if the user still
/// looks at that call.
pub(super) fn on_tools_listed(
    state: &mut State,
    connection: &str,
    is_listed: bool,
    now: Millis,
) -> Vec<Effect> {
    let is_it = |awaited: &mut AwaitedTool| awaited.connection == connection;
    let Some(awaited) = state.invoke.kept.awaited.take_if(is_it) else { return Vec::new() };
    let open = state.invoke.kept.current_call();
    let is_open = open.is_some_and(|open| open.trace.head.id == awaited.call);
    match (is_listed && is_open && state.screen == ScreenId::History, awaited.act) {
        (false, _) => Vec::new(),
        (true, KeptAct::Resend) => resend_call(state, now),
        (true, KeptAct::Edit) => edit_call(state, now),
    }
}

/// Why a call has no tool any more.
fn missing_tool(state: &State, head: &Head, doing: String) -> Problem {
    let (tool, connection) = (&head.tool, &head.connection);
    let (cause, remedy) = if is_listed(state, connection) {
        let cause = format!("{connection} no longer has a tool {tool}");
        (cause, "Invoke lists those that it has".to_owned())
    } else {
        let list = state.keymap.way_to("deployed-tools");
        let remedy = format!(
            "open the workspace that has it; {list} on Invoke lists tools that are only deployed"
        );
        ("its tool is no longer in this workspace".to_owned(), remedy)
    };
    Problem::new(ProblemKind::Input, doing, cause).with_remedy(remedy)
}

/// Puts the arguments of the open call into the form of its tool.
fn edit_call(state: &mut State, now: Millis) -> Vec<Effect> {
    let Some(open) = state.invoke.kept.current_call() else { return Vec::new() };
    let trace = Arc::clone(&open.trace);
    let head = &trace.head;
    let route = calling::request_route(&open.call.request);
    let Some(tool) = tool_of_head(state, head).map(|tool| tool.id().clone()) else {
        let problem = missing_tool(state, head, format!("editing the call of {}", head.tool));
        state.notices.push_problem(&problem, now);
        return Vec::new();
    };
    let meta = calling::request_meta(&head.system, &head.body);
    load_sent(state, &tool, &head.arguments, meta.as_deref(), now);
    state.network.choose_route(tool, route);
    Vec::new()
}

/// Sends the kept request under a fresh id, over the connection that it was made for.
fn resend_call(state: &mut State, now: Millis) -> Vec<Effect> {
    let Some(open) = state.invoke.kept.current_call() else { return Vec::new() };
    let head = &open.trace.head;
    let problem = |cause: String, remedy: &str| {
        Problem::new(ProblemKind::Input, format!("sending {} again", head.tool), cause)
            .with_remedy(remedy)
    };
    let refused = if head.masked {
        Some(problem(
            "secrets in its request aren't saved".into(),
            "use edit and resend: its arguments go into the form",
        ))
    } else if tool_of_head(state, head).is_none() && !agents::is_at(&head.to) {
        Some(missing_tool(state, head, format!("sending {} again", head.tool)))
    } else if state.network.connections.find_by_name(&head.connection).is_none()
        && state
            .connection_of(&request_of(head, tool_of_head(state, head)).tool)
            .transport()
            .as_str()
            != &*head.transport
    {
        Some(problem(
            format!("its connection \"{}\" no longer exists", head.connection),
            "use edit and resend, over the current connection",
        ))
    } else {
        None
    };
    if let Some(problem) = refused {
        state.notices.push_problem(&problem, now);
        return Vec::new();
    }
    let request = request_of(head, tool_of_head(state, head));
    let connection = head.connection.to_string();
    let arguments = head.arguments.clone();
    if state.tool(&request.tool).is_some() {
        state.selected = Some(request.tool.clone());
        fill_empty(state, &request.tool, &arguments);
    }
    state.screen = ScreenId::Invoke;
    calls::send_again(state, request, &connection, now)
}

/// Puts the arguments of a call into the form of its tool, unless something is typed there: an
/// answer doesn't stand beside a request that wasn't sent.
pub(super) fn fill_empty(state: &mut State, tool: &EntryId, arguments: &str) {
    let is_empty = state.arguments_of(tool).as_object().is_none_or(serde_json::Map::is_empty);
    let Ok(source) = Source::parse(Format::Json, arguments) else { return };
    let text = CallText { tool: tool.clone(), part: CallPart::Arguments };
    if is_empty && let Some(typed) = calls::typed_text(state, text) {
        typed.replace(source);
    }
}

/// Puts what a call said into the forms of its tool.
pub(super) fn load_sent(
    state: &mut State,
    tool: &EntryId,
    arguments: &str,
    meta: Option<&str>,
    now: Millis,
) {
    let found = state.tool(tool).map(|tool| tool.id().clone());
    let parse = |text| Source::parse(Format::Json, text);
    let parsed =
        parse(arguments).and_then(|arguments| Ok((arguments, parse(meta.unwrap_or("{}"))?)));
    match (found, parsed) {
        (Some(tool), Ok((arguments_text, meta_text))) => {
            let texts = [(CallPart::Arguments, arguments_text), (CallPart::Meta, meta_text)];
            for (part, source) in texts {
                let text = CallText { tool: tool.clone(), part };
                // Of most calls nothing is said beside the arguments, and nothing was before.
                if (part == CallPart::Arguments
                    || meta.is_some()
                    || state.invoke.texts.contains_key(&text))
                    && let Some(typed) = calls::typed_text(state, text)
                {
                    typed.replace(source);
                }
            }
            let before = state.invoke.request_goal.as_ref();
            let goal = RequestGoal::after(before, &tool, CallPart::Arguments);
            state.invoke.request_goal = Some(goal);
            state.selected = Some(tool);
            state.screen = ScreenId::Invoke;
            let is_masked = |text: &str| text.contains(crate::engine::mask::MASKED);
            let masked = if is_masked(arguments) || meta.is_some_and(is_masked) {
                "; enter masked secrets again"
            } else {
                ""
            };
            state.notices.push(
                NoticeKind::Hint,
                format!("the call's arguments are in the form{masked}"),
                now,
            );
        }
        (None, _) => state.notices.push(
            NoticeKind::Warning,
            format!(
                "{} is no longer in this workspace",
                tool.place().at.last().unwrap_or("its tool")
            ),
            now,
        ),
        (_, Err(error)) => state.notices.push(
            NoticeKind::Warning,
            format!("can't read its arguments: {error}"),
            now,
        ),
    }
}
