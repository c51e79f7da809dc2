//! Work on many things at once, on several cores. What comes of it does not depend on how many there are.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// Less work than this, in things such as entries, is done faster than a thread is begun.
const LITTLE: usize = 512;

/// More threads than this only wait for each other's memory.
const MOST: usize = 4;

/// Does `work` on every item and answers in their order. `weight` says how much there is to do in all.
pub fn map<T: Sync, R: Send>(items: &[T], weight: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, usize::from).min(MOST).min(items.len());
    if weight < LITTLE || cores < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let some = || {
        let rows = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|row| *row < items.len()));
        rows.map(|row| (row, work(&items[row]))).collect::<Vec<_>>()
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..cores).map(|_| scope.spawn(some)).collect();
        let mut done = some();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(row, _)| *row);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..2000).collect();
        for weight in [0, items.len()] {
            assert_eq!(map(&items, weight, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
        assert!(map(&[] as &[usize], 1000, |item| *item).is_empty());
    }
}
