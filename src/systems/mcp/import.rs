//! Servers from the configurations of other programs. [`config`] reads a file in any of their
//! forms, and changes nothing in it; [`connections`] makes connections of what it names.

mod bundle;
pub mod config;
pub mod connections;
mod entries;
mod reader;
mod registry;
pub mod server;
