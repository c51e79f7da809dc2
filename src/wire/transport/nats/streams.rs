//! What JetStream keeps: which streams keep what goes to a subject, their messages once more, and
//! one of them by its number.

use async_nats::{
    Client, HeaderMap, Message,
    jetstream::{
        self,
        consumer::{DeliverPolicy, pull::OrderedConfig},
    },
};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::Value;

use super::{
    super::{
        bus::{Recall, StoredMessage, StoredStream},
        message::{Address, Packet},
        pattern::intersect_patterns,
    },
    received,
};
use crate::model::{call::CallError, clock::Millis, error_kind::ErrorKind};

/// What reports others' messages.
pub(super) const ADVISORY: &str = "$JS.EVENT.ADVISORY.CONSUMER.";

fn stream_problem(doing: &str, error: impl std::fmt::Display) -> CallError {
    CallError {
        kind: ErrorKind::NoStreams,
        message: format!("{doing}: {error}"),
        remedy:
            "check that the server has JetStream, and that this user may use its API ($JS.API.>)"
                .into(),
    }
}

/// The streams that keep what goes to these places, once for each subject that a stream and a place
/// share.
pub(super) async fn retained_streams(
    client: &Client,
    at: &[Address],
) -> Result<Vec<StoredStream>, CallError> {
    let context = jetstream::new(client.clone());
    let streams: Vec<_> = context
        .streams()
        .try_collect()
        .await
        .map_err(|error| stream_problem("can't list the streams", error))?;
    let mut kept: Vec<StoredStream> = Vec::new();
    for stream in &streams {
        let subjects = stream.config.subjects.iter().map(|subject| subject.as_str());
        for filter in subjects.flat_map(|subject| {
            at.iter().filter_map(move |place| intersect_patterns(&place.name, subject))
        }) {
            let keeps = StoredStream {
                stream: stream.config.name.as_str().into(),
                filter,
                newest: stream.state.last_sequence,
            };
            if !kept.contains(&keeps) {
                kept.push(keeps);
            }
        }
    }
    Ok(kept)
}

/// What a stream kept since then, up to its newest message of now: an ordered consumer of our own
/// reads it, which goes by itself.
pub(super) async fn read_retained(
    client: &Client,
    kept: &StoredStream,
    since: Millis,
) -> Result<Recall, CallError> {
    let unread = |error: &dyn std::fmt::Display| {
        stream_problem(&format!("can't read stream {}", kept.stream), error)
    };
    let context = jetstream::new(client.clone());
    let stream = context.get_stream(&*kept.stream).await.map_err(|error| unread(&error))?;
    let newest = stream.cached_info().state.last_sequence;
    let start_time = async_nats::datetime::from_nanos(i128::from(since.0) * 1_000_000)
        .map_err(|error| unread(&error))?;
    let config = OrderedConfig {
        filter_subject: kept.filter.clone(),
        deliver_policy: DeliverPolicy::ByStartTime { start_time },
        ..OrderedConfig::default()
    };
    let consumer = stream.create_consumer(config).await.map_err(|error| unread(&error))?;
    if consumer.cached_info().num_pending == 0 {
        return Ok(stream::empty().boxed());
    }
    let messages = consumer.messages().await.map_err(|error| unread(&error))?;
    let name = kept.stream.to_string();
    let messages = messages.map(move |message| {
        let lost = |error: &dyn std::fmt::Display| {
            stream_problem(&format!("can't read more of stream {name}"), error)
        };
        let message = message.map_err(|error| lost(&error))?;
        let about = message.info().map_err(|error| lost(&error))?;
        let nanos = u64::try_from(about.published.unix_timestamp_nanos()).unwrap_or(0);
        let (sequence, pending) = (about.stream_sequence, about.pending);
        Ok((StoredMessage { packet: to_packet(message.message), nanos, sequence }, pending))
    });
    // Ends with the newest message of now, or the last one before it that is meant.
    let ending = stream::unfold(Some(messages), move |messages| async move {
        let mut messages = messages?;
        match messages.next().await? {
            Ok((recalled, _)) if recalled.sequence > newest => None,
            Ok((recalled, pending)) => {
                let more = pending > 0 && recalled.sequence < newest;
                Some((Ok(recalled), more.then_some(messages)))
            }
            Err(problem) => Some((Err(problem), None)),
        }
    });
    Ok(ending.boxed())
}

/// The reply of such a message is the reader's own, and nobody else's.
fn to_packet(message: Message) -> Packet {
    Packet {
        subject: Some(message.subject.to_string()),
        reply: None,
        headers: received::sorted_headers(message.headers.as_ref()),
        body: message.payload,
    }
}

/// The message that an advisory reports.
pub(super) async fn referenced_message(
    client: &Client,
    advisory: &Packet,
) -> Result<Option<Packet>, CallError> {
    let told: Value = serde_json::from_slice(&advisory.body).unwrap_or_default();
    let (Some(stream), Some(sequence)) = (told["stream"].as_str(), told["stream_seq"].as_u64())
    else {
        return Ok(None);
    };
    let context = jetstream::new(client.clone());
    let stream = context
        .get_stream_no_info(stream)
        .await
        .map_err(|error| stream_problem("can't read a rejected message", error))?;
    let message = stream
        .get_raw_message(sequence)
        .await
        .map_err(|error| stream_problem("can't read a rejected message", error))?;
    let headers: &HeaderMap = &message.headers;
    Ok(Some(Packet {
        subject: Some(message.subject.to_string()),
        reply: None,
        headers: received::sorted_headers(Some(headers)),
        body: message.payload,
    }))
}
