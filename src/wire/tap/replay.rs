//! What the broker kept, played before what is received now: by time over all its streams, each
//! message once.

use std::{collections::HashMap, sync::Arc};

use futures::StreamExt;

use super::{buffer::TapBuffer, now::notice_now, redact::Redactor};
use crate::{
    model::{
        clock::Millis,
        traffic::{ObservedMessage, Tapped},
    },
    wire::{
        now::now_millis,
        transport::bus::{Bus, Recall, StoredMessage, StoredStream},
    },
};

/// What is to be played.
pub(super) struct StoredPast {
    pub(super) bus: Arc<dyn Bus>,
    /// What is kept; asked for before it was listened.
    pub(super) keeps: Vec<StoredStream>,
    pub(super) since: Millis,
    pub(super) cut: Arc<Redactor>,
    pub(super) buffer: Arc<TapBuffer>,
}

/// One stream, and its next message.
struct Source<'k> {
    kept: &'k StoredStream,
    rest: Recall,
    next: StoredMessage,
}

impl StoredPast {
    /// Plays it to its end, and then lets what was received meanwhile go on.
    pub(super) async fn replay_kept(self) {
        let mut sources: Vec<Source<'_>> = Vec::new();
        for kept in &self.keeps {
            match self.bus.read_retained(kept, self.since).await {
                Ok(rest) => sources.extend(self.next_of(kept, rest).await),
                Err(problem) => self.put_notice(problem.message).await,
            }
        }
        let mut played: HashMap<Arc<str>, u64> = HashMap::new();
        let mut count = 0_u64;
        // What came between asking and listening may have been received as well.
        let mut twice: Vec<Arc<ObservedMessage>> = Vec::new();
        while let Some(row) = (0..sources.len())
            .min_by_key(|row| (sources[*row].next.nanos, sources[*row].next.sequence))
        {
            let Source { kept, rest, next } = sources.swap_remove(row);
            let last = played.entry(Arc::clone(&kept.stream)).or_default();
            if next.sequence > *last {
                *last = next.sequence;
                count += 1;
                let crossing =
                    Arc::new(self.cut.redact_packet(next.packet, Millis(next.nanos / 1_000_000)));
                if next.sequence > kept.newest {
                    twice.push(Arc::clone(&crossing));
                }
                self.buffer.put_kept(Tapped::ObservedMessage(crossing)).await;
            }
            sources.extend(self.next_of(kept, rest).await);
        }
        self.put_notice(match (self.keeps.is_empty(), count) {
            (true, _) if self.bus.transport().spec().keeps => {
                "no stream keeps the traffic here, so there are no earlier messages".into()
            }
            (true, _) => {
                let words = "earlier messages are only available from JetStream over NATS; live \
                    traffic from here on";
                words.into()
            }
            (false, 0) => "no messages were kept since then; live traffic from here on".into(),
            (false, 1) => "1 message was kept since then; live traffic from here on".into(),
            (false, count) => format!(
                "{count} messages were kept since then; live traffic from \
                here on"
            ),
        })
        .await;
        self.buffer.go_on(twice, now_millis());
    }

    async fn next_of<'k>(&self, kept: &'k StoredStream, mut rest: Recall) -> Option<Source<'k>> {
        match rest.next().await? {
            Ok(next) => Some(Source { kept, rest, next }),
            Err(problem) => {
                self.put_notice(problem.message).await;
                None
            }
        }
    }

    async fn put_notice(&self, words: String) {
        self.buffer.put_kept(notice_now(words)).await;
    }
}
