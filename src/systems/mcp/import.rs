//! Servers from the configurations of other programs. [`config`] reads a file in any of their
//! forms, and changes nothing in it.

mod bundle;
pub mod config;
mod entries;
mod reader;
mod registry;
pub mod server;
