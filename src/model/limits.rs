//! How long a call may take, and how large its answer may be.

use std::time::Duration;

use super::connection::{Connection, LARGEST_ANSWER};

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
    /// Somebody asked for these times: those of a connection don't count.
    pub is_asked: bool,
    /// What gives a call more time, for messages: as it is done where the call was made.
    pub more_time: &'static str,
}

/// [`Limits::more_time`] of a command.
const BY_OPTION: &str =
    "give it more time with --timeout, or with timeout = \"2m\" of its connection";

/// [`Limits::more_time`] on the screen.
const BY_ACTION: &str = "give it more time: \"time limit…\" in the palette, or timeout = \"2m\" of \
    its connection";

/// The same for a tool that has its own time.
const OWN_BY_OPTION: &str =
    "give it more time with --timeout, or in tool-timeouts of its connection";
const OWN_BY_ACTION: &str = "give it more time: \"time limit…\" in the palette, or in \
    tool-timeouts of its connection";

impl Limits {
    /// Those of calls that are made on the screen.
    #[must_use]
    pub fn on_screen() -> Self {
        Self { more_time: BY_ACTION, ..Self::default() }
    }

    /// The same for an answer that has to be there within that time.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Self { first: time, idle: time, total: time, is_asked: true, ..self }
    }

    /// The same for an answer each of whose messages may take that long.
    #[must_use]
    pub fn between(self, time: Duration) -> Self {
        let total = self.total.max(time);
        Self { first: time, idle: time, total, is_asked: true, ..self }
    }

    /// The same for a tool over a connection: as large an answer as it takes, and, unless somebody
    /// asked for other times, as long between messages as its `tool-timeouts` or `timeout` say.
    #[must_use]
    pub fn over(self, connection: &Connection, tool: &str) -> Self {
        let mut limits = Self { answer: connection.largest_answer, ..self };
        let own = connection.tool_timeouts.get(tool).copied();
        if own.is_some() {
            limits.more_time = match self.more_time {
                BY_OPTION => OWN_BY_OPTION,
                BY_ACTION => OWN_BY_ACTION,
                other => other,
            };
        }
        let time = own.or(connection.timeout);
        match time.filter(|_| !self.is_asked) {
            Some(time) => Self { is_asked: false, ..limits.between(time) },
            None => limits,
        }
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
            is_asked: false,
            more_time: BY_OPTION,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_connection_counts_unless_another_was_asked_for() {
        let minutes = |count: u64| Duration::from_secs(60 * count);
        let slow = Connection { timeout: Some(minutes(20)), ..Connection::embedded() };
        let times = |limits: Limits| (limits.first, limits.idle, limits.total);
        let usual = Limits::default();
        assert_eq!(times(usual.over(&slow, "a")), (minutes(20), minutes(20), minutes(20)));
        assert_eq!(times(usual.over(&Connection::embedded(), "a")), times(usual));
        let quick = Connection { timeout: Some(minutes(1)), ..Connection::embedded() };
        assert_eq!(times(usual.over(&quick, "a")), (minutes(1), minutes(1), usual.total));
        let tool_timeouts = [("crawl".to_owned(), minutes(30))].into();
        let quick = Connection { tool_timeouts, ..quick };
        assert_eq!(times(usual.over(&quick, "crawl")), (minutes(30), minutes(30), minutes(30)));
        assert_eq!(times(usual.over(&quick, "a")).0, minutes(1));
        for limits in [usual, Limits::on_screen()] {
            let own = limits.over(&quick, "crawl");
            assert!(own.more_time.contains("tool-timeouts"), "{}", own.more_time);
            assert_eq!(own.over(&quick, "crawl"), own);
            assert_eq!(limits.over(&quick, "a").more_time, limits.more_time);
        }
        let asked = usual.within(minutes(2));
        assert_eq!(times(asked.over(&slow, "a")), times(asked));
    }
}
