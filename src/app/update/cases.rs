//! Cases: called a few at a time, judged as their calls end.

use std::sync::Arc;

use super::{
    case_order::{self, find_called},
    history, notifying, run_world,
};
use crate::{
    app::{
        agent_run::{AgentEffect, CaseTask},
        ask_cases,
        case_mask::mask_of_case,
        cases::{self, RunningCase, VerdictCounts, WaitingCase},
        effect::Effect,
        message::ScreenId,
        notices::NoticeKind,
        notifications::Noteworthy,
        state::State,
    },
    engine::case::{
        ask::AskCase,
        choice::AskVerdict,
        expected::ExpectedValues,
        result::case_result,
        script::Case,
        tries::CaseTry,
        verdict::{Answer, Verdict, check_answer},
    },
    model::{
        call::{Call, CallId, Event, EventKind, Outcome, Request},
        clock::Millis,
        connection::Connection,
        entry::FileId,
        problem::{Problem, ProblemKind},
        tool::Tool,
        trace::TraceId,
    },
    schema::count::count_text,
    systems::{calling, case_arguments::named_connection, facets::calls::CallOf, mocking, table},
};

/// Calls these cases.
pub(super) fn run_cases(state: &mut State, files: Vec<FileId>, now: Millis) -> Vec<Effect> {
    state.invoke.cases.only = match files.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    };
    let (asks, calls): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| ask_case(state, file).is_some());
    let waiting = case_order::in_order(state, calls);
    let called = waiting.iter().map(|waiting| waiting.file.clone());
    let asked: Vec<FileId> = called.chain(asks.iter().cloned()).collect();
    for file in &asked {
        state.invoke.cases.tries.remove(file);
    }
    state.invoke.cases.asked = asked;
    state.invoke.cases.waiting = waiting;
    let mut effects: Vec<Effect> =
        asks.into_iter().filter_map(|file| try_ask_case(state, file)).collect();
    effects.extend(go_on(state, now));
    effects
}

/// Shows the case that the program is opened with, once the workspace is read: its arguments are in
/// the form, and the list begins at it.
pub(super) fn show_opened(state: &mut State, now: Millis) {
    let Some(file) = state.invoke.cases.opening.take() else { return };
    let key = state.keymap.way_to("cases");
    let read = state.documents.present(&file).and_then(cases::read_case);
    let (kind, words) = match read {
        Some(Err(issue)) => {
            let words = format!("{file}: {issue}; {key} opens it in your editor");
            (NoticeKind::Problem, words)
        }
        read => {
            if let Some(Ok(case)) = read
                && let Some((_, tool)) = find_called(state, &case)
            {
                let (tool, arguments) = (tool.id().clone(), case.arguments.to_json());
                let meta = case.meta.as_ref().map(|meta| meta.to_json().to_string());
                history::load_sent(state, &tool, &arguments, meta.as_deref(), now);
            }
            (NoticeKind::Hint, format!("{file}: {key} runs the case or edits it"))
        }
    };
    state.question = None;
    state.screen = ScreenId::Invoke;
    state.invoke.cases.chosen = Some(file);
    state.notices.push(kind, words, now);
}

fn ask_case(state: &State, file: &FileId) -> Option<Result<AskCase, String>> {
    ask_cases::read_ask_case(state.documents.get(file)?)
}

/// Lets the recorded runs of an ask case go through the loop with the tools as they are now.
fn try_ask_case(state: &mut State, file: FileId) -> Option<Effect> {
    let read = ask_case(state, &file)?.and_then(|case| {
        let runs = ask_cases::recorded_runs(state, &file, &case)?.runs;
        Ok((case, runs))
    });
    let (case, runs) = match read {
        Ok(read) => read,
        Err(problem) => {
            let verdict = AskVerdict { problem: Some(problem), ..AskVerdict::default() };
            state.invoke.cases.asks.insert(file, verdict);
            return None;
        }
    };
    state.invoke.cases.asks.remove(&file);
    state.invoke.cases.trying.insert(file.clone());
    let context = case.context(&ask_cases::workspace_context(state));
    let world = run_world::world_of(state);
    Some(Effect::Agent(AgentEffect::TryCase(Box::new(CaseTask {
        file,
        case,
        context,
        runs,
        world,
    }))))
}

/// An ask case was tried.
pub(super) fn on_case_tried(
    state: &mut State,
    file: FileId,
    verdict: AskVerdict,
    now: Millis,
) -> Vec<Effect> {
    state.invoke.cases.trying.remove(&file);
    state.invoke.cases.asks.insert(file, verdict);
    go_on(state, now)
}

/// Begins as many as may run at once.
fn go_on(state: &mut State, now: Millis) -> Vec<Effect> {
    let mut effects = Vec::new();
    while let Some(waiting) = state.invoke.cases.take_next() {
        let file = waiting.file.clone();
        let running = match prepare_case(state, &waiting) {
            Ok(running) => running,
            Err(problem) => {
                let tried = CaseTry::of_verdict(Verdict::not_called(&problem));
                state.invoke.cases.tries.insert(file, tried);
                continue;
            }
        };
        effects.extend(call_case(state, running, now));
    }
    if !state.invoke.cases.under_way() {
        report_verdicts(state, now);
    }
    effects
}

/// The case with the answers that it names, before its first run.
fn prepare_case(state: &State, waiting: &WaitingCase) -> Result<RunningCase, Problem> {
    let file = waiting.file.clone();
    let wrong =
        |cause: String| Problem::new(ProblemKind::Input, format!("running the case {file}"), cause);
    let document =
        state.documents.present(&file).ok_or_else(|| wrong("the file no longer exists".into()))?;
    let case = cases::read_case(document)
        .ok_or_else(|| wrong("it isn't a case".into()))?
        .map_err(wrong)?;
    let case = case_order::with_answers(state, waiting, &case)?;
    let tried = CaseTry::new(&case, 1);
    let values = ExpectedValues::default();
    Ok(RunningCase { file, case: Box::new(case), values, tried })
}

/// Begins the next run of a case; where that can't be, it has ended.
fn call_case(state: &mut State, mut running: RunningCase, now: Millis) -> Option<Effect> {
    let called = build_call(state, &running.case).and_then(|(request, connection)| {
        Ok((ExpectedValues::over(&running.case, &connection)?, request, connection))
    });
    let (values, request, connection) = match called {
        Ok(called) => called,
        Err(problem) => {
            running.tried.runs.push(Verdict::not_called(&problem));
            state.invoke.cases.tries.insert(running.file, running.tried);
            return None;
        }
    };
    state.ids.take_id();
    running.values = values;
    let name = request.connection_name(&connection.name);
    let RunningCase { file, case, .. } = &running;
    let of = if case.name.is_empty() { file.as_str() } else { &case.name };
    let is_only = state.invoke.cases.only.as_ref() == Some(file);
    let calls = &mut state.invoke.calls;
    let call = calls.begin_case(request.clone(), name, (of.into(), is_only), now);
    state.invoke.cases.shown_turn += u64::from(is_only);
    let limit = case.timeout.or(state.invoke.time_limit);
    state.invoke.cases.running.insert(call, running);
    let (connection, request) = (Box::new(connection), Box::new(request));
    Some(Effect::Call { call, connection, request, limit })
}

/// A new request of a case, and where it goes.
fn build_call(state: &State, case: &Case) -> Result<(Request, Connection), Problem> {
    let (catalog, tool) = find_called(state, case).ok_or_else(|| {
        let listed = case.connection.as_ref().map_or_else(String::new, |name| {
            format!(" in the workspace, nor listed on Invoke of the connection {name}")
        });
        let cause = format!("there is no tool \"{}\"{listed}", case.tool);
        Problem::new(ProblemKind::Input, "running the case", cause)
    })?;
    let connection = case_connection(state, case, tool)?;
    let correlation = state.ids.peek_id();
    let call = CallOf {
        catalog,
        tool,
        user: case.user.as_deref().unwrap_or(&state.invoke.user),
        arguments: &case.arguments,
        meta: None,
        correlation: &correlation,
        connection: &connection,
        route: None,
    };
    let request = match state.mock_of(tool) {
        Some(service) => mocking::mock_request(&call, service),
        None => calling::build_case_request(case, call)?,
    };
    Ok((request, connection))
}

/// The connection that a case is called over.
fn case_connection(state: &State, case: &Case, tool: &Tool) -> Result<Connection, Problem> {
    let connections = &state.network.connections;
    match named_connection(case, &state.catalog, connections) {
        None => Ok(connections.for_tool(tool)),
        Some(name) => table::find_connection(connections, name),
    }
}

/// A call has ended: where it was a case's, it is judged, and its next run or the next case begins.
/// A cancelled case isn't run again.
pub(super) fn on_call_ended(state: &mut State, call: CallId, now: Millis) -> Vec<Effect> {
    let Some(mut running) = state.invoke.cases.running.remove(&call) else { return Vec::new() };
    let answer = state.invoke.calls.get(call).map(Answer::from_call).unwrap_or_default();
    let was_cancelled = answer.outcome.is_none_or(|outcome| outcome == Outcome::Cancelled);
    let verdict = check_answer(&running.case, answer, running.values.clone());
    let mut effects: Vec<Effect> =
        keep_result(state, call, &verdict, running.file.clone()).into_iter().collect();
    running.tried.runs.push(verdict);
    if was_cancelled || running.tried.is_over() {
        state.invoke.cases.tries.insert(running.file, running.tried);
    } else {
        effects.extend(call_case(state, running, now));
    }
    effects.extend(go_on(state, now));
    effects
}

/// Keeps with a call what its case makes of the answer.
fn keep_result(state: &mut State, call: CallId, verdict: &Verdict, file: FileId) -> Option<Effect> {
    let request = &state.invoke.calls.get(call)?.request;
    let arguments = Arc::clone(&request.arguments);
    let kept: TraceId = request.correlation.as_str().into();
    let mask = state.mask.of_call(&arguments);
    let kind = EventKind::Stage(case_result(verdict, file, &mask).to_stage());
    let event = Event { at_ms: verdict.answer.took_ms, kind };
    state.invoke.calls.apply_events(call, vec![event.clone()]);
    Some(Effect::KeepResult { call: kept, arguments, event: Box::new(event) })
}

/// Holds the answer of a case's last call against what it expects now.
pub(super) fn judge_again(state: &mut State, file: &FileId) -> Vec<Effect> {
    let document = state.documents.present(file);
    let case = document.and_then(cases::read_case).and_then(Result::ok);
    let Some((case, last)) = case.zip(state.invoke.cases.tries.get(file)) else {
        return Vec::new();
    };
    let connection = find_called(state, &case).map(|(_, tool)| case_connection(state, &case, tool));
    // Where it can't be called any more, its variables are what they were.
    let values = connection.and_then(Result::ok).map(|over| ExpectedValues::over(&case, &over));
    let values = values.and_then(Result::ok);
    let values = |run: &Verdict| values.clone().unwrap_or_else(|| run.values.clone());
    let runs = last.runs.iter().map(|run| check_answer(&case, run.answer.clone(), values(run)));
    let tried = CaseTry { runs: runs.collect(), ..last.clone() };
    let is_of = |call: &&Call| call.tested.as_ref().is_some_and(|tested| tested.file == *file);
    let call = state.invoke.calls.iter().rev().find(is_of).map(|call| call.id);
    let judged = call.zip(tried.runs.last());
    let kept = judged.and_then(|(call, verdict)| keep_result(state, call, verdict, file.clone()));
    state.invoke.cases.tries.insert(file.clone(), tried);
    kept.into_iter().collect()
}

fn report_verdicts(state: &mut State, now: Millis) {
    let count = |count: usize| count_text(count, "case", "cases");
    let (kind, words) = match state.invoke.cases.verdict_counts() {
        VerdictCounts { hold: 0, differ: 0 } => return,
        VerdictCounts { hold, differ: 0 } => (NoticeKind::Done, format!("{} passed", count(hold))),
        VerdictCounts { hold, differ } => {
            let cases = &state.invoke.cases;
            let why = match cases.asked.as_slice() {
                // A notification goes out to the desktop.
                [only] => cases
                    .first_difference(only)
                    .map(|words| format!(": {}", mask_of_case(state, only).mask_text(&words))),
                _ => Some(format!("; {} lists these first", state.keymap.way_to("cases"))),
            };
            let failed = format!("{differ} of {} failed", count(hold + differ));
            (NoticeKind::Warning, failed + &why.unwrap_or_default())
        }
    };
    show_first_failed(state);
    notifying::note(state, Noteworthy::TestsDone(&words), now);
    state.notices.push(kind, words, now);
}

/// Shows the call of the first that failed of those that were tried together, unless another call
/// is shown that has not ended.
fn show_first_failed(state: &mut State) {
    let calls = &state.invoke.calls;
    if calls.selected_call().is_some_and(|call| call.outcome().is_none()) {
        return;
    }
    let is_of = |call: &&Call, file: &FileId| {
        call.tested.as_ref().is_some_and(|tested| tested.file == *file)
    };
    let has_failed = |call: &&Call| call.tested.as_ref().is_some_and(|one| !one.has_passed());
    let newest_failed = |file: &FileId| {
        let mut calls = calls.iter().rev().filter(has_failed);
        calls.find(|call| is_of(call, file))
    };
    let cases = &state.invoke.cases;
    let asked = cases.asked.iter().filter(|file| cases.has_passed(file) == Some(false));
    let mut failed = asked.filter_map(newest_failed);
    if let Some(call) = failed.next().map(|call| call.id) {
        state.invoke.calls.selected = Some(call);
        state.invoke.cases.shown_turn += 1;
    }
}
