//! Connections: which of them calls go through, how they are, and what is asked of each.

use super::{connection_test, deployed, discovery, files, history, sign_in};
use crate::{
    app::{
        effect::Effect,
        message::{Condition, ConnectionMessage, Health, Purpose, ScreenId},
        notices::NoticeKind,
        question::Question,
        state::State,
    },
    model::{clock::Millis, problem::Problem},
};

/// Does what a message about connections says.
pub(super) fn handle_message(
    state: &mut State,
    message: ConnectionMessage,
    now: Millis,
) -> Vec<Effect> {
    match message {
        ConnectionMessage::AskDeployed(purpose) => {
            return deployed::request_deployed(state, purpose, now);
        }
        ConnectionMessage::ListDeployed(name) => {
            return deployed::list_deployed(state, name.as_deref(), now);
        }
        ConnectionMessage::ListTyped(name) => return deployed::list_typed(state, &name, now),
        ConnectionMessage::ListAllowed(name) => {
            return deployed::list_unknown(state, &name, now);
        }
        ConnectionMessage::ToolsChanged(name) => {
            return deployed::list_changed(state, &name, now);
        }
        ConnectionMessage::Deployed { purpose, read } => {
            let mut effects = deployed::on_deployed_read(state, purpose, read, now);
            if let Purpose::Call { turn } = purpose {
                effects.extend(history::on_tools_listed(state, turn, now));
            }
            return effects;
        }
        ConnectionMessage::Push(push) => return deployed::start_push(state, push, now),
        ConnectionMessage::Use(name) => return use_connection(state, name, now),
        ConnectionMessage::Condition { connection, condition } => {
            return on_condition(state, &connection, condition);
        }
        ConnectionMessage::Listeners { connection, listeners } => {
            state.network.listeners.insert(connection, listeners);
            files::check_again(state);
        }
        ConnectionMessage::Show(name) => state.network.tests.selected = Some(name),
        ConnectionMessage::Test(name) => return connection_test::test_connection(state, &name),
        ConnectionMessage::Reconnect(name) => return connection_test::reconnect(state, &name, now),
        ConnectionMessage::CompareEras { name, call } => {
            return connection_test::compare_eras(state, &name, call.map(|call| *call), now);
        }
        ConnectionMessage::ErasCompared { connection, comparison } => {
            state.question = Some(Question::Eras { connection, comparison });
        }
        ConnectionMessage::AskServer => state.question = Some(Question::Server),
        ConnectionMessage::AskSystem(system) => state.question = Some(Question::System(system)),
        ConnectionMessage::KeepSecret { name, secret } => {
            return vec![Effect::KeepSecret { name, secret }];
        }
        ConnectionMessage::KeyStore { is_there } => state.network.lacks_key_store = !is_there,
        ConnectionMessage::SecretKept { name, in_key_store } => {
            on_secret_kept(state, &name, &in_key_store, now);
        }
        ConnectionMessage::FindServers => return vec![Effect::FindServers],
        ConnectionMessage::ServersFound { configs, problems } => {
            discovery::on_servers_found(state, configs, &problems, now);
        }
        ConnectionMessage::Discover(name) => return discovery::discover(state, &name, now),
        ConnectionMessage::Discovered { searched, found, unread, problems } => {
            unread
                .into_iter()
                .for_each(|words| state.notices.push(NoticeKind::Warning, words, now));
            problems.iter().for_each(|problem| state.notices.push_problem(problem, now));
            discovery::on_discovered(state, *searched, found, now);
        }
        ConnectionMessage::AllowAsked => return deployed::allow_asked(state, now),
        ConnectionMessage::NotAllowed { connection, permission, purpose } => {
            deployed::ask_permission(state, connection, permission, purpose);
        }
        ConnectionMessage::SignIn { name, act } => return sign_in::act(state, &name, act),
        ConnectionMessage::SignInNews { turn, connection, news } => {
            return sign_in::on_news(state, turn, &connection, *news);
        }
        ConnectionMessage::Tested { turn, connection, report } => {
            if connection_test::on_test_ended(state, turn, &connection, report, now) {
                return deployed::list_deployed(state, Some(&connection), now);
            }
        }
    }
    Vec::new()
}

/// Asks who listens where a connection leads that has just been opened.
fn on_condition(state: &mut State, connection: &str, condition: Condition) -> Vec<Effect> {
    let is_open = condition.health == Health::Good;
    let before = state.network.conditions.insert(connection.to_owned(), condition);
    let was_open = before.is_some_and(|before| before.health == Health::Good);
    let asked = is_open && !was_open;
    Vec::from_iter(deployed::ask_listeners(state, connection).filter(|_| asked))
}

/// Says where a secret is now: in the key store, or here until the program ends.
fn on_secret_kept(
    state: &mut State,
    name: &str,
    in_key_store: &Result<bool, Problem>,
    now: Millis,
) {
    match in_key_store {
        Ok(true) => {
            state.notices.push(NoticeKind::Done, format!("{name} is in the key store"), now);
        }
        Ok(false) => {
            let words = format!(
                "there is no key store here: {name} is kept until toolcrib ends; for later, name \
                an environment variable in toolcrib.toml"
            );
            state.notices.push_alert(words, now);
        }
        Err(problem) => state.notices.push_alert(format!("{name} isn't saved: {problem}"), now),
    }
}

/// Lets all calls go through that connection; `None`: through those of their tools.
fn use_connection(state: &mut State, name: Option<String>, now: Millis) -> Vec<Effect> {
    let words = match &name {
        Some(name) if state.network.connections.find_by_name(name).is_none() => return Vec::new(),
        Some(name) => format!("calls go through {name}"),
        None => format!(
            "calls go through {}, those of some tools through their own",
            state.network.connections.usual
        ),
    };
    state.network.connections.chosen = name;
    state.notices.push(NoticeKind::Done, words, now);
    files::check_again(state);
    match state.screen {
        ScreenId::Invoke => deployed::list_allowed(state),
        _ => Vec::new(),
    }
}
