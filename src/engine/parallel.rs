//! Pure work on many items with every core.

use std::thread;

/// With fewer items for each, another thread takes longer to start than it saves.
const LEAST: usize = 250;
/// More threads than that gain nothing: what they allocate meets in one place.
const MOST: usize = 4;

/// What `work` makes of consecutive slices that are all the items together, in their order. The
/// slices are worked on at the same time where there are many items; a panic in one is passed on.
pub(crate) fn map_slices<I: Sync, R: Send>(
    items: &[I],
    work: impl Fn(&[I]) -> Vec<R> + Sync,
) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let slices = cores.min(MOST).min(items.len() / LEAST).max(1);
    let mut rest = items.chunks(items.len().div_ceil(slices).max(1));
    let Some(first) = rest.next() else { return Vec::new() };
    let work = &work;
    thread::scope(|scope| {
        let others: Vec<_> = rest.map(|slice| scope.spawn(move || work(slice))).collect();
        let mut all = work(first);
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    })
}

/// Does both, at the same time where there are many items to work on; a panic in one is passed on.
pub(crate) fn join<A: Send, B>(
    items: usize,
    other: impl FnOnce() -> A + Send,
    here: impl FnOnce() -> B,
) -> (A, B) {
    if items < 2 * LEAST {
        return (other(), here());
    }
    thread::scope(|scope| {
        let other = scope.spawn(other);
        let here = here();
        (other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), here)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_items_however_many_there_are() {
        for count in [0, 1, LEAST - 1, LEAST, 2 * LEAST, 5 * LEAST + 1] {
            let items: Vec<usize> = (0..count).collect();
            let doubled =
                map_slices(&items, |slice| slice.iter().map(|item| item * 2).collect::<Vec<_>>());
            assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }
}
