//! How long a call may take, and how large its answer may be.

use std::time::Duration;

use super::connection::LARGEST_ANSWER;

/// How long a call may take, from when its connection is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// To the first message of the answer.
    pub first: Duration,
    /// Between two messages of the answer.
    pub idle: Duration,
    /// To the end.
    pub total: Duration,
    /// How long to listen for strays after the end.
    pub linger: Duration,
    /// How many bytes of text an answer may have.
    pub answer: u64,
}

impl Limits {
    /// The same for an answer that has to be there within that time.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Self { first: time, idle: time, total: time, ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            first: seconds(30),
            idle: seconds(30),
            total: seconds(600),
            linger: seconds(2),
            answer: LARGEST_ANSWER,
        }
    }
}
