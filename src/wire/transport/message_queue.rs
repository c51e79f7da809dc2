//! The queue between the network and whoever listens: bounded in bytes, and what it drops is
//! counted.

use std::{
    fmt,
    iter::Sum,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use tokio::sync::{mpsc, oneshot};

use super::message::{Incoming, Packet};
use crate::{
    model::size::format_size,
    wire::byte_budget::{ByteBudget, ByteShare},
};

/// How much a line holds at most.
pub(crate) const CAPACITY: usize = 64 * 1024 * 1024;

struct Queued {
    heard: Incoming,
    _share: Option<ByteShare>,
}

#[derive(Debug, Default)]
struct LostMessages {
    messages: AtomicU64,
    bytes: AtomicU64,
    in_gap: AtomicBool,
    /// The sender can't be held back: what finds no room is lost.
    may_lose: AtomicBool,
}

/// How many messages, and of how many bytes, were dropped because there was no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LostCounts {
    pub messages: u64,
    pub bytes: u64,
}

/// So many bytes wait of those that a queue holds at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    pub waiting: usize,
    pub most: usize,
}

impl fmt::Display for Backlog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [waiting, most] = [self.waiting, self.most].map(|bytes| format_size(bytes as u64));
        write!(
            f,
            "messages arrive faster than they are read: {waiting} wait; beyond {most} they are \
             dropped"
        )
    }
}

impl Sum for LostCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, more| Self {
            messages: sum.messages + more.messages,
            bytes: sum.bytes + more.bytes,
        })
    }
}

/// The end that messages come out of, in order.
pub struct QueueReceiver {
    queue: mpsc::UnboundedReceiver<Queued>,
    budget: ByteBudget,
    lost: Arc<LostMessages>,
    /// It was reported that much waits, and most of that still does.
    is_behind: bool,
    /// Ends when the transport has given the subscription back.
    left: Option<oneshot::Receiver<()>>,
    /// Gets what is sent to the server so that it knows, then what it says all the same, where the
    /// transport shows that.
    parting: Option<mpsc::Receiver<Packet>>,
}

/// The end that the transport puts messages into.
#[derive(Clone)]
pub(crate) struct QueueSender {
    // Unbounded in number, but every message in it holds its share.
    queue: mpsc::UnboundedSender<Queued>,
    budget: ByteBudget,
    lost: Arc<LostMessages>,
}

/// The listener is gone.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Closed;

/// A line that holds at most `capacity` bytes.
#[must_use]
pub(crate) fn message_queue(capacity: usize) -> (QueueSender, QueueReceiver) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let lost = Arc::new(LostMessages::default());
    let budget = ByteBudget::new(capacity);
    (
        QueueSender { queue: sender, budget: budget.clone(), lost: Arc::clone(&lost) },
        QueueReceiver {
            queue: receiver,
            budget,
            lost,
            is_behind: false,
            left: None,
            parting: None,
        },
    )
}

impl QueueReceiver {
    /// The next thing received; `None` when the transport has ended the line.
    pub async fn next(&mut self) -> Option<Incoming> {
        self.queue.recv().await.map(|kept| kept.heard)
    }

    /// What was received already and not yet taken; `None` where [`next`](Self::next) would wait.
    pub fn try_next(&mut self) -> Option<Incoming> {
        self.queue.try_recv().ok().map(|kept| kept.heard)
    }

    /// This receiver, whose transport gives the subscription back by itself and then drops the other end
    /// of this.
    #[must_use]
    pub fn with_unsubscribe_ack(self, left: oneshot::Receiver<()>) -> Self {
        Self { left: Some(left), ..self }
    }

    /// The same, whose transport shows what it sends to the server before it gives the subscription
    /// back.
    #[must_use]
    pub fn with_parting(self, parting: mpsc::Receiver<Packet>) -> Self {
        Self { parting: Some(parting), ..self }
    }

    /// As [`unsubscribe`](Self::unsubscribe); answers where it comes out what was sent to the server
    /// for it, which is there by then, and what that says all the same, where these are shown.
    pub async fn unsubscribe_shown(mut self) -> Option<mpsc::Receiver<Packet>> {
        let parting = self.parting.take();
        self.unsubscribe().await;
        parting
    }

    /// Listens no more; the server knows it once this is done.
    pub async fn unsubscribe(self) {
        let Self { queue, left, .. } = self;
        drop(queue);
        if let Some(left) = left {
            // Nothing is ever sent: it ends when the other end is dropped.
            let _ = left.await;
        }
    }

    /// How much waits, where that is more than half of what the queue holds and what finds no room
    /// is lost. Reported once, and again where nearly all of it was taken meanwhile.
    pub fn new_backlog(&mut self) -> Option<Backlog> {
        let (waiting, most) = (self.budget.used(), self.budget.capacity());
        let was_behind = self.is_behind;
        self.is_behind = waiting > if was_behind { most / 16 } else { most / 2 };
        let is_new = self.is_behind && !was_behind && self.lost.may_lose.load(Ordering::Relaxed);
        is_new.then_some(Backlog { waiting, most })
    }

    /// How many messages and bytes were dropped so far.
    #[must_use]
    pub fn lost_counts(&self) -> LostCounts {
        LostCounts {
            messages: self.lost.messages.load(Ordering::Relaxed),
            bytes: self.lost.bytes.load(Ordering::Relaxed),
        }
    }
}

impl QueueSender {
    /// Puts it in, waiting for room: for a sender that can be held back.
    pub async fn push(&self, heard: Incoming) -> Result<(), Closed> {
        // To wait costs more than the message, and mostly there is room.
        if let Some(share) = self.budget.try_reserve(heard.weight()) {
            return self.enqueue(heard, Some(share));
        }
        tokio::select! {
            () = self.queue.closed() => Err(Closed),
            share = self.budget.reserve(heard.weight()) => self.enqueue(heard, share),
        }
    }

    /// Puts it in, or lets it go and counts it when there is no room: for a sender that cannot be
    /// held back.
    pub fn try_push(&self, heard: Incoming) -> Result<(), Closed> {
        self.lost.may_lose.store(true, Ordering::Relaxed);
        match self.budget.try_reserve(heard.weight()) {
            Some(share) => {
                self.lost.in_gap.store(false, Ordering::Relaxed);
                self.enqueue(heard, Some(share))
            }
            None => {
                self.lost.messages.fetch_add(1, Ordering::Relaxed);
                self.lost.bytes.fetch_add(heard.weight() as u64, Ordering::Relaxed);
                if self.lost.in_gap.swap(true, Ordering::Relaxed) {
                    Ok(())
                } else {
                    self.enqueue(Incoming::Gap, None)
                }
            }
        }
    }

    /// Ends when the listener is gone.
    pub async fn closed(&self) {
        self.queue.closed().await;
    }

    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    fn enqueue(&self, heard: Incoming, share: Option<ByteShare>) -> Result<(), Closed> {
        self.queue.send(Queued { heard, _share: share }).map_err(|_| Closed)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::wire::transport::message::Packet;

    fn packet(body: &'static [u8]) -> Incoming {
        Incoming::Packet(Packet {
            subject: None,
            reply: None,
            headers: Vec::new(),
            body: Bytes::from_static(body),
        })
    }

    #[tokio::test]
    async fn what_has_no_room_is_counted_and_the_gap_is_heard_once() {
        let (feeder, mut line) = message_queue(600);
        for body in [&b"one"[..], b"two", b"three", b"four"] {
            feeder.try_push(packet(body)).unwrap();
        }
        assert_eq!(line.lost_counts(), LostCounts { messages: 2, bytes: 2 * 256 + 9 });
        assert_eq!(line.next().await, Some(packet(b"one")));
        feeder.try_push(packet(b"five")).unwrap();
        drop(feeder);
        assert_eq!(line.next().await, Some(packet(b"two")));
        assert_eq!(line.next().await, Some(Incoming::Gap));
        assert_eq!(line.next().await, Some(packet(b"five")));
        assert_eq!(line.next().await, None);
    }

    #[tokio::test]
    async fn that_much_waits_is_reported_before_any_is_lost_and_once() {
        let (feeder, mut line) = message_queue(1_500);
        let fill = |count: usize| (0..count).for_each(|_| feeder.try_push(packet(b"one")).unwrap());
        fill(2);
        assert_eq!(line.new_backlog(), None);
        fill(2);
        assert_eq!(line.new_backlog(), Some(Backlog { waiting: 4 * 259, most: 1_500 }));
        assert_eq!((line.new_backlog(), line.lost_counts()), (None, LostCounts::default()));
        while line.try_next().is_some() {}
        assert_eq!(line.new_backlog(), None);
        fill(4);
        assert!(line.new_backlog().is_some(), "it had caught up");
    }

    #[tokio::test]
    async fn of_a_sender_that_waits_nothing_is_lost_and_nothing_is_reported() {
        let (feeder, mut line) = message_queue(600);
        for body in [&b"one"[..], b"two"] {
            feeder.push(packet(body)).await.unwrap();
        }
        assert_eq!(line.new_backlog(), None);
    }

    #[tokio::test]
    async fn a_sender_that_waits_goes_on_when_there_is_room() {
        let (feeder, mut line) = message_queue(300);
        feeder.push(packet(b"one")).await.unwrap();
        let second = tokio::spawn(async move { feeder.push(packet(b"two")).await });
        tokio::task::yield_now().await;
        assert!(!second.is_finished());
        assert_eq!(line.next().await, Some(packet(b"one")));
        assert_eq!(second.await.unwrap(), Ok(()));
        assert_eq!(line.lost_counts(), LostCounts::default());
    }

    #[tokio::test]
    async fn a_listener_that_left_frees_the_sender() {
        let (feeder, line) = message_queue(300);
        feeder.push(packet(b"one")).await.unwrap();
        let waiting = tokio::spawn(async move { feeder.push(packet(b"two")).await });
        tokio::task::yield_now().await;
        drop(line);
        assert_eq!(waiting.await.unwrap(), Err(Closed));
    }

    #[tokio::test]
    async fn one_message_larger_than_the_line_still_passes() {
        let (feeder, mut line) = message_queue(10);
        feeder.push(packet(b"much longer than ten")).await.unwrap();
        assert_eq!(line.next().await, Some(packet(b"much longer than ten")));
    }
}
