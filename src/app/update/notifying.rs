//! Desktop notifications: what is due after a message, and switching them on and off.

use crate::{
    app::{
        effect::Effect,
        notices::NoticeKind,
        notifications::{Noteworthy, NotificationMessage},
        state::State,
    },
    model::{
        call::{CallId, Outcome},
        clock::Millis,
    },
};

/// Something happens that may be worth one.
pub(super) fn note(state: &mut State, event: Noteworthy<'_>, now: Millis) {
    state.notifications.note(event, &state.mask, now);
}

/// A call has ended. Those of a series and of cases are reported together, once all have.
pub(super) fn on_call_ended(
    state: &mut State,
    call: CallId,
    outcome: Outcome,
    took_ms: u64,
    now: Millis,
) {
    let is_in_series =
        state.invoke.batch.as_ref().is_some_and(|batch| batch.running.contains(&call));
    if is_in_series || state.invoke.cases.running.contains_key(&call) {
        return;
    }
    let State { invoke, notifications, mask, .. } = state;
    if let Some(ended) = invoke.calls.get(call) {
        let name = &ended.request.name;
        notifications.note(Noteworthy::Ended { name, outcome, took_ms }, mask, now);
    }
}

pub(super) fn handle(state: &mut State, message: NotificationMessage, now: Millis) -> Vec<Effect> {
    match message {
        NotificationMessage::Toggle => {
            let settings = &mut state.notifications.settings;
            settings.on = !settings.on;
            let on = settings.on;
            let words = if on {
                "notifications are on: sent while you look elsewhere"
            } else {
                "notifications are off"
            };
            state.notices.push(NoticeKind::Done, words, now);
            vec![Effect::KeepNotifications { on }]
        }
        NotificationMessage::Try => {
            state.notifications.try_one();
            let elsewhere = match state.keymap.is_in_window() {
                true => "look at your desktop's settings",
                false => "choose another way: `toolcrib help files`",
            };
            let words = format!("notification sent; if you don't see it, {elsewhere}");
            state.notices.push(NoticeKind::Hint, words, now);
            Vec::new()
        }
    }
}

/// What is to be sent after a message.
pub(super) fn due_notifications(state: &mut State) -> impl Iterator<Item = Effect> + use<> {
    let way = (!state.keymap.is_in_window()).then_some(state.notifications.settings.way);
    let due = state.notifications.take_due();
    due.into_iter().map(move |notification| Effect::Notify { notification, way })
}
