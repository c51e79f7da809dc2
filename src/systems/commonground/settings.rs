//! What CommonGround needs to know of a connection.

use crate::model::transport::TransportKind;

/// The transports that it rides on.
pub const TRANSPORTS: &[TransportKind] = &[TransportKind::Nats];
