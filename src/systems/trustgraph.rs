//! TrustGraph: tools, tool services and MCP servers as its agent reads them.

pub mod queue;
pub mod reply;
pub mod request;

/// TrustGraph 2.x; facts in `docs/systems.md`.
pub struct TrustGraph;
