//! Tells a call's events, with their times.

use std::time::Duration;

use tokio::{sync::mpsc, time::Instant};

use crate::model::call::{Event, EventKind};

/// Nobody takes events any more, so the call is over without a word.
pub struct Deaf;

/// Tells events, and waits while nobody takes them.
pub struct Teller {
    /// When the call began.
    pub began: Instant,
    /// How long this call had to wait until its events were taken.
    pub held: Duration,
    events: mpsc::Sender<Event>,
}

impl Teller {
    /// The clock of the events starts now.
    pub fn new(events: mpsc::Sender<Event>) -> Self {
        Self { began: Instant::now(), held: Duration::ZERO, events }
    }

    pub async fn tell(&mut self, kind: EventKind) -> Result<(), Deaf> {
        let now = Instant::now();
        let at_ms = u64::try_from((now - self.began).as_millis()).unwrap_or(u64::MAX);
        let told = self.events.send(Event { at_ms, kind }).await.map_err(|_| Deaf);
        self.held += now.elapsed();
        told
    }

    /// Ends when nobody takes events any more.
    pub async fn unheard(&self) {
        self.events.closed().await;
    }
}
