//! Where there are no signals, as on Windows: Ctrl-C, and a look at the terminal's size from time
//! to time.

use std::{io, time::Duration};

use tokio::time::{Interval, interval};

use super::signal::Signal;

/// How often the terminal is asked for its size: nobody says.
const ASKING: Duration = Duration::from_millis(100);

/// Hears them from its making on.
pub(crate) struct Signals {
    size: Option<(u16, u16)>,
    asking: Interval,
}

impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
    pub fn listen() -> io::Result<Self> {
        Ok(Self { size: crossterm::terminal::size().ok(), asking: interval(ASKING) })
    }

    /// The next one; to drop the waiting loses none.
    pub async fn next(&mut self) -> Signal {
        let resized = async {
            loop {
                self.asking.tick().await;
                let size = crossterm::terminal::size().ok();
                if size.is_some() && size != self.size {
                    self.size = size;
                    return;
                }
            }
        };
        tokio::select! {
            Ok(()) = tokio::signal::ctrl_c() => Signal::Interrupt,
            () = resized => Signal::Resized,
        }
    }
}
