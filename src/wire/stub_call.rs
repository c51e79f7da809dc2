//! A call that a stub answers within this process, reported as calls over a wire are.

use std::{sync::Arc, time::Duration};

use futures::{
    StreamExt,
    stream::{BoxStream, Fuse},
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    session::event_sink::{EventSink, SinkClosed},
    systems::facets::decided::{AnswerSource, decide_answer, timed_steps},
};
use crate::{
    engine::{
        services::sample::Asking,
        stub::play::{Body, ReplyId, Step, StubOutput},
    },
    model::{
        call::{CallError, Event, EventKind, Headers, Limits, Outcome, StrayCause},
        error_kind::ErrorKind,
        stub::{MockCall, StubService},
    },
};

/// Runs a call that is mocked, as [`answer_call`] does; its arguments are a JSON object.
pub(crate) async fn answer_mock(
    mock: &MockCall,
    arguments: &str,
    limits: Limits,
    events: mpsc::Sender<Event>,
) {
    let arguments = serde_json::from_str(arguments).unwrap_or_default();
    let asking = Asking { user: &mock.user, config: &mock.config, arguments: &arguments };
    answer_call(Arc::clone(&mock.service), &asking, limits, events).await;
}

/// Runs the call to its end and sends its events, as
/// [`Registry::run_call`](super::registry::Registry::run_call) does. Dropping it cancels the call.
pub(crate) async fn answer_call(
    stub: Arc<StubService>,
    asking: &Asking<'_>,
    limits: Limits,
    events: mpsc::Sender<Event>,
) {
    let mut sink = EventSink::new(events);
    // Whoever no longer listens need not be notified.
    let _ = tell_answer(stub, asking, limits, &mut sink).await;
}

async fn tell_answer(
    stub: Arc<StubService>,
    asking: &Asking<'_>,
    limits: Limits,
    sink: &mut EventSink,
) -> Result<(), SinkClosed> {
    sink.emit(EventKind::Sent { bytes: 0 }).await?;
    let decided = decide_answer(&AnswerSource::Stub(stub), asking);
    let stop = CancellationToken::new();
    let _stop = stop.clone().drop_guard();
    let mut steps = timed_steps(decided.play, &stop).fuse();
    let mut last = None;
    let (outcome, problem) = loop {
        let total = sink.began + limits.total;
        let step = tokio::select! {
            step = timeout(limits.idle, steps.next()) => step.ok().flatten(),
            () = sleep_until(total) => None,
        };
        let Some(step) = step else { break silence(limits) };
        last = Some(step.said.clone());
        if let Some(end) = tell_step(step, sink).await? {
            break end;
        }
    };
    sink.emit(EventKind::End { outcome, problem }).await?;
    linger(steps, last.as_ref(), limits.linger, sink).await
}

/// Reports what comes after the end: for that long, and what is there at once in any case.
async fn linger(
    mut steps: Fuse<BoxStream<'_, Step>>,
    last: Option<&StubOutput>,
    time: Duration,
    sink: &mut EventSink,
) -> Result<(), SinkClosed> {
    let until = Instant::now() + time;
    loop {
        let step = tokio::select! {
            biased;
            () = sink.closed() => return Ok(()),
            step = steps.next() => step,
            () = sleep_until(until) => None,
        };
        let Some(step) = step else { return Ok(()) };
        let own = if last == Some(&step.said) { StrayCause::Duplicate } else { StrayCause::Late };
        emit_stray(stray_cause(&step).unwrap_or(own), &step, sink).await?;
    }
}

/// Reports one message of the answer; the end, where it is one.
async fn tell_step(
    step: Step,
    sink: &mut EventSink,
) -> Result<Option<(Outcome, Option<CallError>)>, SinkClosed> {
    if let Some(cause) = stray_cause(&step) {
        emit_stray(cause, &step, sink).await?;
        let is_lost = cause == StrayCause::Unreadable;
        return Ok(is_lost.then(|| (Outcome::Lost, Some(unreadable()))));
    }
    match step.said {
        StubOutput::Chunk { text, last } => {
            let bytes = text.len();
            sink.emit(EventKind::Chunk { text: text.into(), bytes }).await?;
            Ok(last.then_some((Outcome::Succeeded, None)))
        }
        StubOutput::Error { kind, message } => {
            let problem = CallError::new(ErrorKind::parse(&kind), message, "");
            Ok(Some((Outcome::Failed, Some(problem))))
        }
    }
}

/// Why a message is no part of an answer, wherever it comes; `None`: it is one.
fn stray_cause(step: &Step) -> Option<StrayCause> {
    match step.under {
        ReplyId::Own if step.body == Body::Whole => None,
        ReplyId::Own => Some(StrayCause::Unreadable),
        ReplyId::Foreign => Some(StrayCause::ForeignId),
        ReplyId::Unknown => Some(StrayCause::UnknownId),
        ReplyId::Nothing => Some(StrayCause::NoId),
    }
}

async fn emit_stray(
    cause: StrayCause,
    step: &Step,
    sink: &mut EventSink,
) -> Result<(), SinkClosed> {
    let (StubOutput::Chunk { text: body, .. } | StubOutput::Error { message: body, .. }) =
        &step.said;
    let (id, headers, body) = (None, Headers::default(), body.as_str().into());
    sink.emit(EventKind::Stray { cause, id, headers, body }).await
}

fn silence(limits: Limits) -> (Outcome, Option<CallError>) {
    let message = "the answer didn't end in time";
    let remedy = format!(
        "{}; the delays of the stub or mock count, too, and so does the fault of its rule",
        limits.more_time
    );
    (Outcome::TimedOut, Some(CallError::new(ErrorKind::TimedOut, message, remedy)))
}

fn unreadable() -> CallError {
    let message = "can't read a message of the stub";
    CallError::new(ErrorKind::NotAReply, message, "check the fault of its rule")
}
