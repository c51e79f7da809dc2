//! Streams of events that a client goes on with after they broke: what it was sent is kept for a
//! while, each event under an id.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{Notify, mpsc};

use crate::wire::spawning::spawn;

/// So many events may be ahead of whoever reads them; more make their senders wait.
const AHEAD: u64 = 64;
/// So many events are kept for who may come back, and so many bytes of them.
const KEPT: usize = 256;
const KEPT_BYTES: usize = 16 * 1024 * 1024;
/// So many streams of one client are kept.
const STREAMS: usize = 64;

/// The streams of one client.
#[derive(Default)]
pub(crate) struct ReplayedStreams(Mutex<KnownStreams>);

#[derive(Default)]
struct KnownStreams {
    begun: u64,
    streams: VecDeque<Arc<EventStream>>,
}

/// A stream of frames, which are numbered from 1.
pub(crate) struct EventStream {
    number: u64,
    events: Mutex<KeptEvents>,
    changed: Notify,
}

#[derive(Default)]
struct KeptEvents {
    frames: VecDeque<Arc<str>>,
    bytes: usize,
    /// How many were kept once and are no longer.
    dropped: u64,
    /// The last one that was read.
    read: u64,
    readers: usize,
    is_over: bool,
}

impl KeptEvents {
    fn push(&mut self, frame: Arc<str>) {
        self.bytes += frame.len();
        self.frames.push_back(frame);
        while self.frames.len() > KEPT || (self.bytes > KEPT_BYTES && self.frames.len() > 1) {
            self.bytes -= self.frames.pop_front().map_or(0, |frame| frame.len());
            self.dropped += 1;
        }
    }

    fn last(&self) -> u64 {
        self.dropped + self.frames.len() as u64
    }
}

impl ReplayedStreams {
    /// A new stream of all that comes, which goes on while nobody reads it.
    pub fn begin(&self, mut frame_receiver: mpsc::Receiver<String>) -> Arc<EventStream> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.begun += 1;
        let number = known.begun;
        let (events, changed) = (Mutex::default(), Notify::new());
        let stream = Arc::new(EventStream { number, events, changed });
        if known.streams.len() >= STREAMS {
            known.streams.pop_front();
        }
        known.streams.push_back(Arc::clone(&stream));
        let filled = Arc::clone(&stream);
        spawn(async move {
            while let Some(frame) = frame_receiver.recv().await {
                filled.push(frame.into()).await;
            }
            filled.end();
        });
        stream
    }

    /// Goes on with the stream that an event was of, after that event.
    #[must_use]
    pub fn resume(&self, event: &str) -> Option<StreamReader> {
        let (number, last) = event.split_once('-')?;
        let (number, last) = (number.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let stream = known.streams.iter().find(|stream| stream.number == number)?;
        Some(StreamReader::new(Arc::clone(stream), last))
    }
}

impl EventStream {
    fn events(&self) -> MutexGuard<'_, KeptEvents> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a frame, once whoever reads is near enough.
    async fn push(&self, frame: Arc<str>) {
        loop {
            let changed = self.changed.notified();
            {
                let mut events = self.events();
                if events.readers == 0 || events.last() < events.read + AHEAD {
                    events.push(frame);
                    break;
                }
            }
            changed.await;
        }
        self.changed.notify_waiters();
    }

    fn end(&self) {
        self.events().is_over = true;
        self.changed.notify_waiters();
    }
}

/// Reads a stream until this is dropped.
pub(crate) struct StreamReader {
    stream: Arc<EventStream>,
    last: u64,
}

impl StreamReader {
    /// From after that event on.
    pub fn new(stream: Arc<EventStream>, last: u64) -> Self {
        {
            let mut events = stream.events();
            events.readers += 1;
            events.read = events.read.max(last);
        }
        Self { stream, last }
    }

    /// The id of the last event, which a client comes back with.
    #[must_use]
    pub fn last_id(&self) -> String {
        format!("{}-{}", self.stream.number, self.last)
    }

    /// The next frame; `None` when all is said. Dropping it loses nothing.
    pub async fn next(&mut self) -> Option<Arc<str>> {
        loop {
            let changed = self.stream.changed.notified();
            {
                let mut events = self.stream.events();
                // Those that are no longer kept are passed over.
                let next = self.last.max(events.dropped) + 1;
                let row = usize::try_from(next - events.dropped - 1).unwrap_or(usize::MAX);
                if let Some(frame) = events.frames.get(row).cloned() {
                    self.last = next;
                    events.read = events.read.max(next);
                    drop(events);
                    self.stream.changed.notify_waiters();
                    return Some(frame);
                }
                if events.is_over {
                    return None;
                }
            }
            changed.await;
        }
    }
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        self.stream.events().readers -= 1;
        self.stream.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn rest(mut reader: StreamReader) -> Vec<String> {
        let mut frames = Vec::new();
        while let Some(frame) = reader.next().await {
            frames.push(frame.to_string());
        }
        frames
    }

    #[tokio::test]
    async fn a_stream_that_broke_goes_on_after_its_last_event() {
        let (streams, (frames, frame_receiver)) = (ReplayedStreams::default(), mpsc::channel(8));
        let mut reader = StreamReader::new(streams.begin(frame_receiver), 0);
        let primed = reader.last_id();
        frames.send("a".to_owned()).await.unwrap();
        assert_eq!(reader.next().await.as_deref(), Some("a"));
        let last = reader.last_id();
        drop(reader);
        // Nobody reads, and it goes on.
        for frame in ["b", "c"] {
            frames.send(frame.to_owned()).await.unwrap();
        }
        drop(frames);
        assert_eq!(rest(streams.resume(&last).unwrap()).await, ["b", "c"]);
        assert_eq!(rest(streams.resume(&primed).unwrap()).await, ["a", "b", "c"]);
        for unknown in ["", "1", "x-1", "9-1"] {
            assert!(streams.resume(unknown).is_none(), "{unknown}");
        }
    }

    #[tokio::test]
    async fn what_nobody_reads_is_bounded_and_who_reads_holds_back() {
        let (streams, (frames, frame_receiver)) = (ReplayedStreams::default(), mpsc::channel(1));
        let stream = streams.begin(frame_receiver);
        let many = KEPT + 10;
        for number in 1..=many {
            frames.send(number.to_string()).await.unwrap();
        }
        drop(frames);
        while !stream.events().is_over {
            tokio::task::yield_now().await;
        }
        let reader = StreamReader::new(Arc::clone(&stream), 0);
        let kept = rest(reader).await;
        assert!(kept.len() == KEPT && kept.last() == Some(&many.to_string()), "{}", kept.len());

        let (frames, frame_receiver) = mpsc::channel(1);
        let mut reader = StreamReader::new(streams.begin(frame_receiver), 0);
        let sending = tokio::spawn(async move {
            for number in 1..=many {
                frames.send(number.to_string()).await.unwrap();
            }
        });
        // All that can be done without a reader is done when it no longer gets any further.
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        assert!(!sending.is_finished());
        assert_eq!(reader.next().await.as_deref(), Some("1"));
        assert_eq!(rest(reader).await.len(), many - 1);
    }
}
