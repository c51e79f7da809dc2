//! Every system that does something on the wire, one row each.

use super::{commonground, facets::responder::Responder, live::LiveSystem, trustgraph};
use crate::model::{connection::Connection, entry::SystemId};

/// Every one of them.
pub const LIVE_SYSTEMS: &[&dyn LiveSystem] = &[&trustgraph::LiveTrustGraph, &commonground::LiveCommonGround];

/// The system of that id; `None` where it does nothing on the wire.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static dyn LiveSystem> {
    LIVE_SYSTEMS.iter().copied().find(|system| system.id() == id)
}

/// Every system in whose place calls can be answered.
pub fn responders() -> impl Iterator<Item = (SystemId, &'static dyn Responder)> {
    LIVE_SYSTEMS.iter().filter_map(|system| Some((system.id(), system.responder()?)))
}

/// The one of them that a connection leads to.
#[must_use]
pub fn responder_at(connection: &Connection) -> Option<&'static dyn Responder> {
    responders().map(|(_, responder)| responder).find(|responder| responder.is_at(connection))
}
