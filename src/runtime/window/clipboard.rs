//! The system's clipboard, on a thread of its own: another program may take its time.

use std::{
    sync::mpsc::{self, Receiver, Sender},
    thread::{self, JoinHandle},
};

use arboard::{Clipboard, Error};

/// Which of the texts that other programs give is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Copied,
    /// What was selected last, for this cell, by column and row; where the system has no such thing,
    /// what was copied.
    Selected((u16, u16)),
}

/// What came of a request that has an answer.
#[derive(Debug)]
pub(super) enum Answer {
    Pasted(Which, Result<String, String>),
    NotCopied(String),
}

enum Request {
    Copy(String),
    /// For the middle button.
    Select(String),
    Paste(Which),
}

pub(super) struct ClipboardThread {
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl ClipboardThread {
    /// Each paste has one answer.
    pub fn start(answer: impl Fn(Answer) + Send + 'static) -> Self {
        let (requests, asked) = mpsc::channel();
        let thread = thread::Builder::new().name("clipboard".into());
        let thread = thread.spawn(move || serve(&asked, answer)).ok();
        Self { requests: Some(requests), thread }
    }

    fn ask(&self, request: Request) {
        // Without its thread there is no clipboard.
        let _ = self.requests.as_ref().map(|requests| requests.send(request));
    }

    pub fn copy(&self, text: String) {
        self.ask(Request::Copy(text));
    }

    /// Offers what the user selected with the mouse to the middle button, where the system has such
    /// a thing.
    pub fn select(&self, text: String) {
        self.ask(Request::Select(text));
    }

    pub fn paste(&self, which: Which) {
        self.ask(Request::Paste(which));
    }
}

/// What was copied is handed to the system before the program ends.
impl Drop for ClipboardThread {
    fn drop(&mut self) {
        self.requests = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn serve(asked: &Receiver<Request>, answer: impl Fn(Answer)) {
    let mut open: Option<Clipboard> = None;
    let words = |error: Error| match error {
        Error::ContentNotAvailable => "the clipboard holds no text".to_owned(),
        error => format!("the clipboard can't be used: {error}"),
    };
    for request in asked {
        let clipboard = match &mut open {
            Some(clipboard) => Ok(clipboard),
            None => Clipboard::new().map(|clipboard| open.insert(clipboard)),
        };
        let copied = match request {
            Request::Paste(which) => {
                let text = clipboard.and_then(|clipboard| get_text(clipboard, which));
                answer(Answer::Pasted(which, text.map_err(words)));
                continue;
            }
            Request::Copy(text) => clipboard.and_then(|clipboard| clipboard.set_text(text)),
            Request::Select(text) => clipboard.and_then(|clipboard| set_selected(clipboard, &text)),
        };
        if let Err(error) = copied {
            answer(Answer::NotCopied(words(error)));
        }
    }
}

#[cfg(all(unix, not(target_vendor = "apple")))]
fn get_text(clipboard: &mut Clipboard, which: Which) -> Result<String, Error> {
    use arboard::{GetExtLinux as _, LinuxClipboardKind};
    let kind = match which {
        Which::Copied => LinuxClipboardKind::Clipboard,
        Which::Selected(_) => LinuxClipboardKind::Primary,
    };
    clipboard.get().clipboard(kind).text()
}

#[cfg(not(all(unix, not(target_vendor = "apple"))))]
fn get_text(clipboard: &mut Clipboard, _which: Which) -> Result<String, Error> {
    clipboard.get_text()
}

#[cfg(all(unix, not(target_vendor = "apple")))]
fn set_selected(clipboard: &mut Clipboard, text: &str) -> Result<(), Error> {
    use arboard::{LinuxClipboardKind, SetExtLinux as _};
    match clipboard.set().clipboard(LinuxClipboardKind::Primary).text(text) {
        // Not every compositor has one.
        Err(Error::ClipboardNotSupported) => Ok(()),
        done => done,
    }
}

#[cfg(not(all(unix, not(target_vendor = "apple"))))]
fn set_selected(_clipboard: &mut Clipboard, _text: &str) -> Result<(), Error> {
    Ok(())
}
