//! Makes a call whose answer is wanted whole, and keeps it in the history.

use std::sync::Arc;

use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;

use super::now::{elapsed_ms, now_millis};
use crate::{
    engine::case::verdict::Answer,
    model::{
        call::{Event, EventKind, Limits, Outcome, Request},
        connection::Connection,
        trace::{Head, TraceId},
    },
    store::history::History,
    wire::registry::Registry,
};

/// Events on their way at most; more make the wire wait.
const QUEUE: usize = 256;

/// A call that is to be made.
pub(crate) struct WholeCall<'c> {
    pub registry: &'c Registry,
    /// `None`: it isn't kept.
    pub history: Option<&'c Arc<History>>,
    pub connection: &'c Connection,
    pub request: Request,
    pub limits: Limits,
}

impl WholeCall<'_> {
    /// Makes it, also where it cannot be kept: what came, and what it is kept as.
    pub async fn run(self) -> (Answer, Option<TraceId>) {
        self.run_until(&CancellationToken::new()).await
    }

    /// The same until it is stopped: then it is kept as cancelled, and its answer has no outcome.
    pub async fn run_until(self, stop: &CancellationToken) -> (Answer, Option<TraceId>) {
        if stop.is_cancelled() {
            return (Answer::default(), None);
        }
        let began = Instant::now();
        let head = Head::from_request(&self.request, self.connection, now_millis());
        let mut recorder = self.history.and_then(|history| history.begin_call(&head).ok());
        let trace = recorder.is_some().then_some(head.id);
        let (sender, mut events) = mpsc::channel(QUEUE);
        let calling = self.registry.run_call(self.connection, self.request, self.limits, sender);
        let taking = async {
            let mut answer = Answer::default();
            let mut batch = Vec::with_capacity(QUEUE);
            while events.recv_many(&mut batch, QUEUE).await > 0 {
                recorder = recorder.take().and_then(|mut recorder| {
                    recorder.record_events(&batch).ok().map(|()| recorder)
                });
                batch.drain(..).for_each(|event| answer.apply_event(&event));
            }
            answer
        };
        let running = async { tokio::join!(calling, taking).1 };
        let ended = tokio::select! {
            biased;
            () = stop.cancelled() => None,
            answer = running => Some(answer),
        };
        let answer = ended.unwrap_or_else(|| {
            let kind = EventKind::End { outcome: Outcome::Cancelled, problem: None };
            let end = Event { at_ms: elapsed_ms(began), kind };
            let _ = recorder.as_mut().map(|recorder| recorder.record_events(&[end]));
            Answer::default()
        });
        (answer, trace)
    }
}
