//! Connections shown and tested.

use serde_json::Value;

use super::files;
use crate::{
    app::{
        connection_test::{ConnectionReport, ConnectionTests, Report},
        effect::Effect,
        message::{Purpose, ScreenId},
        notices::NoticeKind,
        question::Question,
        state::State,
    },
    model::{
        call::{CallError, CallId, CallState},
        clock::Millis,
        entry::FileId,
        error_kind::ErrorKind,
    },
    systems::{
        facets::kept_tools::{ListedTools, count_words},
        permission::Permission,
        table,
    },
};

/// Tests a connection as the settings say it now.
pub(super) fn test_connection(state: &mut State, name: &str) -> Vec<Effect> {
    open_connection(state, name, false)
}

/// Closes a connection, opens it again, and tests it.
pub(super) fn reconnect(state: &mut State, name: &str, now: Millis) -> Vec<Effect> {
    state.notices.push(NoticeKind::Hint, format!("connecting to {name} again …"), now);
    open_connection(state, name, true)
}

fn open_connection(state: &mut State, name: &str, reopens: bool) -> Vec<Effect> {
    let Some(connection) = state.connection_named(name).map(Box::new) else {
        return Vec::new();
    };
    let ConnectionTests { asked, reports, .. } = &mut state.network.tests;
    *asked += 1;
    reports.insert(name.to_owned(), (*asked, Report::UnderWay));
    vec![Effect::TestConnection { turn: *asked, connection, reopens }]
}

/// Looks at a server in each era of its protocol.
pub(super) fn compare_eras(
    state: &mut State,
    name: &str,
    call: Option<(String, Value)>,
    now: Millis,
) -> Vec<Effect> {
    let Some(connection) = state.network.connections.find_by_name(name).cloned() else {
        return Vec::new();
    };
    let words = format!("comparing the eras of {name} …");
    state.notices.push(NoticeKind::Hint, words, now);
    vec![Effect::CompareEras { connection: Box::new(connection), call }]
}

/// The same effects, after what they need is allowed.
pub(super) fn allow_before(permission: &Permission, effects: Vec<Effect>) -> Vec<Effect> {
    let allowing =
        |effect| Effect::Allow { permission: Box::new(permission.clone()), then: Box::new(effect) };
    effects.into_iter().map(allowing).collect()
}

/// Where a question for permission may appear.
const ASKING: [ScreenId; 3] = [ScreenId::Connections, ScreenId::Invoke, ScreenId::Run];

/// Asks for the permission that a call lacked, as a test of its connection does.
pub(super) fn ask_for_call(state: &mut State, call: CallId) -> Vec<Effect> {
    let Some(ended) = state.invoke.calls.get(call) else { return Vec::new() };
    let CallState::Ended { problem, .. } = &ended.state else { return Vec::new() };
    let (connection, problem) = (ended.connection.clone(), problem.clone());
    ask_where_refused(state, &connection, problem.as_ref())
}

/// The same for what ended over a connection, where it was permission that it lacked.
pub(super) fn ask_where_refused(
    state: &mut State,
    connection: &str,
    problem: Option<&CallError>,
) -> Vec<Effect> {
    let is_refused = problem.is_some_and(|problem| problem.kind == ErrorKind::NotAllowed);
    match is_refused && ASKING.contains(&state.screen) {
        true => test_connection(state, connection),
        false => Vec::new(),
    }
}

/// What is not as the workspace keeps or locked it, where a connection leads.
fn drift_words(state: &State, name: &str, reached: &ConnectionReport) -> Option<String> {
    let of_list = || {
        let connection = state.network.connections.find_by_name(name)?;
        let keeper = table::kept_tools_at(connection)?;
        let file = FileId::new(keeper.path(name));
        let document = state.documents.present(&file)?;
        let drift = keeper.compare(document.text.whole_text(), reached.listed.as_ref()?)?;
        (!drift.changes.is_empty()).then(|| {
            format!(
                "its tools differ from the saved list: {}; {} on Connections (6) shows what \
                changed",
                count_words(&drift.changes),
                state.keymap.way_to("keep-tools")
            )
        })
    };
    let words: Vec<String> = of_list().into_iter().chain(reached.drift.clone()).collect();
    (!words.is_empty()).then(|| format!("{name}: {}", words.join("; ")))
}

/// A test ended; an older one than the last asked for counts no more. Answers whether the tools
/// there are to be listed: those of a server, which runs now, and what was listed before.
pub(super) fn on_test_ended(
    state: &mut State,
    turn: u64,
    name: &str,
    report: Report,
    now: Millis,
) -> bool {
    if state.network.tests.reports.get(name).is_none_or(|(asked, _)| *asked != turn) {
        return false;
    }
    let listed = match &report {
        Report::Reached(reached) => reached.listed.as_ref().map(ListedTools::named_texts),
        _ => None,
    };
    // The report may be on a pane that a narrow window doesn't show.
    match &report {
        Report::Reached(reached) => {
            let words = format!("connected to {name} after {} ms", reached.took_ms);
            state.notices.push(NoticeKind::Done, words, now);
        }
        Report::Failed(problem) => state.notices.push_problem(problem, now),
        Report::NotAllowed(permission) if ASKING.contains(&state.screen) => {
            let (connection, permission) = (name.to_owned(), permission.clone());
            let purpose = Purpose::Test;
            let words = format!("{name} {}: that needs your permission", permission.words());
            state.notices.push(NoticeKind::Hint, words, now);
            state.question.get_or_insert(Question::Allow { connection, permission, purpose });
        }
        Report::NotAllowed(_) | Report::UnderWay => {}
    }
    if let Report::Reached(reached) = &report
        && let Some(words) = drift_words(state, name, reached)
    {
        state.notices.push_alert(words, now);
    }
    let Some((_, known)) = state.network.tests.reports.get_mut(name) else { return false };
    let is_reached = matches!(report, Report::Reached(_));
    *known = report;
    let connection = state.network.connections.find_by_name(name);
    let needs =
        connection.is_some_and(|connection| table::needs_listeners(&state.catalog, connection));
    if let Some(listed) = listed.filter(|_| needs) {
        state.network.listeners.insert(name.to_owned(), listed.into());
        files::check_again(state);
    }
    let is_server =
        state.connection_named(name).is_some_and(|known| table::kept_tools_at(&known).is_some());
    let is_known = || state.deployed_lists().any(|list| list.connection.name == name);
    is_reached && (is_server || is_known())
}
