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

    /// The same until it is stopped: unless it has ended by then, it is kept as cancelled, and its
    /// answer has no outcome.
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
        let mut answer = Answer::default();
        let taking = async {
            let mut batch = Vec::with_capacity(QUEUE);
            while events.recv_many(&mut batch, QUEUE).await > 0 {
                recorder = recorder.take().and_then(|mut recorder| {
                    recorder.record_events(&batch).ok().map(|()| recorder)
                });
                batch.drain(..).for_each(|event| answer.apply_event(&event));
            }
        };
        let running = async { tokio::join!(calling, taking).1 };
        let is_stopped = tokio::select! {
            biased;
            () = stop.cancelled() => true,
            () = running => false,
        };
        if is_stopped && answer.outcome.is_none() {
            let kind = EventKind::End { outcome: Outcome::Cancelled, problem: None };
            let end = Event { at_ms: elapsed_ms(began), kind };
            let _ = recorder.as_mut().map(|recorder| recorder.record_events(&[end]));
            answer = Answer::default();
        }
        (answer, trace)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        model::entry::{EntryId, EntryPlace, FileId},
        schema::pointer::Pointer,
        systems::trustgraph::request::request_body,
    };

    fn request() -> Request {
        let place = EntryPlace::plain(FileId::new("t.json"), 0, Pointer::root());
        Request {
            tool: EntryId::new(place),
            system: "trustgraph",
            name: "calc".into(),
            to: "request:tg:calc".into(),
            reply: Some("response:tg:calc".into()),
            headers: vec![("id".into(), "r-1".into())],
            correlation: "r-1".into(),
            arguments: "{}".into(),
            body: request_body("alice", &serde_json::Map::new(), r#"{"expression": "6 * 7"}"#),
            mock: None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_stopped_after_its_end_has_that_end() {
        let (registry, connection) = (Registry::default(), Connection::embedded());
        let stop = CancellationToken::new();
        // What comes late is waited for, as it is stopped.
        let limits = Limits { linger: Duration::from_secs(3_600), ..Limits::default() };
        let call = WholeCall {
            registry: &registry,
            history: None,
            connection: &connection,
            request: request(),
            limits,
        };
        let later = async {
            tokio::time::sleep(Duration::from_secs(60)).await;
            stop.cancel();
        };
        let ((answer, _), ()) = tokio::join!(call.run_until(&stop), later);
        assert_eq!((answer.outcome, &*answer.text), (Some(Outcome::Succeeded), "42"));
    }
}
