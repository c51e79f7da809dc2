//! Checks beside the keys: when one is asked for, and what is made of its answer.

use std::sync::Arc;

use crate::{
    app::{
        checking::Snapshot,
        effect::Effect,
        state::{Checking, State},
    },
    model::finding::Findings,
};

/// Asks for the check that is due and has not been asked for.
pub(super) fn due_check(state: &mut State) -> Option<Effect> {
    let Checking { turn, asked, answered, under_way } = state.checking;
    if turn == answered || turn == asked || under_way {
        return None;
    }
    state.checking = Checking { asked: turn, under_way: true, ..state.checking };
    Some(Effect::CheckSoon)
}

/// Checks what has come to rest. As long as changes follow each other, each check would be of a
/// state that is no more.
pub(super) fn on_check_due(state: &mut State) -> Effect {
    let is_at_rest = state.checking.asked == state.checking.turn;
    state.checking.asked = state.checking.turn;
    if is_at_rest { request_check(state) } else { Effect::CheckSoon }
}

/// What is to be checked, as it is now. It is not put together before it is needed: a change copies
/// a catalog that a check holds.
fn request_check(state: &State) -> Effect {
    let turn = state.checking.turn;
    let files = state.documents.iter();
    let files: Vec<_> =
        files.map(|(file, document)| (file.clone(), document.source.clone())).collect();
    Effect::Check(Box::new(Snapshot {
        turn,
        catalog: Arc::clone(&state.catalog),
        files,
        there: state.call_destinations(),
        health: state.health.shown().cloned(),
        rules: state.check_rules.clone(),
        disk: state.disk.clone(),
    }))
}

/// Takes the answer to the newest asking in.
pub(super) fn on_checked(state: &mut State, turn: u64, mut findings: Arc<Findings>) -> Effect {
    state.checking.under_way = false;
    if turn == state.checking.turn {
        state.checking.answered = turn;
        std::mem::swap(&mut state.findings, &mut findings);
        state.generation += 1;
    }
    Effect::LetGo(findings)
}
