//! The registry of connections with the secrets of this system: its environment and its key store.

use std::{
    env,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    store::{consents::Consents, paths::Paths, secrets},
    systems::start::Start,
    wire::{registry::Registry, secrets::Secrets},
};

/// A registry that looks secrets up when a connection needs them, and only then.
#[must_use]
pub(crate) fn of_system() -> Registry {
    Registry::with_secrets(
        Secrets::new(Arc::new(|variable| env::var(variable).ok()))
            .with_keys(Arc::new(secrets::read_secret))
            .with_saving(Arc::new(secrets::save_secret))
            .with_observer(Arc::new(secrets::register_secret)),
    )
    .asking(Arc::new(is_allowed))
}

/// Whether the user allows every start for this run.
static ALLOWS_ALL: AtomicBool = AtomicBool::new(false);

/// The user allows that servers are started without being asked, for this run.
pub(crate) fn allow_all_starts() {
    ALLOWS_ALL.store(true, Ordering::Relaxed);
}

fn is_allowed(start: &Start) -> bool {
    ALLOWS_ALL.load(Ordering::Relaxed)
        || Consents::of_user().is_ok_and(|consents| consents.has(start))
}

/// The same for calls from a workspace: what it keeps of servers is known, and agents that are made
/// for calls are kept for its later ones.
#[must_use]
pub(crate) fn of_workspace(root: &Path) -> Registry {
    let registry = of_system().in_workspace(root);
    match Paths::of_user() {
        Ok(paths) => registry.keeping_agents(paths.agents_path(root)),
        Err(_) => registry,
    }
}
