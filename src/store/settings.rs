//! Settings files: the workspace's `toolcrib.toml` and the user's `config.toml`.
//!
//! Reading never fails: what is wrong in a file is a finding with its place, and the rest of the file counts.
//! [`table`] reads a table of known keys; [`workspace`], [`connections`] and [`user`] say which there are.

pub mod connections;
pub mod table;
pub mod user;
pub mod workspace;
