//! Lines of standard input, read one at a time as they are asked for: between two of them the
//! terminal is free for an editor.

use std::{
    io::{self, BufRead as _, IsTerminal as _},
    sync::mpsc as std_mpsc,
    thread,
};

use tokio::sync::mpsc;

use crate::runtime::hidden_line::read_hidden_line;

/// What was read.
#[derive(Debug)]
pub(super) enum ReadLine {
    Line(String),
    /// There is no more.
    End,
}

/// Reads lines on a thread of its own.
#[derive(Default)]
pub(super) struct LineReader {
    thread: Option<Reading>,
    is_asked: bool,
}

struct Reading {
    /// The words before a line that is to be hidden.
    asks: std_mpsc::Sender<Option<String>>,
    lines: mpsc::UnboundedReceiver<io::Result<ReadLine>>,
}

impl LineReader {
    /// Asks for a line, hidden after these words; nothing where one is asked for already.
    pub fn ask(&mut self, hidden: Option<String>) {
        if self.is_asked {
            return;
        }
        let reading = self.thread.get_or_insert_with(start_reading);
        self.is_asked = reading.asks.send(hidden).is_ok();
    }

    pub fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// The line that was asked for; to drop the waiting loses none.
    pub async fn next(&mut self) -> io::Result<ReadLine> {
        let Some(reading) = self.thread.as_mut().filter(|_| self.is_asked) else {
            return std::future::pending().await;
        };
        let line = reading.lines.recv().await;
        self.is_asked = false;
        line.unwrap_or(Ok(ReadLine::End))
    }
}

fn start_reading() -> Reading {
    let (asks, asked) = std_mpsc::channel::<Option<String>>();
    let (sender, lines) = mpsc::unbounded_channel();
    thread::spawn(move || {
        for hidden in asked {
            let line = match hidden {
                Some(words) if io::stdin().is_terminal() => {
                    let cancelled = || "cancel".to_owned();
                    let typed = read_hidden_line(&words);
                    typed.map(|typed| ReadLine::Line(typed.unwrap_or_else(cancelled)))
                }
                _ => read_line(),
            };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    Reading { asks, lines }
}

fn read_line() -> io::Result<ReadLine> {
    let mut bytes = Vec::new();
    if io::stdin().lock().read_until(b'\n', &mut bytes)? == 0 {
        return Ok(ReadLine::End);
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(ReadLine::Line(text.trim_end_matches(['\r', '\n']).to_owned()))
}
