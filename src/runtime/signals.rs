//! What the operating system says to the program while it has the screen.

#[cfg(not(unix))]
mod elsewhere;
mod signal;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use elsewhere::Signals;
pub(crate) use signal::Signal;
#[cfg(unix)]
pub(crate) use unix::Signals;
