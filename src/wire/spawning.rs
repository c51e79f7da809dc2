//! Work that runs beside what asks for it, on the runtime.
//!
//! Tokio has some 25 functions for each type of work that it runs. In a box all work that results in
//! the same is of one type, and shares them.

use futures::{FutureExt, future::BoxFuture};
use tokio::task::JoinHandle;

/// Runs a future beside this one, as `tokio::spawn` does.
pub(crate) fn spawn<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> JoinHandle<T> {
    tokio::spawn(boxed(work))
}

/// Runs what blocks on a thread of its own, as `tokio::task::spawn_blocking` does.
pub(crate) fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    let work: Box<dyn FnOnce() -> T + Send> = Box::new(work);
    tokio::task::spawn_blocking(work)
}

/// A future for a set of tasks, which has a type for each type of future as well.
pub(crate) fn boxed<T>(work: impl Future<Output = T> + Send + 'static) -> BoxFuture<'static, T> {
    work.boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_runs_beside_and_gives_its_result() {
        let number = spawn(async { 7 });
        let words = spawn_blocking(|| "seven".to_owned());
        assert_eq!((number.await.unwrap(), words.await.unwrap()), (7, "seven".to_owned()));
    }
}
