//! What runs until it is done or interrupted.

use std::{
    future::Future,
    io,
    pin::{Pin, pin},
    time::Duration,
};

use tokio::runtime::Builder;

use super::{
    ending::{CommandResult, StopReason},
    out,
};
use crate::model::{
    call::CallError,
    error_kind::ErrorKind,
    problem::{Problem, ProblemKind},
};

/// From then on it is said what is waited for.
const SLOW: Duration = Duration::from_secs(2);

/// Ends like the work, and says once where that takes long that it waits for this connection.
pub(crate) async fn with_patience<T>(name: &str, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    if let Ok(done) = tokio::time::timeout(SLOW, &mut work).await {
        return done;
    }
    out::print_waiting(format_args!("waiting for {name} to answer …"));
    work.await
}

/// The same of work that may take no longer than a limit, where there is one.
///
/// # Errors
/// When it takes longer.
pub(crate) async fn with_limit<T>(
    name: &str,
    limit: Option<Duration>,
    work: impl Future<Output = T>,
) -> Result<T, CallError> {
    let work = with_patience(name, work);
    let Some(limit) = limit else { return Ok(work.await) };
    tokio::time::timeout(limit, work).await.map_err(|_| {
        let seconds = limit.as_secs_f64();
        let message = format!("connection \"{name}\" didn't open within {seconds} s");
        CallError::new(ErrorKind::TimedOut, message, "check it, or raise --timeout")
    })
}

/// Runs something that waits for the network, on this thread.
pub(crate) fn wait_for(doing: &str, future: impl Future<Output = CommandResult>) -> CommandResult {
    wait_on(Builder::new_current_thread(), doing, pin!(future))
}

/// The same where much may come at once: what reads it has threads of its own.
pub(crate) fn wait_for_many(
    doing: &str,
    future: impl Future<Output = CommandResult>,
) -> CommandResult {
    let mut threads = Builder::new_multi_thread();
    threads.worker_threads(2);
    wait_on(threads, doing, pin!(future))
}

/// One function for all commands, whose futures are all of other types.
fn wait_on(
    mut runtime: Builder,
    doing: &str,
    future: Pin<&mut dyn Future<Output = CommandResult>>,
) -> CommandResult {
    let runtime = runtime.enable_all().build().map_err(|error| io_problem(doing, &error))?;
    let ended = runtime.block_on(future);
    // What still holds a connection must not keep the user waiting.
    runtime.shutdown_background();
    ended
}

fn io_problem(doing: &str, error: &io::Error) -> StopReason {
    Problem::new(ProblemKind::File, doing, error.to_string()).into()
}

/// Ends when the user presses Ctrl-C, or the process is asked to end. Received from the moment of
/// this call on; within a runtime only.
#[cfg(unix)]
pub(crate) fn interrupted() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
    // What cannot be received ends the process in the system's own way.
    let heard: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    async move {
        if heard.is_empty() {
            return std::future::pending().await;
        }
        let each = heard.into_iter().map(|mut heard| Box::pin(async move { heard.recv().await }));
        futures::future::select_all(each).await;
    }
}

/// Ends when the user presses Ctrl-C.
#[cfg(not(unix))]
pub(crate) async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
