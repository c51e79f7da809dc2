//! Sends one request many times.

use std::collections::HashSet;

use super::{calls, notifying};
use crate::{
    app::{
        batch::CallBatch, effect::Effect, notices::NoticeKind, notifications::Noteworthy,
        state::State,
    },
    engine::series::{BatchSize, CallSeries},
    model::{
        call::{Call, CallId, Outcome},
        clock::Millis,
        entry::EntryId,
    },
};

pub(super) fn begin_batch(
    state: &mut State,
    tool: &EntryId,
    size: BatchSize,
    now: Millis,
) -> Vec<Effect> {
    match state.build_request(tool) {
        Ok(request) => {
            state.invoke.batch = Some(CallBatch {
                request,
                connection: state.connection_of(tool).name,
                began: now,
                times: size.times,
                at_once: size.at_once,
                waiting: size.times,
                running: HashSet::new(),
                series: CallSeries::default(),
            });
            go_on(state, now)
        }
        Err(problem) => {
            state.notices.push_problem(&problem, now);
            Vec::new()
        }
    }
}

fn go_on(state: &mut State, now: Millis) -> Vec<Effect> {
    let mut effects = Vec::new();
    while let Some(many) = state
        .invoke
        .batch
        .as_mut()
        .filter(|many| many.waiting > 0 && many.running.len() < many.at_once)
    {
        many.waiting -= 1;
        let request = many.request.clone();
        let connection = many.connection.clone();
        let begun = calls::send_again(state, request, &connection, now);
        if let (Some(Effect::Call { call, .. }), Some(many)) =
            (begun.first(), &mut state.invoke.batch)
        {
            many.running.insert(*call);
        }
        effects.extend(begun);
    }
    effects
}

/// A call has ended: where it was one of many, it counts, and the next one begins.
pub(super) fn on_call_ended(
    state: &mut State,
    call: CallId,
    outcome: Outcome,
    took_ms: u64,
    now: Millis,
) -> Vec<Effect> {
    let first = state.invoke.calls.get(call).and_then(Call::first_after);
    let Some(many) = state.invoke.batch.as_mut().filter(|many| many.running.contains(&call)) else {
        return Vec::new();
    };
    many.running.remove(&call);
    many.series.add_call(outcome, took_ms, first);
    if many.under_way() {
        return go_on(state, now);
    }
    let kind = if many.series.outcome_count(Outcome::Succeeded) == many.series.ended_count() {
        NoticeKind::Done
    } else {
        NoticeKind::Warning
    };
    let unsent = many.times.saturating_sub(many.series.ended_count());
    let words = match unsent {
        0 => many.series.summary(),
        count => format!("{}; {count} not sent", many.series.summary()),
    };
    let took_ms = now.since(many.began);
    notifying::note(state, Noteworthy::SeriesEnded { summary: &words, took_ms }, now);
    state.notices.push(kind, words, now);
    Vec::new()
}

/// Stops a call; where it is one of many, all of them.
pub(super) fn cancel(state: &mut State, call: CallId) -> Vec<Effect> {
    match state.invoke.batch.as_mut().filter(|many| many.running.contains(&call)) {
        Some(many) => {
            many.waiting = 0;
            many.running.iter().map(|call| Effect::Cancel(*call)).collect()
        }
        None => vec![Effect::Cancel(call)],
    }
}
