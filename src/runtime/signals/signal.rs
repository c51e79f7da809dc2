//! What the operating system says.

/// What was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// The program is to end.
    End,
    /// The user interrupts it, as with Ctrl-C.
    Interrupt,
    /// The terminal has another size.
    Resized,
}
