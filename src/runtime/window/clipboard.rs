//! The system's clipboard, on a thread of its own: another program may take its time.

use std::{
    sync::mpsc::{self, Receiver, Sender},
    thread::{self, JoinHandle},
};

use arboard::Clipboard;

/// Which of the texts that other programs give is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Copied,
    /// What was selected last; where the system has no such thing, what was copied.
    Selected,
}

enum Request {
    Copy(String),
    /// Also for the middle button.
    CopySelected(String),
    Paste(Which),
}

pub(super) struct ClipboardThread {
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl ClipboardThread {
    /// `pasted` takes each text that is asked for, or why something failed.
    pub fn start(pasted: impl Fn(Result<String, String>) + Send + 'static) -> Self {
        let (requests, asked) = mpsc::channel();
        let thread = thread::Builder::new().name("clipboard".into());
        let thread = thread.spawn(move || serve(&asked, pasted)).ok();
        Self { requests: Some(requests), thread }
    }

    fn ask(&self, request: Request) {
        // Without its thread there is no clipboard.
        let _ = self.requests.as_ref().map(|requests| requests.send(request));
    }

    pub fn copy(&self, text: String) {
        self.ask(Request::Copy(text));
    }

    /// Copies what the user selected with the mouse.
    pub fn copy_selected(&self, text: String) {
        self.ask(Request::CopySelected(text));
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

fn serve(asked: &Receiver<Request>, pasted: impl Fn(Result<String, String>)) {
    let mut open: Option<Clipboard> = None;
    for request in asked {
        let clipboard = match &mut open {
            Some(clipboard) => Ok(clipboard),
            None => Clipboard::new().map(|clipboard| open.insert(clipboard)),
        };
        let done = clipboard.and_then(|clipboard| match request {
            Request::Copy(text) => clipboard.set_text(text).map(|()| None),
            Request::CopySelected(text) => {
                set_selected(clipboard, &text)?;
                clipboard.set_text(text).map(|()| None)
            }
            Request::Paste(which) => get_text(clipboard, which).map(Some),
        });
        match done {
            Ok(Some(text)) => pasted(Ok(text)),
            Ok(None) => {}
            Err(arboard::Error::ContentNotAvailable) => {
                pasted(Err("the clipboard holds no text".into()));
            }
            Err(error) => pasted(Err(format!("the clipboard can't be used: {error}"))),
        }
    }
}

#[cfg(all(unix, not(target_os = "macos")))]
fn get_text(clipboard: &mut Clipboard, which: Which) -> Result<String, arboard::Error> {
    use arboard::{GetExtLinux as _, LinuxClipboardKind};
    let kind = match which {
        Which::Copied => LinuxClipboardKind::Clipboard,
        Which::Selected => LinuxClipboardKind::Primary,
    };
    clipboard.get().clipboard(kind).text()
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn get_text(clipboard: &mut Clipboard, _which: Which) -> Result<String, arboard::Error> {
    clipboard.get_text()
}

#[cfg(all(unix, not(target_os = "macos")))]
fn set_selected(clipboard: &mut Clipboard, text: &str) -> Result<(), arboard::Error> {
    use arboard::{LinuxClipboardKind, SetExtLinux as _};
    match clipboard.set().clipboard(LinuxClipboardKind::Primary).text(text) {
        // Not every compositor has one.
        Err(arboard::Error::ClipboardNotSupported) => Ok(()),
        done => done,
    }
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn set_selected(_clipboard: &mut Clipboard, _text: &str) -> Result<(), arboard::Error> {
    Ok(())
}
