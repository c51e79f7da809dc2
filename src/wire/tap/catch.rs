//! What was heard and waits to be taken: bounded, in order, and what was kept before comes before what is heard now.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use tokio::sync::Notify;

use super::now::now;
use crate::model::traffic::{Crossing, Tapped};

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

    /// What was held back comes out now, but for what `known` says came out already.
    pub(super) fn go_on(&self, mut known: impl FnMut(&Crossing) -> bool) {
        let mut held = self.held();
        let waiting = held.waiting.take().unwrap_or_default();
        for tapped in waiting {
            match &tapped {
                Tapped::Crossing(crossing) if known(crossing) => held.weight -= weight(&tapped),
                _ => held.queue.push_back(tapped),
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
    if let Tapped::Crossing(crossing) = tapped { crossing.weight() } else { 0 }
}
