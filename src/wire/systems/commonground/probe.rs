//! A probe: the command alone, over NATS. Without a card the service can only refuse it, and
//! without a turn its report is refused; but the mark that it sets in its bucket, and the result
//! card behind that, show that it is there.

use async_nats::jetstream::{Context, kv::Watch};
use futures::StreamExt;
use serde_json::Value;
use tokio::time::sleep_until;

use super::{
    before_sending,
    call_progress::{CallProgress, connection_lost, end_as_lost, publish_command, tell_advice},
    calling::Calling,
    channel_watch::{ChannelWatch, SeenMessage},
    given_up,
};
use crate::{
    model::call::{EventKind, Outcome},
    systems::commonground::{
        idempotency::{self, Marker},
        known::Known,
        preflight::CommandWorld,
        routes,
    },
    wire::session::event_sink::{CallEnd, SinkClosed},
};

/// In whose name a probe is sent where there is nobody else: it needs no agent that the project
/// knows.
const PROBE: &str = "toolcrib_probe";

pub(crate) async fn run_call(calling: &mut Calling<'_>) -> Result<CallEnd, SinkClosed> {
    let streams = match calling.jetstream_context() {
        Ok(streams) => streams,
        Err(problem) => return end_as_lost(problem),
    };
    let words = "a probe over NATS alone: no card can be written, so the service refuses it; that it does shows that it is there";
    calling.sink.emit_stage("route", words, "").await?;
    if calling.agent.is_empty() {
        calling.agent = PROBE.into();
    }
    let mut watch = match ChannelWatch::subscribe(calling.call_context.bus, calling.channel).await {
        Ok(watch) => watch,
        Err(problem) => return end_as_lost(problem),
    };
    let mut marks = watch_marker(calling, &streams).await;
    if marks.is_none() {
        let words = format!(
            "the bucket {} cannot be read, so only the deliveries show what becomes of it",
            idempotency::TOOL_BUCKET
        );
        calling.sink.emit_stage("preflight", words, "").await?;
    }
    // A probe has neither card nor turn.
    let world = CommandWorld {
        card: Known::Absent,
        turn: Known::Absent,
        request: Known::Absent,
        ..CommandWorld::default()
    };
    before_sending::tell_faults(calling, &streams, world).await?;
    let mut progress = CallProgress::for_call(calling, routes::WAITING);
    if let Err(problem) = publish_command(calling, &streams, &progress).await {
        return end_as_lost(problem);
    }
    calling.sink.emit(EventKind::Sent { bytes: calling.call_context.request.body.len() }).await?;
    loop {
        let word = calling.next_word();
        tokio::select! {
            biased;
            mark = next_marker(&mut marks) => match mark {
                Some(Marker::Running { .. }) => calling.sink.emit_stage("claimed", "the service has marked the call as running", "").await?,
                Some(Marker::Done { result_card, status, .. }) => return show_answer(calling, result_card.as_deref(), status).await,
                None => marks = None,
            },
            seen = watch.next(&progress.wanted) => match seen {
                None => return end_as_lost(connection_lost(calling)),
                // It is our own.
                Some(SeenMessage::Clue(_)) => {}
                Some(SeenMessage::Advice(advice)) => {
                    if tell_advice(calling, &mut progress, &advice).await? {
                        return given_up::end_given_up(calling, &progress).await;
                    }
                }
            },
            () = sleep_until(progress.due) => return Ok(calling.timed_out(&progress.to, &progress.wanted.call).await),
            () = sleep_until(word) => calling.tell_waiting(&progress.to, &progress.wanted.call).await?,
        }
    }
}

async fn watch_marker(calling: &Calling<'_>, streams: &Context) -> Option<Watch> {
    let key = calling
        .call_context
        .request
        .reply
        .as_deref()?
        .strip_prefix("$KV.")?
        .strip_prefix(idempotency::TOOL_BUCKET)?
        .strip_prefix('.')?;
    streams.get_key_value(idempotency::TOOL_BUCKET).await.ok()?.watch(key).await.ok()
}

async fn next_marker(marks: &mut Option<Watch>) -> Option<Marker> {
    let Some(marks) = marks else { return std::future::pending().await };
    loop {
        let entry = marks.next().await?.ok()?;
        let value: Value = serde_json::from_slice(&entry.value).unwrap_or_default();
        if let Some(marker) = idempotency::parse_marker(&value) {
            return Some(marker);
        }
    }
}

/// The service has answered, and that is what was wanted.
async fn show_answer(
    calling: &mut Calling<'_>,
    card: Option<&str>,
    status: Option<String>,
) -> Result<CallEnd, SinkClosed> {
    let words =
        format!("the service answered ({}): it is there", status.as_deref().unwrap_or("no status"));
    calling.sink.emit_stage("answered", words, "").await?;
    let Some(card) = card else { return Ok((Outcome::Succeeded, None)) };
    let (words, body) = match calling.read_card(card).await {
        Ok(value) => {
            let error = value["content"]["error"]["message"].as_str().unwrap_or("no error");
            (format!("result card {card}: {error}"), value.to_string())
        }
        Err(why) => (format!("result card {card}, which cannot be read: {why}"), String::new()),
    };
    calling.sink.emit_stage("result-card", words, body.clone()).await?;
    if !body.is_empty() {
        calling.sink.emit(EventKind::Chunk { bytes: body.len(), text: body.into() }).await?;
    }
    Ok((Outcome::Succeeded, None))
}
