//! Resources and prompts of servers: chosen, completed, read, saved.

use super::connection_test;
use crate::{
    app::{
        edited_text::EditedText,
        effect::Effect,
        message::ScreenId,
        notices::NoticeKind,
        resources::{ItemId, ReadReport, ResourceMessage},
        state::State,
    },
    model::{
        clock::Millis,
        server_item::{ItemKind, ServerItem},
    },
    syntax::{
        edit::Edit,
        source::{Format, Source},
    },
};

pub(super) fn handle_message(
    state: &mut State,
    message: ResourceMessage,
    now: Millis,
) -> Vec<Effect> {
    match message {
        ResourceMessage::Show(connection) => return show_server(state, &connection),
        ResourceMessage::Choose(item) => return choose_item(state, &item),
        ResourceMessage::Edit { item, edits } => return edit_arguments(state, &item, &edits, now),
        ResourceMessage::Undo(item) => return step_back(state, &item, EditedText::undo),
        ResourceMessage::Redo(item) => return step_back(state, &item, EditedText::redo),
        ResourceMessage::Read(item) => return read_item(state, item),
        ResourceMessage::Follow(item) => return follow_item(state, item),
        ResourceMessage::Updated(item) => return refresh_item(state, item),
        ResourceMessage::FollowEnded { item, problem } => {
            if state.network.resources.followed_mut().remove(&item).is_some() {
                state.notices.push(NoticeKind::Problem, problem.to_string(), now);
            }
        }
        ResourceMessage::ReadLink { connection, uri } => {
            return read_link(state, connection, uri);
        }
        ResourceMessage::SaveParts { parts, path } => {
            return vec![Effect::SaveParts { parts, path }];
        }
        ResourceMessage::OpenPart(part) => return vec![Effect::OpenPart(part)],
        ResourceMessage::WasRead { turn, item, read } => {
            let report = match *read {
                Ok(content) => ReadReport::Done(content.into()),
                Err(problem) => ReadReport::Failed(problem),
            };
            state.network.resources.end_reading(turn, &item, report);
        }
        ResourceMessage::Suggested { turn, item, argument, values } => {
            state.network.resources.end_suggesting(turn, *item, argument, values);
        }
    }
    Vec::new()
}

/// Shows a server, which is asked what it has where that is not known.
fn show_server(state: &mut State, connection: &str) -> Vec<Effect> {
    state.screen = ScreenId::Resources;
    let is_known = state.network.tests.reports.contains_key(connection);
    state.network.resources.connection = Some(connection.to_owned());
    if is_known { Vec::new() } else { connection_test::test_connection(state, connection) }
}

/// What is suggested for arguments is asked for before they are typed.
fn choose_item(state: &mut State, item: &ItemId) -> Vec<Effect> {
    if state.network.resources.chosen.as_ref() == Some(item) {
        return Vec::new();
    }
    state.network.resources.chosen = Some(item.clone());
    suggest_values(state, item)
}

/// Asks for what suits each argument of an item; it may depend on the others.
fn suggest_values(state: &mut State, item: &ItemId) -> Vec<Effect> {
    let Some(connection) = state.network.connections.find_by_name(&item.connection).cloned() else {
        return Vec::new();
    };
    let listed = state.network.readable_items(&item.connection);
    let found = listed.into_iter().find(|known| ItemId::new(&item.connection, known) == *item);
    let names = found.map_or_else(Vec::new, ServerItem::argument_names).into_iter();
    let names: Vec<String> = names.map(|(name, _)| name.to_owned()).collect();
    let resources = &mut state.network.resources;
    let suggest = |argument: String| Effect::SuggestValues {
        turn: resources.begin_suggesting(item, &argument),
        connection: Box::new(connection.clone()),
        request: resources.read_request(item),
        argument,
    };
    names.into_iter().map(suggest).collect()
}

fn edit_arguments(state: &mut State, item: &ItemId, edits: &[Edit], now: Millis) -> Vec<Effect> {
    let Ok(empty) = Source::parse(Format::Json, "{}") else { return Vec::new() };
    let typed = state.network.resources.arguments_mut();
    let typed = typed.entry(item.clone()).or_insert_with(|| EditedText::new(empty));
    if let Err(error) = typed.edit(edits) {
        state.notices.push(NoticeKind::Problem, format!("arguments: {error}"), now);
        return Vec::new();
    }
    suggest_values(state, item)
}

fn step_back(
    state: &mut State,
    item: &ItemId,
    step: impl Fn(&mut EditedText) -> bool,
) -> Vec<Effect> {
    let typed = state.network.resources.arguments_mut().get_mut(item);
    match typed.is_some_and(step) {
        true => suggest_values(state, item),
        false => Vec::new(),
    }
}

fn read_item(state: &mut State, item: ItemId) -> Vec<Effect> {
    let Some(connection) = state.network.connections.find_by_name(&item.connection).cloned() else {
        return Vec::new();
    };
    let resources = &mut state.network.resources;
    let request = resources.read_request(&item);
    let turn = resources.begin_reading(item.clone());
    vec![Effect::ReadItem { turn, connection: Box::new(connection), item, request }]
}

/// Follows a resource, or no longer. What it holds is read once it is followed.
fn follow_item(state: &mut State, item: ItemId) -> Vec<Effect> {
    let Some(connection) = state.network.connections.find_by_name(&item.connection).cloned() else {
        return Vec::new();
    };
    let resources = &mut state.network.resources;
    if resources.followed_mut().remove(&item).is_some() {
        return vec![Effect::UnfollowItem(item)];
    }
    resources.followed_mut().insert(item.clone(), 0);
    let request = resources.read_request(&item);
    let connection = Box::new(connection);
    let mut effects = vec![Effect::FollowItem { connection, item: item.clone(), request }];
    effects.extend(read_item(state, item));
    effects
}

/// A resource that is followed has changed.
fn refresh_item(state: &mut State, item: ItemId) -> Vec<Effect> {
    let Some(connection) = state.network.connections.find_by_name(&item.connection).cloned() else {
        return Vec::new();
    };
    let resources = &mut state.network.resources;
    let Some(count) = resources.followed_mut().get_mut(&item) else { return Vec::new() };
    *count += 1;
    let request = resources.read_request(&item);
    let turn = resources.begin_refreshing(item.clone());
    vec![Effect::ReadItem { turn, connection: Box::new(connection), item, request }]
}

/// A resource that its server need not list is beside those that it does.
fn read_link(state: &mut State, connection: String, uri: String) -> Vec<Effect> {
    let mut effects = show_server(state, &connection);
    let item = ItemId { connection: connection.clone(), kind: ItemKind::Resource, id: uri.clone() };
    let items = state.network.readable_items(&connection);
    let is_known = items.iter().any(|known| known.kind == item.kind && known.id == item.id);
    if !is_known {
        let linked = ServerItem::linked(uri);
        state.network.resources.linked.entry(connection).or_default().push(linked);
    }
    state.network.resources.chosen = Some(item.clone());
    effects.extend(read_item(state, item));
    effects
}
