//! Every system, one row each.

use super::{system::System, trustgraph};

/// Every system, in the order in which they are asked whether a file is theirs.
pub const SYSTEMS: &[&dyn System] = &[&trustgraph::TrustGraph];

/// The system of that id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static dyn System> {
    SYSTEMS.iter().copied().find(|system| system.id() == id)
}
