//! TOML: how it is read and how edits are written into it.

pub mod edit;
pub mod parse;
pub mod print;
pub mod section;
