//! What of the history is looked for: `tool:joke outcome:failed on:local since:2h late deliveries`.
//! Each word must be there; quotes hold words together.

use crate::{
    engine::{
        match_sense::{MatchSense, Word, split_words},
        workflow::similar,
    },
    model::{call::Outcome, clock::Millis, duration, trace::Summary},
};

/// The words before a colon, for help.
pub(crate) const WORDS: &str = "tool:NAME is:failed,no-answer -is:succeeded on:CONNECTION since:30m|2h|3d id:START >500ms, and words of the request or the answer, \"in quotes\" as they follow each other";

/// The same, one by one.
const KEYS: [&str; 6] = ["tool", "outcome", "is", "on", "since", "id"];

/// Everything that is given must fit; nothing given fits every call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceFilter {
    /// In small letters; each is somewhere in the request, the answer or the problem.
    pub texts: Vec<String>,
    terms: Vec<(MatchSense, Term)>,
}

/// Of several values one must fit. All are in small letters.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    Tool(Vec<String>),
    Ending(Vec<String>),
    Connection(Vec<String>),
    Id(Vec<String>),
    Since(Millis),
    /// Milliseconds that a call took from sending on.
    Longer(u64),
    Shorter(u64),
}

impl TraceFilter {
    /// What is asked for in one line. Words that mean nothing special are text.
    #[must_use]
    pub fn parse(query: &str, now: Millis) -> Self {
        let mut terms = Vec::new();
        let mut texts = Vec::new();
        for Word { text: word, .. } in split_words(query) {
            let (sense, part) = split_sense(&word);
            let term = match split_term(part) {
                Some(("tool", value)) => Some(Term::Tool(values(value))),
                Some(("outcome" | "is", value)) => Some(Term::Ending(values(value))),
                Some(("on", value)) => Some(Term::Connection(values(value))),
                Some(("id", value)) => Some(Term::Id(values(value))),
                // What is no time is still being typed.
                Some(("since", value)) => {
                    milliseconds(value).map(|ago| Term::Since(Millis(now.0.saturating_sub(ago))))
                }
                Some((">", value)) => milliseconds(value).map(Term::Longer),
                Some(("<", value)) => milliseconds(value).map(Term::Shorter),
                _ => {
                    texts.push(word.to_lowercase());
                    None
                }
            };
            terms.extend(term.map(|term| (sense, term)));
        }
        Self { texts, terms }
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
    /// passes over while they are typed, or a key is misspelt; with what can be typed.
    pub fn check_words(query: &str) -> Result<(), String> {
        for Word { text: word, is_quoted } in split_words(query) {
            match split_term(split_sense(&word).1) {
                Some(("since" | ">" | "<", value)) if milliseconds(value).is_none() => {
                    return Err(format!("{word} names no time: {}", duration::EXAMPLES));
                }
                Some((key @ ("outcome" | "is"), value)) => {
                    if let Some(wrong) = values(value).iter().find(|value| !is_ending(value)) {
                        return Err(format!("{key}:{wrong} names no outcome: {}", endings()));
                    }
                }
                Some((key, _)) if !KEYS.contains(&key) && !is_quoted => {
                    if let Some(near) = misspelt(key) {
                        return Err(format!(
                            "{key}: is unknown; did you mean {near}:? (\"{word}\" in quotes is text)"
                        ));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The same, of calls over that connection alone.
    #[must_use]
    pub fn on_connection(mut self, connection: &str) -> Self {
        self.terms.push((MatchSense::Holds, Term::Connection(vec![connection.to_lowercase()])));
        self
    }

    /// Whether a call fits, apart from the text.
    #[must_use]
    pub fn matches(&self, call: &Summary) -> bool {
        let contain = |has: &str, wanted: &[String]| {
            let has = has.to_lowercase();
            wanted.iter().any(|wanted| has.contains(wanted))
        };
        self.terms.iter().all(|(sense, term)| {
            let holds = match term {
                Term::Tool(wanted) => contain(&call.tool, wanted),
                Term::Connection(wanted) => contain(&call.connection, wanted),
                Term::Ending(wanted) => {
                    let words = call.ending_words().replace(' ', "-");
                    let outcome = call.outcome.map_or("", Outcome::as_str);
                    wanted.iter().any(|wanted| {
                        [&words, outcome].iter().any(|word| word.starts_with(wanted.as_str()))
                    })
                }
                Term::Id(wanted) => {
                    let id = call.id.to_lowercase();
                    wanted.iter().any(|wanted| id.starts_with(wanted))
                }
                Term::Since(since) => call.at >= *since,
                Term::Longer(least) => call.answered_in() > *least,
                Term::Shorter(most) => call.answered_in() < *most,
            };
            sense.fits(holds)
        })
    }
}

/// The key that a word before a colon may be meant as. A slip seldom is in the first letter, and
/// other words are near by chance: `pool:5` is a text.
fn misspelt(word: &str) -> Option<&'static str> {
    // Short ones are too near to any other word.
    let near = similar::nearest_name(word, ["tool", "tools", "outcome", "since"])?;
    word.to_lowercase().starts_with(&near[..1]).then(|| near.trim_end_matches('s'))
}

/// Whether `-` is before a word that means something by itself.
fn split_sense(word: &str) -> (MatchSense, &str) {
    MatchSense::split(word, |rest| split_term(rest).is_some())
}

/// The values of a term, apart by commas. What is still to be typed after a comma is none.
fn values(value: &str) -> Vec<String> {
    let low = value.to_lowercase();
    let given: Vec<String> =
        low.split(',').filter(|value| !value.is_empty()).map(str::to_owned).collect();
    if given.is_empty() { vec![String::new()] } else { given }
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

/// The words that `is:` knows.
fn ending_list() -> impl Iterator<Item = String> {
    let outcomes = Outcome::ALL.into_iter().map(Outcome::as_str);
    let words = outcomes.chain(Outcome::LOST).chain([Summary::UNFINISHED]);
    words.map(|word| word.replace(' ', "-"))
}

fn endings() -> String {
    ending_list().collect::<Vec<_>>().join(", ")
}

/// Whether a value is the begin of one of them.
fn is_ending(value: &str) -> bool {
    ending_list().any(|word| word.starts_with(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error_kind::ErrorKind;

    fn call() -> Summary {
        Summary {
            id: "a".into(),
            at: Millis(10_000_000),
            tool: "tell-joke".into(),
            connection: "local nats".into(),
            arguments: "{}".into(),
            outcome: Some(Outcome::TimedOut),
            error: None,
            sent_ms: None,
            took_ms: 250,
            first_ms: None,
            chunks: 0,
            size: 0,
            strays: 0,
            has_passed: None,
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
            ("is:failed,timed-out", true),
            ("is:failed,lost,", false),
            ("-is:succeeded -tool:x,calc", true),
            ("-is:failed,timed", false),
            ("->1s", true),
            ("id:b,a", true),
        ] {
            assert_eq!(TraceFilter::parse(query, now).matches(&call()), fits, "{query}");
        }
        assert!(
            TraceFilter::parse("outcome:unfinished", now)
                .matches(&Summary { outcome: None, ..call() })
        );
        assert_eq!(
            TraceFilter::parse("late  \"Two  Deliveries\" tool:x at 12:30 -5 -x", now).texts,
            ["late", "two  deliveries", "at", "12:30", "-5", "-x"]
        );
    }

    #[test]
    fn a_misspelt_key_is_refused_and_other_colons_are_text() {
        for (query, near) in
            [("tols:joke", "tool:"), ("-sinse:2h", "since:"), ("outcom:x", "outcome:")]
        {
            let refused = TraceFilter::check_words(query).unwrap_err();
            assert!(refused.contains(&format!("did you mean {near}?")), "{refused}");
        }
        for query in [
            "12:30",
            "not:so",
            "name:Ada",
            "https://a.example",
            ":",
            "tool:joke",
            "pool:5",
            "wool:x cool:",
            "\"toot:5 x\"",
            "\"too\":5",
        ] {
            assert_eq!(TraceFilter::check_words(query), Ok(()), "{query}");
            assert!(TraceFilter::parse_complete(query, Millis(0)).is_ok(), "{query}");
        }
        let refused = TraceFilter::check_words("too:\"5 x\"").unwrap_err();
        assert!(refused.contains("did you mean tool:?"), "{refused}");
    }

    #[test]
    fn what_is_lost_has_words_of_its_own() {
        let lost = |error: Option<ErrorKind>, chunks| Summary {
            outcome: Some(Outcome::Lost),
            error,
            chunks,
            ..call()
        };
        for (call, word, other) in [
            (lost(Some(ErrorKind::NotJson), 3), "unreadable", "cut-off"),
            (lost(Some(ErrorKind::ConnectionLost), 3), "cut-off", "no-answer"),
            (lost(Some(ErrorKind::NoServer), 0), "no-answer", "unreadable"),
        ] {
            let is =
                |word: &str| TraceFilter::parse(&format!("is:{word}"), Millis(0)).matches(&call);
            assert!(is(word) && is("lost") && !is(other), "{word}");
        }
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
            "-is:no-answer,cut-off is:",
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
            ("-is:failed,faild", "is:faild names no outcome"),
        ] {
            let refused = TraceFilter::parse_complete(wrong, now).unwrap_err();
            assert!(refused.contains(words), "{refused}");
        }
    }
}
