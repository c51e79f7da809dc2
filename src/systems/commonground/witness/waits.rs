//! What may be the matter with a conversation that waits, said once it has waited for long.

use super::{super::subject::Subject, follow::STUCK};
use crate::{engine::traffic::conversation::Conversation, model::clock::Millis};

/// A service, or a worker, claims what it hears within this time, in milliseconds.
const PROMPT: u64 = 5_000;

/// What may be the matter; `None` while nothing need be.
#[must_use]
pub(crate) fn waiting_reason(conversation: &Conversation, now: Millis) -> Option<String> {
    let waited = now.since(conversation.last);
    if let Some(due) = conversation.due
        && now > due
    {
        return Some(format!(
            "its deadline passed {} s ago: the watchdog, which looks every 5 s, ends the call with tool_timeout, and an answer after that is refused",
            now.since(due) / 1_000
        ));
    }
    let subject = Subject::parse(&conversation.subject)?;
    let alone = conversation.own_count() == 1 && waited >= PROMPT;
    match (subject.component.as_str(), subject.target.as_str(), subject.suffix.as_str()) {
        ("tool", ..) if alone => Some(format!(
            "no service accepted it for {} s: is one running that listens on {}, and not busy \
            with another command? It takes one at a time",
            waited / 1_000,
            subject.service_filter()
        )),
        ("sys", "ui", "action") if alone => Some(format!(
            "no acknowledgement for {} s: the UI worker is not running, or drops it in silence",
            waited / 1_000
        )),
        _ if conversation.states.last().is_some_and(|state| state == "dispatched")
            && waited >= STUCK =>
        {
            Some(format!(
                "dispatched for {} s and not running: its worker is not there, or, if a UI action was repeated, the agent is wedged and a new one is needed",
                waited / 1_000
            ))
        }
        _ => None,
    }
}
