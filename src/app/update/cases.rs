//! Cases: called a few at a time, judged as their calls end.

use super::calls;
use crate::{
    app::{
        cases::{self, AT_ONCE},
        effect::Effect,
        notices::NoticeKind,
        state::State,
    },
    engine::{
        case::{
            script::Case,
            verdict::{Answer, Verdict, judge},
        },
        settings::connections,
    },
    model::{
        call::{CallId, Request},
        clock::Millis,
        connection::Connection,
        entry::FileId,
        problem::{Problem, ProblemKind},
    },
    systems::{calling, facets::calls::CallOf},
};

/// Calls these cases.
pub(super) fn run(state: &mut State, files: Vec<FileId>, now: Millis) -> Vec<Effect> {
    for file in &files {
        state.cases.verdicts.remove(file);
    }
    state.cases.asked.clone_from(&files);
    state.cases.waiting = files.into();
    go_on(state, now)
}

/// Begins as many as may run at once.
fn go_on(state: &mut State, now: Millis) -> Vec<Effect> {
    let mut effects = Vec::new();
    while state.cases.running.len() < AT_ONCE
        && let Some(file) = state.cases.waiting.pop_front()
    {
        match prepared(state, &file) {
            Ok((case, request, connection)) => {
                state.ids.take();
                let begun = calls::begin_on(state, request, connection, now);
                if let Some(Effect::Call { call, .. }) = begun.first() {
                    state.cases.running.insert(*call, (file, Box::new(case)));
                }
                effects.extend(begun);
            }
            Err(problem) => drop(state.cases.verdicts.insert(file, Verdict::not_called(&problem))),
        }
    }
    if !state.cases.under_way() {
        tell(state, now);
    }
    effects
}

fn prepared(state: &State, file: &FileId) -> Result<(Case, Request, Connection), Problem> {
    let wrong =
        |cause: String| Problem::new(ProblemKind::Input, format!("calling the case {file}"), cause);
    let document = state
        .documents
        .get(file)
        .filter(|document| !document.gone)
        .ok_or_else(|| wrong("the file is gone".into()))?;
    let case =
        cases::read(document).ok_or_else(|| wrong("it is no case".into()))?.map_err(wrong)?;
    let tool = state
        .catalog
        .tool_called(&case.tool)
        .ok_or_else(|| wrong(format!("there is no tool \"{}\"", case.tool)))?;
    let connection = match &case.connection {
        None => state.connections.of(tool),
        Some(name) => connections::named(&state.connections, name)?,
    };
    let correlation = state.ids.peek();
    let request = calling::request(&CallOf {
        catalog: &state.catalog,
        tool,
        user: case.user.as_deref().unwrap_or(&state.user),
        arguments: &case.arguments,
        correlation: &correlation,
        connection: &connection,
        route: None,
    })?;
    Ok((case, request, connection))
}

/// A call has ended: where it was a case's, it is judged, and the next one begins.
pub(super) fn ended(state: &mut State, call: CallId, now: Millis) -> Vec<Effect> {
    let Some((file, case)) = state.cases.running.remove(&call) else { return Vec::new() };
    let answer = state.calls.get(call).map(Answer::of).unwrap_or_default();
    state.cases.verdicts.insert(file, judge(&case, answer));
    go_on(state, now)
}

fn tell(state: &mut State, now: Millis) {
    let count =
        |count: usize| if count == 1 { "1 case".to_owned() } else { format!("{count} cases") };
    match state.cases.counts() {
        (0, 0) => {}
        (hold, 0) => {
            state.notices.push(NoticeKind::Done, format!("as expected: {}", count(hold)), now);
        }
        (hold, differ) => {
            let words =
                format!("{differ} of {} not as expected; the cases say why", count(hold + differ));
            state.notices.push(NoticeKind::Warning, words, now);
        }
    }
}
