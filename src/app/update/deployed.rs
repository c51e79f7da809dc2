//! Import from a running system, and push to it.

use crate::{
    app::{
        effect::Effect,
        message::{Health, Purpose},
        notices::NoticeKind,
        state::{Question, State},
    },
    model::{
        clock::Millis,
        problem::{Problem, ProblemKind},
    },
    systems::deployed::{
        item::Item,
        push::{Absent, Push},
        table,
    },
};

/// Asks where the connection leads for what is configured there.
pub(super) fn ask(state: &mut State, purpose: Purpose, now: Millis) -> Vec<Effect> {
    let connection = Box::new(state.connection());
    state.notices.push(NoticeKind::Hint, format!("reading what {} has …", connection.name), now);
    vec![Effect::ReadDeployed { connection, purpose }]
}

/// Asks who listens where that connection leads, if it leads to a system: nothing is connected to for this alone.
pub(super) fn ask_listeners(state: &State, name: &str) -> Option<Effect> {
    let connection = state.connections.named(name).filter(|connection| table::at(connection).is_some())?;
    Some(Effect::AskListeners(Box::new(connection.clone())))
}

/// The same of all that are open.
pub(super) fn ask_again(state: &State) -> Vec<Effect> {
    let open = state.conditions.iter().filter(|(_, condition)| condition.health == Health::Good);
    open.filter_map(|(name, _)| ask_listeners(state, name)).collect()
}

/// Shows what would change, here or there.
pub(super) fn came(state: &mut State, purpose: Purpose, items: Vec<Item>, now: Millis) {
    match purpose {
        Purpose::Import => state.question = Some(Question::Import(items)),
        Purpose::Push => match plans(state, &items) {
            Err(problem) => state.notices.problem(&problem, now),
            Ok([_, delete]) if delete.changes.is_empty() => {
                state.notices.push(NoticeKind::Done, "nothing to push: all is there just so", now);
            }
            Ok([keep, delete]) => state.question = Some(Question::Push { keep: Box::new(keep), delete: Box::new(delete) }),
        },
    }
}

/// What a push changes there when it leaves what is not here, and when it takes that away.
fn plans(state: &State, items: &[Item]) -> Result<[Push; 2], Problem> {
    let wrong = |cause: String| Problem::new(ProblemKind::Input, "pushing", cause);
    let broken = state.documents.iter().find(|(_, document)| !document.gone && document.source.is_err());
    if let Some((file, _)) = broken {
        let cause = format!("{file} cannot be read, and what it holds would seem to be gone");
        return Err(wrong(cause).remedy("mend it first"));
    }
    let connection = state.connection();
    let deployment = table::at(&connection)
        .ok_or_else(|| wrong(format!("connection \"{}\" leads to no system that takes entries", connection.name)))?;
    let plan = |absent| deployment.plan(&state.catalog, items, absent);
    Ok([plan(Absent::Keep)?, plan(Absent::Delete)?])
}

/// Writes there.
pub(super) fn push(state: &mut State, push: Box<Push>, now: Millis) -> Vec<Effect> {
    let connection = Box::new(state.connection());
    state.notices.push(NoticeKind::Hint, format!("writing to {} …", connection.name), now);
    vec![Effect::Push { connection, push }]
}
