//! What the operating system says to the program while it has the screen.

mod signal;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(crate) use signal::Signal;
#[cfg(unix)]
pub(crate) use unix::Signals;
#[cfg(windows)]
pub(crate) use windows::Signals;
