//! The requests of a client that are under way, so that it can cancel them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio_util::sync::CancellationToken;

use crate::systems::mcp::rpc::id::Id;

/// So many of one client run at once; more are refused.
const AT_ONCE: usize = 256;

/// The requests that are under way, by their ids.
#[derive(Clone, Default)]
pub(crate) struct RunningRequests(Arc<Mutex<HashMap<Id, CancellationToken>>>);

/// A request that is under way until this is dropped.
pub(crate) struct Running {
    id: Id,
    all: RunningRequests,
    pub cancelled: CancellationToken,
}

impl RunningRequests {
    /// A request begins; `None` where one of that id is under way, or too many are.
    pub fn begin(&self, id: &Id) -> Option<Running> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= AT_ONCE || all.contains_key(id) {
            return None;
        }
        let cancelled = CancellationToken::new();
        all.insert(id.clone(), cancelled.clone());
        Some(Running { id: id.clone(), all: self.clone(), cancelled })
    }

    pub fn cancel(&self, id: &Id) {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cancelled) = all.get(id) {
            cancelled.cancel();
        }
    }

    pub fn cancel_all(&self) {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.values().for_each(CancellationToken::cancel);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut all = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&self.id);
    }
}
