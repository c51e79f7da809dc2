//! What several tests stand on.

#[path = "support/nats.rs"]
pub mod nats;
