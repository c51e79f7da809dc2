//! Reads the terminal on a thread of its own: drawing never waits for bytes.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, ErrorKind, IsTerminal as _, Read as _},
    os::{
        fd::{AsFd as _, AsRawFd as _},
        unix::net::UnixStream,
    },
    sync::{
        Arc,
        mpsc::{self, Receiver, SyncSender, TryRecvError},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use filedescriptor::{POLLIN, poll, pollfd};
use tokio::sync::Notify;

use super::input_decoder::InputDecoder;
use crate::app::input::Input;

/// How long something incomplete waits for the rest of it.
const PATIENCE: Duration = Duration::from_millis(50);

/// More inputs wait in the terminal.
const QUEUE: usize = 1_024;

type Read = io::Result<Input>;

/// The terminal's inputs, in their order. An error is the last of them.
#[derive(Default)]
pub struct InputReader {
    /// What was read before the last pause.
    kept: VecDeque<Read>,
    running: Option<Running>,
    arrived: Arc<Notify>,
}

struct Running {
    inputs: Receiver<Read>,
    /// The thread ends when this is dropped.
    alive: UnixStream,
    thread: JoinHandle<()>,
}

impl InputReader {
    /// Begins to read, or goes on after a pause.
    ///
    /// # Errors
    /// When there is no terminal.
    pub fn start(&mut self) -> io::Result<()> {
        let tty = tty()?;
        let (alive, ended) = UnixStream::pair()?;
        let (sender, inputs) = mpsc::sync_channel(QUEUE);
        let arrived = Arc::clone(&self.arrived);
        let thread = thread::Builder::new().name("terminal".into()).spawn(move || {
            if let Err(error) = read(tty, &ended, &sender, &arrived) {
                // Nobody needs to know when nobody listens.
                let _ = sender.send(Err(error));
            }
            drop(sender);
            arrived.notify_one();
        })?;
        self.running = Some(Running { inputs, alive, thread });
        Ok(())
    }

    /// Reads no more until [`Self::start`], so that another program can; what was read is kept.
    pub fn pause(&mut self) {
        if let Some(Running { inputs, alive, thread }) = self.running.take() {
            drop(alive);
            self.kept.extend(inputs.iter());
            let _ = thread.join();
        }
    }

    /// The next input, if there is one already.
    pub fn try_next(&mut self) -> Option<Read> {
        if let Some(kept) = self.kept.pop_front() {
            return Some(kept);
        }
        match self.running.as_ref()?.inputs.try_recv() {
            Ok(read) => Some(read),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(ErrorKind::UnexpectedEof.into())),
        }
    }

    /// Whether another input is there already.
    pub fn has_next(&mut self) -> bool {
        if self.kept.is_empty() {
            let next = self.try_next();
            self.kept.extend(next);
        }
        !self.kept.is_empty()
    }

    /// Waits for the next input; to drop the waiting loses none.
    pub async fn next(&mut self) -> Read {
        loop {
            if let Some(read) = self.try_next() {
                return read;
            }
            self.arrived.notified().await;
        }
    }

    /// Blocks until the next input.
    pub fn wait(&mut self) -> Read {
        if let Some(kept) = self.kept.pop_front() {
            return kept;
        }
        let next = self.running.as_ref().and_then(|running| running.inputs.recv().ok());
        next.unwrap_or_else(|| Err(ErrorKind::UnexpectedEof.into()))
    }
}

/// The terminal where keys come from, also where standard input is something else.
fn tty() -> io::Result<File> {
    let stdin = io::stdin();
    match stdin.is_terminal() {
        true => Ok(stdin.as_fd().try_clone_to_owned()?.into()),
        false => File::open("/dev/tty"),
    }
}

/// Reads until the other end of `ended` is dropped, or nobody takes the inputs.
fn read(mut tty: File, ended: &UnixStream, inputs: &SyncSender<Read>, arrived: &Notify) -> io::Result<()> {
    let mut decoder = InputDecoder::default();
    let mut bytes = [0; 4_096];
    loop {
        let patience = decoder.is_waiting().then_some(PATIENCE);
        let found = match wait(&tty, ended, patience)? {
            Ready::Ended => return Ok(()),
            Ready::Late => decoder.flush(),
            Ready::Bytes => match tty.read(&mut bytes) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => decoder.decode(&bytes[..count]),
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => continue,
                Err(error) => return Err(error),
            },
        };
        for input in found {
            if inputs.send(Ok(input)).is_err() {
                return Ok(());
            }
            arrived.notify_one();
        }
    }
}

enum Ready {
    Bytes,
    Ended,
    /// Nothing came in time.
    Late,
}

fn wait(tty: &File, ended: &UnixStream, patience: Option<Duration>) -> io::Result<Ready> {
    let watched = |fd| pollfd { fd, events: POLLIN, revents: 0 };
    loop {
        let mut both = [watched(ended.as_raw_fd()), watched(tty.as_raw_fd())];
        match poll(&mut both, patience) {
            // A terminal that hung up is ready too: reading says so.
            Ok(_) if both[0].revents != 0 => return Ok(Ready::Ended),
            Ok(_) if both[1].revents != 0 => return Ok(Ready::Bytes),
            Ok(_) if patience.is_some() => return Ok(Ready::Late),
            Ok(_) => {}
            Err(filedescriptor::Error::Poll(error) | filedescriptor::Error::Io(error)) => {
                if error.kind() != ErrorKind::Interrupted {
                    return Err(error);
                }
            }
            Err(other) => return Err(io::Error::other(other)),
        }
    }
}
