//! Turns the bytes that a terminal sends into inputs.
//!
//! Something may come in pieces: what is incomplete waits for more, and [`InputDecoder::flush`]
//! says that no more came in time.

use std::mem;

use crate::app::input::{Button, Code, Focus, Input, Key, Mods, Mouse, MouseKind};

const ESC: u8 = 0x1b;
const PASTE_END: &[u8] = b"\x1b[201~";

/// No control sequence is longer.
const LONGEST: usize = 64;

/// So many bytes at once are no typing: what is left of a paste whose end is late, and no keys.
const PASTED: usize = 32;

#[derive(Debug, Default)]
pub struct InputDecoder {
    /// What may be the beginning of something, or the text of a paste.
    pending: Vec<u8>,
    paste: Paste,
    /// So much of a paste holds no end of it.
    searched: usize,
    /// What was reported last of the user's turning to the terminal, or away from it.
    focus: Option<Focus>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Paste {
    #[default]
    None,
    Open,
    /// Its end did not come in time. Keys count again, but what comes in a large piece is still the
    /// paste.
    Late,
}

/// What is at the beginning of some bytes, and how many of them it takes.
enum DecodedItem {
    Input(usize, Option<Input>),
    Focus(usize, Focus),
    PasteStart(usize),
    Incomplete,
}

impl InputDecoder {
    /// Takes further bytes in.
    pub fn decode(&mut self, bytes: &[u8]) -> Vec<Input> {
        if self.paste == Paste::Late
            && bytes.len() < PASTED
            && find_bytes(bytes, PASTE_END).is_none()
        {
            self.paste = Paste::None;
        }
        self.pending.extend_from_slice(bytes);
        let (mut inputs, mut at) = (Vec::new(), 0);
        while at < self.pending.len() {
            if self.paste != Paste::None {
                let from = at + self.searched;
                let Some(end) = find_bytes(&self.pending[from..], PASTE_END).map(|end| from + end)
                else {
                    self.searched = (self.pending.len() - at).saturating_sub(PASTE_END.len());
                    break;
                };
                inputs.push(paste_input(&self.pending[at..end]));
                at = end + PASTE_END.len();
                (self.paste, self.searched) = (Paste::None, 0);
                continue;
            }
            match decode_next(&self.pending[at..]) {
                DecodedItem::Input(length, input) => {
                    inputs.extend(input);
                    at += length;
                }
                DecodedItem::Focus(length, focus) => {
                    self.focus = Some(focus);
                    at += length;
                }
                DecodedItem::PasteStart(length) => {
                    self.paste = Paste::Open;
                    at += length;
                }
                DecodedItem::Incomplete => break,
            }
        }
        self.pending.drain(..at);
        inputs
    }

    /// What was reported last of the focus, since this was asked before.
    pub fn take_focus(&mut self) -> Option<Focus> {
        self.focus.take()
    }

    /// Whether more bytes would make another thing of what has come.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        !self.pending.is_empty() || self.paste == Paste::Open
    }

    /// No more came in time: what is there counts as it is. Half a letter or half a report means
    /// nothing.
    pub fn flush(&mut self) -> Vec<Input> {
        self.searched = 0;
        let pending = mem::take(&mut self.pending);
        if self.paste != Paste::None {
            self.paste = Paste::Late;
            return if pending.is_empty() { Vec::new() } else { vec![paste_input(&pending)] };
        }
        let key = match pending.as_slice() {
            [ESC] => Some(Key::plain(Code::Esc)),
            [ESC, letter @ (b'[' | b'O')] => {
                Some(with_alt(Key::plain(Code::Char(char::from(*letter)))))
            }
            _ => None,
        };
        key.map(Input::Key).into_iter().collect()
    }
}

fn find_bytes(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn paste_input(bytes: &[u8]) -> Input {
    Input::Paste(String::from_utf8_lossy(bytes).into_owned())
}

fn with_alt(mut key: Key) -> Key {
    key.mods.alt = true;
    key
}

fn found_key(length: usize, key: Option<Key>) -> DecodedItem {
    DecodedItem::Input(length, key.map(Input::Key))
}

fn decode_next(bytes: &[u8]) -> DecodedItem {
    match bytes {
        [] | [ESC] => DecodedItem::Incomplete,
        [ESC, b'[', body @ ..] => control_sequence(body),
        [ESC, b'O', rest @ ..] => single_shift(rest),
        [ESC, ESC, ..] => found_key(1, Some(Key::plain(Code::Esc))),
        [ESC, rest @ ..] => match decode_letter(rest) {
            Some((length, found)) => found_key(length + 1, found.map(with_alt)),
            None => DecodedItem::Incomplete,
        },
        _ => match decode_letter(bytes) {
            Some((length, found)) => found_key(length, found),
            None => DecodedItem::Incomplete,
        },
    }
}

/// A key that sends a letter or a control character, and its length; `None`: there is only a part
/// of the letter.
fn decode_letter(bytes: &[u8]) -> Option<(usize, Option<Key>)> {
    let first = *bytes.first()?;
    let found = match first {
        b'\r' => Key::plain(Code::Enter),
        b'\t' => Key::plain(Code::Tab),
        0x7f => Key::plain(Code::Backspace),
        0 => Key::ctrl(' '),
        0x01..=0x1a => Key::ctrl(char::from(first - 1 + b'a')),
        0x1c..=0x1f => Key::ctrl(char::from(first - 0x1c + b'4')),
        _ => {
            let end = bytes.len().min(4);
            let valid = match std::str::from_utf8(&bytes[..end]) {
                Ok(text) => text,
                Err(error) if error.valid_up_to() > 0 => {
                    std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
                }
                Err(error) => return error.error_len().map(|length| (length, None)),
            };
            let letter = valid.chars().next()?;
            return Some((letter.len_utf8(), Some(Key::plain(Code::Char(letter)))));
        }
    };
    Some((1, Some(found)))
}

/// What follows `ESC [`.
fn control_sequence(body: &[u8]) -> DecodedItem {
    match body {
        [] | [b'['] => return DecodedItem::Incomplete,
        // The Linux console's function keys.
        [b'[', number @ b'A'..=b'E', ..] => {
            return found_key(4, Some(Key::plain(Code::F(number - b'A' + 1))));
        }
        [b'M', button, column, row, ..] => {
            return DecodedItem::Input(6, old_mouse(*button, *column, *row).map(Input::Mouse));
        }
        [b'M', ..] => return DecodedItem::Incomplete,
        [b'I', ..] => return DecodedItem::Focus(3, Focus::Gained),
        [b'O', ..] => return DecodedItem::Focus(3, Focus::Lost),
        _ => {}
    }
    match body.iter().take(LONGEST).position(|byte| !(0x20..=0x3f).contains(byte)) {
        None if body.len() < LONGEST => DecodedItem::Incomplete,
        None => DecodedItem::Input(2 + LONGEST, None),
        Some(end) if !(0x40..=0x7e).contains(&body[end]) => match end {
            // Something else came right behind: it was the key.
            0 => found_key(2, Some(with_alt(Key::plain(Code::Char('['))))),
            // What is broken off means nothing.
            _ => DecodedItem::Input(2 + end, None),
        },
        Some(end) if body.starts_with(b"200~") => DecodedItem::PasteStart(3 + end),
        Some(end) => {
            let parameters = std::str::from_utf8(&body[..end]).unwrap_or_default();
            DecodedItem::Input(3 + end, parse_sequence(parameters, body[end]))
        }
    }
}

/// What follows `ESC O`.
fn single_shift(rest: &[u8]) -> DecodedItem {
    let code = match rest.first() {
        None => return DecodedItem::Incomplete,
        Some(0..0x20 | 0x7f..) => return found_key(2, Some(with_alt(Key::plain(Code::Char('O'))))),
        Some(b'M') => Some(Code::Enter),
        Some(end) => letter_code(*end),
    };
    found_key(3, code.map(Key::plain))
}

/// The keys whose sequence ends in a letter of their own.
fn letter_code(end: u8) -> Option<Code> {
    Some(match end {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'F' => Code::End,
        b'H' => Code::Home,
        b'P'..=b'S' => Code::F(end - b'P' + 1),
        _ => return None,
    })
}

/// The keys whose sequence ends in `~`.
fn tilde_code(number: u32) -> Option<Code> {
    let function =
        |first: u8, from: u32| u8::try_from(number - from).ok().map(|more| Code::F(first + more));
    match number {
        1 | 7 => Some(Code::Home),
        2 => Some(Code::Insert),
        3 => Some(Code::Delete),
        4 | 8 => Some(Code::End),
        5 => Some(Code::PageUp),
        6 => Some(Code::PageDown),
        11..=15 => function(1, 11),
        17..=21 => function(6, 17),
        23..=26 => function(11, 23),
        28..=29 => function(15, 28),
        31..=34 => function(17, 31),
        _ => None,
    }
}

/// A whole control sequence: `FIRST ; HELD ; THIRD END`, each a number that may have others behind
/// colons.
fn parse_sequence(parameters: &str, end: u8) -> Option<Input> {
    if let Some(report) = parameters.strip_prefix('<') {
        return parse_mouse(report, end).map(Input::Mouse);
    }
    let field = |at: usize| parameters.split(';').nth(at).unwrap_or_default();
    let number = |field: &str, at: usize| {
        field.split(':').nth(at).and_then(|number| number.parse::<u32>().ok())
    };
    let (first, held) = (field(0), field(1));
    // A key that is dropped is no key.
    if number(held, 1) == Some(3) {
        return None;
    }
    // Old terminals have the held keys in the first place.
    let held = if held.is_empty() && letter_code(end).is_some() { first } else { held };
    let mods = decode_mods(number(held, 0).unwrap_or(1));
    let key = match end {
        b'u' => unicode_key(number(first, 0)?, mods)?,
        b'~' if number(first, 0) == Some(27) => unicode_key(number(field(2), 0)?, mods)?,
        b'~' => Key { code: tilde_code(number(first, 0)?)?, mods },
        b'Z' => Key { code: Code::Tab, mods: Mods { shift: true, ..mods } },
        _ => Key { code: letter_code(end)?, mods },
    };
    Some(Input::Key(key))
}

fn decode_mods(mask: u32) -> Mods {
    let bits = mask.saturating_sub(1);
    Mods { shift: bits & 1 != 0, alt: bits & 2 != 0, ctrl: bits & 4 != 0 }
}

/// A key by its number in the kitty protocol and in xterm's.
fn unicode_key(number: u32, mods: Mods) -> Option<Key> {
    let code = match number {
        8 | 127 => Code::Backspace,
        9 => Code::Tab,
        13 => Code::Enter,
        27 => Code::Esc,
        57_376..=57_398 => Code::F(u8::try_from(number - 57_376 + 13).ok()?),
        57_399..=57_408 => Code::Char(char::from_digit(number - 57_399, 10)?),
        57_409..=57_426 => keypad_code(number)?,
        _ => {
            let letter = char::from_u32(number).filter(|letter| {
                !letter.is_control() && !('\u{e000}'..='\u{f8ff}').contains(letter)
            })?;
            return Some(apply_shift(letter, mods));
        }
    };
    Some(Key { code, mods })
}

fn keypad_code(number: u32) -> Option<Code> {
    const KEYS: [Code; 18] = [
        Code::Char('.'),
        Code::Char('/'),
        Code::Char('*'),
        Code::Char('-'),
        Code::Char('+'),
        Code::Enter,
        Code::Char('='),
        Code::Char(','),
        Code::Left,
        Code::Right,
        Code::Up,
        Code::Down,
        Code::PageUp,
        Code::PageDown,
        Code::Home,
        Code::End,
        Code::Insert,
        Code::Delete,
    ];
    KEYS.get(usize::try_from(number - 57_409).ok()?).copied()
}

/// The letter says shift; with Ctrl both cases mean one key.
fn apply_shift(letter: char, mods: Mods) -> Key {
    let mut upper = letter.to_uppercase();
    let letter = match (upper.next(), upper.next()) {
        _ if mods.ctrl => letter.to_ascii_lowercase(),
        (Some(one), None) if mods.shift => one,
        _ => letter,
    };
    Key { code: Code::Char(letter), mods: Mods { shift: false, ..mods } }
}

/// `BUTTON ; COLUMN ; ROW`, cells from 1; it ends in `m` where a button is dropped.
fn parse_mouse(report: &str, end: u8) -> Option<Mouse> {
    let mut numbers = report.split(';').map(str::parse::<u16>);
    let (Some(Ok(button)), Some(Ok(column)), Some(Ok(row)), None) =
        (numbers.next(), numbers.next(), numbers.next(), numbers.next())
    else {
        return None;
    };
    let kind = match (mouse_kind(button)?, end) {
        (MouseKind::Down(button), b'm') => MouseKind::Up(button),
        (kind, b'M') => kind,
        _ => return None,
    };
    Some(Mouse {
        kind,
        column: column.checked_sub(1)?,
        row: row.checked_sub(1)?,
        mods: mouse_mods(button),
    })
}

/// The same of terminals that know no other report: three bytes, each 32 more than what it says.
fn old_mouse(button: u8, column: u8, row: u8) -> Option<Mouse> {
    let button = u16::from(button.checked_sub(32)?);
    let kind =
        if button & 0b1110_0011 == 3 { MouseKind::Up(Button::Left) } else { mouse_kind(button)? };
    let cell = |byte: u8| Some(u16::from(byte.checked_sub(33)?));
    Some(Mouse { kind, column: cell(column)?, row: cell(row)?, mods: mouse_mods(button) })
}

fn mouse_mods(button: u16) -> Mods {
    Mods { shift: button & 4 != 0, alt: button & 8 != 0, ctrl: button & 16 != 0 }
}

fn mouse_kind(button: u16) -> Option<MouseKind> {
    let is_moving = button & 32 != 0;
    let pressed = match button & 0b1100_0011 {
        0 => Button::Left,
        1 => Button::Middle,
        2 => Button::Right,
        64 => return Some(MouseKind::Wheel(-1)),
        65 => return Some(MouseKind::Wheel(1)),
        66 => return Some(MouseKind::WheelSideways(-1)),
        67 => return Some(MouseKind::WheelSideways(1)),
        _ => return None,
    };
    Some(if is_moving { MouseKind::Drag(pressed) } else { MouseKind::Down(pressed) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(bytes: &[u8]) -> Vec<String> {
        let mut decoder = InputDecoder::default();
        let mut inputs = decoder.decode(bytes);
        inputs.extend(decoder.flush());
        let shown = |input: Input| match input {
            Input::Key(key) => key.to_string(),
            other => format!("{other:?}"),
        };
        inputs.into_iter().map(shown).collect()
    }

    #[test]
    fn keys_come_as_the_terminals_send_them() {
        let cases: &[(&[u8], &[&str])] = &[
            (b"aB \xc3\xa9\xf0\x9f\x99\x82", &["a", "B", "Space", "é", "🙂"]),
            (b"\r\t\x7f\x1b[Z\n", &["Enter", "Tab", "Backspace", "Shift+Tab", "Ctrl+J"]),
            (b"\0\x01\x1a\x1c\x1f", &["Ctrl+Space", "Ctrl+A", "Ctrl+Z", "Ctrl+4", "Ctrl+7"]),
            (b"\x1b", &["Esc"]),
            (b"\x1b\x1b", &["Esc", "Esc"]),
            (b"\x1b\x1b[A", &["Esc", "↑"]),
            (b"\x1bx\x1b\r\x1b\xc3\xa9", &["Alt+X", "Alt+Enter", "Alt+é"]),
            (
                b"\x1b[A\x1bOB\x1b[1;5C\x1b[5D\x1b[H\x1bOF",
                &["↑", "↓", "Ctrl+→", "Ctrl+←", "Home", "End"],
            ),
            (
                b"\x1b[2~\x1b[3;2~\x1b[5~\x1b[6;5~\x1b[1~\x1b[8~",
                &["Insert", "Shift+Del", "PgUp", "Ctrl+PgDn", "Home", "End"],
            ),
            (
                b"\x1bOP\x1b[11~\x1b[[B\x1b[1;2S\x1b[15~\x1b[24;5~\x1b[34~",
                &["F1", "F1", "F2", "Shift+F4", "F5", "Ctrl+F12", "F20"],
            ),
            (
                b"\x1b[27u\x1b[13;5u\x1b[9;2u\x1b[127;3u\x1b[112;6u",
                &["Esc", "Ctrl+Enter", "Shift+Tab", "Alt+Backspace", "Ctrl+P"],
            ),
            (
                b"\x1b[97;2u\x1b[97:65;2:1;65u\x1b[27;5;13~\x1b[57414u\x1b[57399u",
                &["A", "A", "Ctrl+Enter", "Enter", "0"],
            ),
            (b"a\x1b[97;1:3ub\x1b[I\x1b[?1u\x1b[99~\x1b[57441uc", &["a", "b", "c"]),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(keys(bytes), *wanted, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn the_mouse_is_read_in_both_forms() {
        let kinds =
            |bytes: &[u8]| -> Vec<(MouseKind, u16, u16)> {
                let inputs = InputDecoder::default().decode(bytes);
                inputs
                    .into_iter()
                    .map(|input| {
                        if let Input::Mouse(m) = input {
                            (m.kind, m.column, m.row)
                        } else {
                            panic!()
                        }
                    })
                    .collect()
            };
        use MouseKind::{Down, Drag, Up, Wheel, WheelSideways};
        assert_eq!(
            kinds(b"\x1b[<0;10;2M\x1b[<32;11;2M\x1b[<0;11;2m"),
            [(Down(Button::Left), 9, 1), (Drag(Button::Left), 10, 1), (Up(Button::Left), 10, 1)]
        );
        assert_eq!(
            kinds(b"\x1b[<64;1;1M\x1b[<65;1;1M\x1b[<67;1;1M\x1b[<2;500;300M"),
            [
                (Wheel(-1), 0, 0),
                (Wheel(1), 0, 0),
                (WheelSideways(1), 0, 0),
                (Down(Button::Right), 499, 299)
            ]
        );
        assert_eq!(
            kinds(b"\x1b[M !!\x1b[M#!!\x1b[M`\"#"),
            [(Down(Button::Left), 0, 0), (Up(Button::Left), 0, 0), (Wheel(-1), 1, 2)]
        );
        assert_eq!(kinds(b"\x1b[<0;0;1M\x1b[<0;1M\x1b[<;;M\x1b[<35;1;1M\x1b[<99999;1;1M"), []);
    }

    #[test]
    fn what_is_incomplete_counts_as_it_is_when_no_more_comes() {
        let cases: &[(&[u8], &[&str])] = &[
            (b"\x1b[", &["Alt+["]),
            (b"\x1bO", &["Alt+O"]),
            (b"\xc3", &[]),
            (b"\x1b\xf0\x9f", &[]),
            (b"\x1b[<0;10", &[]),
            (b"\x1b[1;5", &[]),
            (b"\x1b[M !", &[]),
            (b"\x1b[\r", &["Alt+[", "Enter"]),
            (b"\x1b[1;\x1b[A", &["↑"]),
            (b"\xff\xc3q", &["q"]),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(keys(bytes), *wanted, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_paste_whose_end_is_late_is_no_typing() {
        let text = |text: &str| Input::Paste(text.to_owned());
        let mut decoder = InputDecoder::default();
        assert_eq!(decoder.decode(b"\x1b[200~q\x1b[Aw\x1b[20"), []);
        assert_eq!(
            decoder.decode(b"1~\r"),
            [text("q\x1b[Aw"), Input::Key(Key::plain(Code::Enter))]
        );
        assert_eq!(decoder.decode(b"\x1b[200~begin"), []);
        assert_eq!(decoder.flush(), [text("begin")]);
        assert!(!decoder.is_waiting());
        let middle = "q".repeat(PASTED);
        assert_eq!(decoder.decode(middle.as_bytes()), []);
        assert_eq!(decoder.flush(), [text(&middle)]);
        assert_eq!(decoder.decode(b"end\x1b[201~"), [text("end")]);
        assert_eq!(decoder.decode(b"\x1b[200~"), []);
        assert_eq!(decoder.flush(), []);
        assert_eq!(decoder.decode(b"q"), [Input::Key(Key::plain(Code::Char('q')))]);
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_bytes_are_cut(bytes in prop::collection::vec(odd(), 0..60), cuts in prop::collection::vec(1_usize..9, 0..60)) {
            let mut whole = InputDecoder::default();
            let wanted = whole.decode(&bytes);
            let (mut pieces, mut found, mut rest) = (InputDecoder::default(), Vec::new(), &bytes[..]);
            for cut in cuts.into_iter().chain([bytes.len()]) {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                found.extend(pieces.decode(piece));
                rest = after;
            }
            prop_assert_eq!(found, wanted);
        }

        #[test]
        fn after_a_pause_a_key_is_a_key(bytes in prop::collection::vec(odd(), 0..60)) {
            let mut decoder = InputDecoder::default();
            decoder.decode(&bytes);
            decoder.flush();
            prop_assert!(!decoder.is_waiting());
            prop_assert_eq!(decoder.decode(b"q"), [Input::Key(Key::plain(Code::Char('q')))]);
        }
    }

    /// Bytes of which sequences are made, and any others.
    fn odd() -> impl Strategy<Value = u8> {
        prop_oneof![
            prop::sample::select(b"\x1b\x1b[[O<M200~201~;;:1uAm\xc3\xa9\r ".to_vec()),
            any::<u8>()
        ]
    }

    #[test]
    fn focus_is_reported_and_no_key() {
        let mut decoder = InputDecoder::default();
        let keys = decoder.decode(b"a\x1b[Ob\x1b[I\x1b[O");
        assert_eq!(keys.len(), 2);
        assert_eq!((decoder.take_focus(), decoder.take_focus()), (Some(Focus::Lost), None));
        assert_eq!((decoder.decode(b"\x1b["), decoder.is_waiting()), (vec![], true));
        assert_eq!((decoder.decode(b"I"), decoder.take_focus()), (vec![], Some(Focus::Gained)));
        // Within a paste it is text.
        decoder.decode(b"\x1b[200~\x1b[O\x1b[201~");
        assert_eq!(decoder.take_focus(), None);
    }
}
