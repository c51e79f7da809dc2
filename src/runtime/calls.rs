//! The calls under way: what they report is kept and sent on, and they can be cancelled.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::{sync::mpsc, task::AbortHandle, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{kept::Record, now::elapsed_ms};
use crate::{
    app::{calls::CallMessage, message::Message},
    engine::mask::Mask,
    model::{
        call::{CallId, Event, EventKind, Limits, Outcome, Request},
        connection::Connection,
    },
    systems::agents,
    wire::{agent, queue, registry::Registry, spawning::spawn},
};

/// How many events of a call travel in one message at most.
const EVENTS: usize = 256;

/// What a call goes through, and where what it reports goes.
pub(super) struct CallWorld {
    pub registry: Arc<Registry>,
    pub messages: mpsc::Sender<Message>,
    /// Knows the secrets that nothing may show.
    pub mask: Mask,
    pub record: Record,
}

/// The end of a call, which is reported once: by the call, or by whoever cancels it.
#[derive(Clone, Default)]
struct EndClaim(Arc<AtomicBool>);

impl EndClaim {
    /// Whether the end is still to be reported; whoever asks first reports it.
    fn take(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
}

struct Running {
    task: AbortHandle,
    end: EndClaim,
    /// What is sent to the server to cancel the call is still reported.
    stop: CancellationToken,
    began: Instant,
    record: Record,
}

/// The calls that have not ended, by their ids.
#[derive(Default)]
pub(super) struct RunningCalls(HashMap<CallId, Running>);

impl RunningCalls {
    /// Starts a call; never waits.
    pub fn start(
        &mut self,
        call: CallId,
        (connection, request, limits): (Connection, Request, Limits),
        world: CallWorld,
    ) {
        let CallWorld { registry, messages, mask, record } = world;
        let (sender, mut events) = mpsc::channel(EVENTS);
        let kept = record.clone();
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let end = EndClaim::default();
        let own_end = end.clone();
        let task = spawn(async move {
            let calling = async {
                match agents::parse_question(&request) {
                    Some(asked) => {
                        agent::ask_agent(&*registry, &connection, (request, asked), mask, sender)
                            .await;
                    }
                    None => registry.run_call(&connection, request, limits, sender).await,
                }
            };
            let calling = stopped.run_until_cancelled(calling);
            let telling = async {
                let mut batch = Vec::with_capacity(EVENTS);
                while events.recv_many(&mut batch, EVENTS).await > 0 {
                    let mut events = std::mem::take(&mut batch);
                    let ends =
                        events.iter().any(|event| matches!(event.kind, EventKind::End { .. }));
                    if stopped.is_cancelled() || (ends && !own_end.take()) {
                        events.retain(|event| event.kind.is_beside_end());
                    }
                    // What is seen is kept.
                    if let Some(complaint) = kept.record_events(&events) {
                        let _ = messages.send(complaint).await;
                    }
                    let weight = events.iter().map(Event::payload_len).sum();
                    let message = Message::Call(CallMessage::Events { call, events });
                    if queue::send_weighted(&messages, message, weight).await.is_err() {
                        return;
                    }
                }
            };
            tokio::join!(calling, telling);
        });
        self.0.retain(|_, running| !running.task.is_finished());
        let (task, began) = (task.abort_handle(), Instant::now());
        self.0.insert(call, Running { task, end, stop, began, record });
    }

    /// Cancels a call: the messages that say so, none where it has ended.
    pub fn cancel(&mut self, call: CallId) -> Vec<Message> {
        let running = self.0.remove(&call).filter(|running| running.end.take());
        let Some(running) = running else { return Vec::new() };
        running.stop.cancel();
        let at_ms = elapsed_ms(running.began);
        let end = EventKind::End { outcome: Outcome::Cancelled, problem: None };
        let events = vec![Event { at_ms, kind: end }];
        let complaint = running.record.record_events(&events);
        let ended = Message::Call(CallMessage::Events { call, events });
        complaint.into_iter().chain([ended]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_that_has_reported_its_end_is_not_cancelled() {
        let mut calls = RunningCalls::default();
        let mut begin = |call| {
            let end = EndClaim::default();
            let task = spawn(async {}).abort_handle();
            let (stop, record) = (CancellationToken::new(), Record::default());
            let running = Running { task, end: end.clone(), stop, began: Instant::now(), record };
            calls.0.insert(CallId(call), running);
            end
        };
        let (ended, going) = (begin(1), begin(2));
        assert!(ended.take());
        assert!(calls.cancel(CallId(1)).is_empty());
        assert_eq!(calls.cancel(CallId(2)).len(), 1);
        assert!(!going.take(), "what the call reports now is a second end");
    }
}
