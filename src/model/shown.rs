//! Text from elsewhere as people may see it: nothing in it steers a terminal.

use std::borrow::Cow;

/// Shows control characters as visible signs (`␛`, `␀`, `␡`), tabs as blanks, and takes out what would turn the
/// writing direction, so that text from elsewhere cannot steer the terminal. Joined pictures are shown one by one: so
/// they take the same cells everywhere.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|letter| is_unseen(letter) || letter == JOINER) {
        return Cow::Borrowed(text);
    }
    let mut before = ' ';
    let shown = text.chars().filter(|letter| {
        let joins = *letter == JOINER && is_picture(before);
        before = *letter;
        !joins
    });
    Cow::Owned(shown.map(sign).collect())
}

/// Joins pictures to one, which terminals draw in as many cells as they like.
const JOINER: char = '\u{200d}';

/// A picture, or what may follow one before it is joined: a skin colour, the sign that asks for a picture.
fn is_picture(letter: char) -> bool {
    matches!(letter, '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{fe0f}')
}

/// Whether a character would not show, or would steer the terminal.
#[must_use]
pub fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{2028}' | '\u{2029}')
}

fn sign(letter: char) -> char {
    match letter {
        '\t' => ' ',
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + letter as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '␡',
        other if is_unseen(other) => '\u{fffd}',
        other => other,
    }
}
