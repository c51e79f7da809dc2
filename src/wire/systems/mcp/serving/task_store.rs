//! Calls of clients that go on as tasks, and what is known of each.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::{Notify, mpsc};

use super::running::RunningRequests;
use crate::{
    systems::mcp::server::{dialogue::ToolCall, served_task::ServedTask},
    wire::now::now_millis,
};

/// So many tasks are kept, the oldest of which gives way to a new one.
const MOST: usize = 1_000;

/// The tasks of all clients, by their ids, which nobody can guess.
#[derive(Default)]
pub(crate) struct ServedTasks(Mutex<Vec<Arc<RunningTask>>>);

/// A task, and the call behind it.
pub(crate) struct RunningTask {
    pub id: String,
    pub call: ToolCall,
    task: Mutex<ServedTask>,
    changed: Notify,
    /// The requests of the call itself: one.
    pub running: RunningRequests,
}

impl RunningTask {
    #[must_use]
    pub fn new(task: ServedTask, call: ToolCall, running: RunningRequests) -> Arc<Self> {
        let (id, task, changed) = (task.id.clone(), Mutex::new(task), Notify::new());
        Arc::new(Self { id, call, task, changed, running })
    }

    /// Ends the call, unless it has ended; whether it had not.
    pub fn cancel(&self) -> bool {
        let was_running = self.task().cancel(now_millis());
        self.running.cancel_all();
        self.changed.notify_waiters();
        was_running
    }

    pub fn task(&self) -> MutexGuard<'_, ServedTask> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in all that the call says.
    pub async fn follow(&self, mut frame_receiver: mpsc::Receiver<String>) {
        while let Some(frame) = frame_receiver.recv().await {
            self.task().handle_frame(&frame, now_millis());
            self.changed.notify_waiters();
        }
    }

    /// What it came to, once that is known.
    pub async fn outcome(&self) -> Result<Value, Value> {
        loop {
            let changed = self.changed.notified();
            if let Some(outcome) = self.task().outcome() {
                return outcome;
            }
            changed.await;
        }
    }
}

impl ServedTasks {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<RunningTask>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn insert(&self, task: Arc<RunningTask>) {
        let mut all = self.all();
        all.retain(|known| !known.task().is_expired(now_millis()));
        if all.len() >= MOST {
            all.remove(0).running.cancel_all();
        }
        all.push(task);
    }

    pub fn find(&self, id: &str) -> Option<Arc<RunningTask>> {
        self.all().iter().find(|known| known.id == id).cloned()
    }
}
