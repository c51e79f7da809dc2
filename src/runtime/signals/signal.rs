//! What the operating system says.

/// What was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// The program is to end.
    End,
    /// The user interrupts it, as with Ctrl-C.
    Interrupt,
    /// The program is to stop until it may go on, as by `kill -TSTP`.
    #[cfg_attr(windows, expect(dead_code, reason = "Windows doesn't stop programs"))]
    Stop,
    /// The terminal has another size.
    Resized,
}
