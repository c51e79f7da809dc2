//! What TrustGraph needs to know of a connection.

use crate::model::transport::TransportKind;

/// The transports over which its gateway is spoken to.
pub const GATEWAY: &[TransportKind] = &[TransportKind::Http, TransportKind::WebSocket];

/// Whether a transport leads to the gateway, which has services of its own and no queues.
#[must_use]
pub fn is_gateway(transport: TransportKind) -> bool {
    GATEWAY.contains(&transport)
}
