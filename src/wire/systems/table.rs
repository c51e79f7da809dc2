//! Every system that does something on the wire, one row each.

use std::sync::OnceLock;

#[cfg(feature = "nats")]
use super::commonground;
use super::{
    facets::{
        authorizer::Authorizer, examiner::Examiner, inspector::Inspector, responder::Responder,
        tool_server::ToolServer,
    },
    live::LiveSystem,
    mcp, opensearch, search_proxy, trustgraph,
};
use crate::model::{connection::Connection, entry::SystemId};

/// Those of toolcrib.
pub const LIVE_SYSTEMS: &[&dyn LiveSystem] = &[
    &trustgraph::LiveTrustGraph,
    #[cfg(feature = "nats")]
    &commonground::LiveCommonGround,
    &mcp::LiveMcp,
    &opensearch::LiveOpenSearch,
    &search_proxy::LiveSearchProxy,
];

/// What the program that runs has; a program may bring systems of its own.
static INSTALLED: OnceLock<&[&dyn LiveSystem]> = OnceLock::new();

/// Sets the live systems of the program that runs, before anything is called. Only the first call
/// counts.
pub(crate) fn install_systems(systems: &'static [&'static dyn LiveSystem]) {
    // A second call finds them set.
    let _ = INSTALLED.set(systems);
}

/// Every live system of the program that runs; until it says which, those of toolcrib.
#[must_use]
pub(crate) fn every_live_system() -> &'static [&'static dyn LiveSystem] {
    INSTALLED.get().copied().unwrap_or(LIVE_SYSTEMS)
}

/// The system of that id; `None` where it does nothing on the wire.
#[must_use]
pub(crate) fn by_id(id: &str) -> Option<&'static dyn LiveSystem> {
    every_live_system().iter().copied().find(|system| system.id() == id)
}

/// Those that have servers which say what they have.
pub(crate) fn inspectors() -> impl Iterator<Item = &'static dyn Inspector> {
    every_live_system().iter().filter_map(|system| system.inspector())
}

/// Those that have servers which want a token.
pub(crate) fn authorizers() -> impl Iterator<Item = &'static dyn Authorizer> {
    every_live_system().iter().filter_map(|system| system.authorizer())
}

/// Every system in whose place calls can be answered.
pub(crate) fn responders() -> impl Iterator<Item = (SystemId, &'static dyn Responder)> {
    every_live_system().iter().filter_map(|system| Some((system.id(), system.responder()?)))
}

/// The one of them that a connection leads to.
#[must_use]
pub(crate) fn responder_at(connection: &Connection) -> Option<&'static dyn Responder> {
    responders().map(|(_, responder)| responder).find(|responder| responder.is_at(connection))
}

/// What serves tools to clients of others.
#[must_use]
pub(crate) fn tool_server() -> Option<&'static dyn ToolServer> {
    every_live_system().iter().find_map(|system| system.tool_server())
}

/// What knows the rules for the server that a connection leads to.
#[must_use]
pub(crate) fn examiner_at(connection: &Connection) -> Option<&'static dyn Examiner> {
    let mut examiners = every_live_system().iter().filter_map(|system| system.examiner());
    examiners.find(|examiner| examiner.is_at(connection))
}
