//! Text from elsewhere as people may see it: nothing in it steers a terminal.

use std::borrow::Cow;

/// Shows control characters as visible signs (`␛`, `␀`, `␡`), tabs as blanks, and takes out what would turn the
/// writing direction, so that text from elsewhere cannot steer the terminal.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unseen) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(sign).collect())
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
