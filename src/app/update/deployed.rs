//! Import from a running system, and push to it.

use crate::{
    app::{
        effect::Effect,
        message::Purpose,
        notices::NoticeKind,
        state::{Question, State},
    },
    model::clock::Millis,
    systems::trustgraph::deployed::{
        item::Item,
        push::{self, Absent, Push},
    },
};

/// Asks where the connection leads for what is configured there.
pub(super) fn ask(state: &mut State, purpose: Purpose, now: Millis) -> Vec<Effect> {
    let connection = Box::new(state.connection());
    state.notices.push(NoticeKind::Hint, format!("reading what {} has …", connection.name), now);
    vec![Effect::ReadDeployed { connection, purpose }]
}

/// Shows what would change, here or there.
pub(super) fn came(state: &mut State, purpose: Purpose, items: Vec<Item>, now: Millis) {
    match purpose {
        Purpose::Import => state.question = Some(Question::Import(items)),
        Purpose::Push => match push::plan(&state.catalog, &items, Absent::Keep) {
            Err(problem) => state.notices.problem(&problem, now),
            Ok(push) if push.changes.is_empty() => {
                state.notices.push(NoticeKind::Done, "nothing to push: all is there just so", now);
            }
            Ok(push) => state.question = Some(Question::Push(Box::new(push))),
        },
    }
}

/// Writes there.
pub(super) fn push(state: &mut State, push: Box<Push>, now: Millis) -> Vec<Effect> {
    let connection = Box::new(state.connection());
    state.notices.push(NoticeKind::Hint, format!("writing to {} …", connection.name), now);
    vec![Effect::Push { connection, push }]
}
