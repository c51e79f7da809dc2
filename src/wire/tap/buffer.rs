//! What was received and waits to be taken: bounded, in order, and what was kept before comes
//! before what is received now.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::Notify;

use crate::{
    model::{
        clock::Millis,
        traffic::{ObservedMessage, Tapped},
    },
    wire::{
        byte_budget::{ByteBudget, ByteShare},
        now::now_millis,
    },
};

/// What a stream kept is received within this time, too, in milliseconds.
const SOON: u64 = 5_000;

/// What was received and not yet taken; bounded, and what has no room is counted.
pub(super) struct TapBuffer {
    held: Mutex<BufferedMessages>,
    pub(super) filled: Notify,
    budget: ByteBudget,
    /// What was kept comes out although what is received now may have taken the whole budget behind
    /// it.
    kept_budget: ByteBudget,
}

/// What was received, and its share of the buffer; a gap has none.
type SharedItem = (Tapped, Option<ByteShare>);

#[derive(Default)]
struct BufferedMessages {
    queue: VecDeque<SharedItem>,
    /// What is received now, while what was kept still comes out before it.
    waiting: Option<VecDeque<SharedItem>>,
    /// What came out already and is received once more, until then.
    twice: Vec<Arc<ObservedMessage>>,
    until: Millis,
    /// Messages that were dropped since the last one was kept.
    lost: u64,
}

impl TapBuffer {
    pub(super) fn new(capacity: usize) -> Self {
        let (budget, kept_budget) = (ByteBudget::new(capacity), ByteBudget::new(capacity));
        Self { held: Mutex::default(), filled: Notify::new(), budget, kept_budget }
    }

    /// Holds back what is received until [`Self::go_on`].
    pub(super) fn hold_back(&self) {
        self.lock_held().waiting.get_or_insert_default();
    }

    /// Whether nothing waits to be taken.
    pub(super) fn is_empty(&self) -> bool {
        self.lock_held().queue.is_empty()
    }

    fn lock_held(&self) -> std::sync::MutexGuard<'_, BufferedMessages> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what is received now.
    pub(super) fn put_live(&self, tapped: Tapped) {
        let mut held = self.lock_held();
        if held.waiting.is_none() && held.came_already(&tapped) {
            return;
        }
        let Some(share) = self.budget.try_reserve(tapped_weight(&tapped)) else {
            held.lost += 1;
            return;
        };
        held.own_up();
        match &mut held.waiting {
            Some(waiting) => return waiting.push_back((tapped, Some(share))),
            None => held.queue.push_back((tapped, Some(share))),
        }
        drop(held);
        self.filled.notify_one();
    }

    /// Takes in what was kept, before all that is received now; waits for room.
    pub(super) async fn put_kept(&self, tapped: Tapped) {
        let share = self.kept_budget.reserve(tapped_weight(&tapped)).await;
        self.lock_held().queue.push_back((tapped, share));
        self.filled.notify_one();
    }

    /// What was held back comes out now, but for these, which came out already; so do those of them
    /// that are only received soon after.
    pub(super) fn go_on(&self, twice: Vec<Arc<ObservedMessage>>, now: Millis) {
        let mut held = self.lock_held();
        held.twice = twice;
        held.until = Millis(now.0 + SOON);
        for shared in held.waiting.take().unwrap_or_default() {
            if !held.came_already(&shared.0) {
                held.queue.push_back(shared);
            }
        }
        drop(held);
        self.filled.notify_one();
    }

    pub(super) fn take_batch(&self, most: usize) -> Vec<Tapped> {
        let mut held = self.lock_held();
        if held.queue.is_empty() {
            held.own_up();
        }
        let count = most.min(held.queue.len());
        held.queue.drain(..count).map(|(tapped, _)| tapped).collect()
    }
}

impl BufferedMessages {
    /// Whether it is one of those that are received a second time.
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

    /// Says how much was dropped.
    fn own_up(&mut self) {
        if self.lost > 0 {
            let gap =
                Tapped::Gap { at: now_millis(), messages: Some(std::mem::take(&mut self.lost)) };
            self.waiting.as_mut().unwrap_or(&mut self.queue).push_back((gap, None));
        }
    }
}

fn tapped_weight(tapped: &Tapped) -> usize {
    if let Tapped::ObservedMessage(crossing) = tapped { crossing.memory_size() } else { 0 }
}
