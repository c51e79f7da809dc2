//! Ends a connection whose server sends a message without end, or nothing but pings.
//!
//! The client gathers a message and answers pings by itself, both without a bound. What it counts
//! shows both; and it runs in a place of its own, so that it can be ended whatever it is busy with.

use std::{
    io,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_nats::{Client, Statistics};
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinHandle,
    time::{MissedTickBehavior, interval},
};

use super::super::connection_event::ConnectionEvents;
use crate::{
    model::{call::CallError, error_kind::ErrorKind, size},
    wire::spawning::boxed,
};

/// How often the counts are looked at.
const EVERY: Duration = Duration::from_millis(20);

/// In so many looks answers to pings are counted together.
const LOOKS: u32 = 50;

/// So many bytes of answers to pings in [`LOOKS`] looks, about a second, are a flood: a server asks
/// every two minutes.
const PONGS: u64 = 20_000 * PONG;

const PONG: u64 = "PONG\r\n".len() as u64;

/// What a command has beside names and body, at most.
const COMMAND: usize = 128;

/// What may come beside a message.
const ASIDE: u64 = 16 * 1024 * 1024;

/// Where a client runs, until it is ended.
pub(super) struct ClientRuntime {
    runtime: Mutex<Option<Runtime>>,
    ended: OnceLock<CallError>,
    /// Bytes that we had the client send.
    own: AtomicU64,
}

impl Drop for ClientRuntime {
    fn drop(&mut self) {
        self.shut_down();
    }
}

impl ClientRuntime {
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn new() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .thread_name("nats")
            .build()?;
        Ok(Self {
            runtime: Mutex::new(Some(runtime)),
            ended: OnceLock::new(),
            own: AtomicU64::default(),
        })
    }

    fn lock_runtime(&self) -> std::sync::MutexGuard<'_, Option<Runtime>> {
        self.runtime.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs something there; `None` once it is ended.
    pub(super) fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<JoinHandle<T>> {
        self.lock_runtime().as_ref().map(|runtime| runtime.spawn(boxed(work)))
    }

    /// The client is about to send a command of ours, with so many bytes of names and body.
    pub(super) fn count_sent(&self, bytes: usize) {
        self.own.fetch_add((bytes + COMMAND) as u64, Ordering::Relaxed);
    }

    /// Why the connection was ended.
    pub(super) fn close_reason(&self) -> Option<CallError> {
        self.ended.get().cloned()
    }

    fn shut_down(&self) {
        if let Some(runtime) = self.lock_runtime().take() {
            runtime.shutdown_background();
        }
    }

    fn close_with(&self, problem: CallError, news: &ConnectionEvents) {
        let told = problem.clone();
        // It is known before what listens ends.
        if self.ended.set(problem).is_ok() {
            self.shut_down();
            news.mark_closed(&told);
        }
    }
}

/// Looks at what the client counts (`largest`: the bytes of the largest message that is taken),
/// until something is wrong or nobody has the connection any more.
pub(super) async fn watch_connection(
    home: Arc<ClientRuntime>,
    client: Client,
    news: Arc<ConnectionEvents>,
    largest: u64,
) {
    let (counts, mut looking) = (client.statistics(), Look::default());
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let most = match client.max_payload() {
            0 => largest,
            most => largest.min(most as u64),
        };
        if let Some(problem) = looking.inspect_counts(
            &Counts::from_statistics(&counts, &home),
            most,
            news.display_address(),
        ) {
            return home.close_with(problem, &news);
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Counts {
    came: u64,
    messages: u64,
    went: u64,
    own: u64,
}

impl Counts {
    fn from_statistics(counts: &Statistics, home: &ClientRuntime) -> Self {
        Self {
            came: counts.in_bytes.load(Ordering::Relaxed),
            messages: counts.in_messages.load(Ordering::Relaxed),
            went: counts.out_bytes.load(Ordering::Relaxed),
            own: home.own.load(Ordering::Relaxed),
        }
    }
}

/// What was seen so far.
#[derive(Default)]
struct Look {
    before: Counts,
    /// Bytes that had come when the last message was whole.
    whole: u64,
    /// What had gone out at the beginning of these looks, and how much of it was ours.
    began: (u64, u64),
    looks: u32,
}

impl Look {
    /// What is wrong with what has come since the last look.
    fn inspect_counts(&mut self, now: &Counts, most: u64, place: &str) -> Option<CallError> {
        let before = std::mem::replace(&mut self.before, *now);
        if now.messages != before.messages {
            self.whole = now.came;
        }
        let (went, own) = self.began;
        let pongs = (now.went - went).saturating_sub(now.own - own);
        self.looks += 1;
        let unfinished = now.came - self.whole;
        if unfinished > most + ASIDE {
            return Some(endless_message(place, unfinished, most));
        }
        if pongs > PONGS {
            return Some(ping_flood(place, pongs / PONG));
        }
        if self.looks == LOOKS {
            (self.looks, self.began) = (0, (now.went, now.own));
        }
        None
    }
}

fn endless_message(place: &str, came: u64, most: u64) -> CallError {
    CallError {
        kind: ErrorKind::TooLarge,
        message: format!(
            "{place} sent {} without a message that ends; one may have {}, so the connection was closed",
            size::format_size(came),
            size::format_size(most)
        ),
        remedy: "check that a NATS server is at that address; the next call connects again".into(),
    }
}

fn ping_flood(place: &str, pings: u64) -> CallError {
    CallError {
        kind: ErrorKind::Flooded,
        message: format!(
            "{place} sent {pings} pings within a second, so the connection was closed"
        ),
        remedy: "check that a NATS server is at that address; the next call connects again".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1024 * 1024;

    fn looked(counts: impl IntoIterator<Item = Counts>) -> Option<ErrorKind> {
        let mut look = Look::default();
        counts
            .into_iter()
            .find_map(|counts| look.inspect_counts(&counts, MIB, "there"))
            .map(|problem| problem.kind)
    }

    #[test]
    fn messages_of_any_number_are_fine() {
        assert_eq!(
            looked((0..5_000).map(|at| Counts {
                came: at * MIB,
                messages: at,
                ..Counts::default()
            })),
            None
        );
        let sending = (0..5_000).map(|at| Counts {
            went: at * MIB,
            own: (at + 1) * MIB,
            ..Counts::default()
        });
        assert_eq!(looked(sending), None);
        // A ping every look is more than any server asks.
        assert_eq!(
            looked((0..5_000).map(|at| Counts { came: at * 6, went: at * 6, ..Counts::default() })),
            None
        );
    }

    #[test]
    fn what_never_ends_and_a_flood_of_pings_are_found() {
        let endless =
            (0..100).map(|at| Counts { came: at * MIB, messages: 3, ..Counts::default() });
        assert_eq!(looked(endless), Some(ErrorKind::TooLarge));
        let flood = (0..100).map(|at| Counts {
            came: at * 60_000,
            went: at * 60_000,
            own: 50_000,
            ..Counts::default()
        });
        assert_eq!(looked(flood), Some(ErrorKind::Flooded));
    }
}
