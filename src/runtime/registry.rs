//! The registry of connections with the secrets of this system: its environment and its key store.

use std::{env, path::Path, sync::Arc};

use crate::{
    store::{paths::Paths, secrets},
    wire::{registry::Registry, secrets::Secrets},
};

/// A registry that looks secrets up when a connection needs them, and only then.
#[must_use]
pub fn of_system() -> Registry {
    Registry::with(
        Secrets::new(Arc::new(|variable| env::var(variable).ok()))
            .with_keys(Arc::new(secrets::key))
            .telling(Arc::new(secrets::learn)),
    )
}

/// The same for calls from a workspace: agents that are made for them are kept for its later calls.
#[must_use]
pub fn of_workspace(root: &Path) -> Registry {
    match Paths::of_user() {
        Ok(paths) => of_system().keeping_agents(paths.agents(root)),
        Err(_) => of_system(),
    }
}
