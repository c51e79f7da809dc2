//! What counts as a word where one is selected.

use std::ops::Range;

/// What letters of one kind stand beside each other in a word.
fn kind_of(letter: char) -> u8 {
    match letter {
        _ if letter.is_alphanumeric() || letter == '_' => 0,
        _ if letter.is_whitespace() => 1,
        _ => 2,
    }
}

/// The word of a line at an offset: letters, digits and `_`, or spaces, or one other sign. At the
/// line's end it is the word before; empty in an empty line.
#[must_use]
pub(crate) fn word_at(line: &str, at: usize) -> Range<usize> {
    let (before, after) = line.split_at(at);
    let Some(wanted) = after.chars().next().or_else(|| before.chars().next_back()) else {
        return at..at;
    };
    if kind_of(wanted) == 2 {
        let from = if after.is_empty() { at - wanted.len_utf8() } else { at };
        return from..from + wanted.len_utf8();
    }
    let is_same = |letter: &char| kind_of(*letter) == kind_of(wanted);
    let from: usize = before.chars().rev().take_while(is_same).map(char::len_utf8).sum();
    let to: usize = after.chars().take_while(is_same).map(char::len_utf8).sum();
    at - from..at + to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_blanks_and_signs_are_apart() {
        let line = "größe_2:  \"ab\"";
        let word = |at: usize| &line[word_at(line, at)];
        let at = |text: &str| line.find(text).unwrap();
        assert_eq!(word(0), "größe_2");
        assert_eq!(word(at("e_2")), "größe_2");
        assert_eq!(word(at(":")), ":");
        assert_eq!(word(at(" \"")), "  ");
        assert_eq!(word(at("b")), "ab");
        assert_eq!(word(line.len()), "\"");
        assert_eq!(word_at("", 0), 0..0);
        assert_eq!(word_at("ab", 2), 0..2);
    }
}
