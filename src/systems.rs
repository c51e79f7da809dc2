//! One folder per ecosystem, pure: reads descriptors, gives their schema, checks them, renders requests, decodes replies.

pub mod findings;
pub mod read;
pub mod system;
pub mod trustgraph;

use system::System;

/// Every system, in the order in which they are asked whether a file is theirs.
pub const SYSTEMS: &[&dyn System] = &[&trustgraph::TrustGraph];

/// The system of that id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static dyn System> {
    SYSTEMS.iter().copied().find(|system| system.id() == id)
}
