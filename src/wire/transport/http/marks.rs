//! What is told of an answer beside its body, as headers that no server can send.

use crate::wire::transport::message::Packet;

/// The header under which the status of an answer is heard; no real header is named so.
pub(super) const STATUS: &str = ":status";

/// The header of what is one event of several.
pub(super) const EVENT: &str = ":event";

/// The status that an answer came with.
#[must_use]
pub fn status(packet: &Packet) -> Option<u16> {
    packet.headers.iter().find(|(name, _)| name == STATUS)?.1.parse().ok()
}

/// Whether it is one event of a stream of them.
#[must_use]
pub fn is_event(packet: &Packet) -> bool {
    packet.headers.iter().any(|(name, _)| name == EVENT)
}
