//! Keys of the window as inputs of the program.

use winit::keyboard::{Key as Pressed, KeyCode, ModifiersState, NamedKey, PhysicalKey};

use crate::app::input::{Code, Input, Key, Mods};

/// What a key asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KeyAct {
    /// Keys for the program; several where one gives several letters.
    Send(Vec<Input>),
    Paste,
    /// Copy the selected text.
    Copy,
    /// So many steps larger.
    Zoom(i8),
    /// As large as it comes.
    ResetZoom,
    Nothing,
}

/// A key as the system reports it.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyPress<'a> {
    /// What it means with the keys held beside it, but for Ctrl.
    pub key: &'a Pressed,
    /// Where it is on the keyboard.
    pub place: PhysicalKey,
    /// What it types.
    pub text: Option<&'a str>,
    pub held: ModifiersState,
}

pub(super) fn held_mods(held: ModifiersState) -> Mods {
    Mods { ctrl: is_command(held), alt: held.alt_key(), shift: held.shift_key() }
}

/// Whether Ctrl is held; on a Mac Command is the same.
pub(super) fn is_command(held: ModifiersState) -> bool {
    held.control_key() || (cfg!(target_os = "macos") && held.super_key())
}

/// What a press means, of the window itself or for the program.
pub(super) fn interpret(press: KeyPress<'_>) -> KeyAct {
    let mods = held_mods(press.held);
    if let Some(act) = window_act(press, mods) {
        return act;
    }
    if press.held.super_key() && !cfg!(target_os = "macos") {
        return KeyAct::Nothing;
    }
    match press.key {
        Pressed::Named(named) => named_code(*named).map_or(KeyAct::Nothing, |code| {
            let mods = match code {
                Code::Char(_) => Mods { shift: false, ..mods },
                _ => mods,
            };
            KeyAct::Send(vec![Input::Key(Key { code, mods })])
        }),
        Pressed::Character(letters) => {
            // AltGr is Ctrl and Alt on Windows: what types a letter is that letter.
            let is_altgr = cfg!(windows) && mods.ctrl && mods.alt && press.text.is_some();
            if (mods.ctrl || mods.alt) && !is_altgr {
                let letter = chord_letter(press, mods);
                return letter.map_or(KeyAct::Nothing, |letter| {
                    let mods = Mods { shift: false, ..mods };
                    KeyAct::Send(vec![Input::Key(Key { code: Code::Char(letter), mods })])
                });
            }
            typed_text(press.text.unwrap_or(letters))
        }
        Pressed::Dead(_) | Pressed::Unidentified(_) => {
            press.text.map_or(KeyAct::Nothing, typed_text)
        }
    }
}

/// Text that is typed: by a key, or by an input method.
pub(super) fn typed_text(text: &str) -> KeyAct {
    let letters = text.chars().filter(|letter| !letter.is_control());
    let keys: Vec<_> = letters.map(|letter| Input::Key(Key::plain(Code::Char(letter)))).collect();
    if keys.is_empty() { KeyAct::Nothing } else { KeyAct::Send(keys) }
}

/// Keys that are the window's own.
fn window_act(press: KeyPress<'_>, mods: Mods) -> Option<KeyAct> {
    if mods.alt {
        return None;
    }
    if let Pressed::Named(NamedKey::Insert) = press.key {
        return match (mods.ctrl, mods.shift) {
            (false, true) => Some(KeyAct::Paste),
            (true, false) => Some(KeyAct::Copy),
            _ => None,
        };
    }
    if !mods.ctrl {
        return None;
    }
    let Pressed::Character(letters) = press.key else { return None };
    match letters.as_str() {
        "+" | "=" => Some(KeyAct::Zoom(1)),
        "-" | "_" | "−" => Some(KeyAct::Zoom(-1)),
        _ => match chord_letter(press, mods)? {
            '0' => Some(KeyAct::ResetZoom),
            'v' => Some(KeyAct::Paste),
            'c' if mods.shift => Some(KeyAct::Copy),
            _ => None,
        },
    }
}

/// The letter of a chord: on a keyboard of other letters, that which is there on a Latin one.
fn chord_letter(press: KeyPress<'_>, mods: Mods) -> Option<char> {
    let Pressed::Character(letters) = press.key else { return None };
    let letter = letters.chars().next()?;
    let letter = match latin_letter(press.place) {
        Some(latin) if !letter.is_ascii() || (mods.ctrl && latin.is_ascii_digit()) => latin,
        _ => letter,
    };
    Some(if mods.ctrl { letter.to_ascii_lowercase() } else { letter })
}

fn latin_letter(place: PhysicalKey) -> Option<char> {
    const LETTERS: [(KeyCode, char); 27] = [
        (KeyCode::KeyA, 'a'),
        (KeyCode::KeyB, 'b'),
        (KeyCode::KeyC, 'c'),
        (KeyCode::KeyD, 'd'),
        (KeyCode::KeyE, 'e'),
        (KeyCode::KeyF, 'f'),
        (KeyCode::KeyG, 'g'),
        (KeyCode::KeyH, 'h'),
        (KeyCode::KeyI, 'i'),
        (KeyCode::KeyJ, 'j'),
        (KeyCode::KeyK, 'k'),
        (KeyCode::KeyL, 'l'),
        (KeyCode::KeyM, 'm'),
        (KeyCode::KeyN, 'n'),
        (KeyCode::KeyO, 'o'),
        (KeyCode::KeyP, 'p'),
        (KeyCode::KeyQ, 'q'),
        (KeyCode::KeyR, 'r'),
        (KeyCode::KeyS, 's'),
        (KeyCode::KeyT, 't'),
        (KeyCode::KeyU, 'u'),
        (KeyCode::KeyV, 'v'),
        (KeyCode::KeyW, 'w'),
        (KeyCode::KeyX, 'x'),
        (KeyCode::KeyY, 'y'),
        (KeyCode::KeyZ, 'z'),
        (KeyCode::Digit0, '0'),
    ];
    let PhysicalKey::Code(code) = place else { return None };
    LETTERS.iter().find(|(known, _)| *known == code).map(|(_, letter)| *letter)
}

fn named_code(named: NamedKey) -> Option<Code> {
    const FUNCTIONS: [NamedKey; 24] = [
        NamedKey::F1,
        NamedKey::F2,
        NamedKey::F3,
        NamedKey::F4,
        NamedKey::F5,
        NamedKey::F6,
        NamedKey::F7,
        NamedKey::F8,
        NamedKey::F9,
        NamedKey::F10,
        NamedKey::F11,
        NamedKey::F12,
        NamedKey::F13,
        NamedKey::F14,
        NamedKey::F15,
        NamedKey::F16,
        NamedKey::F17,
        NamedKey::F18,
        NamedKey::F19,
        NamedKey::F20,
        NamedKey::F21,
        NamedKey::F22,
        NamedKey::F23,
        NamedKey::F24,
    ];
    Some(match named {
        NamedKey::Enter => Code::Enter,
        NamedKey::Escape => Code::Esc,
        NamedKey::Tab => Code::Tab,
        NamedKey::Backspace => Code::Backspace,
        NamedKey::Delete => Code::Delete,
        NamedKey::Insert => Code::Insert,
        NamedKey::ArrowLeft => Code::Left,
        NamedKey::ArrowRight => Code::Right,
        NamedKey::ArrowUp => Code::Up,
        NamedKey::ArrowDown => Code::Down,
        NamedKey::Home => Code::Home,
        NamedKey::End => Code::End,
        NamedKey::PageUp => Code::PageUp,
        NamedKey::PageDown => Code::PageDown,
        NamedKey::Space => Code::Char(' '),
        other => {
            let index = FUNCTIONS.iter().position(|known| *known == other)?;
            Code::F(u8::try_from(index + 1).ok()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: ModifiersState = ModifiersState::empty();
    const CTRL: ModifiersState = ModifiersState::CONTROL;
    const SHIFT: ModifiersState = ModifiersState::SHIFT;
    const ALT: ModifiersState = ModifiersState::ALT;

    fn act(key: &Pressed, code: KeyCode, text: Option<&str>, held: ModifiersState) -> KeyAct {
        interpret(KeyPress { key, place: PhysicalKey::Code(code), text, held })
    }

    fn sent(act: KeyAct) -> String {
        let KeyAct::Send(inputs) = act else { return format!("{act:?}") };
        let word = |input: Input| match input {
            Input::Key(key) => key.to_string(),
            other => format!("{other:?}"),
        };
        inputs.into_iter().map(word).collect::<Vec<_>>().join(" ")
    }

    fn letter(text: &str, code: KeyCode, held: ModifiersState) -> String {
        sent(act(&Pressed::Character(text.into()), code, Some(text), held))
    }

    fn named(key: NamedKey, held: ModifiersState) -> String {
        sent(act(&Pressed::Named(key), KeyCode::F35, None, held))
    }

    #[test]
    fn every_key_comes_as_it_is() {
        assert_eq!(letter("a", KeyCode::KeyA, NONE), "a");
        assert_eq!(letter("A", KeyCode::KeyA, SHIFT), "A");
        assert_eq!(letter("ß", KeyCode::Minus, NONE), "ß");
        assert_eq!(letter("A", KeyCode::KeyA, CTRL | SHIFT), "Ctrl+A");
        assert_eq!(letter("x", KeyCode::KeyX, ALT), "Alt+X");
        assert_eq!(letter("z", KeyCode::KeyZ, CTRL | ALT), "Ctrl+Alt+Z");
        assert_eq!(letter("1", KeyCode::Numpad1, NONE), "1");
        assert_eq!(named(NamedKey::Enter, CTRL), "Ctrl+Enter");
        assert_eq!(named(NamedKey::ArrowLeft, CTRL | SHIFT), "Ctrl+Shift+←");
        assert_eq!(named(NamedKey::Tab, SHIFT), "Shift+Tab");
        assert_eq!(named(NamedKey::F13, NONE), "F13");
        assert_eq!(named(NamedKey::Space, SHIFT), "Space");
        assert_eq!(named(NamedKey::CapsLock, NONE), "Nothing");
    }

    #[test]
    fn chords_are_the_same_on_other_keyboards() {
        assert_eq!(letter("с", KeyCode::KeyC, CTRL), "Ctrl+C");
        assert_eq!(letter("з", KeyCode::KeyP, CTRL), "Ctrl+P");
        assert_eq!(letter("з", KeyCode::KeyP, NONE), "з");
    }

    #[test]
    fn dead_keys_type_nothing_and_what_they_make_is_text() {
        assert_eq!(sent(act(&Pressed::Dead(Some('´')), KeyCode::Equal, None, NONE)), "Nothing");
        assert_eq!(letter("é", KeyCode::KeyE, NONE), "é");
        assert_eq!(sent(typed_text("漢字")), "漢 字");
        assert_eq!(typed_text("\r"), KeyAct::Nothing);
    }

    #[test]
    fn the_window_has_a_few_of_its_own() {
        let act = |text: &str, code, held| act(&Pressed::Character(text.into()), code, None, held);
        assert_eq!(act("v", KeyCode::KeyV, CTRL), KeyAct::Paste);
        assert_eq!(act("V", KeyCode::KeyV, CTRL | SHIFT), KeyAct::Paste);
        assert_eq!(act("C", KeyCode::KeyC, CTRL | SHIFT), KeyAct::Copy);
        assert_eq!(act("=", KeyCode::Equal, CTRL), KeyAct::Zoom(1));
        assert_eq!(act("+", KeyCode::Equal, CTRL | SHIFT), KeyAct::Zoom(1));
        assert_eq!(act("-", KeyCode::NumpadSubtract, CTRL), KeyAct::Zoom(-1));
        assert_eq!(act("0", KeyCode::Digit0, CTRL), KeyAct::ResetZoom);
        let insert = |held| {
            super::tests::act(&Pressed::Named(NamedKey::Insert), KeyCode::Insert, None, held)
        };
        assert_eq!(insert(SHIFT), KeyAct::Paste);
        assert_eq!(insert(CTRL), KeyAct::Copy);
        assert_eq!(sent(insert(NONE)), "Insert");
    }
}
