//! Unix's signals.

use std::io;

use futures::FutureExt as _;
use rustix::process::Signal as Process;
use tokio::signal::unix::{self, SignalKind, signal};

use super::signal::Signal;

/// Hears them from its making on.
pub(crate) struct Signals {
    end: [unix::Signal; 4],
    stop: unix::Signal,
    resized: unix::Signal,
}

impl Signals {
    /// # Errors
    /// When the operating system does not let us listen.
    pub fn listen() -> io::Result<Self> {
        // A file that may not grow further is an error of the writing, and no end of the program.
        let _ = signal(SignalKind::from_raw(Process::XFSZ.as_raw()))?;
        Ok(Self {
            end: [
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
                signal(SignalKind::interrupt())?,
                signal(SignalKind::quit())?,
            ],
            stop: signal(SignalKind::from_raw(Process::TSTP.as_raw()))?,
            resized: signal(SignalKind::window_change())?,
        })
    }

    /// The next one; to drop the waiting loses none.
    pub async fn next(&mut self) -> Signal {
        let Self { end: [terminate, hangup, interrupt, quit], stop, resized } = self;
        tokio::select! {
            biased;
            _ = terminate.recv() => Signal::End,
            _ = hangup.recv() => Signal::End,
            _ = interrupt.recv() => Signal::Interrupt,
            _ = quit.recv() => Signal::End,
            _ = stop.recv() => Signal::Stop,
            _ = resized.recv() => Signal::Resized,
        }
    }

    /// Forgets what Ctrl+C and Ctrl+\ have sent so far: while another program had the terminal, they
    /// were for that one.
    pub fn forget_keys(&mut self) {
        let [_, _, interrupt, quit] = &mut self.end;
        for signal in [interrupt, quit] {
            while signal.recv().now_or_never().flatten().is_some() {}
        }
    }
}
