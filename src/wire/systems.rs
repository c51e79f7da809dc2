//! What each system does on the wire: its calls, its running deployment, services of our own that
//! answer in its place.
//!
//! [`live`] says what a system may give there, each of it a trait in [`facets`]; the [`table`] has
//! a row for each. A system's row is the head of its folder. The pure half of each is in `systems`.

#[cfg(feature = "nats")]
pub mod commonground;
pub mod facets;
pub mod live;
pub mod mcp;
pub mod opensearch;
pub mod search_proxy;
pub mod table;
pub mod trustgraph;
