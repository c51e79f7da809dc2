//! A probe: the command alone, over NATS. Without a card the service can only refuse it, and
//! without a turn its report is refused; but the mark that it sets in its bucket, and the result
//! card behind that, show that it is there.

use async_nats::jetstream::{Context, kv::Watch};
use futures::StreamExt;
use serde_json::Value;
use tokio::time::sleep_until;

use super::{
    calling::Calling,
    cause, given_up,
    sight::{Seen, Sight},
    way::{Way, gone, lost, publish, tell_advice},
};
use crate::{
    model::call::{EventKind, Outcome},
    systems::commonground::{
        command::Command,
        idempotency::{self, Marker},
        known::Known,
        preflight::{self, ServiceKind, World},
        routes,
        subject::Subject,
    },
    wire::session::event_sink::{End, SinkClosed},
};

/// In whose name a probe is sent where there is nobody else: it needs no agent that the project
/// knows.
const PROBE: &str = "toolcrib_probe";

pub(crate) async fn run(calling: &mut Calling<'_>) -> Result<End, SinkClosed> {
    let streams = match calling.streams() {
        Ok(streams) => streams,
        Err(problem) => return lost(problem),
    };
    let words = "a probe over NATS alone: no card can be written, so the service refuses it; that it does shows that it is there";
    calling.sink.stage("route", words, "").await?;
    if calling.agent.is_empty() {
        calling.agent = PROBE.into();
    }
    let mut sight = match Sight::open(calling.call_context.bus, calling.channel).await {
        Ok(sight) => sight,
        Err(problem) => return lost(problem),
    };
    let mut marks = marks(calling, &streams).await;
    if marks.is_none() {
        let words = format!(
            "the bucket {} cannot be read, so only the deliveries show what becomes of it",
            idempotency::TOOL_BUCKET
        );
        calling.sink.stage("preflight", words, "").await?;
    }
    check(calling, &streams).await?;
    let mut way = Way::of(calling, routes::WAITING);
    if let Err(problem) = publish(calling, &streams, &way).await {
        return lost(problem);
    }
    calling.sink.emit(EventKind::Sent { bytes: calling.call_context.request.body.len() }).await?;
    loop {
        let word = calling.next_word();
        tokio::select! {
            biased;
            mark = mark(&mut marks) => match mark {
                Some(Marker::Running { .. }) => calling.sink.stage("claimed", "the service has marked the call as running", "").await?,
                Some(Marker::Done { result_card, status, .. }) => return shown(calling, result_card.as_deref(), status).await,
                None => marks = None,
            },
            seen = sight.next(&way.wanted) => match seen {
                None => return lost(gone(calling)),
                // It is our own.
                Some(Seen::Clue(_)) => {}
                Some(Seen::Advice(advice)) => {
                    if tell_advice(calling, &mut way, &advice).await? {
                        return given_up::end(calling, &way).await;
                    }
                }
            },
            () = sleep_until(way.due) => return Ok(calling.late(&way.to, &way.wanted.call).await),
            () = sleep_until(word) => calling.tell_waiting(&way.to, &way.wanted.call).await?,
        }
    }
}

async fn marks(calling: &Calling<'_>, streams: &Context) -> Option<Watch> {
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

async fn mark(marks: &mut Option<Watch>) -> Option<Marker> {
    let Some(watch) = marks else { return std::future::pending().await };
    loop {
        let entry = watch.next().await?.ok()?;
        let value: Value = serde_json::from_slice(&entry.value).unwrap_or_default();
        if let Some(marker) = idempotency::marker(&value) {
            return Some(marker);
        }
    }
}

/// Says what will come of the command.
async fn check(calling: &mut Calling<'_>, streams: &Context) -> Result<(), SinkClosed> {
    let to = calling.call_context.request.to.clone();
    let command = Command {
        subject: to.clone(),
        headers: calling.headers(),
        body: String::from_utf8_lossy(&calling.body()).into_owned(),
    };
    let listeners = cause::listeners(streams)
        .await
        .map_or(Known::Unknown, |listeners| Known::Found(cause::filters(&listeners)));
    let service = Subject::parse(&to)
        .map_or(ServiceKind::Plain, |subject| ServiceKind::behind(&subject.target));
    let world = World {
        service,
        card: Known::Absent,
        turn: Known::Absent,
        request: Known::Absent,
        listeners,
        ..World::default()
    };
    for fault in preflight::preflight(&command, &world) {
        calling.sink.stage("preflight", format!("before sending: {fault}"), "").await?;
    }
    Ok(())
}

/// The service has answered, and that is what was wanted.
async fn shown(
    calling: &mut Calling<'_>,
    card: Option<&str>,
    status: Option<String>,
) -> Result<End, SinkClosed> {
    let words =
        format!("the service answered ({}): it is there", status.as_deref().unwrap_or("no status"));
    calling.sink.stage("answered", words, "").await?;
    let Some(card) = card else { return Ok((Outcome::Succeeded, None)) };
    let (words, body) = match calling.card(card).await {
        Ok(value) => {
            let error = value["content"]["error"]["message"].as_str().unwrap_or("no error");
            (format!("result card {card}: {error}"), value.to_string())
        }
        Err(why) => (format!("result card {card}, which cannot be read: {why}"), String::new()),
    };
    calling.sink.stage("result-card", words, body.clone()).await?;
    if !body.is_empty() {
        calling.sink.emit(EventKind::Chunk { bytes: body.len(), text: body.into() }).await?;
    }
    Ok((Outcome::Succeeded, None))
}
