//! Reads the terminal on a thread of its own: drawing never waits for bytes.
//!
//! What is read from, and how reading is ended, is the operating system's: `unix` or `elsewhere`.

use std::{
    collections::VecDeque,
    io::{self, ErrorKind},
    sync::{
        Arc,
        mpsc::{self, Receiver, TryRecvError},
    },
    thread::{self, JoinHandle},
};

use tokio::sync::{Notify, watch};

#[cfg(not(unix))]
mod elsewhere;
mod taker;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use elsewhere as system;
use taker::{Read, Taker};
#[cfg(unix)]
use unix as system;

use crate::app::input::Focus;

/// More inputs wait in the terminal.
const QUEUE: usize = 1_024;

/// The terminal's inputs, in their order. An error is the last of them.
#[derive(Default)]
pub(crate) struct InputReader {
    /// What was read before the last pause.
    kept: VecDeque<Read>,
    running: Option<Running>,
    arrived: Arc<Notify>,
    focus: watch::Sender<Focus>,
}

struct Running {
    inputs: Receiver<Read>,
    /// The thread ends when this is dropped.
    alive: system::Alive,
    thread: JoinHandle<()>,
}

impl InputReader {
    /// Begins to read, or goes on after a pause.
    ///
    /// # Errors
    /// When there is no terminal.
    pub fn start(&mut self) -> io::Result<()> {
        let terminal = system::Terminal::open()?;
        let (alive, ended) = system::alive_pair()?;
        let (sender, inputs) = mpsc::sync_channel(QUEUE);
        let (arrived, focus) = (Arc::clone(&self.arrived), self.focus.clone());
        let thread = thread::Builder::new().name("terminal".into()).spawn(move || {
            let taken = Taker { inputs: &sender, arrived: &arrived, focus: &focus };
            if let Err(error) = terminal.read_inputs(&ended, &taken) {
                // Nobody needs to know when nobody listens.
                let _ = sender.send(Err(error));
            }
            drop(sender);
            arrived.notify_one();
        })?;
        self.running = Some(Running { inputs, alive, thread });
        Ok(())
    }

    /// Whether the user looks at the terminal, as it said before the inputs that are still to come.
    pub fn focus(&self) -> Focus {
        *self.focus.borrow()
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
    pub fn next_blocking(&mut self) -> Read {
        if let Some(kept) = self.kept.pop_front() {
            return kept;
        }
        let next = self.running.as_ref().and_then(|running| running.inputs.recv().ok());
        next.unwrap_or_else(|| Err(ErrorKind::UnexpectedEof.into()))
    }
}
