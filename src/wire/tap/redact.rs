//! From a packet to what is kept of it: secrets masked, the very large cut off.

use std::sync::Arc;

use crate::{
    engine::mask::Mask,
    model::{
        clock::Millis,
        traffic::{KeptMessage, ObservedMessage},
    },
    wire::transport::message::Packet,
};

/// So much of a body is kept.
pub(super) const LONGEST: usize = 1024 * 1024;

/// Makes crossings; secrets that the mask knows do not get through.
pub(super) struct Redactor(pub(super) Mask);

impl Redactor {
    /// The message, received at that time.
    pub(super) fn redact_packet(&self, packet: Packet, at: Millis) -> ObservedMessage {
        let Packet { subject, reply, headers, body } = packet;
        let (start, mut kept) = if body.len() > LONGEST {
            (LONGEST, KeptMessage::Start)
        } else {
            (body.len(), KeptMessage::Whole)
        };
        let mut shown: Arc<[u8]> = body[..start].into();
        if let Ok(text) = std::str::from_utf8(&body[..floor_char_boundary(&body, start)])
            && let std::borrow::Cow::Owned(masked) = self.0.mask_text(text)
        {
            shown = masked.into_bytes().into();
            kept = if kept == KeptMessage::Whole { KeptMessage::Masked } else { kept };
        }
        let headers = headers.into_iter().map(|(name, value)| {
            let masked = self.0.mask_named_value(&name, &value).into_owned();
            if masked != value && kept == KeptMessage::Whole {
                kept = KeptMessage::Masked;
            }
            (name, masked)
        });
        let headers = headers.collect();
        ObservedMessage {
            at,
            subject: subject.unwrap_or_default().into(),
            reply: reply.map(|reply| reply.name.into()),
            headers,
            body: shown,
            size: body.len() as u64,
            kept,
            about: None,
        }
    }
}

/// Where the last whole letter at or before a place ends.
fn floor_char_boundary(body: &[u8], mut at: usize) -> usize {
    while at > 0 && at < body.len() && body[at] & 0xc0 == 0x80 {
        at -= 1;
    }
    at
}
