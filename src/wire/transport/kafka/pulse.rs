//! A connection that asks a broker now and then whether it is there, in the one question that every
//! version and every guard lets through.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::wire::transport::socket::Socket;

/// `ApiVersions`: which requests a broker knows.
const QUESTION: i16 = 18;

/// No broker's answer to that question is nearly as long.
const LONGEST: usize = 64 * 1024;

/// Asks again and again.
pub(crate) struct KafkaPulse {
    socket: Socket,
    asked: i32,
}

impl KafkaPulse {
    #[must_use]
    pub fn new(socket: Socket) -> Self {
        Self { socket, asked: 0 }
    }

    /// Asks once; done when the broker has answered. Must not be given up halfway.
    ///
    /// # Errors
    /// When the connection is broken, or what answers is not Kafka.
    pub async fn ping(&mut self) -> io::Result<()> {
        self.asked = self.asked.wrapping_add(1);
        self.socket.write_all(&request_frame(self.asked)).await?;
        self.socket.flush().await?;
        let mut head = [0; 8];
        self.socket.read_exact(&mut head).await?;
        let [length, answered] = [&head[..4], &head[4..]]
            .map(|part| i32::from_be_bytes(part.try_into().unwrap_or_default()));
        let rest = usize::try_from(length)
            .ok()
            .and_then(|length| length.checked_sub(4))
            .filter(|rest| *rest <= LONGEST);
        let (Some(rest), true) = (rest, answered == self.asked) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        self.socket.read_exact(&mut vec![0; rest]).await?;
        Ok(())
    }

    /// Ends when the connection does.
    pub async fn closed(&mut self) {
        // Whatever a broker says unasked, it is not one that we can speak to.
        let _ = self.socket.read(&mut [0; 1]).await;
    }
}

/// The question as it goes over the wire, in its oldest form.
fn request_frame(number: i32) -> Vec<u8> {
    const NAME: &[u8] = b"toolcrib";
    let name = [&(NAME.len() as i16).to_be_bytes()[..], NAME].concat();
    let request =
        [&QUESTION.to_be_bytes()[..], &0_i16.to_be_bytes(), &number.to_be_bytes(), &name].concat();
    [&(request.len() as i32).to_be_bytes()[..], &request].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn answered(answer: &[u8]) -> (io::Result<()>, Vec<u8>) {
        let (ours, mut theirs) = tokio::io::duplex(1024);
        theirs.write_all(answer).await.unwrap();
        let mut pulse = KafkaPulse::new(Box::new(ours));
        let beat = pulse.ping().await;
        drop(pulse);
        let mut heard = Vec::new();
        theirs.read_to_end(&mut heard).await.unwrap();
        (beat, heard)
    }

    #[tokio::test]
    async fn a_broker_is_asked_and_known_by_its_answer() {
        let (beat, asked) = answered(&[0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await;
        beat.unwrap();
        assert_eq!(asked, b"\0\0\0\x12\0\x12\0\0\0\0\0\x01\0\x08toolcrib");
        for other in [
            &b"HTTP/1.1 400 Bad Request"[..],
            &[0, 0, 0, 10, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0],
            &[255; 8],
            &[0, 0, 0, 2, 0, 0, 0, 1],
        ] {
            assert_eq!(
                answered(other).await.0.unwrap_err().kind(),
                io::ErrorKind::InvalidData,
                "{other:?}"
            );
        }
    }
}
