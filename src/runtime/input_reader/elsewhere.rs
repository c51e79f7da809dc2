//! A terminal that has no bytes of its own, as on Windows: crossterm reads its events.

use std::{
    io,
    sync::{Arc, Weak},
};

use crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};

use super::taker::{PATIENCE, Taker};
use crate::app::input::{Button, Code, Focus, Input, Key, Mods, Mouse, MouseKind};

pub(crate) type Alive = Arc<()>;

/// The reading ends when the first of the two is dropped.
#[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
pub(crate) fn alive_pair() -> io::Result<(Alive, Weak<()>)> {
    let alive = Arc::new(());
    let ended = Arc::downgrade(&alive);
    Ok((alive, ended))
}

pub(crate) struct Terminal;

impl Terminal {
    #[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
    pub fn open() -> io::Result<Self> {
        Ok(Self)
    }

    /// Reads until the other one of the pair is dropped, or nobody takes the inputs.
    pub fn read_inputs(self, ended: &Weak<()>, taker: &Taker<'_>) -> io::Result<()> {
        while ended.strong_count() > 0 {
            if !event::poll(PATIENCE)? {
                continue;
            }
            let event = event::read()?;
            match event {
                Event::FocusGained => taker.forward_focus(Focus::Gained),
                Event::FocusLost => taker.forward_focus(Focus::Lost),
                _ => {}
            }
            if input_of(event).is_some_and(|input| !taker.forward_input(input)) {
                break;
            }
        }
        Ok(())
    }
}

/// `None`: nothing that the program is notified of.
fn input_of(event: Event) -> Option<Input> {
    match event {
        Event::Key(KeyEvent { kind: KeyEventKind::Release, .. }) => None,
        Event::Key(KeyEvent { code, modifiers, .. }) => {
            key_of(code, mods_of(modifiers)).map(Input::Key)
        }
        Event::Mouse(MouseEvent { kind, column, row, modifiers }) => Some(Input::Mouse(Mouse {
            kind: mouse_of(kind)?,
            column,
            row,
            mods: mods_of(modifiers),
        })),
        Event::Paste(text) => Some(Input::Paste(text)),
        Event::FocusGained | Event::FocusLost | Event::Resize(..) => None,
    }
}

fn mods_of(held: KeyModifiers) -> Mods {
    Mods {
        ctrl: held.contains(KeyModifiers::CONTROL),
        alt: held.contains(KeyModifiers::ALT),
        shift: held.contains(KeyModifiers::SHIFT),
    }
}

fn key_of(code: KeyCode, mut mods: Mods) -> Option<Key> {
    let code = match code {
        KeyCode::Char(letter) => {
            // The letter says it.
            mods.shift = false;
            // A keyboard's third level is sent as both, and only types a letter.
            if mods.ctrl && mods.alt {
                (mods.ctrl, mods.alt) = (false, false);
            }
            Code::Char(if mods.ctrl { letter.to_ascii_lowercase() } else { letter })
        }
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => {
            mods.shift = true;
            Code::Tab
        }
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Insert => Code::Insert,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::F(number) => Code::F(number),
        _ => return None,
    };
    Some(Key { code, mods })
}

fn mouse_of(kind: MouseEventKind) -> Option<MouseKind> {
    let button = |button| match button {
        MouseButton::Left => Button::Left,
        MouseButton::Middle => Button::Middle,
        MouseButton::Right => Button::Right,
    };
    Some(match kind {
        MouseEventKind::Down(pressed) => MouseKind::Down(button(pressed)),
        MouseEventKind::Drag(pressed) => MouseKind::Drag(button(pressed)),
        MouseEventKind::Up(pressed) => MouseKind::Up(button(pressed)),
        MouseEventKind::ScrollDown => MouseKind::Wheel(1),
        MouseEventKind::ScrollUp => MouseKind::Wheel(-1),
        MouseEventKind::ScrollRight => MouseKind::WheelSideways(1),
        MouseEventKind::ScrollLeft => MouseKind::WheelSideways(-1),
        MouseEventKind::Moved => return None,
    })
}
