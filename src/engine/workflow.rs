//! The workflow: the graph of states that tools make under the groups asked for, and what can be
//! said about it.
//!
//! [`graph`] holds the states, which tools each offers, and the edges to draw. [`paths`] finds
//! shortest sequences in it. [`analysis`] says in one pass what is reachable, stuck, waiting or
//! unused. [`reach`] finds the fewest groups that let a tool run. [`similar`] is the "did you
//! mean". [`twins`] finds tools that differ only by name.
//!
//! A tool that is available in every state is never multiplied out: it is kept once, and searches
//! pass through one extra node for all such tools.

pub mod analysis;
pub(crate) mod changes;
pub mod graph;
pub mod paths;
pub mod reach;
pub mod similar;
pub mod twins;
