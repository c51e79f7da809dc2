//! The calls of a run over one connection: beside each other, or one alone.
//!
//! Most servers that are started for one client answer one call after the other: how long an answer
//! takes says something of a tool only while no other call of the run is under way there.

use std::cell::Cell;

use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The turns of one connection's calls.
#[derive(Default)]
pub(super) struct Lane {
    turns: RwLock<()>,
    /// How many have begun, and how many of them have not ended.
    begun: Cell<u64>,
    under_way: Cell<u64>,
}

/// One call's turn, until it is dropped.
pub(super) struct Turn<'l> {
    lane: &'l Lane,
    begun: u64,
    came_to_others: bool,
    _beside: Option<RwLockReadGuard<'l, ()>>,
    _alone: Option<RwLockWriteGuard<'l, ()>>,
}

impl Lane {
    /// Waits until a call may begin: while none is under way where it is to be alone, else while no
    /// other is alone.
    pub async fn take_turn(&self, is_alone: bool) -> Turn<'_> {
        let (beside, alone) = match is_alone {
            true => (None, Some(self.turns.write().await)),
            false => (Some(self.turns.read().await), None),
        };
        let came_to_others = self.under_way.get() > 0;
        self.begun.set(self.begun.get() + 1);
        self.under_way.set(self.under_way.get() + 1);
        Turn { lane: self, begun: self.begun.get(), came_to_others, _beside: beside, _alone: alone }
    }
}

impl Turn<'_> {
    /// Whether another call was under way at any time of this one.
    #[must_use]
    pub fn had_company(&self) -> bool {
        self.came_to_others || self.lane.begun.get() > self.begun
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.lane.under_way.set(self.lane.under_way.get().saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn calls_run_beside_each_other_and_one_alone_while_none_does() {
        let lane = Lane::default();
        let now = |is_alone| lane.take_turn(is_alone).now_or_never();
        let (one, other) = (now(false).unwrap(), now(false).unwrap());
        assert!(one.had_company() && other.had_company());
        assert!(now(true).is_none(), "others are under way");
        drop(one);
        assert!(now(true).is_none(), "one still is");
        drop(other);
        let alone = now(true).unwrap();
        assert!(!alone.had_company());
        assert!(now(false).is_none() && now(true).is_none(), "it stays alone");
        drop(alone);
        assert!(!now(false).unwrap().had_company());
    }
}
