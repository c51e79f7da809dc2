//! The screen in ASCII, for terminals and fonts that have no other signs: each sign that the program
//! draws is replaced by a letter that is as wide. What is made up of other letters stays.

use ratatui::buffer::Buffer;

/// Which signs are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signs {
    #[default]
    All,
    /// Those of ASCII alone.
    Ascii,
}

/// What is drawn in the place of which signs.
const TABLE: &[(char, &str)] = &[
    ('-', "─╌╴╶–—−"),
    ('=', "━▤▣"),
    ('|', "│╎▌▎▏‖║"),
    ('#', "┃█▪"),
    ('+', "╭╮╰╯┌┐└┘├┤┬┴┼┏┓┗┛┠┨┯┷╋✓"),
    ('>', "▶▷▸›→⇒»"),
    ('<', "◀◁◂‹←«⏎"),
    ('^', "▲△▴↑"),
    ('v', "▼▽▾↓"),
    ('*', "●•"),
    ('%', "◆"),
    ('o', "○◇◐◌"),
    ('X', "■✗⊘"),
    ('x', "×"),
    ('&', "↻"),
    ('@', "↺"),
    (':', "⇠"),
    ('~', "⋯"),
    ('.', "·…░"),
    ('!', "⚠≠‽"),
    ('_', "▁"),
    ('"', "“”"),
    ('?', "�␡"),
];

/// Blocks of signs without letters: arrows, technical ones, lines and shapes, pictographs, Braille.
const BLOCKS: [(u32, u32); 5] =
    [(0x2190, 0x21FF), (0x2300, 0x23FF), (0x2500, 0x27BF), (0x2800, 0x28FF), (0x2B00, 0x2BFF)];

/// The letter in the place of a sign; `None` where it stays.
fn ascii_sign(sign: char) -> Option<char> {
    if sign.is_ascii() {
        return None;
    }
    let named = TABLE.iter().find(|(_, signs)| signs.contains(sign)).map(|(letter, _)| *letter);
    let is_in_block = || BLOCKS.iter().any(|(first, last)| (*first..=*last).contains(&sign.into()));
    named.or_else(|| is_in_block().then_some('*'))
}

/// Replaces the signs in what is drawn.
pub(crate) fn replace_signs(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let mut letters = cell.symbol().chars();
        let (first, rest) = (letters.next(), letters.next());
        if let (Some(letter), None) = (first.and_then(ascii_sign), rest) {
            cell.set_char(letter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_become_letters_and_words_stay() {
        let mut buffer = Buffer::with_lines(["╭─ 注文 é ─▶│ ✗ ⠋"]);
        replace_signs(&mut buffer);
        assert_eq!(buffer, Buffer::with_lines(["+- 注文 é ->| X *"]));
    }

    #[test]
    fn no_sign_is_there_twice() {
        let all: Vec<char> = TABLE.iter().flat_map(|(_, signs)| signs.chars()).collect();
        let twice = all.iter().find(|sign| all.iter().filter(|other| other == sign).count() > 1);
        assert_eq!(twice, None);
    }
}
