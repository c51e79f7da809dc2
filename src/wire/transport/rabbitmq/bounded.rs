//! A stream from a broker that ends where a message would be larger than an answer may be: lapin
//! gathers whatever a broker says is coming.

use std::{
    error::Error,
    fmt, io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::wire::transport::socket::Socket;

/// The largest frame that we agree to, which is RabbitMQ's own wish. lapin makes room for many of
/// the agreed size at once.
pub(crate) const FRAME: u32 = 128 * 1024;

/// What an answer's message may have beside its text.
const AROUND: u64 = 1024 * 1024;

/// The kind of frame that says how large a message is.
const HEADER: u8 = 2;
/// Kind, channel and length; of a header also class, weight and the length of the message.
const FRAME_HEAD: usize = 7;
const HEADER_HEAD: usize = FRAME_HEAD + 12;
/// After each frame.
const END: u64 = 1;

/// Why such a stream ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLarge {
    /// A frame, or a message.
    pub what: &'static str,
    pub most: u64,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a {} of more than {} bytes was announced", self.what, self.most)
    }
}

impl Error for TooLarge {}

/// A socket whose frames are looked at as they come in.
pub(crate) struct Bounded {
    socket: Socket,
    frames: Frames,
}

impl Bounded {
    /// Reading fails once a message is announced that has more than so many bytes, and some around
    /// them.
    #[must_use]
    pub fn new(socket: Socket, largest: u64) -> Self {
        Self {
            socket,
            frames: Frames {
                most: largest.saturating_add(AROUND),
                head: Vec::with_capacity(HEADER_HEAD),
                skip: 0,
            },
        }
    }
}

/// Where in a stream of frames we are.
struct Frames {
    most: u64,
    /// The head of a frame, as far as it has come.
    head: Vec<u8>,
    /// So much of the frame is still to come.
    skip: u64,
}

impl Frames {
    /// Looks at the next bytes of the stream.
    fn scan(&mut self, mut bytes: &[u8]) -> Result<(), TooLarge> {
        while !bytes.is_empty() {
            let skipped = bytes.len().min(usize::try_from(self.skip).unwrap_or(usize::MAX));
            let more = (bytes.len() - skipped).min(self.head_len() - self.head.len());
            self.skip -= skipped as u64;
            self.head.extend_from_slice(&bytes[skipped..skipped + more]);
            bytes = &bytes[skipped + more..];
            // It may be longer now that its kind is known.
            if self.head.len() == self.head_len() {
                self.skip = self.remaining_len()?;
                self.head.clear();
            }
        }
        Ok(())
    }

    /// How long the head is that is coming.
    fn head_len(&self) -> usize {
        if self.head.first() == Some(&HEADER) { HEADER_HEAD } else { FRAME_HEAD }
    }

    /// How much follows the head of a frame, once it is whole.
    fn remaining_len(&self) -> Result<u64, TooLarge> {
        let number =
            |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let length = number(&self.head[3..FRAME_HEAD]);
        if length > u64::from(FRAME) {
            return Err(TooLarge { what: "frame", most: FRAME.into() });
        }
        let body = self.head.get(FRAME_HEAD + 4..HEADER_HEAD).map_or(0, number);
        if body > self.most {
            return Err(TooLarge { what: "message", most: self.most });
        }
        Ok((length + END).saturating_sub((self.head.len() - FRAME_HEAD) as u64))
    }
}

impl AsyncRead for Bounded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(context, buffer))?;
        Poll::Ready(
            self.frames
                .scan(&buffer.filled()[before..])
                .map_err(|large| io::Error::new(io::ErrorKind::InvalidData, large)),
        )
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
        [&[kind, 0, 1][..], &(payload.len() as u32).to_be_bytes(), payload, b"\xce"].concat()
    }

    /// The frame that announces a message of so many bytes.
    fn header(body: u64) -> Vec<u8> {
        frame(HEADER, &[&[0, 60, 0, 0][..], &body.to_be_bytes(), &[0, 0]].concat())
    }

    /// What becomes of frames that come in pieces of each size.
    fn read(stream: &[u8]) -> Result<(), TooLarge> {
        let read_by = |size: usize| {
            let mut frames = Frames { most: 1_000, head: Vec::new(), skip: 0 };
            stream.chunks(size).try_for_each(|piece| frames.scan(piece))
        };
        let mut all: Vec<_> = [1, 2, 3, 7, 8, 19, 20, 1_000_000].map(read_by).into();
        all.dedup();
        assert_eq!(all.len(), 1, "the same however it comes: {all:?}");
        all.swap_remove(0)
    }

    #[test]
    fn a_message_that_is_announced_too_large_ends_the_stream_before_it_comes() {
        let sound = [
            frame(1, b"method"),
            header(1_000),
            frame(3, &[HEADER; 990]),
            frame(8, b""),
            header(3),
            frame(3, b"abc"),
        ]
        .concat();
        assert_eq!(read(&sound), Ok(()));
        for announced in [1_001, 2 << 30, u64::MAX] {
            let stream = [&sound[..], &header(announced)].concat();
            assert_eq!(read(&stream), Err(TooLarge { what: "message", most: 1_000 }));
        }
    }

    #[test]
    fn a_frame_that_is_larger_than_agreed_ends_the_stream() {
        assert_eq!(read(&frame(3, &vec![0; FRAME as usize])), Ok(()));
        let stream = [&frame(1, b"x")[..], b"\x03\x00\x01\x80\x00\x00\x00"].concat();
        assert_eq!(read(&stream), Err(TooLarge { what: "frame", most: FRAME.into() }));
    }
}
