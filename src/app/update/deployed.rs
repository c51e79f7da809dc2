//! Import from a running system, and push to it.

use std::sync::Arc;

use super::{
    connection_test::{allow_before, test_connection},
    files, saving,
};
use crate::{
    app::{
        compose::{context::ComposeContext, imports::plan_given_ids},
        connection_test::Report,
        deployed::Progress,
        effect::Effect,
        message::{Health, Purpose},
        notices::NoticeKind,
        question::Question,
        state::State,
    },
    model::{
        catalog::Catalog,
        clock::Millis,
        connection::Connection,
        entry::FileId,
        problem::{Problem, ProblemKind},
        settings::SETTINGS,
        tool::Tool,
    },
    schema::count::count_text,
    systems::{
        deployed::{
            catalog,
            item::Item,
            push::{AbsentEntries, Push},
        },
        facets::kept_tools::{ListedTools, ToolChange, count_words},
        permission::Permission,
        table,
    },
};

/// Asks where the connection leads for what is configured there.
pub(super) fn request_deployed(state: &mut State, purpose: Purpose, now: Millis) -> Vec<Effect> {
    let connection = Box::new(state.current_connection());
    let deployment = table::deployment_at(&connection).map(|(_, deployment)| deployment);
    if let Some(words) = deployment.and_then(|deployment| deployment.read_only()) {
        state.notices.push(NoticeKind::Hint, words, now);
        return Vec::new();
    }
    state.notices.push(NoticeKind::Hint, reading_words(&connection.name), now);
    vec![Effect::ReadDeployed { connection, purpose }]
}

fn reading_words(connection: &str) -> String {
    format!("reading from {connection} …")
}

/// Asks who listens where that connection leads, if that matters: nothing is connected to for this
/// alone.
pub(super) fn ask_listeners(state: &State, name: &str) -> Option<Effect> {
    let connection = state
        .connection_named(name)
        .filter(|connection| table::needs_listeners(&state.catalog, connection))?;
    Some(Effect::AskListeners(Box::new(connection)))
}

/// The same of all that are open.
pub(super) fn ask_again(state: &State) -> Vec<Effect> {
    let open =
        state.network.conditions.iter().filter(|(_, condition)| condition.health == Health::Good);
    open.filter_map(|(name, _)| ask_listeners(state, name)).collect()
}

/// Lists the tools of the system at that connection; `None`: the one for all. Those of the last
/// listing stay meanwhile.
pub(super) fn list_deployed(state: &mut State, name: Option<&str>, now: Millis) -> Vec<Effect> {
    let named = name.map(|name| state.connection_named(name));
    let Some(connection) = named.unwrap_or_else(|| Some(state.current_connection())) else {
        return Vec::new();
    };
    let words = format!("listing the tools of {} …", connection.name);
    state.notices.push(NoticeKind::Hint, words, now);
    let turn = state.network.deployed.begin(&connection);
    vec![Effect::ReadDeployed { connection: Box::new(connection), purpose: Purpose::Call { turn } }]
}

/// Lists the tools of a server that was just typed, which agrees to what it does.
pub(super) fn list_typed(state: &mut State, name: &str, now: Millis) -> Vec<Effect> {
    let Some(connection) = state.connection_named(name).map(Box::new) else { return Vec::new() };
    let agree =
        |effect| Effect::AllowTyped { connection: connection.clone(), then: Box::new(effect) };
    list_deployed(state, Some(name), now).into_iter().map(agree).collect()
}

/// Lists the changed tools of a server again, where they were listed.
pub(super) fn list_changed(state: &mut State, name: &str, now: Millis) -> Vec<Effect> {
    if !state.deployed_lists().any(|list| list.connection.name == name) {
        return Vec::new();
    }
    let effects = list_deployed(state, Some(name), now);
    let words = format!("the tools of {name} have changed; listing them again …");
    state.notices.push(NoticeKind::Hint, words, now);
    effects
}

/// Lists the tools of a server, where they aren't known.
pub(super) fn list_unknown(state: &mut State, name: &str, now: Millis) -> Vec<Effect> {
    match unlisted_servers(state).iter().any(|server| server.name == name) {
        true => list_deployed(state, Some(name), now),
        false => Vec::new(),
    }
}

/// Lists unasked the tools of servers that aren't known, where the user has allowed what it takes
/// before.
pub(super) fn list_allowed(state: &State) -> Vec<Effect> {
    let servers = unlisted_servers(state).into_iter().map(Box::new);
    servers.map(Effect::ListAllowed).collect()
}

/// The servers whose tools aren't known: the one that all calls go to first.
fn unlisted_servers(state: &State) -> Vec<Connection> {
    let current = unlisted_server(state);
    let is_current = |name: &str| current.as_ref().is_some_and(|current| current.name == name);
    let others = state.network.unlisted_servers(&state.catalog).filter(|name| !is_current(name));
    let others: Vec<Connection> = others.filter_map(|name| state.connection_named(name)).collect();
    current.into_iter().chain(others).collect()
}

/// The server that all calls go to, where nothing was listed of it yet, and its tools can be kept in
/// the workspace but aren't.
fn unlisted_server(state: &State) -> Option<Connection> {
    let connection = state.current_connection();
    let has_own =
        |tool: &Arc<Tool>| state.network.connections.assigned_name(tool) == Some(&*connection.name);
    let is_known = state.deployed_lists().any(|list| list.connection.name == connection.name)
        || state.catalog.tools.iter().any(has_own);
    Some(connection).filter(|server| !is_known && table::kept_tools_at(server).is_some())
}

/// Asks whether the connection may do what is needed to read it.
pub(super) fn ask_permission(
    state: &mut State,
    connection: String,
    permission: Box<Permission>,
    purpose: Purpose,
) {
    if let Purpose::Call { turn } = purpose {
        state.network.deployed.drop_turn(turn);
    }
    state.question = Some(Question::Allow { connection, permission, purpose });
}

/// The user allows it: what was to be read is read.
pub(super) fn allow_asked(state: &mut State, now: Millis) -> Vec<Effect> {
    let Some(Question::Allow { connection, permission, purpose }) = state.question.take() else {
        return Vec::new();
    };
    if matches!(purpose, Purpose::Test) {
        return allow_before(&permission, test_connection(state, &connection));
    }
    if matches!(purpose, Purpose::Call { .. }) {
        return allow_before(&permission, list_deployed(state, Some(&connection), now));
    }
    if state.current_connection().name != connection {
        return Vec::new();
    }
    allow_before(&permission, request_deployed(state, purpose, now))
}

/// Shows what would change, here or there, or what can be called there.
pub(super) fn on_deployed_read(
    state: &mut State,
    purpose: Purpose,
    read: Result<Vec<Item>, Problem>,
    now: Millis,
) -> Vec<Effect> {
    let mut effects = Vec::new();
    state.notices.withdraw(&reading_words(&state.current_connection().name));
    let shown = match purpose {
        Purpose::KeepIds => read.map(|items| {
            effects = keep_given_ids(state, &items, now);
        }),
        Purpose::Test => return Vec::new(),
        Purpose::Import => read.map(|items| state.question = Some(Question::Import(items))),
        Purpose::FirstImport => match read {
            Ok(items) => {
                effects = saving::save_files(state, Some(FileId::new(SETTINGS)), now);
                state.question = Some(Question::Import(items));
                Ok(())
            }
            Err(problem) => Err(note_unreached(state, problem)),
        },
        Purpose::Push => read.and_then(|items| Ok((plan_pushes(state, &items)?, items))).map(
            |([keep, delete], items)| match delete.changes.is_empty() {
                true => {
                    let words = "nothing to push: everything is already there";
                    state.notices.push(NoticeKind::Done, words, now);
                    effects = keep_given_ids(state, &items, now);
                }
                false => {
                    state.question =
                        Some(Question::Push { keep: Box::new(keep), delete: Box::new(delete) });
                }
            },
        ),
        Purpose::Call { turn } => on_deployed_listed(state, turn, read, now),
    };
    if let Err(problem) = shown {
        state.notices.push_problem(&problem, now);
    }
    effects
}

/// Where a connection that was just added leads to nothing, that is its report, and the problem
/// says how the connection goes again.
fn note_unreached(state: &mut State, problem: Problem) -> Problem {
    let name = state.current_connection().name;
    let tests = &mut state.network.tests;
    tests.asked += 1;
    tests.reports.insert(name.clone(), (tests.asked, Report::Failed(problem.clone())));
    tests.selected = Some(name.clone());
    let undo = state.keymap.way_to("undo");
    let words = format!("{name} isn't saved: {undo} removes it");
    let remedy = match problem.remedy.as_str() {
        "" => words,
        remedy => format!("{remedy}; {words}"),
    };
    problem.with_remedy(remedy)
}

/// Takes a listing in; an older one than the last asked for counts no more.
fn on_deployed_listed(
    state: &mut State,
    turn: u64,
    read: Result<Vec<Item>, Problem>,
    now: Millis,
) -> Result<(), Problem> {
    keep_shown(state);
    let Some(known) = state.network.deployed.of_turn(turn) else { return Ok(()) };
    state.generation += 1;
    let read = read.map(|items| {
        let catalog = table::deployment_at(&known.connection).map(|(_, deployment)| {
            catalog::callable_catalog(deployment, &known.connection.name, &items)
        });
        Arc::new(catalog.unwrap_or_default())
    });
    known.catalog = read.as_ref().map_or_else(|_| Arc::default(), Arc::clone);
    known.progress = read
        .as_ref()
        .map_or_else(|problem| Progress::Failed(problem.clone()), |_| Progress::Listed);
    read.map(|catalog| {
        let before = std::mem::replace(&mut known.last, Arc::clone(&catalog));
        let changes = changes_between(&known.connection, &before, &catalog);
        let mut words = format!(
            "{} deployed on {}",
            count_text(catalog.tools.len(), "tool is", "tools are"),
            known.connection.name
        );
        let mut kind = NoticeKind::Done;
        if !changes.is_empty() {
            words.push_str(&format!("; since they were listed before: {}", count_words(&changes)));
            if changes.iter().any(|change| change.severity == "breaking") {
                kind = NoticeKind::Warning;
            }
        }
        state.notices.push(kind, words, now);
    })
}

/// What a server's tools are now that they weren't when they were listed before.
fn changes_between(connection: &Connection, before: &Catalog, now: &Catalog) -> Vec<ToolChange> {
    let Some(keeper) = table::kept_tools_at(connection).filter(|_| !before.tools.is_empty()) else {
        return Vec::new();
    };
    // Mostly they are as they were; to find out what isn't takes longer.
    let mut pairs = before.tools.iter().zip(&now.tools);
    let is_same = |(one, other): (&Arc<Tool>, &Arc<Tool>)| one.entry.value == other.entry.value;
    if before.tools.len() == now.tools.len() && pairs.all(is_same) {
        return Vec::new();
    }
    let list = |catalog: &Catalog| ListedTools {
        server: connection.name.clone(),
        tools: catalog.tools.iter().map(|tool| (*tool.entry.value.parsed()).clone()).collect(),
        ..ListedTools::default()
    };
    let drift = keeper.compare(&keeper.print(&list(before)), &list(now));
    drift.map(|drift| drift.changes).unwrap_or_default()
}

/// Where no tool is chosen the first one is shown, and stays when others come before it.
fn keep_shown(state: &mut State) {
    let is_chosen = state.selected.as_ref().is_some_and(|id| state.tool(id).is_some());
    if is_chosen || !state.catalog.tools.is_empty() {
        return;
    }
    let first = state.deployed_lists().find_map(|list| list.catalog.tools.first());
    if let Some(id) = first.map(|tool| tool.id().clone()) {
        state.selected = Some(id);
    }
}

/// Writes the ids that a running system gave the workspace's entries into their files.
fn keep_given_ids(state: &mut State, items: &[Item], now: Millis) -> Vec<Effect> {
    plan_given_ids(ComposeContext::from_state(state), items)
        .map_or_else(Vec::new, |plan| files::apply_plan(state, &plan, now))
}

/// What a push changes there when it leaves what is not here, and when it takes that away.
fn plan_pushes(state: &State, items: &[Item]) -> Result<[Push; 2], Problem> {
    let wrong = |cause: String| Problem::new(ProblemKind::Input, "pushing", cause);
    let broken =
        state.documents.iter().find(|(_, document)| !document.gone && document.source.is_err());
    if let Some((file, _)) = broken {
        let cause = format!("can't read {file}, so its entries would count as deleted");
        return Err(wrong(cause).with_remedy("fix it first"));
    }
    let connection = state.current_connection();
    let (_, deployment) = table::deployment_at(&connection).ok_or_else(|| {
        wrong(format!(
            "the system behind connection \"{}\" doesn't accept \
            entries",
            connection.name
        ))
    })?;
    let plan = |absent| deployment.plan_push(&state.catalog, items, absent);
    Ok([plan(AbsentEntries::Keep)?, plan(AbsentEntries::Delete)?])
}

/// Writes there.
pub(super) fn start_push(state: &mut State, push: Box<Push>, now: Millis) -> Vec<Effect> {
    let connection = Box::new(state.current_connection());
    state.notices.push(NoticeKind::Hint, format!("writing to {} …", connection.name), now);
    vec![Effect::Push { connection, push }]
}
