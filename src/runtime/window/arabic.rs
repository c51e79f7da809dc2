//! Arabic letters as they are written beside each other. Each has a shape for itself, for the end of
//! a word, its beginning and its middle; our font has all of them as letters of their own.

/// How many of these shapes the letters have, from U+0621 to U+063A and from U+0641 to U+064A.
const SHAPES: [u32; 36] = [
    1, 2, 2, 2, 2, 4, 2, 4, 2, 4, 4, 4, 4, 4, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, // to U+063A
    4, 4, 4, 4, 4, 4, 4, 2, 2, 4, // from U+0641
];
/// The shapes of all these follow each other from here on.
const FIRST_SHAPE: u32 = 0xfe80;

/// Letters of Persian and Urdu, with the first of their shapes, and how many each has.
const OTHERS: [(char, u32, u32); 6] = [
    ('پ', 0xfb56, 4),
    ('چ', 0xfb7a, 4),
    ('ژ', 0xfb8a, 2),
    ('ک', 0xfb8e, 4),
    ('گ', 0xfb92, 4),
    ('ی', 0xfbfc, 4),
];

/// It draws out the line between two letters.
const TATWEEL: char = '\u{640}';

/// The shape of a letter between those that are read before and after it. `None`: it has only one.
pub(super) fn shape(before: Option<char>, letter: char, after: Option<char>) -> Option<char> {
    let (first, count) = shapes_of(letter)?;
    let follows = count > 1 && before.is_some_and(joins_next);
    let leads = count == 4 && after.is_some_and(joins_previous);
    let which = match (follows, leads) {
        (false, false) => 0,
        (true, false) => 1,
        (false, true) => 2,
        (true, true) => 3,
    };
    char::from_u32(first + which)
}

/// The first shape of a letter, and how many it has.
fn shapes_of(letter: char) -> Option<(u32, u32)> {
    if let Some((_, first, count)) = OTHERS.iter().find(|(known, ..)| *known == letter) {
        return Some((*first, *count));
    }
    let index = match letter {
        '\u{621}'..='\u{63a}' => u32::from(letter) - 0x621,
        '\u{641}'..='\u{64a}' => u32::from(letter) - 0x641 + 26,
        _ => return None,
    };
    let index = usize::try_from(index).ok()?;
    let before: u32 = SHAPES.iter().take(index).sum();
    Some((FIRST_SHAPE + before, *SHAPES.get(index)?))
}

fn joins_next(letter: char) -> bool {
    letter == TATWEEL || shapes_of(letter).is_some_and(|(_, count)| count == 4)
}

fn joins_previous(letter: char) -> bool {
    letter == TATWEEL || shapes_of(letter).is_some_and(|(_, count)| count > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shapes of a word's letters, in the order in which they are read.
    fn shapes(word: &str) -> Vec<u32> {
        let letters: Vec<char> = word.chars().collect();
        let at = |index: usize| letters.get(index).copied();
        let shape_at = |index: usize| {
            let letter = letters[index];
            let before = index.checked_sub(1).and_then(at);
            u32::from(shape(before, letter, at(index + 1)).unwrap_or(letter))
        };
        (0..letters.len()).map(shape_at).collect()
    }

    #[test]
    fn letters_join_those_beside_them() {
        assert_eq!(shapes("تقرير"), [0xfe97, 0xfed8, 0xfeae, 0xfef3, 0xfeae]);
        assert_eq!(shapes("نص"), [0xfee7, 0xfeba]);
        assert_eq!(shapes("ء"), [0xfe80]);
        assert_eq!(shapes("بـ"), [0xfe91, 0x640], "the line is drawn out");
    }

    #[test]
    fn what_is_between_words_joins_nothing() {
        assert_eq!(shapes("ب ب"), [0xfe8f, 0x20, 0xfe8f]);
        assert_eq!(shapes("بxگ"), [0xfe8f, 0x78, 0xfb92]);
        assert_eq!(shapes("אב"), [0x5d0, 0x5d1], "Hebrew has one shape a letter");
    }
}
