//! A line typed at the terminal that nobody is to see.

use std::io::{self, Write as _};

use crossterm::{
    event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
    terminal,
};

/// Gives the terminal's own ways back, however it ends.
struct Raw;

impl Drop for Raw {
    fn drop(&mut self) {
        // Nothing can be done about a terminal that no longer listens.
        let _ = terminal::disable_raw_mode();
        let _ = writeln!(io::stderr());
    }
}

/// Asks with these words and gives what was typed or pasted up to Enter; `None`: it was broken off.
///
/// # Errors
/// When there is no terminal.
pub fn ask(words: &str) -> io::Result<Option<String>> {
    terminal::enable_raw_mode()?;
    let _raw = Raw;
    let mut told = io::stderr();
    write!(told, "{words} ")?;
    told.flush()?;
    let mut typed = String::new();
    loop {
        match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => match taken(&mut typed, key) {
                Taken::More => {}
                Taken::Done => return Ok(Some(typed)),
                Taken::Broken => return Ok(None),
            },
            Event::Paste(text) => typed.push_str(text.trim_end_matches(['\r', '\n'])),
            _ => {}
        }
    }
}

/// What a key does to the line.
#[derive(Debug, PartialEq, Eq)]
enum Taken {
    More,
    Done,
    Broken,
}

fn taken(typed: &mut String, key: KeyEvent) -> Taken {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Enter => return Taken::Done,
        KeyCode::Esc => return Taken::Broken,
        KeyCode::Char('c' | 'd') if control => return Taken::Broken,
        KeyCode::Char('u') if control => typed.clear(),
        // What a terminal sends for Enter within a paste.
        KeyCode::Char('j' | 'm') if control => return Taken::Done,
        KeyCode::Char(letter) if !control => typed.push(letter),
        KeyCode::Backspace => {
            typed.pop();
        }
        _ => {}
    }
    Taken::More
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_mended_ended_and_broken_off() {
        let mut typed = String::new();
        let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
        let control = |letter| KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
        for letter in ['x', 'a', 'é'] {
            assert_eq!(taken(&mut typed, plain(KeyCode::Char(letter))), Taken::More);
        }
        taken(&mut typed, plain(KeyCode::Backspace));
        assert_eq!(typed, "xa");
        taken(&mut typed, control('u'));
        assert_eq!(typed, "");
        assert_eq!(taken(&mut typed, plain(KeyCode::Enter)), Taken::Done);
        assert_eq!(taken(&mut typed, control('c')), Taken::Broken);
        assert_eq!(taken(&mut typed, plain(KeyCode::Esc)), Taken::Broken);
    }
}
