//! What a session needs to know of a system whose calls are made in several steps.

use std::sync::{Mutex, PoisonError};

use futures::future::{BoxFuture, join_all};
use tokio::task::JoinHandle;

use super::own_agents::OwnAgents;
use crate::{
    model::{
        call::{Limits, Request},
        connection::Connection,
    },
    wire::{
        secrets::Secrets,
        session::event_sink::{CallEnd, EventSink, SinkClosed},
        transport::bus::Bus,
    },
};

/// What a procedure has to work with.
#[derive(Clone, Copy)]
pub struct CallContext<'g> {
    pub connection: &'g Connection,
    /// The connection's own bus, open.
    pub bus: &'g dyn Bus,
    pub request: &'g Request,
    pub limits: Limits,
    pub secrets: &'g Secrets,
    pub kept: &'g CallMemory,
}

/// How one system's calls are made.
pub trait MultiStep: Sync {
    /// Makes a call and says everything on its way but its end, which it answers with. It keeps to
    /// the limits itself, so that it can say what it waited for; dropping it cancels the call.
    fn run_call<'a>(
        &'a self,
        call_context: CallContext<'a>,
        sink: &'a mut EventSink,
    ) -> BoxFuture<'a, Result<CallEnd, SinkClosed>>;
}

/// What procedures keep from call to call: agents of our own, and what is left to be done after a
/// call.
#[derive(Default)]
pub struct CallMemory {
    pub agents: OwnAgents,
    left: Mutex<Vec<JoinHandle<()>>>,
}

impl CallMemory {
    /// Something that goes on although its call is over.
    pub fn keep_task(&self, task: JoinHandle<()>) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.retain(|task| !task.is_finished());
        left.push(task);
    }

    /// Waits for all of that.
    pub async fn wait_settled(&self) {
        let left = std::mem::take(&mut *self.left.lock().unwrap_or_else(PoisonError::into_inner));
        join_all(left).await;
    }
}
