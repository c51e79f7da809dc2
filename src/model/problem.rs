//! What failed in the world, in words that tell the way out.

use std::fmt;

/// A failure as the user reads it: what was tried, what went wrong, where, what to try next. Holds
/// no secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What was being done: "saving tools.yaml", "calling tell-joke".
    pub doing: String,
    /// What went wrong.
    pub cause: String,
    /// What to do about it; empty when nothing is known to help.
    pub remedy: String,
    pub kind: ProblemKind,
}

/// Kinds that callers tell apart (exit codes, outcomes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// The user's input or files are at fault.
    Input,
    /// What was named does not exist.
    Missing,
    /// The file changed on disk since it was read.
    Changed,
    /// A file or folder could not be read or written.
    File,
    /// Nothing answered at the address.
    Unreachable,
    /// The other side refused: credentials, permissions, size.
    Refused,
    /// No answer in time.
    TimedOut,
    /// The other side answered something that cannot be understood.
    BadReply,
    /// The service itself reported a failure.
    Service,
}

impl Problem {
    #[must_use]
    pub fn new(kind: ProblemKind, doing: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { doing: doing.into(), cause: cause.into(), remedy: String::new(), kind }
    }

    /// The same problem with what to try next.
    #[must_use]
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.doing, self.cause)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, " — {}", self.remedy) }
    }
}

impl std::error::Error for Problem {}
