//! Clients of the legacy era over HTTP: each has a session from `initialize` on.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio_util::sync::CancellationToken;

use super::{
    questions::PendingQuestions,
    replay::ReplayedStreams,
    running::RunningRequests,
    subscriptions::{FollowedResources, OwnFrames},
};
use crate::systems::mcp::server::dialogue::Dialogue;

/// So many sessions are kept; the oldest gives way to a new one.
const MOST: usize = 1_000;

/// What is known of a client.
#[derive(Default)]
pub(crate) struct Session {
    pub dialogue: Mutex<Dialogue>,
    pub running: RunningRequests,
    pub questions: PendingQuestions,
    pub followed: FollowedResources,
    /// The streams that it can go on with.
    pub streams: ReplayedStreams,
    /// Where its one stream is, while there is one.
    pub own: OwnFrames,
    pub ended: CancellationToken,
    is_listening: AtomicBool,
}

/// The stream on which a session hears what is said unasked, until this is dropped.
pub(crate) struct OwnStream(Arc<Session>);

impl Drop for OwnStream {
    fn drop(&mut self) {
        self.0.own.close();
        self.0.is_listening.store(false, Ordering::Release);
    }
}

impl Session {
    #[must_use]
    pub fn new(dialogue: Dialogue) -> Arc<Self> {
        Arc::new(Self { dialogue: dialogue.into(), ..Self::default() })
    }

    /// Whether its client goes on with streams that broke.
    #[must_use]
    pub fn resumes_streams(&self) -> bool {
        self.dialogue.lock().unwrap_or_else(PoisonError::into_inner).resumes_streams()
    }

    /// Takes the place of its one stream; `None` where that is taken.
    pub fn take_stream(self: Arc<Self>) -> Option<OwnStream> {
        let was_listening = self.is_listening.swap(true, Ordering::AcqRel);
        (!was_listening).then(|| OwnStream(self))
    }

    /// Ends it, with what is under way.
    fn end(&self) {
        self.ended.cancel();
        self.running.cancel_all();
    }
}

/// Sessions by their ids.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<KnownSessions>);

#[derive(Default)]
struct KnownSessions {
    /// By the order in which they began.
    all: BTreeMap<u64, (String, Arc<Session>)>,
    begun: u64,
}

impl Sessions {
    /// Keeps a new session; its id, which nobody can guess.
    pub fn insert(&self, session: Arc<Session>) -> String {
        let id = uuid::Uuid::new_v4().to_string();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.begun += 1;
        let begun = known.begun;
        known.all.insert(begun, (id.clone(), session));
        while known.all.len() > MOST {
            if let Some((_, (_, oldest))) = known.all.pop_first() {
                oldest.end();
            }
        }
        id
    }

    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<Session>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.all.values().find(|(known, _)| known == id).map(|(_, session)| Arc::clone(session))
    }

    /// Ends a session; whether there was one.
    pub fn remove(&self, id: &str) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.all.iter().find(|(_, (known, _))| known == id).map(|(begun, _)| *begun);
        let removed = found.and_then(|begun| known.all.remove(&begun));
        if let Some((_, session)) = &removed {
            session.end();
        }
        removed.is_some()
    }
}
