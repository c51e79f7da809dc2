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
        let cause = without_os_number(cause.into());
        Self { doing: doing.into(), cause, remedy: String::new(), kind }
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

/// The words of an error without the number that the system has for it: "Connection refused" of
/// "Connection refused (os error 111)".
pub(super) fn without_os_number(mut words: String) -> String {
    const BEFORE: &str = " (os error ";
    while let Some(at) = words.find(BEFORE) {
        let rest = &words[at + BEFORE.len()..];
        match rest.find(')') {
            Some(length) if rest[..length].parse::<i32>().is_ok() => {
                words.replace_range(at..=at + BEFORE.len() + length, "");
            }
            _ => break,
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_system_are_left_out() {
        for (words, left) in [
            ("Connection refused (os error 111)", "Connection refused"),
            ("a: no (os error 2), b: no (os error -3).", "a: no, b: no."),
            ("(os error 2)", "(os error 2)"),
            ("it says (os error x)", "it says (os error x)"),
            ("cut (os error 1", "cut (os error 1"),
        ] {
            assert_eq!(without_os_number(words.into()), left);
        }
    }
}
