//! A Unix terminal: its bytes, with a pipe beside it that ends the reading.

use std::{
    fs::File,
    io::{self, ErrorKind, IsTerminal as _, Read as _},
    os::{
        fd::{AsFd as _, AsRawFd as _},
        unix::net::UnixStream,
    },
    time::Duration,
};

use filedescriptor::{POLLIN, poll, pollfd};

use super::taker::{PATIENCE, Taker};
use crate::runtime::input_decoder::InputDecoder;

pub(crate) type Alive = UnixStream;

/// The reading ends when the first of the two is dropped.
pub(crate) fn alive_pair() -> io::Result<(Alive, UnixStream)> {
    UnixStream::pair()
}

pub(crate) struct Terminal(File);

impl Terminal {
    /// The terminal where keys come from, also where standard input is something else.
    pub fn open() -> io::Result<Self> {
        let stdin = io::stdin();
        Ok(Self(match stdin.is_terminal() {
            true => stdin.as_fd().try_clone_to_owned()?.into(),
            false => File::open("/dev/tty")?,
        }))
    }

    /// Reads until the other end of `ended` is dropped, or nobody takes the inputs.
    pub fn read_inputs(mut self, ended: &UnixStream, taker: &Taker<'_>) -> io::Result<()> {
        let mut decoder = InputDecoder::default();
        let mut bytes = [0; 4_096];
        loop {
            let patience = decoder.is_waiting().then_some(PATIENCE);
            let found = match wait_ready(&self.0, ended, patience)? {
                Ready::Ended => return Ok(()),
                Ready::Late => decoder.flush(),
                Ready::Bytes => match self.0.read(&mut bytes) {
                    Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                    Ok(count) => decoder.decode(&bytes[..count]),
                    Err(error)
                        if matches!(
                            error.kind(),
                            ErrorKind::Interrupted | ErrorKind::WouldBlock
                        ) =>
                    {
                        continue;
                    }
                    Err(error) => return Err(error),
                },
            };
            if let Some(focus) = decoder.take_focus() {
                taker.forward_focus(focus);
            }
            if !found.into_iter().all(|input| taker.forward_input(input)) {
                return Ok(());
            }
        }
    }
}

enum Ready {
    Bytes,
    Ended,
    /// Nothing came in time.
    Late,
}

fn wait_ready(tty: &File, ended: &UnixStream, patience: Option<Duration>) -> io::Result<Ready> {
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
