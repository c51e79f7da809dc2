//! What of the history is looked for: `tool:joke outcome:failed on:local since:2h late deliveries`.

use crate::model::{call::Outcome, clock::Millis, duration, trace::Summary};

/// The words before a colon, for help.
pub(crate) const WORDS: &str = "tool:NAME is:failed on:CONNECTION since:30m|2h|3d id:START >500ms, and any text of the request or the answer";

/// The outcome of a call that has none.
const UNFINISHED: &str = "unfinished";

/// Everything that is given must fit; nothing given fits every call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceFilter {
    /// In small letters; of the request, the answer or the problem.
    pub text: String,
    tool: Option<String>,
    outcome: Option<String>,
    connection: Option<String>,
    since: Option<Millis>,
    id: Option<String>,
    /// Milliseconds that a call took at least, and at most.
    longer: Option<u64>,
    shorter: Option<u64>,
}

impl TraceFilter {
    /// What is asked for in one line. Words that mean nothing special are text.
    #[must_use]
    pub fn parse(query: &str, now: Millis) -> Self {
        let mut wanted = Self::default();
        let mut text: Vec<&str> = Vec::new();
        for word in query.split_whitespace() {
            let low = |value: &str| Some(value.to_lowercase());
            match split_term(word) {
                Some(("tool", value)) => wanted.tool = low(value),
                Some(("outcome" | "is", value)) => wanted.outcome = low(value),
                Some(("on", value)) => wanted.connection = low(value),
                Some(("id", value)) => wanted.id = low(value),
                // What is no time is still being typed.
                Some(("since", value)) => {
                    let ago = milliseconds(value);
                    wanted.since = ago.map(|ms| Millis(now.0.saturating_sub(ms)));
                }
                Some((">", value)) => wanted.longer = milliseconds(value),
                Some(("<", value)) => wanted.shorter = milliseconds(value),
                _ => text.push(word),
            }
        }
        wanted.text = text.join(" ").to_lowercase();
        wanted
    }

    /// The same of a line that is complete, such as that of a command.
    ///
    /// # Errors
    /// As [`TraceFilter::check_words`].
    pub fn parse_complete(query: &str, now: Millis) -> Result<Self, String> {
        Self::check_words(query).map(|()| Self::parse(query, now))
    }

    /// Whether each word of a query means something.
    ///
    /// # Errors
    /// Where `since:`, `>` or `<` names no time or `is:` no outcome, which [`TraceFilter::parse`]
    /// passes over while they are typed; with what can be typed.
    pub fn check_words(query: &str) -> Result<(), String> {
        for word in query.split_whitespace() {
            match split_term(word) {
                Some(("since" | ">" | "<", value)) if milliseconds(value).is_none() => {
                    return Err(format!("{word} names no time: {}", duration::EXAMPLES));
                }
                Some(("outcome" | "is", value)) if !is_outcome(value) => {
                    return Err(format!("{word} names no outcome: {}", outcomes().join(", ")));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The same, of calls over that connection alone.
    #[must_use]
    pub fn on_connection(self, connection: &str) -> Self {
        Self { connection: Some(connection.to_lowercase()), ..self }
    }

    /// Whether a call fits, apart from the text.
    #[must_use]
    pub fn matches(&self, call: &Summary) -> bool {
        let holds = |wanted: &Option<String>, has: &str| {
            wanted.as_ref().is_none_or(|wanted| has.to_lowercase().contains(wanted))
        };
        let outcome = call.outcome.map_or(UNFINISHED, Outcome::as_str);
        holds(&self.tool, &call.tool)
            && holds(&self.connection, &call.connection)
            && self.outcome.as_ref().is_none_or(|wanted| outcome.starts_with(wanted.as_str()))
            && self.since.is_none_or(|since| call.at >= since)
            && self.id.as_ref().is_none_or(|id| call.id.to_lowercase().starts_with(id))
            && self.longer.is_none_or(|least| call.took_ms > least)
            && self.shorter.is_none_or(|most| call.took_ms < most)
    }
}

/// What a word is about, and its value: `is:failed`, `>500ms`.
fn split_term(word: &str) -> Option<(&str, &str)> {
    let compared = word.strip_prefix(['>', '<']).map(|value| (&word[..1], value));
    // A mark alone, or before what is no number, is text.
    compared
        .filter(|(_, value)| value.starts_with(|first: char| first.is_ascii_digit()))
        .or_else(|| word.split_once(':'))
}

fn milliseconds(value: &str) -> Option<u64> {
    duration::parse_duration(value).and_then(|time| u64::try_from(time.as_millis()).ok())
}

/// The words of outcomes.
fn outcomes() -> Vec<&'static str> {
    Outcome::ALL.into_iter().map(Outcome::as_str).chain([UNFINISHED]).collect()
}

/// Whether a value is the begin of one of them.
fn is_outcome(value: &str) -> bool {
    outcomes().iter().any(|word| word.starts_with(&value.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Summary {
        Summary {
            id: "a".into(),
            at: Millis(10_000_000),
            tool: "tell-joke".into(),
            connection: "local nats".into(),
            arguments: "{}".into(),
            outcome: Some(Outcome::TimedOut),
            took_ms: 250,
            first_ms: None,
            chunks: 0,
            size: 0,
            strays: 0,
        }
    }

    #[test]
    fn everything_given_must_fit() {
        let now = Millis(10_000_000 + 3_600_000);
        for (query, fits) in [
            ("", true),
            ("tool:JOKE outcome:timed on:nats since:2h", true),
            ("tool:calc", false),
            ("outcome:failed", false),
            ("outcome:unfinished", false),
            ("since:59m", false),
            ("since:6", false),
            ("since:7200", true),
            ("since:6w", true),
            ("since:99999999999999999999d", true),
            ("is:timed", true),
            ("is:failed", false),
            ("id:A", true),
            ("id:b", false),
            (">200ms", true),
            (">250ms", false),
            ("<1s >0ms", true),
            ("<250ms", false),
        ] {
            assert_eq!(TraceFilter::parse(query, now).matches(&call()), fits, "{query}");
        }
        assert!(
            TraceFilter::parse("outcome:unfinished", now)
                .matches(&Summary { outcome: None, ..call() })
        );
        assert_eq!(
            TraceFilter::parse("late  Deliveries tool:x at 12:30", now).text,
            "late deliveries at 12:30"
        );
    }

    #[test]
    fn a_complete_line_names_what_it_cannot_mean() {
        let now = Millis(3_600_000);
        for right in [
            "",
            "since:2h",
            "outcome:timed tool:x",
            "outcome:unf",
            "http://x since:3d",
            "a > b <tag>",
        ] {
            assert_eq!(TraceFilter::parse_complete(right, now), Ok(TraceFilter::parse(right, now)));
        }
        for (wrong, words) in [
            ("since:2x", "since:2x names no time: 500ms"),
            ("since:", "names no time"),
            ("outcome:faild", "names no outcome: succeeded, failed"),
            ("is:faild", "names no outcome: succeeded, failed"),
            (">5x", ">5x names no time: 500ms"),
        ] {
            let refused = TraceFilter::parse_complete(wrong, now).unwrap_err();
            assert!(refused.contains(words), "{refused}");
        }
    }
}
