//! What crosses a transport: messages as they are sent and as they are received.

use std::{borrow::Cow, time::Duration};

use bytes::Bytes;

use crate::model::{
    call::CallError,
    clock::Millis,
    size::{cut_text, whole_length},
};

/// A place that messages go to and are received at, as the transport itself spells it: a subject,
/// an exchange, a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub name: String,
    /// Messages are kept until somebody takes them, also over the server's restart.
    pub kept: bool,
}

impl Address {
    /// A place whose messages are gone when nobody takes them.
    pub fn ephemeral(name: impl Into<String>) -> Self {
        Self { name: name.into(), kept: false }
    }
}

/// A message to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    pub to: Address,
    /// Where an answer may be sent.
    pub reply: Option<Address>,
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
    /// After so long nobody waits for an answer, and a broker that can drops the message; `None`:
    /// it stays of use.
    pub expires: Option<Duration>,
}

/// A message as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Where it went; said only to [`super::bus::SubscriptionShare::Observer`], who may hear many places at
    /// once.
    pub subject: Option<String>,
    pub reply: Option<Address>,
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

/// The mark of a message that did not cross the wire just now: when it did, in milliseconds since
/// the Unix epoch.
pub(crate) const SENT_AT: &str = ":when";

/// The mark with the lines of a message as they crossed the wire, where they say more than its body.
pub(crate) const WIRE: &str = ":wire";

/// Of what crossed the wire at once, so many bytes are shown.
const LONGEST_WIRE: usize = 16 * 1024;

/// What is shown of something that crossed the wire at once, unless it is cut already.
pub(crate) fn cut_wire(text: String) -> String {
    if text.len() <= LONGEST_WIRE || whole_length(&text) != text.len() {
        return text;
    }
    let end = text.floor_char_boundary(LONGEST_WIRE);
    cut_text(&text[..end], text.len())
}

/// What crosses the wire, to be shown: of much only the start.
#[derive(Debug, Default)]
pub(crate) struct WireText {
    start: Vec<u8>,
    length: usize,
}

impl WireText {
    /// Adds bytes.
    pub fn extend(&mut self, bytes: &[u8]) {
        let room = LONGEST_WIRE.saturating_sub(self.start.len());
        self.start.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.length += bytes.len();
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Takes out what was added, as text.
    pub fn take_text(&mut self) -> String {
        let Self { start, length } = std::mem::take(self);
        wire_text(&start, length)
    }

    /// The same of what goes on and never will: it says that it was cut off there.
    pub fn take_begun(&mut self) -> String {
        let Self { start, length } = std::mem::take(self);
        cut_text(&String::from_utf8_lossy(&start), length)
    }
}

/// What crossed the wire as text, of which there were so many bytes: of much only the start.
fn wire_text(bytes: &[u8], length: usize) -> String {
    let start = &bytes[..bytes.len().min(LONGEST_WIRE)];
    // Most of it is UTF-8, which is found out faster than what is not is replaced.
    let text = str::from_utf8(start).map_or_else(|_| String::from_utf8_lossy(start), Cow::Borrowed);
    match length > start.len() {
        true => cut_text(&text, length),
        false => text.into_owned(),
    }
}

impl Packet {
    /// Takes out how it crossed the wire: its body, where its transport has no lines around that.
    pub fn take_wire(&mut self) -> String {
        match self.headers.iter().position(|(name, _)| name == WIRE) {
            Some(row) => self.headers.remove(row).1,
            None => wire_text(&self.body, self.body.len()),
        }
    }

    /// Takes out when it crossed the wire, where that was not just now.
    pub fn take_sent_at(&mut self) -> Option<Millis> {
        let row = self.headers.iter().position(|(name, _)| name == SENT_AT)?;
        self.headers.remove(row).1.parse().ok().map(Millis)
    }

    /// The headers that the other side sent; a mark of a transport, which begins with a colon, only
    /// where it says something.
    pub fn visible_headers(&self) -> impl Iterator<Item = &(String, String)> {
        self.headers.iter().filter(|(name, value)| !(name.starts_with(':') && value.is_empty()))
    }
}

/// What a subscriber hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    Packet(Packet),
    /// What came with an answer of which there is no message.
    Headers(Vec<(String, String)>),
    /// What crossed the wire and is no part of a message: a comment, a sign of life. Of HTTP only
    /// where the request asks for it.
    Wire(String),
    /// The other side has begun the stream of its answer, whose first message may be long in
    /// coming. Only where the request asks for it.
    Begun,
    /// Nobody listens where the request went.
    NoResponders,
    /// Why no answer comes, or no more of it.
    Failed(CallError),
    /// The other side has ended the stream of its answer; no more of it comes.
    Ended,
    /// Messages were dropped from here on, because they came faster than they were taken.
    /// [`super::message_queue::QueueReceiver::lost`] counts them.
    Gap,
}

impl Incoming {
    /// What it costs to keep, in bytes.
    #[must_use]
    pub fn weight(&self) -> usize {
        const FRAME: usize = 256;
        match self {
            Self::Packet(packet) => FRAME + headers_weight(&packet.headers) + packet.body.len(),
            Self::Headers(headers) => FRAME + headers_weight(headers),
            Self::Wire(lines) => FRAME + lines.len(),
            Self::Begun | Self::NoResponders | Self::Failed(_) | Self::Ended | Self::Gap => FRAME,
        }
    }
}

fn headers_weight(headers: &[(String, String)]) -> usize {
    headers.iter().map(|(name, value)| name.len() + value.len()).sum()
}
