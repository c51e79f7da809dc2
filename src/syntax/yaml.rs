//! YAML 1.2 (core schema): how it is read and how edits are written into it.

pub mod edit;
pub mod gap;
pub mod parse;
pub mod print;
pub mod resolve;
pub mod scalar;
mod shadow;
pub mod sharing;
pub mod style;
pub mod tabs;
