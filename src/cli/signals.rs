//! What runs until it is done or interrupted.

use std::{future::Future, io};

use super::ending::{Ended, Halt};
use crate::model::problem::{Problem, ProblemKind};

/// Runs something that waits for the network, on this thread.
pub fn wait_for(doing: &str, future: impl Future<Output = Ended>) -> Ended {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| failed(doing, &error))?;
    let ended = runtime.block_on(future);
    // What still holds a connection must not keep the user waiting.
    runtime.shutdown_background();
    ended
}

fn failed(doing: &str, error: &io::Error) -> Halt {
    Problem::new(ProblemKind::File, doing, error.to_string()).into()
}

/// Ends when the user presses Ctrl-C, or the process is asked to end.
pub async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut asked) = signal(SignalKind::terminate()) {
            tokio::select! {
                // Without a way to hear of Ctrl-C, the system ends the process itself.
                Ok(()) = tokio::signal::ctrl_c() => return,
                _ = asked.recv() => return,
            }
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
