//! What a connection says between calls: its state, what the other side says, and how often things
//! went wrong.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::{broadcast, watch};

use crate::model::{
    call::CallError,
    connection::ConnectionState,
    problem::{Problem, ProblemKind},
};

/// Words that nobody received yet; more push out the oldest.
const KEPT: usize = 64;

/// Counts that only grow; who compares two looks knows whether something happened between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The connection broke.
    pub breaks: u64,
    /// The transport itself let messages go that were not taken in time.
    pub overflows: u64,
}

/// One connection's news.
pub struct ConnectionEvents {
    pub state: watch::Sender<ConnectionState>,
    pub notices: broadcast::Sender<String>,
    place: String,
    breaks: AtomicU64,
    overflows: AtomicU64,
    over: OnceLock<CallError>,
    /// Why it is down; empty where it is there, or nothing was said.
    down: Mutex<String>,
    /// Where the server lets nobody listen with these credentials.
    refused: Mutex<BTreeSet<String>>,
}

impl ConnectionEvents {
    /// Events of a connection that is being made to that place.
    #[must_use]
    pub fn new(place: String) -> Self {
        Self {
            state: watch::Sender::new(ConnectionState::Connecting),
            notices: broadcast::Sender::new(KEPT),
            place,
            breaks: AtomicU64::default(),
            overflows: AtomicU64::default(),
            over: OnceLock::new(),
            down: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    /// Where the connection leads, without secrets.
    #[must_use]
    pub fn display_address(&self) -> &str {
        &self.place
    }

    #[must_use]
    pub fn fault_counts(&self) -> Faults {
        Faults {
            breaks: self.breaks.load(Ordering::Relaxed),
            overflows: self.overflows.load(Ordering::Relaxed),
        }
    }

    /// The connection is there, for the first time or again.
    pub fn mark_connected(&self) {
        let before = self.state.send_replace(ConnectionState::Connected);
        if matches!(before, ConnectionState::Reconnecting { .. }) {
            self.send_notice(format!("connected to {} again", self.place));
        }
        self.keep_down_reason("");
    }

    /// The connection broke.
    pub fn mark_broken(&self) {
        self.breaks.fetch_add(1, Ordering::Relaxed);
        self.state.send_replace(ConnectionState::Reconnecting { attempt: 1 });
        self.send_notice(format!("the connection to {} broke; reconnecting", self.place));
    }

    /// The connection is over, and is not tried again by itself. The first reason stays, and is said
    /// once.
    pub fn mark_closed(&self, problem: &CallError) {
        // It is known before anybody looks for it.
        if self.over.set(problem.clone()).is_err() {
            return;
        }
        self.breaks.fetch_add(1, Ordering::Relaxed);
        let told = Problem::new(
            ProblemKind::Unreachable,
            format!("talking to {}", self.place),
            problem.message.clone(),
        );
        self.state.send_replace(ConnectionState::Failed(told.with_remedy(problem.remedy.clone())));
        self.send_notice(problem.message.clone());
    }

    /// Why the connection is over, once it is.
    #[must_use]
    pub fn close_reason(&self) -> Option<CallError> {
        self.over.get().cloned()
    }

    /// Something that was listened to ended while the connection stays, so messages may be missing.
    pub fn mark_interrupted(&self, words: String) {
        self.breaks.fetch_add(1, Ordering::Relaxed);
        // The state is the same, but whoever waits for a change is to look at the faults.
        self.state.send_modify(|_| {});
        self.send_notice(words);
    }

    /// The server refused to let us listen there.
    pub fn mark_refused(&self, place: &str) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.insert(place.to_owned());
    }

    /// Whether the server has refused to let us listen there since this was asked last.
    pub fn take_refused(&self, place: &str) -> bool {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).remove(place)
    }

    /// The next try to reach the server begins.
    pub fn mark_reconnecting(&self, attempt: usize) {
        self.state.send_replace(ConnectionState::Reconnecting { attempt });
    }

    /// The transport let messages go that were not taken in time.
    pub fn count_overflow(&self) {
        self.overflows.fetch_add(1, Ordering::Relaxed);
    }

    /// Says why the connection is down, also to whoever asks later.
    pub fn send_down_reason(&self, words: String) {
        self.keep_down_reason(&words);
        self.send_notice(words);
    }

    /// What was said last of why the connection is down; empty where nothing was said.
    #[must_use]
    pub fn down_reason(&self) -> String {
        self.down.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep_down_reason(&self, words: &str) {
        words.clone_into(&mut self.down.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub fn send_notice(&self, words: String) {
        // Without a call under way nobody listens.
        let _ = self.notices.send(words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error_kind::ErrorKind;

    #[test]
    fn the_end_is_said_once_with_its_first_reason() {
        let news = ConnectionEvents::new("there".into());
        let mut notices = news.notices.subscribe();
        for words in ["first", "second"] {
            news.mark_closed(&CallError::new(ErrorKind::ConnectionLost, words, ""));
        }
        assert_eq!(notices.try_recv().as_deref(), Ok("first"));
        assert!(notices.try_recv().is_err());
        assert_eq!(news.close_reason().map(|problem| problem.message), Some("first".into()));
        assert_eq!(news.fault_counts().breaks, 1);
    }
}
