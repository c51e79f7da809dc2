//! The registry of connections with the secrets of this system: its environment and its key store.

use std::{env, sync::Arc};

use crate::{
    store::secrets,
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
