//! The words of a search, and whether each must hold or must not: `-is:succeeded "late zips"`.

/// A word of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// Without its quotes.
    pub text: String,
    /// Whether a quote opens before its first colon: what is before that is then meant as text.
    pub is_quoted: bool,
}

/// Words apart by spaces; quotes hold them together.
pub(crate) fn split_words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word = Word::default();
    let mut quoted = false;
    for letter in text.chars() {
        match letter {
            '"' => {
                quoted = !quoted;
                word.is_quoted |= !word.text.contains(':');
            }
            letter if letter.is_whitespace() && !quoted => words.push(std::mem::take(&mut word)),
            letter => word.text.push(letter),
        }
    }
    words.push(word);
    words.retain(|word| !word.text.is_empty());
    words
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchSense {
    Holds,
    HoldsNot,
}

impl MatchSense {
    /// The sense of a word and the word without its `-`, which is a part of the word where the
    /// rest can't be negated.
    pub(crate) fn split(word: &str, can_be_negated: impl FnOnce(&str) -> bool) -> (Self, &str) {
        match word.strip_prefix('-') {
            Some(rest) if can_be_negated(rest) => (Self::HoldsNot, rest),
            _ => (Self::Holds, word),
        }
    }

    /// Whether a word fits that holds or doesn't.
    pub(crate) fn fits(self, holds: bool) -> bool {
        holds == (self == Self::Holds)
    }
}
