//! Which conversations are meant, as people type it: words, `is:failed`, `>500ms`, `id:7f1c`,
//! `on:request`, each of them also with `-` before it.

use std::fmt;

use super::conversation::{Conversation, ConversationState};
use crate::{
    engine::match_sense::{MatchSense, split_words},
    model::{clock::Millis, duration},
};

/// What is written in a filter, in a few words.
pub(crate) const HELP: &str = "words, is:failed,late (open, succeeded, unreadable, orphan, single, odd, overdue), >500ms, <2s, id:…, on:SUBJECT, state:…, trace:…, -not";

/// Conversations that all its terms hold for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    terms: Vec<(MatchSense, Term)>,
    text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    /// The text is in one of its messages.
    Text(Needle),
    /// One of these is so.
    Is(Vec<Quality>),
    Trace(String),
    Longer(u64),
    Shorter(u64),
    Id(String),
    Subject(String),
    State(String),
}

/// What a conversation can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quality {
    Standing(&'static str),
    Late,
    /// There are remarks about it.
    Odd,
    /// What it waits for should be over.
    Overdue,
}

impl Quality {
    fn parse(word: &str) -> Result<Self, String> {
        match word {
            "late" => Ok(Self::Late),
            "odd" => Ok(Self::Odd),
            "overdue" => Ok(Self::Overdue),
            _ => match ConversationState::WORDS.iter().find(|known| **known == word) {
                Some(word) => Ok(Self::Standing(word)),
                None => Err(format!(
                    "\"is:{word}\" is not known; there is is:{}, is:late, is:odd, is:overdue",
                    ConversationState::WORDS.join(", is:")
                )),
            },
        }
    }

    fn is_of(self, conversation: &Conversation, now: Millis) -> bool {
        match self {
            Self::Standing("unreadable") => conversation.has_unreadable,
            Self::Standing(word) => conversation.standing.as_str() == word,
            Self::Late => conversation.late > 0,
            Self::Odd => !conversation.remarks.is_empty(),
            Self::Overdue => conversation.due.is_some_and(|due| due < now),
        }
    }
}

/// A text that is looked for in messages, as they may write it: plain, or as JSON or JSON within
/// JSON does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needle(Vec<String>);

impl Needle {
    fn new(text: &str) -> Self {
        let plain = text.to_ascii_lowercase();
        let json = json_escaped(&plain, false);
        let ascii = json_escaped(&plain, true);
        let mut written =
            vec![json_escaped(&json, false), json_escaped(&ascii, false), json, ascii, plain];
        written.sort();
        written.dedup();
        Self(written)
    }

    /// Whether it is in a text that is in lower case already.
    #[must_use]
    pub fn stands_in(&self, lower: &str) -> bool {
        self.0.iter().any(|written| lower.contains(written.as_str()))
    }
}

/// A text as JSON writes it between its quotes, with letters beyond ASCII as they are or as codes.
fn json_escaped(text: &str, ascii: bool) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    let between = &quoted[1..quoted.len() - 1];
    if !ascii {
        return between.to_owned();
    }
    let mut coded = String::new();
    for letter in between.chars() {
        if letter.is_ascii() {
            coded.push(letter);
        } else {
            let mut units = [0; 2];
            letter
                .encode_utf16(&mut units)
                .iter()
                .for_each(|unit| coded.push_str(&format!("\\u{unit:04x}")));
        }
    }
    coded
}

impl Filter {
    /// Reads a filter; an empty one holds for everything.
    ///
    /// # Errors
    /// When a word of it is none, with what could stand there.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        for word in split_words(text) {
            let (sense, word) = MatchSense::split(&word.text, |rest| !rest.is_empty());
            terms.push((sense, parse_term(word)?));
        }
        Ok(Self { terms, text: text.to_owned() })
    }

    /// Whether it holds for everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The texts that it looks for in messages, in order.
    pub fn needles(&self) -> impl Iterator<Item = &Needle> {
        self.terms
            .iter()
            .filter_map(|(_, term)| if let Term::Text(needle) = term { Some(needle) } else { None })
    }

    /// Whether it holds. `found` says for each of its needles whether it is in one of the messages.
    #[must_use]
    pub fn matches(
        &self,
        conversation: &Conversation,
        now: Millis,
        found: impl Fn(usize) -> bool,
    ) -> bool {
        let mut needle = 0;
        self.terms.iter().all(|(sense, term)| {
            let holds = match term {
                Term::Text(_) => {
                    needle += 1;
                    found(needle - 1)
                }
                Term::Is(qualities) => {
                    qualities.iter().any(|quality| quality.is_of(conversation, now))
                }
                Term::Trace(trace) => {
                    conversation.trace.as_deref().is_some_and(|own| own.contains(trace.as_str()))
                }
                Term::Longer(ms) => conversation.elapsed_ms(now) > *ms,
                Term::Shorter(ms) => conversation.elapsed_ms(now) < *ms,
                Term::Id(id) => conversation.names().any(|own| own.contains(id.as_str())),
                Term::Subject(subject) => {
                    let topic = conversation.topic.as_deref();
                    conversation.subjects.iter().any(|own| own.contains(subject.as_str()))
                        || topic == Some(subject.as_str())
                }
                Term::State(state) => conversation.states.iter().any(|own| own == state),
            };
            sense.fits(holds)
        })
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn parse_milliseconds(text: &str) -> Result<u64, String> {
    let time = duration::parse_duration(text).and_then(|time| u64::try_from(time.as_millis()).ok());
    time.ok_or_else(|| format!("\"{text}\" isn't a time; use {}", duration::EXAMPLES))
}

fn parse_term(word: &str) -> Result<Term, String> {
    if let Some(time) = word.strip_prefix('>').filter(|time| !time.is_empty()) {
        return parse_milliseconds(time).map(Term::Longer);
    }
    if let Some(time) = word.strip_prefix('<').filter(|time| !time.is_empty()) {
        return parse_milliseconds(time).map(Term::Shorter);
    }
    match word.split_once(':') {
        Some(("is", words)) => {
            words.split(',').map(Quality::parse).collect::<Result<_, _>>().map(Term::Is)
        }
        Some(("id", id)) => Ok(Term::Id(id.to_owned())),
        Some(("on", subject)) => Ok(Term::Subject(subject.to_owned())),
        Some(("trace", trace)) => Ok(Term::Trace(trace.to_owned())),
        Some(("state", state)) => Ok(Term::State(state.to_owned())),
        _ => Ok(Term::Text(Needle::new(word))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_term_says_what_could_stand_there() {
        for (text, word) in [
            ("is:broken", "is:failed"),
            ("is:failed,broken", "\"is:broken\""),
            (">soon", "time"),
            ("<5w", "time"),
            (">1.2.3s", "time"),
        ] {
            let problem = Filter::parse(text).unwrap_err();
            assert!(problem.contains(word), "{text}: {problem}");
        }
        for text in [
            "",
            "  ",
            "a b",
            "-x",
            "-",
            ">",
            "\"two words\"",
            "note:something",
            "id:",
            "is:late >500ms -on:notify",
        ] {
            assert!(Filter::parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_text_is_found_as_json_writes_it() {
        let needle = Needle::new("Größe \"A\"");
        for text in [
            "die GRößE \"a\" da",
            r#"{"x": "größe \"a\""}"#,
            r#"{"x": "gr\u00f6\u00dfe \"a\""}"#,
            r#"{"x": "{\"y\": \"größe \\\"a\\\"\"}"}"#,
        ] {
            assert!(needle.stands_in(&text.to_ascii_lowercase()), "{text}");
        }
        assert!(!needle.stands_in("größe a"));
    }

    proptest! {
        #[test]
        fn any_text_is_a_filter_or_says_why_not(text in "\\PC{0,40}|[-a-z:<>\"0-9. ]{0,30}") {
            if let Ok(filter) = Filter::parse(&text) {
                prop_assert_eq!(filter.to_string(), text);
            }
        }
    }
}
