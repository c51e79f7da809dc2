//! The words of a search, and whether each must hold or must not: `-is:succeeded "late zips"`.

/// Words apart by spaces; quotes hold them together.
pub(crate) fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            letter if letter.is_whitespace() && !quoted => words.push(std::mem::take(&mut word)),
            letter => word.push(letter),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
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
