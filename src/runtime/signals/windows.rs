//! Windows has no signals: Ctrl-C, the end of its console or of the session, and a look at the
//! terminal's size from time to time.

use std::{io, time::Duration};

use futures::FutureExt as _;
use tokio::{
    signal::windows::{self as console, CtrlBreak, CtrlC, CtrlClose, CtrlLogoff, CtrlShutdown},
    time::{Interval, interval},
};

use super::signal::Signal;

/// How often the terminal is asked for its size: nobody says.
const ASKING: Duration = Duration::from_millis(100);

/// Hears them from its making on.
pub(crate) struct Signals {
    interrupt: CtrlC,
    stop: CtrlBreak,
    close: CtrlClose,
    logoff: CtrlLogoff,
    shutdown: CtrlShutdown,
    size: Option<(u16, u16)>,
    asking: Interval,
}

impl Signals {
    /// # Errors
    /// When the operating system does not let us listen.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: console::ctrl_c()?,
            stop: console::ctrl_break()?,
            close: console::ctrl_close()?,
            logoff: console::ctrl_logoff()?,
            shutdown: console::ctrl_shutdown()?,
            size: crossterm::terminal::size().ok(),
            asking: interval(ASKING),
        })
    }

    /// Forgets what Ctrl+C and Ctrl+Break have sent so far: while another program had the console,
    /// they were for that one.
    pub fn forget_keys(&mut self) {
        while self.interrupt.recv().now_or_never().flatten().is_some() {}
        while self.stop.recv().now_or_never().flatten().is_some() {}
    }

    /// The next one; to drop the waiting loses none.
    pub async fn next(&mut self) -> Signal {
        let Self { interrupt, stop, close, logoff, shutdown, size, asking } = self;
        let resized = async {
            loop {
                asking.tick().await;
                let now = crossterm::terminal::size().ok();
                if now.is_some() && now != *size {
                    *size = now;
                    return;
                }
            }
        };
        tokio::select! {
            biased;
            _ = close.recv() => Signal::End,
            _ = logoff.recv() => Signal::End,
            _ = shutdown.recv() => Signal::End,
            _ = stop.recv() => Signal::End,
            _ = interrupt.recv() => Signal::Interrupt,
            () = resized => Signal::Resized,
        }
    }
}
