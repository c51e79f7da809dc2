//! Servers that a registry lists in a file: MCP's `server.json`, or a list of such entries.

use super::found::Found;
use crate::systems::facets::configured::{ConfigServer, FoundConfig};

/// The word of this source.
pub const WORD: &str = "registry";

/// Files of a workspace's folder that are looked into where none is named.
pub const FILES: [&str; 2] = ["server.json", "registry.json"];

/// The servers of a file.
#[must_use]
pub fn list_servers(config: &FoundConfig) -> Vec<Found> {
    let found = |server: &ConfigServer| Found {
        sources: vec![WORD],
        place: config.path.display().to_string(),
        name: server.name.clone(),
        version: server.version.clone(),
        about: server.about.clone(),
        instances: 1,
        notes: vec![server.shown.clone()].into_iter().chain(server.command_notes()).collect(),
        server: Some(Box::new(server.clone())),
        ..Found::default()
    };
    config.read.servers.iter().map(found).collect()
}
