//! Every system that does something on the wire, one row each.

use super::{commonground, live::LiveSystem, trustgraph};

/// Every one of them.
pub const LIVE_SYSTEMS: &[&dyn LiveSystem] = &[&trustgraph::LiveTrustGraph, &commonground::LiveCommonGround];

/// The system of that id; `None` where it does nothing on the wire.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static dyn LiveSystem> {
    LIVE_SYSTEMS.iter().copied().find(|system| system.id() == id)
}
