//! Listening: every partition of a topic is read on from where it ended, and what comes goes into
//! one line.

use bytes::Bytes;
use futures::{
    StreamExt, TryStreamExt,
    stream::{self, FuturesUnordered},
};
use rskafka::{
    client::{
        error::Error,
        partition::{OffsetAt, PartitionClient},
    },
    record::Record,
};
use tokio::sync::mpsc;

use super::{messages, topics::Topics};
use crate::{
    model::call::CallError,
    wire::{
        now::now_millis,
        transport::{
            message::{Incoming, Packet, SENT_AT},
            message_queue::QueueSender,
            reconnecting::LinkEvent,
        },
    },
};

/// How much is read at once of one partition, in bytes; a message larger than that comes all the
/// same.
const AT_ONCE: i32 = 1024 * 1024;

/// How long a broker waits for a message to come before it says that there is none, in
/// milliseconds; longer while none comes. Some brokers only look once in that time.
const WAITING: i32 = 100;
const WAITING_LONGEST: i32 = 1_000;

/// Partitions that are connected to at the same time.
const TOGETHER: usize = 16;

/// All partitions of a topic.
pub(crate) struct Subscription {
    place: String,
    topic: String,
    partitions: Vec<Place>,
    largest: usize,
    /// Each message says when it was sent.
    has_times: bool,
    said: mpsc::UnboundedSender<LinkEvent>,
}

/// One partition, and the next message to read there.
struct Place {
    client: PartitionClient,
    next: i64,
}

impl Subscription {
    /// Ready to hear what comes from now on.
    pub async fn open_latest(
        topics: &Topics,
        topic: &str,
        partitions: Vec<i32>,
        said: mpsc::UnboundedSender<LinkEvent>,
    ) -> Result<Self, CallError> {
        let open = |partition| async move {
            let client = topics.partition_client(topic, partition, "listen on").await?;
            let next = client.get_offset(OffsetAt::Latest).await;
            let next = next.map_err(|error| {
                messages::operation_refused(topics.display_address(), "listen on", topic, &error)
            })?;
            Ok::<_, CallError>(Place { client, next })
        };
        let partitions =
            stream::iter(partitions).map(open).buffer_unordered(TOGETHER).try_collect().await?;
        let (place, topic, largest) =
            (topics.display_address().to_owned(), topic.to_owned(), topics.max_message_size());
        Ok(Self { place, topic, partitions, largest, has_times: false, said })
    }

    /// The same, whose messages say when they were sent, as their records have it: a broker may
    /// hand several partitions out in any order, and late.
    #[must_use]
    pub fn with_times(self, has_times: bool) -> Self {
        Self { has_times, ..self }
    }

    /// Takes what comes until a partition can be read no more, or the listener is gone. A slow
    /// listener only reads later: the broker keeps what is not read yet.
    pub async fn forward_messages(&mut self, feeder: &QueueSender) {
        let mut reading: FuturesUnordered<_> = self
            .partitions
            .iter_mut()
            .map(|place| place.forward_records(feeder, self.has_times))
            .collect();
        let ended = tokio::select! {
            () = feeder.closed() => None,
            ended = reading.next() => ended.flatten(),
        };
        if let Some(event) = ended.and_then(|error| {
            messages::subscription_ended(&self.place, &self.topic, self.largest, &error)
        }) {
            // Without the link nobody listens.
            let _ = self.said.send(event);
        }
    }
}

impl Place {
    /// Reads on, until the broker says why not; `None`: the listener has left.
    async fn forward_records(&mut self, feeder: &QueueSender, has_times: bool) -> Option<Error> {
        let mut waiting = WAITING;
        loop {
            let (records, _) = match self.client.fetch_records(self.next, 1..AT_ONCE, waiting).await
            {
                Ok(read) => read,
                Err(error) => return Some(error),
            };
            waiting = if records.is_empty() { (waiting * 2).min(WAITING_LONGEST) } else { WAITING };
            for read in records {
                self.next = read.offset + 1;
                let sent = has_times.then(|| read.record.timestamp.timestamp_millis());
                let mut packet = to_packet(read.record);
                packet.headers.extend(sent.and_then(sent_at));
                if feeder.push(Incoming::Packet(packet)).await.is_err() {
                    return None;
                }
            }
        }
    }
}

/// When a record was sent, as it says: not at all in some, and not later than now.
fn sent_at(millis: i64) -> Option<(String, String)> {
    let millis = u64::try_from(millis).ok().filter(|millis| *millis > 0)?;
    Some((SENT_AT.to_owned(), millis.min(now_millis().0).to_string()))
}

fn to_packet(record: Record) -> Packet {
    let headers = record
        .headers
        .into_iter()
        .map(|(name, value)| (name, String::from_utf8_lossy(&value).into_owned()));
    Packet {
        subject: None,
        reply: None,
        headers: headers.collect(),
        body: Bytes::from(record.value.unwrap_or_default()),
    }
}
