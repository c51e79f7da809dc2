//! TrustGraph: tools, tool services and MCP servers as its agent reads them.

/// TrustGraph 2.x; facts in `docs/systems.md`.
pub struct TrustGraph;
