//! What clients were asked and have not answered yet: requests of the server's own in the legacy
//! era, calls that are to be repeated in the modern one.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::running::Running;
use crate::systems::mcp::{rpc::id::Id, server::dialogue::ToolCall};

/// Questions to one client of the legacy era, by the ids of their requests.
#[derive(Clone, Default)]
pub(crate) struct PendingQuestions(Arc<Mutex<Pending>>);

#[derive(Default)]
struct Pending {
    waiting: HashMap<Id, oneshot::Sender<Value>>,
    asked: u64,
}

impl PendingQuestions {
    fn known(&self) -> MutexGuard<'_, Pending> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A question: the id of its request, and where its answer comes.
    pub fn begin(&self) -> (Id, oneshot::Receiver<Value>) {
        let (sender, receiver) = oneshot::channel();
        let mut known = self.known();
        // Those whose calls have ended are nobody's any more.
        known.waiting.retain(|_, waiting| !waiting.is_closed());
        known.asked += 1;
        let id = Id::from(known.asked);
        known.waiting.insert(id.clone(), sender);
        (id, receiver)
    }

    /// The client answered; an answer to nothing is nothing.
    pub fn answer(&self, id: &Id, answer: Value) {
        if let Some(waiting) = self.known().waiting.remove(id) {
            // The call may have ended.
            let _ = waiting.send(answer);
        }
    }
}

/// Where what comes of a request goes, and until when.
pub(crate) struct Caller {
    pub frames: mpsc::Sender<String>,
    pub running: Running,
    /// Of a client of the legacy era that can be asked on the way of those frames.
    pub questions: Option<PendingQuestions>,
}

/// A call that its client repeats, and where what comes of it goes now.
pub(crate) struct Repetition {
    pub call: ToolCall,
    pub frames: mpsc::Sender<String>,
    pub running: Running,
}

/// Calls of the modern era that wait for their clients to repeat them, by the states that these
/// repeat.
#[derive(Clone, Default)]
pub(crate) struct ParkedCalls(Arc<Mutex<HashMap<String, oneshot::Sender<Repetition>>>>);

impl ParkedCalls {
    fn known(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<Repetition>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call is to be repeated: with which state, which nobody can guess, and where that comes.
    pub fn park(&self) -> (String, oneshot::Receiver<Repetition>) {
        let (sender, receiver) = oneshot::channel();
        let state = uuid::Uuid::new_v4().to_string();
        let mut known = self.known();
        known.retain(|_, parked| !parked.is_closed());
        known.insert(state.clone(), sender);
        (state, receiver)
    }

    /// A client repeats its call.
    ///
    /// # Errors
    /// When no call waits with that state, or it was repeated already.
    pub fn resume(&self, state: &str, repetition: Repetition) -> Result<(), Box<Repetition>> {
        match self.known().remove(state) {
            Some(parked) => parked.send(repetition).map_err(Box::new),
            None => Err(Box::new(repetition)),
        }
    }
}
