//! One folder per ecosystem, pure: reads descriptors, gives their schema, checks them, renders requests, decodes replies.
//!
//! [`system`] says what each of them gives; the [`table`] has a row for each; [`read`] and [`findings`] ask them all.

pub mod findings;
pub mod read;
pub mod rename;
pub mod system;
pub mod table;
pub mod trustgraph;

pub use table::{SYSTEMS, by_id};
