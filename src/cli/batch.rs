//! `toolcrib call --times`: one request many times, some at once, and how long it took.

use std::{pin::pin, sync::Arc};

use futures::StreamExt as _;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    ending::{CommandResult, Ending},
    out::CommandOutput,
    signals::interrupted,
};
use crate::{
    engine::series::CallSeries,
    model::{
        call::{Limits, Outcome, Request},
        connection::Connection,
    },
    runtime::whole_call::WholeCall,
    store::history::History,
    wire::registry::Registry,
};

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
    let calls = requests.into_iter().map(|request| {
        let (registry, connection, history) = (&registry, &connection, history.as_ref());
        let call = WholeCall { registry, history, connection, request, limits };
        let stop = &stop;
        async move { call.run_until(stop).await.0 }
    });
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
