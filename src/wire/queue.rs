//! Bounds a queue in bytes, beside the number of what waits in it.

use tokio::sync::mpsc::{self, error::TrySendError};

/// So many bytes wait in a queue at most, or one thing that alone is more, and the small that came
/// after it.
const MOST: usize = 1024 * 1024;

/// Nobody takes anything out any more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Closed;

/// Puts something in that weighs so many bytes, where there is room for it now; else gives it back.
pub(crate) fn try_send_weighted<T>(
    queue: &mpsc::Sender<T>,
    thing: T,
    weight: usize,
) -> Result<(), T> {
    if weight > MOST / queue.max_capacity() {
        return Err(thing);
    }
    queue.try_send(thing).map_err(TrySendError::into_inner)
}

/// Puts something in that weighs so many bytes, and waits for room. What is heavier than its share
/// waits until all before it is taken.
///
/// # Errors
/// When nobody takes anything out any more.
pub(crate) async fn send_weighted<T>(
    queue: &mpsc::Sender<T>,
    thing: T,
    weight: usize,
) -> Result<(), Closed> {
    let places = queue.max_capacity();
    if weight <= MOST / places {
        return queue.send(thing).await.map_err(|_| Closed);
    }
    let mut free = queue.reserve_many(places).await.map_err(|_| Closed)?;
    if let Some(place) = free.next() {
        place.send(thing);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many things of that weight wait at once while nobody takes any.
    async fn waiting(weight: usize) -> usize {
        let (sender, receiver) = mpsc::channel(64);
        let filling =
            tokio::spawn(async move { while send_weighted(&sender, (), weight).await.is_ok() {} });
        // All that can be done without a taker is done when it no longer gets any further.
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        let waiting = receiver.len();
        drop(receiver);
        filling.await.unwrap();
        waiting
    }

    #[tokio::test]
    async fn what_waits_is_bounded_in_number_and_in_bytes() {
        assert_eq!(waiting(100).await, 64);
        assert_eq!(waiting(MOST / 64).await, 64);
        assert_eq!(waiting(MOST / 64 + 1).await, 1);
        assert_eq!(waiting(100 * MOST).await, 1);
    }

    #[tokio::test]
    async fn all_comes_out_in_its_order() {
        let (sender, mut receiver) = mpsc::channel(8);
        let weights = [1, MOST, 1, 1, 2 * MOST, MOST, 1];
        let filling = tokio::spawn(async move {
            for (number, weight) in weights.into_iter().enumerate() {
                send_weighted(&sender, number, weight).await.unwrap();
            }
        });
        let mut taken = Vec::new();
        while let Some(number) = receiver.recv().await {
            taken.push(number);
        }
        filling.await.unwrap();
        assert_eq!(taken, (0..weights.len()).collect::<Vec<_>>());
    }
}
