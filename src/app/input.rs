//! What a user does to the program, in our own words: keys, mouse, paste.

use std::{fmt, str::FromStr};

/// Whether the user looks at the program, as far as the terminal or the window says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// Not every terminal says it.
    #[default]
    Unknown,
    Gained,
    Lost,
}

/// Something that came from the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Key(Key),
    Mouse(Mouse),
    /// Text pasted as one piece.
    Paste(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    Char(char),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Insert,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// Keys held down beside another. Shift is never set on a [`Code::Char`]: the letter says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mods {
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

/// A key as pressed. Text form: `ctrl+p`, `shift+tab`, `f5`, `space`, `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    pub code: Code,
    pub mods: Mods,
}

impl Key {
    #[must_use]
    pub fn plain(code: Code) -> Self {
        Self { code, mods: Mods::default() }
    }

    #[must_use]
    pub fn ctrl(letter: char) -> Self {
        Self { code: Code::Char(letter), mods: Mods { ctrl: true, ..Mods::default() } }
    }

    /// The letter that this key would type into a text.
    #[must_use]
    pub fn typed_char(&self) -> Option<char> {
        match self.code {
            Code::Char(letter) if !self.mods.ctrl && !self.mods.alt => Some(letter),
            _ => None,
        }
    }

    /// Whether a number can begin with what it types.
    #[must_use]
    pub fn begins_number(&self) -> bool {
        self.typed_char().is_some_and(|letter| matches!(letter, '0'..='9' | '-'))
    }

    /// This key without any other held down.
    #[must_use]
    pub fn is_plain(&self, code: Code) -> bool {
        self.code == code && self.mods == Mods::default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Button {
    Left,
    Middle,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseKind {
    Down(Button),
    /// The second press of a double press; its [`Down`](Self::Down) came just before.
    Double(Button),
    Drag(Button),
    Up(Button),
    /// Notches, downwards positive.
    Wheel(i16),
    /// The same sideways, to the right positive.
    WheelSideways(i16),
}

/// A mouse event; cells count from 0 at the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    pub kind: MouseKind,
    pub column: u16,
    pub row: u16,
    pub mods: Mods,
}

impl Mouse {
    /// Whether it goes on with what a press before it began, wherever the mouse is now.
    #[must_use]
    pub fn is_held(&self) -> bool {
        matches!(self.kind, MouseKind::Drag(_) | MouseKind::Up(_) | MouseKind::Double(_))
    }
}

const NAMED: &[(&str, Code)] = &[
    ("enter", Code::Enter),
    ("esc", Code::Esc),
    ("tab", Code::Tab),
    ("backspace", Code::Backspace),
    ("delete", Code::Delete),
    ("del", Code::Delete),
    ("insert", Code::Insert),
    ("left", Code::Left),
    ("right", Code::Right),
    ("up", Code::Up),
    ("down", Code::Down),
    ("home", Code::Home),
    ("end", Code::End),
    ("pageup", Code::PageUp),
    ("pagedown", Code::PageDown),
    ("pgup", Code::PageUp),
    ("pgdn", Code::PageDown),
    ("space", Code::Char(' ')),
    ("plus", Code::Char('+')),
];

/// The text names no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} isn't a key: use for example \"ctrl+p\", \"shift+tab\", \"f5\", \"space\" or \"x\"")]
pub struct NotAKey(pub String);

impl FromStr for Key {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        let wrong = || NotAKey(text.to_owned());
        let mut mods = Mods::default();
        let mut rest = text;
        while let Some((head, tail)) =
            rest.split_once('+').filter(|(head, tail)| !head.is_empty() && !tail.is_empty())
        {
            match head.to_ascii_lowercase().as_str() {
                "ctrl" => mods.ctrl = true,
                "alt" => mods.alt = true,
                "shift" => mods.shift = true,
                _ => return Err(wrong()),
            }
            rest = tail;
        }
        let name = rest.to_ascii_lowercase();
        let mut letters = rest.chars();
        let code = match (letters.next(), letters.next()) {
            (Some(letter), None) => {
                Code::Char(if mods.ctrl { letter.to_ascii_lowercase() } else { letter })
            }
            _ => match NAMED.iter().find(|(named, _)| *named == name) {
                Some((_, code)) => *code,
                None => match name.strip_prefix('f').and_then(|number| number.parse().ok()) {
                    Some(number @ 1..=24) => Code::F(number),
                    _ => return Err(wrong()),
                },
            },
        };
        Ok(Self { code, mods })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, word) in
            [(self.mods.ctrl, "Ctrl+"), (self.mods.alt, "Alt+"), (self.mods.shift, "Shift+")]
        {
            if held {
                f.write_str(word)?;
            }
        }
        match self.code {
            Code::Char(' ') => f.write_str("Space"),
            Code::Char(letter) if self.mods.ctrl || self.mods.alt => {
                write!(f, "{}", letter.to_ascii_uppercase())
            }
            Code::Char(letter) => write!(f, "{letter}"),
            Code::F(number) => write!(f, "F{number}"),
            Code::Left => f.write_str("←"),
            Code::Right => f.write_str("→"),
            Code::Up => f.write_str("↑"),
            Code::Down => f.write_str("↓"),
            Code::PageUp => f.write_str("PgUp"),
            Code::PageDown => f.write_str("PgDn"),
            Code::Delete => f.write_str("Del"),
            named => write!(f, "{named:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_and_shown() {
        let cases = [
            ("ctrl+p", "Ctrl+P"),
            ("shift+tab", "Shift+Tab"),
            ("F5", "F5"),
            ("space", "Space"),
            ("?", "?"),
            ("+", "+"),
            ("ctrl+enter", "Ctrl+Enter"),
            ("PgUp", "PgUp"),
            ("pagedown", "PgDn"),
            ("Shift+Del", "Shift+Del"),
        ];
        for (text, shown) in cases {
            assert_eq!(text.parse::<Key>().unwrap().to_string(), shown);
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for text in ["", "ctrl+", "hyper+x", "f0", "f99", "entre"] {
            assert_eq!(text.parse::<Key>(), Err(NotAKey(text.to_owned())));
        }
    }
}
