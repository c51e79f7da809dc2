//! Calls: arguments, sending, what comes back.

use std::{collections::hash_map::Entry, sync::Arc, time::Duration};

use crate::{
    app::{
        calls::{CallPart, CallText, RequestGoal},
        edited_text::EditedText,
        effect::Effect,
        message::ScreenId,
        notices::NoticeKind,
        state::State,
        step_run::stored_outputs,
    },
    model::{
        agent::AgentQuestion,
        call::{Call, CallId, CallState, Event, EventKind, Outcome, Request},
        clock::Millis,
        connection::Connection,
        duration,
        entry::EntryId,
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
        stage::Stage,
        stub::MOCK_CONNECTION,
        traffic::FRAMES,
    },
    schema::{count::count_text, validate::Checker},
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
    systems::{
        agents, calling,
        facets::{caller::CallingAgent, steps::StepChoice},
        mocking, table,
    },
};

/// What is typed for calls of a tool; an empty object where nothing was typed yet.
pub(super) fn typed_text(state: &mut State, text: CallText) -> Option<&mut EditedText> {
    match state.invoke.texts.entry(text) {
        Entry::Occupied(typed) => Some(typed.into_mut()),
        Entry::Vacant(place) => {
            let empty = Source::parse(Format::Json, "{}").ok()?;
            Some(place.insert(EditedText::new(empty)))
        }
    }
}

/// Makes edits of what is typed, all or none.
pub(super) fn edit_text(state: &mut State, text: CallText, edits: &[Edit], now: Millis) {
    let part = text.part.as_str();
    if let Some(Err(error)) = typed_text(state, text).map(|text| text.edit(edits)) {
        state.notices.push(NoticeKind::Problem, format!("{part}: {error}"), now);
    }
}

pub(super) fn undo_text(state: &mut State, text: &CallText, now: Millis) {
    if state.invoke.texts.get_mut(text).is_some_and(EditedText::undo) {
        state.notices.push(NoticeKind::Done, format!("Undid: edit {}", text.part.as_str()), now);
    }
}

pub(super) fn redo_text(state: &mut State, text: &CallText, now: Millis) {
    if state.invoke.texts.get_mut(text).is_some_and(EditedText::redo) {
        state.notices.push(NoticeKind::Done, format!("Redid: edit {}", text.part.as_str()), now);
    }
}

pub(super) fn send_call(state: &mut State, tool: &EntryId, now: Millis) -> Vec<Effect> {
    match state.build_request(tool) {
        Ok(request) => {
            state.ids.take_id();
            let connection = state.call_connection(tool);
            begin_on(state, request, connection, now)
        }
        Err(problem) => report_problem(state, &problem, now),
    }
}

/// Sends the chosen steps of a call. What steps before them stored is taken from the newest calls
/// of the tool in this session.
pub(super) fn send_steps(
    state: &mut State,
    tool: &EntryId,
    mut choice: StepChoice,
    now: Millis,
) -> Vec<Effect> {
    let chosen = state.build_request(tool).and_then(|request| {
        let whole = || Problem::new(ProblemKind::Input, "choosing steps", "it has no steps");
        let steps = calling::steps_of(&request).ok_or_else(whole)?;
        if choice.from.is_some() || choice.only.is_some() {
            choice.outputs = stored_outputs(state, steps, tool);
        }
        steps.choose_steps(request, &choice)
    });
    match chosen {
        Ok(request) => {
            state.ids.take_id();
            let connection = state.call_connection(tool);
            begin_on(state, request, connection, now)
        }
        Err(problem) => report_problem(state, &problem, now),
    }
}

/// What runs and would end with the program: calls, by their tools' names, and a model.
pub(super) fn running_names(state: &State) -> Vec<String> {
    let mut calls: Vec<(&str, usize)> = Vec::new();
    for call in state.invoke.calls.running_calls() {
        let name = call.request.name.as_str();
        match calls.iter().position(|(known, _)| *known == name) {
            Some(row) => calls[row].1 += 1,
            None => calls.push((name, 1)),
        }
    }
    let words = |(name, count): (&str, usize)| match count {
        1 => name.to_owned(),
        _ => format!("{name} ({count} calls)"),
    };
    let model = state.invoke.agent.is_moving().then(|| "a run of a model".to_owned());
    calls.into_iter().map(words).chain(model).collect()
}

/// What is said of the tool's mock is kept now.
pub(super) fn note_mock_kept(state: &mut State, tool: EntryId) {
    let revision = state.typed_text(&tool, CallPart::Mock).map_or(0, EditedText::revision);
    state.invoke.kept_mocks.insert(tool, revision);
}

/// The mocks that somebody has said something of, and that end with the session.
pub(super) fn unkept_mocks(state: &State) -> Vec<EntryId> {
    let is_unkept = |tool: &&EntryId| {
        let typed = state.typed_text(tool, CallPart::Mock);
        let kept = state.invoke.kept_mocks.get(tool);
        typed.is_some_and(|text| {
            let says =
                text.value().and_then(|value| value.as_object()).is_some_and(|it| !it.is_empty());
            says && kept != Some(&text.revision())
        })
    };
    let mut tools: Vec<EntryId> = state.invoke.mocks.iter().filter(is_unkept).cloned().collect();
    tools.sort();
    tools
}

/// Mocks every tool, or sends all calls to their services again where each is mocked already.
pub(super) fn turn_all_mocks(state: &mut State, now: Millis) {
    let mocks = &state.invoke.mocks;
    let words = if state.catalog.tools.iter().all(|tool| mocks.contains(tool.id())) {
        state.invoke.mocks.clear();
        "calls go to the tools' services again".to_owned()
    } else {
        let all = state.catalog.tools.iter().map(|tool| tool.id().clone());
        state.invoke.mocks.extend(all);
        let count = count_text(state.catalog.tools.len(), "tool is", "tools are");
        format!("{count} mocked: nothing is sent; {} ends it", state.keymap.way_to("mock-all"))
    };
    state.notices.push(NoticeKind::Done, words, now);
}

/// Mocks a tool, or sends its calls to its service again.
pub(super) fn turn_mock(state: &mut State, tool: EntryId, now: Millis) {
    let Some(key) = state.tool(&tool).map(|tool| tool.entry.key.clone()) else { return };
    let words = if state.invoke.mocks.remove(&tool) {
        format!("calls of {key} go to its service again")
    } else {
        let before = state.invoke.request_goal.as_ref();
        state.invoke.request_goal = Some(RequestGoal::after(before, &tool, CallPart::Mock));
        state.invoke.mocks.insert(tool);
        format!("{key} is mocked: nothing is sent; {} ends it", state.keymap.way_to("mock-tool"))
    };
    state.notices.push(NoticeKind::Done, words, now);
}

/// Calls of the tool stop before that step, or no longer.
pub(super) fn turn_breakpoint(state: &mut State, tool: EntryId, step: String) {
    let breaks = state.invoke.breakpoints.entry(tool).or_default();
    if !breaks.remove(&step) {
        breaks.insert(step);
    }
}

pub(super) fn resend_call(state: &mut State, call: CallId, now: Millis) -> Vec<Effect> {
    let sent = state.invoke.calls.get(call);
    let sent = sent.map(|call| (call.request.clone(), call.connection.clone()));
    let Some((request, connection)) = sent else { return Vec::new() };
    if let Some(words) = misfit_words(state, &request) {
        state.notices.push(NoticeKind::Warning, words, now);
    }
    send_again(state, request, &connection, now)
}

/// What no longer fits in the arguments of a request to a server, whose tool may be another since.
fn misfit_words(state: &State, request: &Request) -> Option<String> {
    let tool = state.deployed_of(&request.tool)?.catalog.tool(&request.tool)?;
    let checker = Checker::compile(&table::arguments_schema(tool)).ok()?;
    let arguments = serde_json::from_str(&request.arguments).ok()?;
    let issue = checker.issues(&arguments).into_iter().next()?;
    let at = match issue.at.is_root() {
        true => "the arguments".to_owned(),
        false => issue.at.tokens().join("."),
    };
    Some(format!("{}: {at} {}; sent as before", request.name, issue.words))
}

/// Sends a frame as it is over a connection of that name.
pub(super) fn send_frame(
    state: &mut State,
    connection: &str,
    frame: &str,
    now: Millis,
) -> Vec<Effect> {
    let known = state.network.connections.find_by_name(connection).cloned();
    let connection = state.as_calls_use(known.unwrap_or_else(|| state.current_connection()));
    let Some(request) = calling::frame_request(&connection, frame, &state.ids.peek_id()) else {
        return Vec::new();
    };
    state.ids.take_id();
    begin_on(state, request, connection, now)
}

/// Sends a request that was sent before, over the connection of that name: it was made for that
/// one. Where that is gone, over the one that the tool's calls go through.
pub(super) fn send_again(
    state: &mut State,
    request: crate::model::call::Request,
    connection: &str,
    now: Millis,
) -> Vec<Effect> {
    // The same body under a fresh id, or the answer could not be known from the first one's.
    let id = state.ids.take_id();
    let mut request = calling::repeat_request(request, &id);
    let is_mocked = state.invoke.mocks.contains(&request.tool) && request.to != FRAMES;
    if request.mock.is_none() && (connection == MOCK_CONNECTION || is_mocked) {
        // What a mock answered is not sent to the service: the history has the request alone. Nor
        // is anything while the tool is mocked.
        let Some(tool) = state.tool(&request.tool) else {
            let cause = format!("a mock answered {}, but the tool no longer exists", request.name);
            let problem = Problem::new(ProblemKind::Missing, "sending it again", cause);
            return report_problem(state, &problem, now);
        };
        let mock = mocking::mock_call(&request, &state.invoke.user, state.make_mock(tool));
        request.mock = Some(Arc::new(mock));
    }
    let own = state.network.connections.find_by_name(connection).cloned();
    let connection = state.as_calls_use(own.unwrap_or_else(|| state.connection_of(&request.tool)));
    begin_on(state, request, connection, now)
}

/// Asks the agent, and shows how it goes.
pub(super) fn ask_agent(state: &mut State, question: &str, now: Millis) -> Vec<Effect> {
    let connection = state.current_connection();
    let asked = AgentQuestion {
        question: question.to_owned(),
        context: state.context(),
        ..AgentQuestion::default()
    };
    match agents::find_agent(&connection)
        .and_then(|agent| agent.question_request(&asked, &state.ids.peek_id(), &connection))
    {
        Ok(request) => {
            state.ids.take_id();
            state.screen = ScreenId::Invoke;
            begin_on(state, request, connection, now)
        }
        Err(problem) => report_problem(state, &problem, now),
    }
}

/// Begins a call over a connection; the one effect.
pub(super) fn begin_on(
    state: &mut State,
    request: crate::model::call::Request,
    connection: Connection,
    now: Millis,
) -> Vec<Effect> {
    let name = request.connection_name(&connection.name);
    let call = state.invoke.calls.begin_call(request.clone(), name, now);
    let (connection, request) = (Box::new(connection), Box::new(request));
    vec![Effect::Call { call, connection, request, limit: state.invoke.time_limit }]
}

/// Gives the answers to calls of this session that long.
pub(super) fn limit_time(state: &mut State, time: Option<Duration>, now: Millis) {
    state.invoke.time_limit = time;
    let words = match time {
        Some(time) => format!(
            "Answers may take {} in this session; the connection's timeout says it for good",
            duration::print_duration(time)
        ),
        None => "Answers may take as long as the connections say".to_owned(),
    };
    state.notices.push(NoticeKind::Done, words, now);
}

/// Asks for the arguments of the newest kept call of a tool.
pub(super) fn read_last_arguments(state: &State, tool: EntryId) -> Vec<Effect> {
    let name = state.tool(&tool).map(|tool| tool.name.clone());
    name.map(|name| Effect::ReadLastArguments { tool, name }).into_iter().collect()
}

fn report_problem(state: &mut State, problem: &Problem, now: Millis) -> Vec<Effect> {
    state.notices.push_problem(problem, now);
    Vec::new()
}

/// Takes events in; the outcome, and how long it took from its request on, when the call has ended
/// with them.
pub(super) fn apply_events(
    state: &mut State,
    call: CallId,
    events: Vec<Event>,
    now: Millis,
) -> Option<(Outcome, u64)> {
    let end = events.iter().find_map(|event| match &event.kind {
        EventKind::End { outcome, .. } => Some((*outcome, event.at_ms)),
        _ => None,
    });
    state.invoke.calls.apply_events(call, events);
    let (outcome, at_ms) = end?;
    let took_ms = state.invoke.calls.get(call).map_or(at_ms, |call| call.since_sent(at_ms));
    if let Some(ended) = state.invoke.calls.get(call) {
        let name = ended.request.name.clone();
        let kind =
            if outcome == Outcome::Succeeded { NoticeKind::Done } else { NoticeKind::Warning };
        let what = match outcome {
            Outcome::Lost => lost_words(ended),
            other => other.as_str(),
        };
        let mut words = format!("{name} {what} after {}", duration::print_rounded(took_ms));
        // What no mock could answer (a question to the agent, a frame) has no tool.
        if ended.found_nobody() && state.tool(&ended.request.tool).is_some() {
            let key = state.keymap.way_to("mock-tool");
            let place = if state.screen == ScreenId::Invoke { "" } else { " on Invoke" };
            words.push_str(&format!("; {key}{place} mocks its service"));
        }
        // A tool of one server fails at another that was chosen for all calls.
        let tool = state.catalog.tool(&ended.request.tool);
        let own = tool.and_then(|tool| state.network.connections.assigned_name(tool));
        let elsewhere = own.filter(|own| *own != ended.connection && !ended.is_mocked());
        if let Some(own) = elsewhere.filter(|_| outcome != Outcome::Succeeded) {
            let key = state.keymap.way_to("connection");
            let at = &ended.connection;
            words.push_str(&format!(
                "; it was called on {at}, not on its own {own}: {key} changes that"
            ));
        }
        // That a server's tools are others now may be why the call doesn't do what it did.
        let drift = ended.events.iter().find_map(|event| match &event.kind {
            EventKind::Stage(stage) if &*stage.name == Stage::DRIFT => Some(stage.words.clone()),
            _ => None,
        });
        let kind = if drift.is_some() { NoticeKind::Warning } else { kind };
        words.extend(drift.map(|drift| format!("; {drift}")));
        state.notices.push(kind, words, now);
    }
    Some((outcome, took_ms))
}

/// What became of a call that has no answer.
fn lost_words(call: &Call) -> &'static str {
    let kind = match &call.state {
        CallState::Ended { problem: Some(problem), .. } => &problem.kind,
        _ => return "lost its connection",
    };
    match kind {
        ErrorKind::NoService | ErrorKind::NoResponders | ErrorKind::NoListener => {
            "found no service"
        }
        ErrorKind::ConnectionLost if call.was_sent() => "lost its connection",
        _ if kind.problem_kind() == ProblemKind::Unreachable && call.chunks == 0 => {
            "couldn't reach its server"
        }
        ErrorKind::Flooded | ErrorKind::SlowConsumer => "lost chunks and ended",
        ErrorKind::AnswerTooLarge | ErrorKind::TooLarge => "sent too large an answer",
        _ if kind.is_unreadable() => "sent an answer that can't be read",
        _ if kind.problem_kind() == ProblemKind::Input => "could not be sent",
        _ => "lost its connection",
    }
}

/// Turns to a new agent for each session, or back to the one that the connection names.
pub(super) fn turn_new_agent(state: &mut State, tool: &EntryId, now: Millis) {
    let connection = state.connection_of(tool);
    let Some(CallingAgent::Named(agent)) = calling::calling_agent(&connection) else { return };
    let words = if state.network.new_agent.take().is_some_and(|name| name == connection.name) {
        format!("calls use agent {agent} again")
    } else {
        state.network.new_agent = Some(connection.name);
        format!("calls use a new agent, not {agent}")
    };
    state.notices.push(NoticeKind::Hint, words, now);
}
