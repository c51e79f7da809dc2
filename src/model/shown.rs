//! Text from elsewhere as people may see it: nothing in it steers a terminal, and nothing in it
//! hides.

use std::{borrow::Cow, mem};

/// Shows control characters as visible signs (`␛`, `␀`, `␡`), tabs as spaces, and what would not
/// show or would turn the writing direction as `�`, so that text from elsewhere can neither steer a
/// terminal nor hide something in it. Joined pictures are shown one by one: so they take the same
/// cells everywhere.
#[must_use]
pub(crate) fn visible_text(text: &str) -> Cow<'_, str> {
    if is_plain(text.as_bytes()) || !text.chars().any(is_suspect) {
        return Cow::Borrowed(text);
    }
    let shown = char_fates(text).filter_map(|(letter, fate)| match fate {
        CharFate::Kept => Some(letter),
        CharFate::Joins => None,
        CharFate::Unseen => Some(visible_sign(letter)),
    });
    Cow::Owned(shown.collect())
}

/// So many letters of a text, with `…` where there are more.
#[must_use]
pub(crate) fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// So many letters of a text on one line, with `…` where there are more.
#[must_use]
pub(crate) fn short_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shorten(&line, most).into_owned()
}

/// What a body says that may be a page of HTML: its words, without tags.
#[must_use]
pub(crate) fn page_text(body: &str) -> Cow<'_, str> {
    let mut rest = body.trim_start();
    if !rest.starts_with('<') {
        return Cow::Borrowed(body);
    }
    let mut text = String::new();
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        text.push(' ');
        rest = tag.split_once('>').map_or("", |(_, after)| after);
        // What is in these is for browsers.
        for hidden in ["style", "script"] {
            if tag.get(..hidden.len()).is_some_and(|name| name.eq_ignore_ascii_case(hidden)) {
                rest = rest.split_once("</").map_or("", |(_, after)| after);
                rest = rest.split_once('>').map_or("", |(_, after)| after);
            }
        }
    }
    text.push_str(rest);
    if text.trim().is_empty() { Cow::Borrowed(body) } else { Cow::Owned(text) }
}

/// What bytes are that are no text: where they stop being UTF-8, and the bytes there.
#[must_use]
pub(crate) fn not_utf8_words(bytes: &[u8], what: &str) -> String {
    /// So many bytes are shown, a few of them from before the place.
    const SHOWN: usize = 16;
    const BEFORE: usize = 4;
    let place = str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let from = place.saturating_sub(BEFORE);
    let to = (from + SHOWN).min(bytes.len());
    let hex: Vec<String> = bytes[from..to].iter().map(|byte| format!("{byte:02x}")).collect();
    let more = if to < bytes.len() { " …" } else { "" };
    let start = if from > 0 { "… " } else { "" };
    format!(
        "byte {place} of the {what} ({} in all) is not valid UTF-8: {start}{}{more}",
        bytes.len(),
        hex.join(" ")
    )
}

/// A word as a shell takes it: in quotes where it has to be.
#[must_use]
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=:./,@%+".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Whether all of it is printable ASCII, which shows as it is. Nearly all text is, and all text comes
/// by here: eight bytes are looked at at once.
#[must_use]
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    const EACH: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHEST: u64 = 0x80 * EACH;
    // The highest bit of a byte is set where it is: no ASCII, `\x7f`, or less than a space.
    let is_plain_word = |word: u64| {
        let deleted = word.wrapping_add(EACH);
        let low = !word.wrapping_add(0x60 * EACH);
        (word | deleted | low) & HIGHEST == 0
    };
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().all(|word| is_plain_word(u64::from_ne_bytes(*word)))
        && rest.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Whether [`visible_text`] shows something else in a character's place, after the one before it.
#[must_use]
pub(crate) fn is_replaced(before: char, letter: char) -> bool {
    char_fate(before, letter) == CharFate::Unseen
}

/// Whether a character never shows, or would steer a terminal.
#[must_use]
pub(crate) fn is_unseen(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_control();
    }
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// What becomes of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharFate {
    Kept,
    /// It makes one picture of two.
    Joins,
    Unseen,
}

/// Each character with what becomes of it after the one before.
fn char_fates(text: &str) -> impl Iterator<Item = (char, CharFate)> {
    let mut before = ' ';
    text.chars().map(move |letter| {
        let last = mem::replace(&mut before, letter);
        (letter, char_fate(last, letter))
    })
}

fn char_fate(before: char, letter: char) -> CharFate {
    match letter {
        JOINER if is_picture(before) => CharFate::Joins,
        _ if is_unseen(letter) => CharFate::Unseen,
        _ if is_modifier(letter) && !can_modify(before, letter) => CharFate::Unseen,
        _ => CharFate::Kept,
    }
}

/// Joins pictures to one, which terminals draw in as many cells as they like.
const JOINER: char = '\u{200d}';

const NON_JOINER: char = '\u{200c}';

fn is_suspect(letter: char) -> bool {
    is_unseen(letter) || is_modifier(letter)
}

/// What shows only in how it changes the character before it.
fn is_modifier(letter: char) -> bool {
    matches!(letter, NON_JOINER | JOINER | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether it can change that character; else it only hides there.
fn can_modify(before: char, letter: char) -> bool {
    match letter {
        _ if is_suspect(before) => false,
        NON_JOINER | JOINER => is_cursive(before),
        '\u{fe00}'..='\u{fe0f}' => !before.is_ascii() || matches!(before, '0'..='9' | '#' | '*'),
        _ => {
            matches!(before, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
        }
    }
}

/// Of a script in which letters are joined: Arabic and its neighbours, those of India, Myanmar,
/// Khmer, Mongolian.
fn is_cursive(letter: char) -> bool {
    matches!(letter, '\u{600}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}')
}

/// A picture, or what may follow one before it is joined: a skin colour, the sign that asks for a
/// picture.
fn is_picture(letter: char) -> bool {
    matches!(letter, '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{fe0f}')
}

fn visible_sign(letter: char) -> char {
    match letter {
        '\t' => ' ',
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + letter as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '␡',
        _ => '\u{fffd}',
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_shortened_by_letters_where_it_is_longer() {
        assert_eq!(shorten("größer", 6), "größer");
        assert_eq!(shorten("größer", 4), "größ…");
        assert_eq!(shorten("", 0), "");
        assert_eq!(short_line(" a\n  b c", 3), "a b…");
    }

    /// What must never reach a terminal.
    fn steers(letter: char) -> bool {
        letter.is_control()
            || matches!(letter, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    }

    #[test]
    fn only_printable_ascii_is_plain() {
        for (at, byte) in (0..17).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte))) {
            let mut text = *b"all plain letters";
            text[at] = byte;
            assert_eq!(is_plain(&text), matches!(byte, b' '..=b'~'), "{byte} at {at}");
        }
        assert!(is_plain(b""));
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_where_they_stop_being_text() {
        let packed = b"\x1f\x8b\x08\x00";
        let expected = "byte 1 of the reply (4 in all) is not valid UTF-8: 1f 8b 08 00";
        assert_eq!(not_utf8_words(packed, "reply"), expected);
        let text = [b"{\"a\": \"", &[0xfc; 20][..], b"\"}"].concat();
        let expected = "byte 7 of the reply (29 in all) is not valid UTF-8: … 22 3a 20 22 fc fc fc \
            fc fc fc fc fc fc fc fc fc …";
        assert_eq!(not_utf8_words(&text, "reply"), expected);
    }

    #[test]
    fn what_hides_or_turns_is_shown() {
        for hidden in [
            '\u{61c}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{200e}',
            '\u{202e}',
            '\u{2069}',
            '\u{feff}',
            '\u{fe0f}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{9b}',
        ] {
            assert_eq!(visible_text(&format!("a{hidden}b")), "a\u{fffd}b", "{hidden:?}");
        }
        assert_eq!(visible_text("a\u{1b}[31m\tb\n"), "a␛[31m b␊");
    }

    #[test]
    fn what_belongs_to_its_letter_stays() {
        for text in [
            "☎\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "葛\u{e0100}",
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
        ] {
            assert!(
                matches!(visible_text(text), Cow::Borrowed(_)) || visible_text(text) == text,
                "{text:?}"
            );
        }
        assert_eq!(visible_text("👩\u{200d}💻"), "👩💻");
        // A row of selectors carries a message.
        assert_eq!(visible_text("☎\u{fe0f}\u{fe01}\u{fe02}"), "☎\u{fe0f}\u{fffd}\u{fffd}");
    }

    #[test]
    fn a_page_is_shown_without_its_tags() {
        let page = "<!doctype html><html><head><style>p { a: b }</style></head>\n<h1>Bad gateway</h1>x<br/>y";
        let words = |text: &str| page_text(text).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(page), "Bad gateway x y");
        for text in ["plain < text", "<>", "<a", ""] {
            assert_eq!(page_text(text), text);
        }
    }

    proptest! {
        #[test]
        fn nothing_shown_steers_a_terminal(text in "(\\PC|[\u{0}-\u{9f}\u{61c}\u{200b}-\u{2069}\u{feff}\u{fe00}-\u{fe0f}\u{e0000}-\u{e01ff}])*") {
            let shown = visible_text(&text).into_owned();
            prop_assert!(!shown.chars().any(steers), "{:?}", shown);
            prop_assert_eq!(visible_text(&shown).into_owned(), shown);
        }
    }
}
