//! Looking for services where a connection leads, and for servers that other programs know: what was
//! found there.

use crate::{
    app::{
        compose::{connections::written_table, context::ComposeContext},
        effect::Effect,
        message::ScreenId,
        notices::NoticeKind,
        question::Question,
        state::State,
    },
    model::{clock::Millis, problem::Problem},
    systems::{
        discovery::{
            compared::{Workspace, compare_found},
            found::{Found, Searched},
        },
        facets::configured::FoundConfig,
        table,
    },
};

/// No configuration of another program was found.
const NO_SERVERS: &str =
    "no program has MCP servers configured, neither in your home folder nor here";

/// Asks which services are where a connection leads.
pub(super) fn discover(state: &mut State, name: &str, now: Millis) -> Vec<Effect> {
    let Some(connection) = state.connection_named(name) else { return Vec::new() };
    state.notices.push(NoticeKind::Hint, asking_words(name), now);
    let connection = table::claim_connection(connection, &state.catalog);
    vec![Effect::Discover(Box::new(connection))]
}

fn asking_words(name: &str) -> String {
    format!("looking for services on {name} …")
}

/// Shows the ways to begin on Tools, where there is nothing yet.
pub(super) fn offer_beginning(state: &mut State) {
    if state.screen == ScreenId::Tools && state.catalog.entries().next().is_none() {
        state.question = Some(Question::Begin);
    }
}

/// Offers the servers that other programs are configured with.
pub(super) fn on_servers_found(
    state: &mut State,
    configs: Vec<FoundConfig>,
    problems: &[Problem],
    now: Millis,
) {
    problems.iter().for_each(|problem| state.notices.push_problem(problem, now));
    match configs.iter().all(|config| config.read.servers.is_empty()) {
        true => {
            state.notices.push(NoticeKind::Hint, NO_SERVERS, now);
            offer_beginning(state);
        }
        false => state.question = Some(Question::ImportServers(configs)),
    }
}

/// Shows what was found there, and in the files of registries.
pub(super) fn on_discovered(state: &mut State, searched: Searched, found: Vec<Found>, now: Millis) {
    let name = searched.connection.name.clone();
    state.notices.withdraw(&asking_words(&name));
    let context = ComposeContext::from_state(state);
    let workspace = Workspace {
        catalog: &state.catalog,
        connections: &state.network.connections,
        written: &|name| written_table(context, name).cloned(),
    };
    let nothing = found.is_empty();
    let compared = compare_found(found, workspace, &[searched]);
    if nothing {
        let words = format!("nothing announces itself on {name}, and no registry file is here");
        state.notices.push(NoticeKind::Hint, words, now);
    } else {
        state.question = Some(Question::Discovered(compared));
    }
}
