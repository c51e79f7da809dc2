//! A line typed at the terminal that nobody is to see.

use std::io::{self, Write as _};

use crossterm::terminal;

use super::input_reader::InputReader;
use crate::app::input::{Code, Input, Key};

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
pub(crate) fn read_hidden_line(words: &str) -> io::Result<Option<String>> {
    terminal::enable_raw_mode()?;
    let _raw = Raw;
    let mut told = io::stderr();
    write!(told, "{words} ")?;
    told.flush()?;
    let mut reader = InputReader::default();
    reader.start()?;
    let mut typed = String::new();
    loop {
        match reader.next_blocking()? {
            Input::Key(key) => match apply_key(&mut typed, key) {
                LineStep::More => {}
                LineStep::Done => return Ok(Some(typed)),
                LineStep::Broken => return Ok(None),
            },
            Input::Paste(text) => typed.push_str(text.trim_end_matches(['\r', '\n'])),
            Input::Mouse(_) => {}
        }
    }
}

/// What a key does to the line.
#[derive(Debug, PartialEq, Eq)]
enum LineStep {
    More,
    Done,
    Broken,
}

fn apply_key(typed: &mut String, key: Key) -> LineStep {
    let control = key.mods.ctrl;
    match key.code {
        Code::Enter => return LineStep::Done,
        Code::Esc => return LineStep::Broken,
        Code::Char('c' | 'd') if control => return LineStep::Broken,
        Code::Char('u') if control => typed.clear(),
        // What a terminal sends for Enter within a paste.
        Code::Char('j' | 'm') if control => return LineStep::Done,
        Code::Char(letter) if !control => typed.push(letter),
        Code::Backspace => {
            typed.pop();
        }
        _ => {}
    }
    LineStep::More
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_mended_ended_and_broken_off() {
        let mut typed = String::new();
        let (plain, control) = (Key::plain, Key::ctrl);
        for letter in ['x', 'a', 'é'] {
            assert_eq!(apply_key(&mut typed, plain(Code::Char(letter))), LineStep::More);
        }
        apply_key(&mut typed, plain(Code::Backspace));
        assert_eq!(typed, "xa");
        apply_key(&mut typed, control('u'));
        assert_eq!(typed, "");
        assert_eq!(apply_key(&mut typed, plain(Code::Enter)), LineStep::Done);
        assert_eq!(apply_key(&mut typed, control('c')), LineStep::Broken);
        assert_eq!(apply_key(&mut typed, plain(Code::Esc)), LineStep::Broken);
    }
}
