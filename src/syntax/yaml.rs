//! YAML 1.2 (core schema): how it is read and how edits are written into it.

pub mod gap;
pub mod parse;
pub mod resolve;
