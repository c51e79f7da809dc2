//! `toolcrib call --times`: one request many times, some at once, and how long it took.

use std::{pin::pin, sync::Arc};

use futures::StreamExt as _;
use serde_json::json;
use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    ending::{CommandResult, Ending},
    out::CommandOutput,
    signals::interrupted,
};
use crate::{
    engine::{case::verdict::Answer, series::CallSeries},
    model::{
        call::{Event, EventKind, Limits, Outcome, Request},
        connection::Connection,
        trace::Head,
    },
    runtime::now::now_millis,
    store::history::History,
    wire::registry::Registry,
};

/// Events on their way at most, for each call.
const QUEUE: usize = 256;

/// What is sent, and how.
pub(crate) struct BatchCall {
    pub registry: Registry,
    pub requests: Vec<Request>,
    pub at_once: usize,
    pub connection: Connection,
    pub limits: Limits,
    /// `None`: nothing is kept.
    pub history: Option<Arc<History>>,
    pub json: bool,
}

/// Sends all and says how each ended, in their order, and what came of them together. An
/// interruption ends it with what came until then.
pub(crate) async fn run_batch(many: BatchCall, out: &mut CommandOutput) -> CommandResult {
    let BatchCall { registry, requests, at_once, connection, limits, history, json } = many;
    let mut interrupt = pin!(interrupted());
    let stop = CancellationToken::new();
    let calls = requests
        .into_iter()
        .map(|request| call_once(&registry, &connection, request, limits, history.as_ref(), &stop));
    let mut answers = pin!(futures::stream::iter(calls).buffered(at_once));
    let mut series = CallSeries::default();
    let mut ending = Ending::Done;
    loop {
        let next = tokio::select! {
            biased;
            () = &mut interrupt => {
                stop.cancel();
                // Those under way are cancelled, and none begins.
                while answers.next().await.is_some() {}
                ending = Ending::Interrupted;
                break;
            }
            next = answers.next() => next,
        };
        let Some(answer) = next else { break };
        let outcome = answer.outcome.unwrap_or(Outcome::Cancelled);
        // What the connection took to open, and its server to start, isn't the tool's time.
        series.add_call(outcome, answer.answered_in(), answer.first_after());
        if outcome != Outcome::Succeeded {
            ending = Ending::Found;
        }
        if json {
            let error = answer
                .error
                .as_ref()
                .map(|(kind, message)| json!({"type": kind, "message": message}));
            out.json_line(&json!({"event": "end", "at_ms": answer.took_ms, "took_ms": answer.answered_in(), "outcome": outcome.as_str(), "error": error, "chunks": answer.chunks}))?;
        } else if let Some((kind, message)) = &answer.error {
            out.print_status(format_args!("{}: {message} ({kind})", outcome.as_str()));
        }
    }
    match json {
        true => out.json_line(&series.to_json())?,
        false => out.print_line(series.summary())?,
    }
    Ok(ending)
}

async fn call_once(
    registry: &Registry,
    connection: &Connection,
    request: Request,
    limits: Limits,
    history: Option<&Arc<History>>,
    stop: &CancellationToken,
) -> Answer {
    let began = Instant::now();
    if stop.is_cancelled() {
        return Answer::default();
    }
    // A call is made although it cannot be kept.
    let mut recorder = history.and_then(|history| {
        history.begin_call(&Head::from_request(&request, connection, now_millis())).ok()
    });
    let (sender, mut events) = mpsc::channel(QUEUE);
    let calling = registry.run_call(connection, request, limits, sender);
    let taking = async {
        let mut answer = Answer::default();
        let mut batch = Vec::with_capacity(QUEUE);
        while events.recv_many(&mut batch, QUEUE).await > 0 {
            recorder = recorder
                .take()
                .and_then(|mut recorder| recorder.record_events(&batch).ok().map(|()| recorder));
            batch.drain(..).for_each(|event| answer.apply_event(&event));
        }
        answer
    };
    let running = async { tokio::join!(calling, taking).1 };
    let ended = tokio::select! {
        biased;
        () = stop.cancelled() => None,
        ended = running => Some(ended),
    };
    ended.unwrap_or_else(|| {
        let at_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let kind = EventKind::End { outcome: Outcome::Cancelled, problem: None };
        let _ = recorder.as_mut().map(|recorder| recorder.record_events(&[Event { at_ms, kind }]));
        Answer::default()
    })
}
