//! Plain data: what toolcrib knows, without behaviour that needs the world.

pub mod agent;
pub mod attachment;
pub mod call;
pub mod catalog;
pub mod clock;
pub mod connection;
pub mod connections;
pub mod context;
pub(crate) mod digest;
pub mod duration;
pub mod entry;
pub mod error_kind;
pub mod finding;
pub mod id;
pub mod merging;
pub mod problem;
pub mod service;
pub mod settings;
pub mod shown;
pub mod size;
pub mod tool;
pub mod trace;
pub mod traffic;
pub mod transport;
pub mod unsaved;
