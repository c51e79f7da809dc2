//! What the operating system says to the program while it has the screen.

#[cfg(not(unix))]
mod elsewhere;
mod signal;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use elsewhere::Signals;
pub use signal::Signal;
#[cfg(unix)]
pub use unix::Signals;
