//! The configuration of a running TrustGraph: tools, services and MCP servers as its configuration
//! service keeps them.
//!
//! [`item`] asks for them and reads the answers, [`push`] says what would change there and whether
//! TrustGraph could load the outcome, [`row`] is what the table of such systems has.

pub mod item;
pub mod push;
pub mod row;
