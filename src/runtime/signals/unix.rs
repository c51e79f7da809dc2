//! Unix's signals.

use std::io;

use tokio::signal::unix::{self, SignalKind, signal};

use super::signal::Signal;

/// Hears them from its making on.
pub(crate) struct Signals {
    end: [unix::Signal; 3],
    resized: unix::Signal,
}

impl Signals {
    /// # Errors
    /// When the operating system does not let us listen.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            end: [
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
                signal(SignalKind::interrupt())?,
            ],
            resized: signal(SignalKind::window_change())?,
        })
    }

    /// The next one; to drop the waiting loses none.
    pub async fn next(&mut self) -> Signal {
        let Self { end: [terminate, hangup, interrupt], resized } = self;
        tokio::select! {
            biased;
            _ = terminate.recv() => Signal::End,
            _ = hangup.recv() => Signal::End,
            _ = interrupt.recv() => Signal::Interrupt,
            _ = resized.recv() => Signal::Resized,
        }
    }
}
