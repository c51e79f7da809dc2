//! Pure work on many items with every core, and on a stack of its own.

use std::{
    panic::resume_unwind,
    sync::OnceLock,
    thread::{self, Builder, Scope, ScopedJoinHandle},
};

/// With fewer items for each, another thread takes longer to start than it saves.
const LEAST: usize = 250;
/// More threads than that gain nothing: what they allocate meets in one place.
const MOST: usize = 4;

/// How many threads work on many items: asked for once, as the answer is read from files.
fn thread_count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| thread::available_parallelism().map_or(1, usize::from).min(MOST))
}

/// What `work` makes of consecutive slices that are all the items together, in their order. The
/// slices are worked on at the same time where there are many items; a panic in one is passed on.
pub(crate) fn map_slices<I: Sync, R: Send>(
    items: &[I],
    work: impl Fn(&[I]) -> Vec<R> + Sync,
) -> Vec<R> {
    if items.len() < 2 * LEAST {
        return work(items);
    }
    map_parts(items, thread_count().min(items.len() / LEAST), work)
}

/// The same in so many slices at most.
fn map_parts<I: Sync, R: Send>(
    items: &[I],
    slices: usize,
    work: impl Fn(&[I]) -> Vec<R> + Sync,
) -> Vec<R> {
    let mut rest = items.chunks(items.len().div_ceil(slices.max(1)).max(1));
    let Some(first) = rest.next() else { return work(items) };
    let work = &work;
    thread::scope(|scope| {
        let others: Vec<_> = rest.map(|slice| (slice, spawn(scope, move || work(slice)))).collect();
        let mut all = work(first);
        for (slice, other) in others {
            all.extend(other.map_or_else(|| work(slice), joined));
        }
        all
    })
}

/// Does something that goes down further than a thread's own stack is good for; `None` where there is
/// no room for so large a stack. Only what is used of it takes memory. A panic is passed on.
pub(crate) fn on_stack_of<R: Send>(bytes: usize, work: impl FnOnce() -> R + Send) -> Option<R> {
    thread::scope(|scope| {
        let thread = Builder::new().stack_size(bytes).spawn_scoped(scope, work).ok()?;
        Some(joined(thread))
    })
}

/// Does both, `other` at the same time on another thread where there are many items to work on; a
/// panic in one is passed on.
pub(crate) fn join<A, B: Send>(
    items: usize,
    here: impl FnOnce() -> A,
    other: impl Fn() -> B + Sync,
) -> (A, B) {
    if items < 2 * LEAST || thread_count() < 2 {
        return (here(), other());
    }
    thread::scope(|scope| {
        let handle = spawn(scope, &other);
        let here = here();
        (here, handle.map_or_else(&other, joined))
    })
}

/// `None` where the system gives no thread. In a box, so that the program has the code that starts
/// one once for each type of result.
fn spawn<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    work: impl FnOnce() -> T + Send + 's,
) -> Option<ScopedJoinHandle<'s, T>> {
    let work: Box<dyn FnOnce() -> T + Send + 's> = Box::new(work);
    Builder::new().spawn_scoped(scope, work).ok()
}

fn joined<T>(handle: ScopedJoinHandle<'_, T>) -> T {
    handle.join().unwrap_or_else(|panic| resume_unwind(panic))
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
            let expected: Vec<_> = items.iter().map(|item| item * 2).collect();
            assert_eq!(doubled, expected);
            for slices in 0..6 {
                let double = |slice: &[usize]| slice.iter().map(|item| item * 2).collect();
                assert_eq!(map_parts(&items, slices, double), expected, "{slices}");
            }
            let sum = || items.iter().sum::<usize>();
            assert_eq!(join(count, sum, sum), (sum(), sum()));
        }
    }
}
