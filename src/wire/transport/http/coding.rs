//! What an answer's body is coded with: nothing was asked for, but some proxies compress unasked.

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};

use crate::model::{call::CallError, error_kind::ErrorKind};

/// So many bytes are unzipped at once: they may become a thousand times as many.
const STEP: usize = 4096;

/// Takes the coding off a body, part by part.
pub(super) enum BodyDecoder {
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    /// A coding that can't be read here, by its name.
    Unknown(String),
}

impl BodyDecoder {
    pub fn of_headers(headers: &HeaderMap) -> Self {
        let coding = headers.get(CONTENT_ENCODING).map(|coding| coding.as_bytes());
        let coding = String::from_utf8_lossy(coding.unwrap_or_default()).trim().to_lowercase();
        match coding.as_str() {
            "" | "identity" => Self::Plain,
            "gzip" | "x-gzip" => Self::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))),
            _ => Self::Unknown(coding),
        }
    }

    /// The parts of a piece of the body that are decoded one by one, so that limits hold between
    /// them.
    pub fn parts<'p>(&self, piece: &'p [u8]) -> std::slice::Chunks<'p, u8> {
        piece.chunks(if matches!(self, Self::Gzip(_)) { STEP } else { piece.len().max(1) })
    }

    /// Whether the body is whole, once all of it was decoded.
    ///
    /// # Errors
    /// When it was cut off, or isn't what was packed.
    pub fn finish(self) -> Result<(), CallError> {
        match self {
            Self::Gzip(mut decoder) => decoder.try_finish().map_err(|error| bad_gzip(&error)),
            Self::Plain | Self::Unknown(_) => Ok(()),
        }
    }

    /// What a part of the body says.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn decode<'p>(&mut self, piece: &'p [u8]) -> Result<std::borrow::Cow<'p, [u8]>, CallError> {
        match self {
            Self::Plain => Ok(piece.into()),
            Self::Gzip(decoder) => {
                let written = decoder.write_all(piece).and_then(|()| decoder.flush());
                written.map_err(|error| bad_gzip(&error))?;
                Ok(std::mem::take(decoder.get_mut()).into())
            }
            Self::Unknown(coding) => {
                let message = format!(
                    "the answer is compressed ({}), which wasn't asked for",
                    coding.escape_debug()
                );
                let remedy = "turn off compression in the server or the proxy before it; only \
                    gzip is read";
                Err(CallError::new(ErrorKind::NotUnderstood, message, remedy))
            }
        }
    }
}

fn bad_gzip(error: &io::Error) -> CallError {
    let message = format!("the answer has content-encoding gzip, but can't be unzipped: {error}");
    CallError::new(ErrorKind::NotUnderstood, message, "check the server, or the proxy before it")
}

#[cfg(test)]
mod tests {
    use flate2::{Compression, write::GzEncoder};
    use reqwest::header::HeaderValue;

    use super::*;

    fn decoder(coding: &'static str) -> BodyDecoder {
        let headers = [(CONTENT_ENCODING, HeaderValue::from_static(coding))];
        BodyDecoder::of_headers(&headers.into_iter().collect())
    }

    #[test]
    fn a_zipped_event_is_read_as_soon_as_it_came() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(b"data: one\n\n").unwrap();
        encoder.flush().unwrap();
        let first = std::mem::take(encoder.get_mut());
        encoder.write_all(b"data: two\n\n").unwrap();
        let rest = encoder.finish().unwrap();
        let mut decoder = decoder("GZIP");
        let (head, tail) = first.split_at(first.len() / 2);
        let mut read = decoder.decode(head).unwrap().into_owned();
        read.extend_from_slice(&decoder.decode(tail).unwrap());
        assert_eq!(read, b"data: one\n\n");
        assert_eq!(&*decoder.decode(&rest).unwrap(), b"data: two\n\n");
        decoder.finish().unwrap();
    }

    fn zipped(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_body_of_several_members_is_whole_and_one_that_is_cut_off_is_not() {
        let body = [zipped(b"one"), zipped(b"two")].concat();
        let mut several = decoder("gzip");
        assert_eq!(&*several.decode(&body).unwrap(), b"onetwo");
        several.finish().unwrap();
        let mut cut = decoder("gzip");
        cut.decode(&body[..body.len() - 4]).unwrap();
        assert!(cut.finish().unwrap_err().message.contains("can't be unzipped"));
        decoder("identity").finish().unwrap();
    }

    #[test]
    fn little_is_unzipped_at_once() {
        let body = zipped(&vec![0; 64 << 20]);
        let mut decoder = decoder("gzip");
        let parts: Vec<_> = decoder.parts(&body).collect();
        let most = parts.into_iter().map(|part| decoder.decode(part).unwrap().len()).max();
        assert!(most.unwrap() < 8 << 20, "{most:?}");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        assert_eq!(&*decoder("identity").decode(b"x").unwrap(), b"x");
        let refused = decoder("br").decode(b"x").unwrap_err();
        assert!(refused.message.contains("compressed (br)"), "{refused:?}");
        let broken = decoder("gzip").decode(b"no gzip at all").unwrap_err();
        assert!(broken.message.contains("can't be unzipped"), "{broken:?}");
    }
}
