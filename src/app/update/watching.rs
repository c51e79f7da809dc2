//! The watch: what is listened to, what is shown of it, traces, and requests sent once more.

use serde_json::Value;

use super::notifying;
use crate::{
    app::{
        effect::Effect,
        message::ScreenId,
        notices::NoticeKind,
        notifications::Noteworthy,
        resending::request_of,
        state::State,
        watching::{CardRead, Cards, Source, WatchMessage, WatchRequest, Watching},
    },
    engine::traffic::{
        self,
        filter::{self, Filter},
        record::{Record, Ring},
        trace::Head,
    },
    model::{clock::Millis, entry::SystemId, traffic::SettledConversation},
    systems::watched,
};

/// Takes a message of the watch in.
pub(super) fn handle(state: &mut State, message: WatchMessage, now: Millis) -> Vec<Effect> {
    let turn_of_now = state.watching.turn;
    match message {
        WatchMessage::Begin(subjects) => return begin_watching(state, &subjects, now),
        WatchMessage::Stop => {
            if state.watching.is_listening() {
                state.watching.source = Source::Stopped;
                state.watching.turn += 1;
            }
            return vec![Effect::StopWatching];
        }
        WatchMessage::Pause => {
            let rings = state.watching.toggle_pause();
            notify_alerts(state, &rings, now);
        }
        WatchMessage::Clear => state.watching.clear(),
        WatchMessage::Filter(text) => {
            let shown =
                Filter::parse(&text).and_then(|filter| state.watching.record.set_view(filter));
            report_filter_error(state, shown, now);
        }
        WatchMessage::AddAlert(text) => {
            let added =
                Filter::parse(&text).and_then(|filter| state.watching.record.watch_for(filter));
            if added.is_ok() {
                state.notices.push(NoticeKind::Done, format!("alert on {text}"), now);
            }
            report_filter_error(state, added, now);
        }
        WatchMessage::Reveal => {
            let record = &mut state.watching.record;
            record.show_routine(!record.shows_routine());
        }
        WatchMessage::ForgetAlert(row) => state.watching.record.forget_alert(row),
        WatchMessage::Save(path) => {
            state.watching.saving = state.watching.record.heard_count();
            let (head, heard) = (state.watching.head.clone(), state.watching.record.to_tapped());
            return vec![Effect::SaveTrace { path, head, heard }];
        }
        WatchMessage::Open(path) => return vec![Effect::OpenTrace(path)],
        WatchMessage::Resend(number) => return resend_request(state, number, now),
        WatchMessage::ReadCards { system, cards } => return read_cards(state, system, &cards, now),
        WatchMessage::CardsRead { turn, read } => return cards_read(state, turn, read, now),

        WatchMessage::Began { turn } if turn == turn_of_now => {
            state.watching.source = Source::Listening;
        }
        WatchMessage::Heard { turn, heard } if turn == turn_of_now => {
            let rings = state.watching.record_messages(heard);
            notify_alerts(state, &rings, now);
        }
        WatchMessage::Tick { turn } if turn == turn_of_now => {
            let rings = state.watching.record.tick(now);
            notify_alerts(state, &rings, now);
        }
        WatchMessage::Refused { turn, problem } if turn == turn_of_now => {
            state.notices.push(
                NoticeKind::Problem,
                format!("watching: {} — {}", problem.message, problem.remedy),
                now,
            );
            state.watching.source = Source::Failed(problem);
        }
        WatchMessage::Saved { path, messages } => {
            state.watching.saved = state.watching.saving;
            state.notices.push(
                NoticeKind::Done,
                format!("{messages} messages saved as {path}"),
                now,
            );
        }
        WatchMessage::Opened { path, head, record } => {
            return on_trace_opened(state, path, head, *record, now);
        }
        // Of a watch that is over.
        WatchMessage::Began { .. }
        | WatchMessage::Heard { .. }
        | WatchMessage::Tick { .. }
        | WatchMessage::Refused { .. } => {}
    }
    Vec::new()
}

fn report_filter_error(state: &mut State, done: Result<(), String>, now: Millis) {
    if let Err(cause) = done {
        state.notices.push(NoticeKind::Hint, format!("{cause} ({})", filter::HELP), now);
    }
}

fn begin_watching(state: &mut State, subjects: &[String], now: Millis) -> Vec<Effect> {
    let connection = state.connection_to_watch();
    let WatchRequest { subjects, since } = match WatchRequest::parse(subjects) {
        Ok(asked) => asked,
        Err(cause) => {
            state.notices.push(NoticeKind::Hint, cause, now);
            return Vec::new();
        }
    };
    let places = match subjects.as_slice() {
        [] => watched::default_places(&state.catalog, &connection),
        subjects => subjects
            .iter()
            .map(|subject| watched::parse_place(subject, connection.transport()))
            .collect(),
    };
    let places = match places {
        Ok(places) => places,
        Err(problem) => {
            state.notices.push_problem(&problem, now);
            return Vec::new();
        }
    };
    let watching = &mut state.watching;
    if watching.held_count().is_some() {
        watching.toggle_pause();
    }
    if matches!(watching.source, Source::Trace(_)) {
        watching.clear();
    }
    watching.turn += 1;
    watching.source = Source::Opening;
    watching.head = Head {
        connection: connection.name.clone(),
        transport: connection.transport().as_str().into(),
        subjects: places.iter().map(|place| place.name.clone()).collect(),
    };
    let turn = watching.turn;
    vec![Effect::Watch {
        turn,
        connection: Box::new(connection),
        known: state.network.connections.known.clone(),
        places,
        since,
    }]
}

fn on_trace_opened(
    state: &mut State,
    path: String,
    head: Head,
    mut record: Record,
    now: Millis,
) -> Vec<Effect> {
    let watching = &mut state.watching;
    // They fitted the record before, and they fit this one.
    let _ = record.set_view(watching.record.view().clone());
    for alert in watching.record.alerts() {
        let _ = record.watch_for(alert.filter.clone());
    }
    if watching.held_count().is_some() {
        watching.toggle_pause();
    }
    watching.turn += 1;
    watching.saved = record.heard_count();
    (watching.record, watching.head) = (record, head);
    state.notices.push(
        NoticeKind::Done,
        format!("{} messages of {path}", watching.record.heard_count()),
        now,
    );
    watching.source = Source::Trace(path);
    state.screen = ScreenId::Watch;
    vec![Effect::StopWatching]
}

/// Asks for cards where the connection that was watched has them.
fn read_cards(
    state: &mut State,
    system: Option<SystemId>,
    cards: &[String],
    now: Millis,
) -> Vec<Effect> {
    let connection = state.watched_connection();
    let card_source = match watched::card_source(system, &connection, cards) {
        Ok(card_source) => card_source,
        Err(problem) => {
            state.notices.push_problem(&problem, now);
            return Vec::new();
        }
    };
    let turn = state.watching.cards.turn + 1;
    state.watching.cards = Cards {
        turn,
        system,
        from: card_source.api.clone(),
        awaited: cards.to_vec(),
        ..Cards::default()
    };
    vec![Effect::ReadCards {
        turn,
        connection: Box::new(connection),
        known: state.network.connections.known.clone(),
        card_source,
    }]
}

/// Takes cards in: calls end as they say, and what belongs beside them is asked for once.
fn cards_read(state: &mut State, turn: u64, read: Vec<CardRead>, now: Millis) -> Vec<Effect> {
    let connection = state.watched_connection();
    let Watching { cards, record, .. } = &mut state.watching;
    if cards.turn != turn {
        return Vec::new();
    }
    let first = cards.read.is_empty();
    cards.awaited.clear();
    cards.read.extend(read);
    let values: Vec<Value> = cards.values().cloned().collect();
    let settled: Vec<SettledConversation> =
        values.iter().filter_map(|value| watched::card_outcome(cards.system, value)).collect();
    let rings: Vec<Ring> =
        settled.iter().flat_map(|settled| record.apply_settled(settled)).collect();
    cards.attachments = watched::laid_out(cards.system, &values);
    let there: Vec<String> = cards.read.iter().map(|(id, _)| id.clone()).collect();
    let beside = traffic::cards::further_cards(
        record,
        settled.iter().map(|settled| settled.name.as_str()),
        &there,
    );
    let more =
        first.then(|| watched::card_source(cards.system, &connection, &beside).ok()).flatten();
    let more = more.filter(|card_source| !card_source.wanted.is_empty()).map(|card_source| {
        cards.awaited = beside;
        Effect::ReadCards {
            turn,
            connection: Box::new(connection),
            known: state.network.connections.known.clone(),
            card_source,
        }
    });
    notify_alerts(state, &rings, now);
    more.into_iter().collect()
}

/// Says what rang, in one notice.
fn notify_alerts(state: &mut State, rings: &[Ring], now: Millis) {
    let Some(last) = rings.last() else { return };
    let record = &state.watching.record;
    let Some(alert) = record.alerts().get(last.alert) else { return };
    let asked = record
        .conversation(last.conversation)
        .map(|conversation| format!(" on {}", conversation.subject));
    let more =
        if rings.len() > 1 { format!(", and {} more", rings.len() - 1) } else { String::new() };
    let words = format!("alert {}{}{more}", alert.filter, asked.unwrap_or_default());
    notifying::note(state, Noteworthy::Alert(&words), now);
    state.notices.push_alert(words, now);
}

fn resend_request(state: &mut State, number: u64, now: Millis) -> Vec<Effect> {
    match request_of(state, number) {
        Ok(request) => {
            state.ids.take_id();
            state.selected = Some(request.tool.clone());
            state.screen = ScreenId::Invoke;
            super::history::fill_empty(state, &request.tool, &request.arguments);
            let connection = state.watched_connection();
            super::calls::begin_on(state, request, connection, now)
        }
        Err(problem) => {
            state.notices.push_problem(&problem, now);
            Vec::new()
        }
    }
}
