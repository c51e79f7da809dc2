//! The run: groups, user, start, steps.

use crate::{
    app::{
        effect::Effect,
        notices::NoticeKind,
        state::{LiveStep, State},
    },
    engine::{
        filter::permit,
        simulate::run::{Simulation, Take},
    },
    model::{
        call::{CallId, Outcome},
        clock::Millis,
        context::{ANY, Context, DEFAULT_GROUP, Name},
        entry::EntryId,
    },
};

pub(super) fn toggle_group(state: &mut State, group: &Name) {
    let mut groups = state.context().groups.unwrap_or_else(|| vec![DEFAULT_GROUP.into()]);
    groups.retain(|name| &**name != ANY);
    match groups.iter().position(|name| name == group) {
        Some(row) => {
            groups.remove(row);
        }
        None => groups.push(group.clone()),
    }
    set_groups(state, Some(groups));
}

pub(super) fn set_groups(state: &mut State, groups: Option<Vec<Name>>) {
    state.simulation.set_groups(groups);
}

pub(super) fn set_user(state: &mut State, user: Option<Name>, now: Millis) {
    state.simulation.set_user(user);
    if let Err(denied) = permit(&state.profiles, &state.context()) {
        state.notices.push(NoticeKind::Warning, denied.to_string(), now);
    }
}

pub(super) fn set_start(state: &mut State, start: Name, now: Millis) {
    let context = state.context();
    state.notices.push(NoticeKind::Done, format!("the run starts in {start}"), now);
    state.simulation = Simulation::new(Context { state: Some(start), ..context }, state.mode, now);
}

pub(super) fn restart(state: &mut State, now: Millis) {
    let start = state.simulation.start().clone();
    let groups = state.context().groups;
    state.simulation = Simulation::new(Context { groups, ..start }, state.mode, now);
}

pub(super) fn step(state: &mut State, tool: &EntryId, outcome: Outcome, now: Millis) {
    take(state, tool, |row| Take::simulated(row, outcome, now), now);
}

fn take(state: &mut State, tool: &EntryId, make: impl FnOnce(usize) -> Take, now: Millis) {
    let catalog = state.catalog.clone();
    let Some(row) = catalog.tools.iter().position(|known| known.id() == tool) else {
        state.notices.push(NoticeKind::Warning, "this tool is no longer there", now);
        return;
    };
    let before = state.simulation.state().to_owned();
    let take = make(row);
    let outcome = take.outcome;
    state.simulation.begin(Millis(now.0.saturating_sub(take.took_ms)));
    match state.simulation.take(&state.gated_tools(), &state.profiles, take) {
        Ok(_) => {
            let after = state.simulation.state();
            let name = &catalog.tools[row].name;
            let ended = if outcome == Outcome::Succeeded { String::new() } else { format!(" {}", outcome.word()) };
            let kind = if outcome == Outcome::Succeeded { NoticeKind::Done } else { NoticeKind::Warning };
            let words = if before == after {
                format!("{name}{ended}: the state stays {after}")
            } else {
                format!("{name}{ended}: {before} → {after}")
            };
            state.notices.push(kind, words, now);
        }
        Err(cause) => {
            let words = cause.sentences().join("; ");
            state.notices.push(NoticeKind::Warning, format!("{} cannot be taken: {words}", catalog.tools[row].name), now);
        }
    }
}

/// Calls the tool; the step is taken when the call has ended.
pub(super) fn step_live(state: &mut State, tool: &EntryId, now: Millis) -> Vec<Effect> {
    let effects = super::calls::send(state, tool, now);
    if !effects.is_empty()
        && let Some(call) = state.calls.selected
    {
        state.live = Some(LiveStep { call, tool: tool.clone(), at: state.simulation.at() });
    }
    effects
}

/// A call has ended: if the run waited for it, the step is taken where it was begun.
pub(super) fn ended(state: &mut State, call: CallId, outcome: Outcome, took_ms: u64, now: Millis) {
    let Some(live) = state.live.take_if(|live| live.call == call) else { return };
    state.simulation.go_to(live.at);
    take(state, &live.tool, |row| Take { call: Some(call), took_ms, ..Take::simulated(row, outcome, now) }, now);
}
