//! The run: groups, user, start, steps.

use crate::{
    app::{
        calls::{CallPart, CallText},
        compose::context::ComposeContext,
        documents::GroupsChange,
        effect::Effect,
        message::ScreenId,
        notices::NoticeKind,
        state::State,
        step_run::StepRun,
        what_if::WhatIf,
        workflow::{LiveStep, WorkflowMessage},
    },
    engine::{
        filter::{check_permission, join_names},
        gate_edit::GateEdit,
        gated::Slot,
        simulate::{
            run::{Simulation, Take},
            stop::Stop,
        },
    },
    model::{
        call::{CallId, Outcome},
        clock::Millis,
        context::{ANY, Context, DEFAULT_GROUP, Name},
        entry::EntryId,
    },
    schema::{count::count_text, pointer::Pointer},
    syntax::edit::Edit,
    systems::facets::steps::StepChoice,
};

/// Takes a message about it in.
pub(super) fn handle_message(
    state: &mut State,
    message: WorkflowMessage,
    now: Millis,
) -> Vec<Effect> {
    match message {
        WorkflowMessage::ToggleGroup(group) => toggle_group(state, &group),
        WorkflowMessage::SetGroups(groups) => set_groups(state, groups),
        WorkflowMessage::SetUser(user) => set_user(state, user, now),
        WorkflowMessage::SetStart(start) => set_start(state, &start, now),
        WorkflowMessage::Step { tool, outcome } => simulate_step(state, &tool, outcome, now),
        WorkflowMessage::StepLive { tool } => {
            let is_first = state.first_live_connection(&tool).is_some();
            let effects = step_live(state, &tool, now);
            state.workflow.has_gone_live |= is_first && !effects.is_empty();
            return effects;
        }
        WorkflowMessage::FillFirst { tool } => state.workflow.fill_first = Some(tool),
        WorkflowMessage::Walk { tools } => walk_tools(state, &tools, now),
        WorkflowMessage::ShowRun(simulation) => {
            state.workflow.live = None;
            replace_run(state, *simulation, "show another run");
        }
        WorkflowMessage::SetQuestion(question) => state.workflow.simulation.set_question(question),
        WorkflowMessage::ToggleStop(stop) => toggle_stop(state, stop, now),
        WorkflowMessage::WhatIf => {
            state.workflow.what_if = Some(WhatIf::from_context(&state.context()));
            state.workflow.what_ifs_before.clear();
        }
        WorkflowMessage::TryEdits(edits) => try_edits(state, edits),
        WorkflowMessage::AcceptWhatIf => return accept_what_if(state, now),
        WorkflowMessage::DropWhatIf => state.workflow.what_if = None,
        WorkflowMessage::StepTo(step) => go_to(state, now, |run| {
            run.go_to(step);
            true
        }),
        WorkflowMessage::StepBack => go_to(state, now, Simulation::step_back),
        WorkflowMessage::RestartRun => restart(state, now),
    }
    Vec::new()
}

/// Is elsewhere in the run; says so where other groups are requested there.
fn go_to(state: &mut State, now: Millis, go: impl FnOnce(&mut Simulation) -> bool) {
    let run = &mut state.workflow.simulation;
    let groups = |run: &Simulation| run.next_context().groups;
    let before = groups(run);
    if !go(run) {
        return state.notices.push(NoticeKind::Hint, "this is the start of the run", now);
    }
    if groups(run) != before {
        let names = groups(run).map(|names| names.join(", ")).filter(|names| !names.is_empty());
        let words =
            format!("Groups are as they were then: {}", names.unwrap_or_else(|| "none".to_owned()));
        state.notices.push(NoticeKind::Done, words, now);
    }
}

fn toggle_group(state: &mut State, group: &Name) {
    let asked = state
        .workflow
        .what_if
        .as_ref()
        .map_or_else(|| state.context().groups, |what_if| what_if.groups.clone());
    // A request without groups asks for default, which is a group like others where tools are in it.
    let mut groups = asked.unwrap_or_else(|| {
        let names = state.group_names();
        names.into_iter().filter(|name| &**name == DEFAULT_GROUP).collect()
    });
    groups.retain(|name| &**name != ANY);
    match groups.iter().position(|name| name == group) {
        Some(row) => {
            groups.remove(row);
        }
        None => groups.push(group.clone()),
    }
    set_groups(state, Some(groups));
}

fn set_groups(state: &mut State, groups: Option<Vec<Name>>) {
    if let Some(what_if) = &mut state.workflow.what_if {
        state.workflow.what_ifs_before.push(what_if.clone());
        what_if.groups = groups;
        return;
    }
    let before = state.context().groups;
    if before != groups {
        let words = match &groups {
            Some(groups) if groups.is_empty() => "request no group".to_owned(),
            Some(groups) => format!("request {}", join_names(groups)),
            None => "leave groups out of the request".to_owned(),
        };
        state.workflow.simulation.set_groups(groups.clone());
        state.documents.note_groups(&words, GroupsChange { before, after: groups });
    }
}

/// Takes back the last change of the what-if that is open.
pub(super) fn undo_try(state: &mut State, now: Millis) {
    if let Some(before) = state.workflow.what_ifs_before.pop() {
        state.workflow.what_if = Some(before);
        state.notices.push(NoticeKind::Done, "Undid the last change of the what-if", now);
    }
}

fn try_edits(state: &mut State, edits: Vec<(EntryId, GateEdit)>) {
    if let Some(what_if) = &mut state.workflow.what_if {
        state.workflow.what_ifs_before.push(what_if.clone());
        for (tool, edit) in edits {
            what_if.add_edit(&tool, edit);
        }
    }
}

/// Makes what was only looked at: the groups for the run, the edits as one step of undo.
fn accept_what_if(state: &mut State, now: Millis) -> Vec<Effect> {
    let Some(what_if) = state.workflow.what_if.take() else { return Vec::new() };
    let gates = what_if.changed_gates(&state.catalog.tools);
    let changes = ComposeContext::from_state(state)
        .regate_changes(gates.iter().map(|(tool, gate)| (*tool, gate)));
    let label = match what_if.edits.as_slice() {
        [(tool, edit)] => format!("{}: {}", tool_key(state, tool), edit.description()),
        edits => format!("a what-if of {} edits", edits.len()),
    };
    let before = state.context().groups;
    if changes.is_empty() {
        if before == what_if.groups {
            state.notices.push(NoticeKind::Hint, "the what-if changed nothing", now);
            return Vec::new();
        }
        set_groups(state, what_if.groups);
        let undo = state.keymap.way_to("undo");
        let words = format!(
            "Applied: the groups are requested from here on; no file was changed; {undo} undoes"
        );
        state.notices.push(NoticeKind::Done, words, now);
        return Vec::new();
    }
    let generation = state.generation;
    let effects = super::files::apply_as_step(state, &label, &changes, now);
    if state.generation == generation {
        // It couldn't be done, which is said: nothing of it is.
        state.workflow.what_if = Some(what_if);
        return effects;
    }
    state.workflow.simulation.set_groups(what_if.groups.clone());
    // Groups and edits are one step.
    let change = GroupsChange { before, after: what_if.groups };
    state.documents.note_groups_of_last(change);
    let (save, undo) = (state.keymap.way_to("save-all"), state.keymap.way_to("undo"));
    let words = format!("Applied {label}; {save} saves, {undo} undoes");
    state.notices.push(NoticeKind::Done, words, now);
    effects
}

fn tool_key(state: &State, tool: &EntryId) -> String {
    state.catalog.tool(tool).map_or_else(|| "a tool".to_owned(), |tool| tool.entry.key.clone())
}

fn toggle_stop(state: &mut State, stop: Stop, now: Millis) {
    let words = stop.description();
    match state.workflow.stops.iter().position(|known| *known == stop) {
        Some(row) => {
            state.workflow.stops.remove(row);
            state.notices.push(NoticeKind::Done, format!("runs no longer stop when {words}"), now);
        }
        None => {
            state.workflow.stops.push(stop);
            state.notices.push(NoticeKind::Done, format!("runs stop when {words}"), now);
        }
    }
}

/// Whether a what-if is on, which takes no steps; then that is said.
fn is_in_what_if(state: &mut State, now: Millis) -> bool {
    let is_on = state.workflow.what_if.is_some();
    if is_on {
        let words = "no steps during a what-if: apply it with W, or discard it with Esc";
        state.notices.push(NoticeKind::Hint, words, now);
    }
    is_on
}

/// Takes tools one after another, as far as no stop is met and none is refused.
fn walk_tools(state: &mut State, way: &[EntryId], now: Millis) {
    if is_in_what_if(state, now) {
        return;
    }
    let tools = state.gated_tools();
    let mut told = Vec::new();
    for (row, tool) in way.iter().enumerate() {
        let (taken, words) =
            try_take(state, &tools, tool, |row| Take::simulated(row, Outcome::Succeeded, now));
        told = words;
        let rest = way.len() - row - 1;
        if taken == StepOutcome::Stopped && rest > 0 {
            let words = count_text(rest, "step was not taken", "steps were not taken");
            told.push((NoticeKind::Hint, format!("stopped; {words}")));
        }
        if taken != StepOutcome::On {
            break;
        }
    }
    // Of a long walk only its end is reported.
    told.into_iter().for_each(|(kind, words)| state.notices.push(kind, words, now));
}

/// What came of trying to take a tool.
#[derive(Clone, Copy, PartialEq)]
enum StepOutcome {
    On,
    /// The step met a stop.
    Stopped,
    Refused,
}

fn set_user(state: &mut State, user: Option<Name>, now: Millis) {
    state.workflow.simulation.set_user(user);
    if let Err(denied) = check_permission(&state.workflow.profiles, &state.context()) {
        state.notices.push(NoticeKind::Warning, denied.to_string(), now);
    }
}

fn set_start(state: &mut State, start: &Name, now: Millis) {
    let context = Context { state: Some(start.clone()), ..state.context() };
    let undo = begin_run(state, context, &format!("start the run in {start}"), now);
    state.notices.push(NoticeKind::Done, format!("the run starts in {start}{undo}"), now);
}

fn restart(state: &mut State, now: Millis) {
    let start = state.workflow.simulation.start().clone();
    let groups = state.context().groups;
    let undo = begin_run(state, Context { groups, ..start }, "restart the run", now);
    if !undo.is_empty() {
        state.notices.push(NoticeKind::Done, format!("Restarted the run{undo}"), now);
    }
}

/// A run that begins in this context.
pub(super) fn begin_at(state: &mut State, start: Context, now: Millis) {
    begin_run(state, start, "begin another run", now);
}

/// Takes a tool by its key, and notifies nobody; whether it could be taken.
pub(super) fn take_quietly(
    state: &mut State,
    key: &str,
    outcome: Outcome,
    took_ms: u64,
    now: Millis,
) -> bool {
    let tool = state.catalog.tools.iter().find(|tool| tool.entry.key == key);
    let Some(tool) = tool.map(|tool| tool.id().clone()) else { return false };
    let tools = state.gated_tools();
    let make = |row| Take { took_ms, ..Take::simulated(row, outcome, now) };
    try_take(state, &tools, &tool, make).0 != StepOutcome::Refused
}

/// A run again; what is asked stays. Answers how the run before it comes back, where it had steps.
fn begin_run(state: &mut State, start: Context, label: &str, now: Millis) -> String {
    state.workflow.live = None;
    let question = state.workflow.simulation.question().map(ToOwned::to_owned);
    let mut run = Simulation::new(start, state.mode, now);
    run.set_question(question);
    match replace_run(state, run, label) {
        true => format!("; {} undoes", state.keymap.way_to("undo")),
        false => String::new(),
    }
}

/// Shows another run; whether the one before had steps, and comes back by undo.
fn replace_run(state: &mut State, run: Simulation, label: &str) -> bool {
    let before = std::mem::replace(&mut state.workflow.simulation, run);
    let has_steps = before.steps().next().is_some();
    if has_steps {
        state.documents.note_run(label, before);
    }
    has_steps
}

fn simulate_step(state: &mut State, tool: &EntryId, outcome: Outcome, now: Millis) {
    if is_in_what_if(state, now) {
        return;
    }
    take_step(state, tool, |row| Take::simulated(row, outcome, now), now);
}

fn take_step(state: &mut State, tool: &EntryId, make: impl FnOnce(usize) -> Take, now: Millis) {
    let tools = state.gated_tools();
    let (_, told) = try_take(state, &tools, tool, make);
    told.into_iter().for_each(|(kind, words)| state.notices.push(kind, words, now));
}

/// Takes a tool, of tools as they are gated now, and says what is to be notified of it.
fn try_take(
    state: &mut State,
    tools: &[Slot],
    tool: &EntryId,
    make: impl FnOnce(usize) -> Take,
) -> (StepOutcome, Vec<(NoticeKind, String)>) {
    let catalog = state.catalog.clone();
    let Some(row) = catalog.tools.iter().position(|known| known.id() == tool) else {
        return (
            StepOutcome::Refused,
            vec![(NoticeKind::Warning, "this tool no longer exists".to_owned())],
        );
    };
    let context = state.context();
    let before = state.workflow.simulation.state().to_owned();
    let take = make(row);
    let outcome = take.outcome;
    state.workflow.simulation.set_start_time(Millis(take.at.0.saturating_sub(take.took_ms)));
    match state.workflow.simulation.take_step(tools, &state.workflow.profiles, take) {
        Ok(_) => {
            let after = state.workflow.simulation.state();
            let name = &catalog.tools[row].name;
            let ended = if outcome == Outcome::Succeeded {
                String::new()
            } else {
                format!(" {}", outcome.as_str())
            };
            let kind =
                if outcome == Outcome::Succeeded { NoticeKind::Done } else { NoticeKind::Warning };
            let words = if before == after {
                format!("{name}{ended}: the state stays {after}")
            } else {
                format!("{name}{ended}: {before} → {after}")
            };
            let mut told = vec![(kind, words)];
            let here = state.context();
            let met: Vec<String> = state
                .workflow
                .stops
                .iter()
                .filter(|stop| stop.is_met(tools, &context, &here))
                .map(Stop::description)
                .collect();
            if met.is_empty() {
                return (StepOutcome::On, told);
            }
            told.push((NoticeKind::Hint, format!("stop: {}", met.join(", "))));
            (StepOutcome::Stopped, told)
        }
        Err(cause) => {
            let words = cause.messages().join("; ");
            (
                StepOutcome::Refused,
                vec![(
                    NoticeKind::Warning,
                    format!("can't take {}: {words}", catalog.tools[row].name),
                )],
            )
        }
    }
}

/// A call is sent: where a live step waited for its arguments, it is that step.
pub(super) fn send_call(state: &mut State, tool: &EntryId, now: Millis) -> Vec<Effect> {
    if state.workflow.fill_first.take().as_ref() != Some(tool) {
        return super::calls::send_call(state, tool, now);
    }
    state.screen = ScreenId::Workflow;
    step_live(state, tool, now)
}

/// Calls the tool; the step is taken when the call has ended.
fn step_live(state: &mut State, tool: &EntryId, now: Millis) -> Vec<Effect> {
    if is_in_what_if(state, now) {
        return Vec::new();
    }
    if let (Some(name), Some(question)) =
        (state.question_argument(tool), state.workflow.simulation.question())
    {
        let edit = Edit::Set { at: Pointer::root().child(name), to: question.into() };
        let text = CallText { tool: tool.clone(), part: CallPart::Arguments };
        super::calls::edit_text(state, text, &[edit], now);
    }
    let (choice, stops_before) = steps_of_live(state, tool);
    let effects = match choice == StepChoice::default() {
        true => super::calls::send_call(state, tool, now),
        false => super::calls::send_steps(state, tool, choice, now),
    };
    if !effects.is_empty()
        && let Some(call) = state.invoke.calls.selected
    {
        let at = state.workflow.simulation.current_step();
        let groups = state.context().groups;
        state.workflow.live = Some(LiveStep { call, tool: tool.clone(), at, groups, stops_before });
    }
    effects
}

/// Which steps of the tool a live step runs: those up to the next breakpoint, from where the last
/// one stopped; and the step with that breakpoint.
fn steps_of_live(state: &mut State, tool: &EntryId) -> (StepChoice, Option<String>) {
    let paused = state.workflow.paused.take();
    let has_breaks = state.invoke.breakpoints.get(tool).is_some_and(|steps| !steps.is_empty());
    // What a mock answers has no steps.
    if state.invoke.mocks.contains(tool) || !has_breaks && paused.is_none() {
        return Default::default();
    }
    let run = StepRun::of_tool(state, tool);
    let newest = state.invoke.calls.latest_of(tool).map(|call| call.id);
    let from = run.stopped_at().filter(|_| paused.is_some() && newest == paused);
    let until = run.last_before_break(from.unwrap_or_default());
    let stops_before = until.and_then(|row| Some(run.steps.get(row + 1)?.name.clone()));
    let number = |row: usize| (row + 1).to_string();
    let (from, until) = (from.map(number), until.map(number));
    (StepChoice { from, until, ..StepChoice::default() }, stops_before)
}

/// A call has ended: if the run waited for it, the step is taken where it was begun.
pub(super) fn on_call_ended(
    state: &mut State,
    call: CallId,
    outcome: Outcome,
    took_ms: u64,
    now: Millis,
) {
    let Some(live) = state.workflow.live.take_if(|live| live.call == call) else { return };
    // The step is taken with the groups that the call began with; what was ticked since holds
    // for the next one.
    let stayed = state.workflow.simulation.current_step() == live.at;
    let ticked = state.context().groups;
    state.workflow.simulation.go_to(live.at);
    state.workflow.simulation.set_groups(live.groups);
    if let Some(step) = live.stops_before.filter(|_| outcome == Outcome::Succeeded) {
        state.workflow.paused = Some(call);
        let words = format!("stopped before {step} (a breakpoint); another live step goes on");
        if stayed {
            state.workflow.simulation.set_groups(ticked);
        }
        return state.notices.push(NoticeKind::Hint, words, now);
    }
    take_step(
        state,
        &live.tool,
        |row| Take { call: Some(call), took_ms, ..Take::simulated(row, outcome, now) },
        now,
    );
    if stayed {
        state.workflow.simulation.set_groups(ticked);
    }
}
