//! Settings files: the workspace's `toolcrib.toml` and the user's `config.toml`.
//!
//! What their texts say is read in [`crate::engine::settings`].

pub mod user;
pub mod workspace;
