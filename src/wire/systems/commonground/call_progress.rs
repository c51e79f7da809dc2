//! A call on its way, whichever that is: what is known of it, how its message is sent, and what is
//! notified of what passes.

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

use super::{calling::Calling, cause, channel_watch};
use crate::{
    model::{
        call::{CallError, Outcome},
        error_kind::ErrorKind,
        traffic::Decoded,
    },
    systems::commonground::{
        clue::{Advice, CallClue, CallIdentity},
        context::Context,
        routes,
        subject::Subject,
    },
    wire::{
        session::event_sink::{CallEnd, SinkClosed},
        transport::nats,
    },
};

/// How long the server may take to say that it keeps a message.
const KEEPING: Duration = Duration::from_secs(5);

/// What is known of a call on its way.
pub(crate) struct CallProgress {
    pub wanted: CallIdentity,
    /// Where the message went that is waited on now.
    pub to: String,
    pub call_card: Option<String>,
    pub due: Instant,
    /// What the call's command said of itself, where it was made here.
    pub context: Option<Context>,
    /// The tool's command passed.
    pub sent: bool,
    /// The UI worker took the action.
    pub accepted: bool,
    /// The consumers that gave the command up.
    pub gave_up: Vec<String>,
    /// What was seen of other agents' turns, before it is known which of them the call started.
    pub turns: VecDeque<Decoded>,
}

/// So much is remembered of them.
const REMEMBERED: usize = 1_000;

impl CallProgress {
    pub fn for_call(calling: &Calling<'_>, waiting: u64) -> Self {
        let request = calling.call_context.request;
        let seed = routes::seed(&request.correlation);
        let wanted = CallIdentity {
            call: format!("call_{seed}"),
            trace: seed,
            agent: calling.agent.clone(),
        };
        let (to, due, turns) =
            (request.to.clone(), calling.result_deadline(waiting), VecDeque::new());
        Self {
            wanted,
            to,
            call_card: None,
            due,
            context: None,
            sent: false,
            accepted: false,
            gave_up: Vec::new(),
            turns,
        }
    }

    /// Keeps what was seen of another agent's turn.
    pub fn remember_turn(&mut self, reading: Decoded) {
        if self.turns.len() == REMEMBERED {
            self.turns.pop_front();
        }
        self.turns.push_back(reading);
    }
}

/// Hands the message over and waits until the server says that it keeps it.
pub(crate) async fn publish_command(
    calling: &Calling<'_>,
    streams: &async_nats::jetstream::Context,
    progress: &CallProgress,
) -> Result<(), CallError> {
    let headers = nats::header_map(&calling.request_headers())?;
    let unkept = |cause: String| {
        let remedy = match Subject::parse(&progress.to) {
            Some(_) => {
                "start CommonGround's services, which make the stream (cg_cmd_v1r4), or check that \
                the connection leads to their server"
            }
            None => {
                "a subject has eight tokens or more: \
                cg.v1r4.PROJECT.CHANNEL.cmd.tool.TARGET.SUFFIX"
            }
        };
        CallError::new(
            ErrorKind::NotKept,
            format!("no stream keeps what is sent to {}: {cause}", progress.to),
            remedy,
        )
    };
    let publishing = async {
        let acknowledging = streams
            .publish_with_headers(progress.to.clone(), headers, calling.request_body())
            .await;
        acknowledging
            .map_err(|error| unkept(error.to_string()))?
            .await
            .map_err(|error| unkept(error.to_string()))
    };
    let patience = KEEPING.min(calling.call_context.limits.first);
    match tokio::time::timeout(patience, publishing).await {
        Ok(kept) => kept.map(drop),
        Err(_) => Err(unkept("the server did not acknowledge it".into())),
    }
}

/// Reports what was seen on the way, and remembers what later steps need.
pub(crate) async fn tell_clue(
    calling: &mut Calling<'_>,
    progress: &mut CallProgress,
    clue: CallClue,
) -> Result<(), SinkClosed> {
    match clue {
        CallClue::Command { subject, card, call } => {
            let pointer =
                card.as_deref().map_or_else(String::new, |card| format!(", call card {card}"));
            (progress.to, progress.call_card, progress.sent) = (subject.clone(), card, true);
            if let Some(call) = call {
                progress.wanted.call = call;
            }
            calling
                .sink
                .emit_stage("command", format!("command seen on {subject}{pointer}"), "")
                .await?;
            let Ok(streams) = calling.jetstream_context() else { return Ok(()) };
            if let Some(fault) = cause::listener_oddity(&streams, &subject).await {
                calling.sink.emit_stage("preflight", fault, "").await?;
            }
            Ok(())
        }
        CallClue::Wakeup if progress.sent => {
            calling
                .sink
                .emit_stage("reported", "the result was reported: the caller's worker is woken", "")
                .await
        }
        CallClue::Wakeup => {
            calling.sink.emit_stage("woken", "the UI worker is woken for the action", "").await
        }
        CallClue::Turn(reading) => {
            progress.remember_turn(*reading);
            Ok(())
        }
        CallClue::Ack(_) => Ok(()),
    }
}

/// Reports a delivery that was given back, where it is of this call; whether nobody is left who
/// could answer.
pub(crate) async fn tell_advice(
    calling: &mut Calling<'_>,
    progress: &mut CallProgress,
    advice: &Advice,
) -> Result<bool, SinkClosed> {
    let Ok(streams) = calling.jetstream_context() else { return Ok(false) };
    if !channel_watch::is_of_call(&streams, advice.sequence, &progress.wanted).await {
        return Ok(false);
    }
    let Advice { consumer, deliveries, .. } = advice;
    calling.given_back = *deliveries;
    if advice.given_up {
        let words = format!(
            "{consumer} gave the command up after {deliveries} deliveries: its log says why"
        );
        calling.sink.emit_stage("given-up", words, "").await?;
        progress.gave_up.push(consumer.clone());
        // Where another service listens too, its answer can still come, or has come already.
        return Ok(!cause::others_listen(&streams, &progress.to, &progress.gave_up)
            .await
            .unwrap_or_default());
    }
    let words = format!(
        "{consumer} gave the command back (delivery {deliveries}): it failed, or its report was refused"
    );
    calling.sink.emit_stage("given-back", words, "").await.map(|()| false)
}

pub(crate) fn connection_lost(calling: &Calling<'_>) -> CallError {
    let message = format!(
        "the connection to {} ended on the way",
        calling.call_context.bus.display_address()
    );
    CallError::new(
        ErrorKind::ConnectionLost,
        message,
        "the call may go on without us: look for its result card in Watch",
    )
}

pub(crate) fn end_as_lost(problem: CallError) -> Result<CallEnd, SinkClosed> {
    Ok((Outcome::Lost, Some(problem)))
}
