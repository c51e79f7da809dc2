//! What was heard and waits to be taken: bounded, in order, and what was kept before comes before
//! what is heard now.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::Notify;

use super::now::now;
use crate::model::{
    clock::Millis,
    traffic::{ObservedMessage, Tapped},
};

/// What a stream kept is heard within this time, too, in milliseconds.
const SOON: u64 = 5_000;

/// What was heard and not yet taken; bounded, and what has no room is counted.
pub(super) struct Catch {
    held: Mutex<Held>,
    pub(super) filled: Notify,
    emptied: Notify,
    capacity: usize,
}

#[derive(Default)]
struct Held {
    queue: VecDeque<Tapped>,
    weight: usize,
    /// What is heard now, while what was kept still comes out before it.
    waiting: Option<VecDeque<Tapped>>,
    /// What came out already and is heard once more, until then.
    twice: Vec<Arc<ObservedMessage>>,
    until: Millis,
    /// Messages that were let go since the last one was kept.
    lost: u64,
}

impl Catch {
    pub(super) fn new(capacity: usize) -> Self {
        Self { held: Mutex::default(), filled: Notify::new(), emptied: Notify::new(), capacity }
    }

    /// Holds back what is heard until [`Self::go_on`].
    pub(super) fn wait(&self) {
        self.held().waiting.get_or_insert_default();
    }

    /// Whether nothing waits to be taken.
    pub(super) fn is_empty(&self) -> bool {
        self.held().queue.is_empty()
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what is heard now.
    pub(super) fn put(&self, tapped: Tapped) {
        let mut held = self.held();
        if held.waiting.is_none() && held.came_already(&tapped) {
            return;
        }
        let weight = weight(&tapped);
        if weight > 0 && held.weight > 0 && held.weight + weight > self.capacity {
            held.lost += 1;
            return;
        }
        held.weight += weight;
        held.own_up();
        match &mut held.waiting {
            Some(waiting) => return waiting.push_back(tapped),
            None => held.queue.push_back(tapped),
        }
        drop(held);
        self.filled.notify_one();
    }

    /// Takes in what was kept, before all that is heard now; waits for room.
    pub(super) async fn put_kept(&self, tapped: Tapped) {
        let weight = weight(&tapped);
        loop {
            let room = self.emptied.notified();
            {
                let mut held = self.held();
                if held.queue.is_empty() || held.weight + weight <= self.capacity {
                    held.weight += weight;
                    held.queue.push_back(tapped);
                    break;
                }
            }
            room.await;
        }
        self.filled.notify_one();
    }

    /// What was held back comes out now, but for these, which came out already; so do those of them
    /// that are only heard soon after.
    pub(super) fn go_on(&self, twice: Vec<Arc<ObservedMessage>>, now: Millis) {
        let mut held = self.held();
        held.twice = twice;
        held.until = Millis(now.0 + SOON);
        for tapped in held.waiting.take().unwrap_or_default() {
            if held.came_already(&tapped) {
                held.weight -= weight(&tapped);
            } else {
                held.queue.push_back(tapped);
            }
        }
        drop(held);
        self.filled.notify_one();
    }

    pub(super) fn take(&self, most: usize) -> Vec<Tapped> {
        let mut held = self.held();
        if held.queue.is_empty() {
            held.own_up();
        }
        let count = most.min(held.queue.len());
        let taken: Vec<_> = held.queue.drain(..count).collect();
        held.weight -= taken.iter().map(weight).sum::<usize>();
        drop(held);
        self.emptied.notify_one();
        taken
    }
}

impl Held {
    /// Whether it is one of those that are heard a second time.
    fn came_already(&mut self, tapped: &Tapped) -> bool {
        let Tapped::ObservedMessage(heard) = tapped else { return false };
        if heard.at > self.until {
            self.twice.clear();
        }
        let same = |known: &Arc<ObservedMessage>| {
            (&known.subject, &known.headers, &known.body)
                == (&heard.subject, &heard.headers, &heard.body)
        };
        self.twice.iter().position(same).map(|row| self.twice.swap_remove(row)).is_some()
    }

    /// Says how much was let go.
    fn own_up(&mut self) {
        if self.lost > 0 {
            let gap = Tapped::Gap { at: now(), messages: Some(std::mem::take(&mut self.lost)) };
            match &mut self.waiting {
                Some(waiting) => waiting.push_back(gap),
                None => self.queue.push_back(gap),
            }
        }
    }
}

fn weight(tapped: &Tapped) -> usize {
    if let Tapped::ObservedMessage(crossing) = tapped { crossing.weight() } else { 0 }
}
