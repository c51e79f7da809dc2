//! What several tests stand on.

#[path = "support/nats.rs"]
pub mod nats;
#[path = "support/workbench.rs"]
pub mod workbench;
