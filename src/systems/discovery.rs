//! Services and servers that say themselves what they are, and how that compares with the workspace.
//!
//! [`found`] is what any source finds, [`compared`] holds it against the catalog. [`descriptors`]
//! reads the entries in a document, as [`announcement`]s send them; [`micro`] is what NATS micro
//! services answer, and [`registry`] what a file of MCP servers lists. Who asks is in
//! `wire::discovery`.

pub mod announcement;
pub mod compared;
pub mod descriptors;
pub mod found;
pub mod micro;
pub mod registry;
