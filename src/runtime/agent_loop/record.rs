//! A run of the agent loop on its way into the history.

use std::time::Instant;

use crate::{
    model::{
        call::{CallError, Event, EventKind, Outcome},
        trace::TraceId,
    },
    store::history::Recorder,
};

/// How long ago that is.
pub(super) fn ms_since(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// A run on its way into the history; one that is dropped before its end was cancelled.
#[derive(Default)]
pub(super) struct RunRecord {
    id: Option<TraceId>,
    recorder: Option<Recorder>,
    /// Until it is ended.
    began: Option<Instant>,
}

impl RunRecord {
    pub fn new(id: TraceId, recorder: Option<Recorder>, began: Instant) -> Self {
        Self { id: Some(id), recorder, began: Some(began) }
    }

    /// The run in the history; `None`: it is not kept.
    pub fn id(&self) -> Option<TraceId> {
        self.id.clone().filter(|_| self.recorder.is_some())
    }

    pub fn keep(&mut self, at_ms: u64, kind: EventKind) {
        if let Some(recorder) = &mut self.recorder
            && recorder.record_events(&[Event { at_ms, kind }]).is_err()
        {
            self.recorder = None;
        }
    }

    pub fn finish(mut self, at_ms: u64, outcome: Outcome, problem: Option<CallError>) {
        self.began = None;
        self.keep(at_ms, EventKind::End { outcome, problem });
    }
}

impl Drop for RunRecord {
    fn drop(&mut self) {
        if let Some(began) = self.began.take() {
            let kind = EventKind::End { outcome: Outcome::Cancelled, problem: None };
            self.keep(ms_since(began), kind);
        }
    }
}
