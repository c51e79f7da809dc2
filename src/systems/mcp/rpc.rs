//! JSON-RPC as MCP uses it: frames kept to the byte, ids, and the building of what a client sends.

pub mod build;
pub mod frame;
pub mod id;
pub mod lines;
pub mod router;
