//! A model in front of the tools: beginning a run, deciding its calls, what comes of it, and the run
//! of Workflow that follows it.

use std::sync::Arc;

use serde_json::Value;

use super::{cases, connection_test, files, history, notifying, run_world, saving, workflow};
use crate::{
    app::{
        agent_run::{
            AgentEffect, AgentMessage, CallPolicy, MAX_TURNS, ModelRun, PlannedCall, RunEnd,
            RunNews, RunSetup, RunSource, RunTask, TaskSource, TaskStart, WaitingCall,
            items::Items,
        },
        edited_text::EditedText,
        effect::Effect,
        message::ScreenId,
        notices::NoticeKind,
        notifications::Noteworthy,
        state::State,
    },
    engine::agent_loop::{
        breakpoint::{BreakContext, Breakpoint},
        call_check::row_of_call,
        decision::{Branch, BranchPoint, Change, Decision},
        event::{AgentEvent, RUN_PREFIX},
        outline::{Outline, Place},
        recording::Recording,
        resume::run_from_events,
        run::AgentStart,
        turn::Usage,
    },
    model::{
        call::{EventKind, Outcome},
        clock::Millis,
        context::Context,
        entry::FileId,
        problem::Problem,
        settings::SETTINGS,
        trace::Trace,
    },
    syntax::source::{Format, Source},
    systems::{
        model_settings::find_model,
        offered::{function_of, slots_of_models},
    },
};

const UNDER_WAY: &str = "a run is under way: stop it first";

/// Takes a message about it in.
pub(super) fn handle_message(state: &mut State, message: AgentMessage, now: Millis) -> Vec<Effect> {
    match message {
        AgentMessage::Begin(setup) => return begin_run(state, *setup, now),
        AgentMessage::AddModel(plan) => {
            let mut effects = files::apply_changes(state, &plan.label, &plan.changes, now);
            effects.extend(saving::save_files(state, Some(FileId::new(SETTINGS)), now));
            return effects;
        }
        AgentMessage::Approve => return approve(state),
        AgentMessage::ApproveAll => {
            if let Some(run) = &mut state.invoke.agent.run {
                run.setup.policy = CallPolicy::Make;
            }
            return approve(state);
        }
        AgentMessage::Decide(decision) => return decide(state, *decision),
        AgentMessage::Edit(edits) => {
            if let Some(Err(error)) = waiting(state).map(|call| call.arguments.edit(&edits)) {
                state.notices.push(NoticeKind::Problem, format!("arguments: {error}"), now);
            }
        }
        AgentMessage::Undo => drop(waiting(state).map(|call| call.arguments.undo())),
        AgentMessage::Redo => drop(waiting(state).map(|call| call.arguments.redo())),
        AgentMessage::GoBack { branch, model } => return go_back(state, *branch, model, now),
        AgentMessage::ToggleBreak(breakpoint) => toggle_break(state, *breakpoint, now),
        AgentMessage::Stop => {
            let run = state.invoke.agent.run.as_ref().filter(|run| run.end.is_none());
            return run.map(|run| Effect::Agent(AgentEffect::Stop(run.turn))).into_iter().collect();
        }
        AgentMessage::Open(trace) => open_kept(state, &trace, now),
        AgentMessage::CaseTried { file, verdict } => {
            return cases::on_case_tried(state, file, *verdict, now);
        }
        AgentMessage::News { turn, news } => return take_news(state, turn, news, now),
    }
    Vec::new()
}

fn waiting(state: &mut State) -> Option<&mut WaitingCall> {
    state.invoke.agent.run.as_mut()?.waiting.as_mut()
}

/// Asks the model, or runs a recorded run again.
fn begin_run(state: &mut State, setup: RunSetup, now: Millis) -> Vec<Effect> {
    if state.invoke.agent.is_under_way() {
        state.notices.push(NoticeKind::Warning, UNDER_WAY, now);
        return Vec::new();
    }
    if state.workflow.what_if.is_some() {
        let words = "no run during a what-if: apply it with W on Workflow, or discard it with Esc";
        state.notices.push(NoticeKind::Warning, words, now);
        return Vec::new();
    }
    let (source, model) = match find_source(state, &setup.source) {
        Ok(found) => found,
        Err(problem) => {
            state.notices.push_problem(&problem, now);
            return Vec::new();
        }
    };
    if let Some(context) = setup.context.as_ref().filter(|context| **context != state.context()) {
        workflow::begin_at(state, context.clone(), now);
    }
    let start = AgentStart {
        question: setup.question.clone(),
        system: setup.system.clone(),
        context: state.context(),
        mode: state.mode,
        max_turns: MAX_TURNS,
    };
    state.workflow.simulation.set_question(Some(setup.question.clone()));
    let run = new_run(state, setup, model, start.clone());
    state.invoke.agent.asked = Some(run.setup.clone());
    show(state, run);
    begin_task(state, source, TaskStart::Question(start))
}

fn show(state: &mut State, run: ModelRun) {
    state.invoke.agent.run = Some(run);
    state.screen = ScreenId::Run;
}

/// Who speaks for the model, and its name.
fn find_source(state: &State, source: &RunSource) -> Result<(TaskSource, String), Problem> {
    match source {
        RunSource::Model { connection } => {
            let (connection, model) = find_model(&state.network.connections, connection)?;
            Ok((TaskSource::Model(Box::new(connection)), model.name))
        }
        RunSource::Recorded { name, recording } => {
            Ok((TaskSource::Recorded((**recording).clone()), name.clone()))
        }
    }
}

/// A run that has not begun, at the step of Workflow where that is.
fn new_run(state: &mut State, setup: RunSetup, model: String, start: AgentStart) -> ModelRun {
    state.invoke.agent.turn += 1;
    let functions: Vec<_> = state.catalog.tools.iter().map(|tool| function_of(tool)).collect();
    let price = match setup.source {
        RunSource::Model { .. } => state.network.prices.get(&model).copied(),
        RunSource::Recorded { .. } => None,
    };
    let step = state.workflow.simulation.current_step();
    ModelRun {
        turn: state.invoke.agent.turn,
        items: Items::new(setup.system.as_deref(), &setup.question),
        slots: slots_of_models(&state.gated_tools(), &functions),
        state: start.context.state().to_owned(),
        setup,
        model,
        start,
        log: Vec::new(),
        outline: Outline::new(step),
        step: Some(step),
        waiting: None,
        after_edit: None,
        after_failure: false,
        usage: None,
        price,
        model_ms: 0,
        tools_ms: 0,
        replies: 0,
        calls: 0,
        end: None,
    }
}

/// The effect that lets the shown run begin, or go on.
fn begin_task(state: &State, source: TaskSource, start: TaskStart) -> Vec<Effect> {
    let (turn, world) = (state.invoke.agent.turn, run_world::world_of(state));
    vec![Effect::Agent(AgentEffect::Begin(Box::new(RunTask { turn, source, start, world })))]
}

/// Makes the waiting call. Arguments that were edited go first, and are decided again.
fn approve(state: &mut State) -> Vec<Effect> {
    let Some(run) = &mut state.invoke.agent.run else { return Vec::new() };
    let Some(call) = &run.waiting else { return Vec::new() };
    let approved = run.answer_decision();
    if !call.is_edited() {
        return decide(state, approved);
    }
    let Some(text) = call.arguments.source().to_json(0) else { return Vec::new() };
    run.after_edit = Some(approved);
    decide(state, Decision::Edit(text))
}

fn decide(state: &mut State, decision: Decision) -> Vec<Effect> {
    let Some(run) = &mut state.invoke.agent.run else { return Vec::new() };
    if run.waiting.take().is_none() {
        return Vec::new();
    }
    let decision = Box::new(decision);
    vec![Effect::Agent(AgentEffect::Decide { turn: run.turn, decision })]
}

fn toggle_break(state: &mut State, breakpoint: Breakpoint, now: Millis) {
    let Some(run) = &mut state.invoke.agent.run else { return };
    let breaks = &mut run.setup.breakpoints;
    let words = match breaks.iter().position(|known| *known == breakpoint) {
        Some(row) => {
            breaks.remove(row);
            format!("the run no longer stops before {breakpoint}")
        }
        None => {
            let words = format!("the run stops before {breakpoint}");
            breaks.push(breakpoint);
            words
        }
    };
    state.notices.push(NoticeKind::Done, words, now);
}

/// Goes another way: the waiting call's run at once, one that moves once it has stopped, and one
/// that is over as a run of its own.
fn go_back(state: &mut State, branch: Branch, model: Option<String>, now: Millis) -> Vec<Effect> {
    let agent = &mut state.invoke.agent;
    let Some(run) = &mut agent.run else { return Vec::new() };
    if run.waiting.is_some() {
        return decide(state, Decision::Back(branch));
    }
    if run.end.is_none() {
        let turn = run.turn;
        agent.then = Some((branch, model));
        return vec![Effect::Agent(AgentEffect::Stop(turn))];
    }
    let source = match (&run.setup.source, model) {
        (RunSource::Recorded { .. }, None) => {
            // What was not said then cannot be said now.
            let words = "choose a model: a recorded run has no other way";
            state.notices.push(NoticeKind::Warning, words, now);
            return Vec::new();
        }
        (_, Some(connection)) => RunSource::Model { connection },
        (source @ RunSource::Model { .. }, None) => source.clone(),
    };
    branch_off(state, source, branch, now)
}

/// Goes on with another result of a call, through the run's own model.
pub(super) fn change_result(
    state: &mut State,
    place: Place,
    to: &Value,
    now: Millis,
) -> Vec<Effect> {
    let change = Change::Result {
        row: place.row,
        text: to.as_str().map_or_else(|| to.to_string(), str::to_owned),
    };
    let branch = Branch { from: BranchPoint::Turns(place.turn + 1), change };
    go_back(state, branch, None, now)
}

/// A run of its own that begins with all that the shown one holds.
fn branch_off(state: &mut State, source: RunSource, branch: Branch, now: Millis) -> Vec<Effect> {
    let (task_source, model) = match find_source(state, &source) {
        Ok(found) => found,
        Err(problem) => {
            state.notices.push_problem(&problem, now);
            return Vec::new();
        }
    };
    let Some(before) = state.invoke.agent.run.take() else { return Vec::new() };
    let profiles = &state.workflow.profiles;
    let events = before.log.iter().map(|(_, event)| event);
    let resumed = run_from_events(before.start.clone(), events, &before.slots, profiles, now);
    let past = before.log.clone();
    let run = if before.step.is_some() {
        state.invoke.agent.turn += 1;
        ModelRun {
            turn: state.invoke.agent.turn,
            price: state.network.prices.get(&model).copied(),
            setup: RunSetup { source, ..before.setup },
            model,
            end: None,
            ..before
        }
    } else {
        // Workflow has not followed this run yet.
        workflow::begin_at(state, before.start.context.clone(), now);
        let setup = RunSetup { source, ..before.setup };
        let mut run = new_run(state, setup, model, before.start);
        for (at_ms, event) in before.log {
            note_event(state, &mut run, (at_ms, now), &event);
            run.log.push((at_ms, event));
        }
        run
    };
    show(state, run);
    begin_task(state, task_source, TaskStart::Branch { run: Box::new(resumed), past, branch })
}

/// Shows a run that is kept; Workflow's run stays where it is.
fn open_kept(state: &mut State, trace: &Trace, now: Millis) {
    if state.invoke.agent.is_under_way() {
        return state.notices.push(NoticeKind::Warning, UNDER_WAY, now);
    }
    let then: Value = serde_json::from_str(&trace.head.arguments).unwrap_or_default();
    let text = |name: &str| then[name].as_str().map(str::to_owned);
    let groups = then["groups"]
        .as_array()
        .map(|names| names.iter().filter_map(Value::as_str).map(Into::into).collect());
    let context =
        Context { user: state.context().user, groups, state: text("state").map(Into::into) };
    let name = trace.head.tool.strip_prefix(RUN_PREFIX).unwrap_or(&trace.head.tool);
    let Some(recording) = Recording::from_trace(trace) else {
        let words = "this run ended before the model said anything";
        return state.notices.push(NoticeKind::Hint, words, now);
    };
    let setup = RunSetup {
        question: text("question").unwrap_or_default(),
        system: text("system"),
        source: RunSource::Recorded { name: name.to_owned(), recording: Arc::new(recording) },
        context: Some(context.clone()),
        policy: CallPolicy::Ask,
        breakpoints: Vec::new(),
    };
    let start = AgentStart {
        question: setup.question.clone(),
        system: setup.system.clone(),
        context,
        mode: state.mode,
        max_turns: MAX_TURNS,
    };
    let model = text("model").unwrap_or_else(|| name.to_owned());
    let price = state.network.prices.get(&model).copied();
    let mut run = ModelRun { step: None, price, ..new_run(state, setup, model, start) };
    for event in &trace.events {
        if let EventKind::End { outcome, problem } = &event.kind {
            run.items.note_end(event.at_ms, *outcome, problem.clone());
            run.end = Some(RunEnd {
                outcome: *outcome,
                problem: problem.clone(),
                took_ms: event.at_ms,
                trace: Some(trace.head.id.clone()),
            });
        } else if let Some(happened) = AgentEvent::from_trace(&event.kind) {
            note_event(state, &mut run, (event.at_ms, now), &happened);
            run.log.push((event.at_ms, happened));
        }
    }
    run.end.get_or_insert_with(|| RunEnd {
        outcome: Outcome::Cancelled,
        problem: None,
        took_ms: trace.events.last().map_or(0, |event| event.at_ms),
        trace: Some(trace.head.id.clone()),
    });
    show(state, run);
}

fn take_news(state: &mut State, turn: u64, news: Vec<RunNews>, now: Millis) -> Vec<Effect> {
    let Some(mut run) = state.invoke.agent.run.take_if(|run| run.turn == turn) else {
        return Vec::new();
    };
    let mut effects = Vec::new();
    let mut ended = false;
    for one in news {
        match one {
            RunNews::Happened { at_ms, event } => {
                note_event(state, &mut run, (at_ms, now), &event);
                match (run.log.last_mut(), &event) {
                    (Some((_, AgentEvent::Text(text))), AgentEvent::Text(more)) => {
                        text.push_str(more);
                    }
                    _ => run.log.push((at_ms, event)),
                }
            }
            RunNews::Waits(planned) => effects.extend(take_call(state, &mut run, *planned, now)),
            RunNews::Ended(end) => {
                run.items.note_end(end.took_ms, end.outcome, end.problem.clone());
                tell_end(state, &run, &end, now);
                if let RunSource::Model { connection } = &run.setup.source {
                    let problem = end.problem.as_ref();
                    effects.extend(connection_test::ask_where_refused(state, connection, problem));
                }
                run.waiting = None;
                run.end = Some(*end);
                ended = true;
            }
        }
    }
    state.invoke.agent.run = Some(run);
    if ended {
        if state.screen == ScreenId::History {
            effects.extend(history::list_calls(state));
        }
        if let Some((branch, model)) = state.invoke.agent.then.take() {
            effects.extend(go_back(state, branch, model, now));
        }
    }
    effects
}

fn tell_end(state: &mut State, run: &ModelRun, end: &RunEnd, now: Millis) {
    let (name, outcome) = (run.source_name(), end.outcome.as_str());
    let ended = Noteworthy::Ended { name, outcome: end.outcome, took_ms: end.took_ms };
    notifying::note(state, ended, now);
    match (&end.problem, end.outcome) {
        (Some(problem), _) => {
            let words = format!("{name} {outcome}: {} — {}", problem.message, problem.remedy);
            state.notices.push(NoticeKind::Problem, words, now);
        }
        (None, Outcome::Succeeded) => {
            let words = format!("{name} answered after {} ms", end.took_ms);
            state.notices.push(NoticeKind::Done, words, now);
        }
        (None, _) => {
            let key = state.keymap.way_to("run-back");
            let words = format!("stopped; {key} goes on from any place of the run");
            state.notices.push(NoticeKind::Hint, words, now);
        }
    }
}

/// Takes in what happens, and lets Workflow's run move with it.
fn note_event(
    state: &mut State,
    run: &mut ModelRun,
    (at_ms, now): (u64, Millis),
    event: &AgentEvent,
) {
    match event {
        AgentEvent::Asked { turn, state, .. } => {
            run.replies = turn.saturating_sub(1);
            run.state.clone_from(state);
        }
        AgentEvent::Replied { turn, reply, took_ms, .. } => {
            run.replies = *turn;
            run.model_ms += took_ms;
            if let Some(usage) = reply.usage {
                run.usage = Some(run.usage.map_or(usage, |sum| Usage::plus(sum, usage)));
            }
        }
        AgentEvent::Returned { outcome, took_ms, .. } => {
            run.calls += 1;
            run.tools_ms += took_ms;
            run.after_failure = *outcome != Outcome::Succeeded;
        }
        AgentEvent::Moved { to, .. } => run.state.clone_from(to),
        AgentEvent::WentBack { state, .. } => run.state.clone_from(state),
        _ => {}
    }
    let known = run.step.flatten();
    // Where the user goes elsewhere on Workflow, it stays there.
    let is_elsewhere = state.workflow.what_if.is_some()
        || run.step.is_some_and(|step| state.workflow.simulation.current_step() != step);
    if is_elsewhere {
        run.step = None;
    }
    if let AgentEvent::WentBack { turns, .. } = event
        && run.step.is_some()
        && let Some(reached) = run.outline.known_at(*turns).copied()
    {
        state.workflow.simulation.go_to(reached);
        run.step = Some(reached);
    }
    run.items.note_event(at_ms, event, &mut run.outline, known);
    if let AgentEvent::Returned { tool, answered, outcome, took_ms, .. } = event
        && answered.is_answer()
        && run.step.is_some()
    {
        let row = row_of_call(&run.slots, &state.context(), tool);
        let mut take = |key: &str| workflow::take_quietly(state, key, *outcome, *took_ms, now);
        let is_taken = row.is_some_and(|row| take(&run.slots[row].key));
        run.step = is_taken.then(|| state.workflow.simulation.current_step());
    }
}

/// A call is to be decided: by the policy, or by the user.
fn take_call(
    state: &mut State,
    run: &mut ModelRun,
    planned: PlannedCall,
    now: Millis,
) -> Option<Effect> {
    let send = |decision| {
        let decision = Box::new(decision);
        Some(Effect::Agent(AgentEffect::Decide { turn: run.turn, decision }))
    };
    if let Some(decision) = run.after_edit.take().filter(|_| planned.fault.is_none()) {
        return send(decision);
    }
    let arguments = planned.call.arguments_value();
    let key = state.tool(&planned.tool).map_or("", |tool| tool.entry.key.as_str());
    let context = BreakContext {
        tool: &planned.call.name,
        key,
        state: &planned.state,
        arguments: &arguments,
        fault: planned.fault.as_ref(),
        after_failure: run.after_failure,
    };
    let is_stopped = run.setup.breakpoints.iter().any(|at| at.is_at(&context));
    if run.setup.policy == CallPolicy::Make && !is_stopped {
        return send(run.answer_decision());
    }
    let text = if arguments.is_object() { planned.call.arguments.as_str() } else { "{}" };
    let text = if text.trim().is_empty() { "{}" } else { text };
    let source =
        Source::parse(Format::Json, text).or_else(|_| Source::parse(Format::Json, "{}")).ok()?;
    let wanted = format!("the model wants to call {}", planned.call.name);
    notifying::note(state, Noteworthy::Question(&wanted), now);
    if state.screen != ScreenId::Run {
        let key = state.keymap.way_to("show-run");
        let words = format!("{wanted}: {key} decides");
        state.notices.push(NoticeKind::Warning, words, now);
    }
    state.invoke.agent.decided += 1;
    let number = state.invoke.agent.decided;
    run.waiting = Some(WaitingCall { number, planned, arguments: EditedText::new(source) });
    None
}
