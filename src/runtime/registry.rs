//! The registry of connections with the secrets of this system: its environment and its key store.

use std::{
    collections::BTreeMap,
    env,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    store::{consents::Consents, paths::Paths, secrets},
    systems::permission::Permission,
    wire::{
        registry::Registry,
        secrets::{Keys, Saving, Secrets},
    },
};

/// A registry that looks secrets up when a connection needs them, and only then.
#[must_use]
pub(crate) fn of_system() -> Registry {
    with_key_store(Arc::new(secrets::read_secret), Arc::new(secrets::save_secret))
}

fn with_key_store(keys: Keys, saving: Saving) -> Registry {
    Registry::with_secrets(
        Secrets::new(Arc::new(|variable| env::var(variable).ok()))
            .with_named(Arc::new(|variable| {
                let given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
                given.get(variable).cloned().or_else(|| env::var(variable).ok())
            }))
            .with_keys(keys)
            .with_saving(saving)
            .with_observer(Arc::new(secrets::register_secret)),
    )
    .asking(Arc::new(is_allowed))
}

/// Whether the user allows every start for this run.
static ALLOWS_STARTS: AtomicBool = AtomicBool::new(false);
/// Whether the user allows for this run that any secret is sent where the settings say.
static ALLOWS_SECRETS: AtomicBool = AtomicBool::new(false);

/// What the user has agreed to for this run.
static AGREED: Mutex<Vec<Permission>> = Mutex::new(Vec::new());

/// What the user gave for variables of the environment that requests of this run name.
static GIVEN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// These count more than the environment for what requests of this run name.
pub(crate) fn give_variables(variables: BTreeMap<String, String>) {
    GIVEN.lock().unwrap_or_else(PoisonError::into_inner).extend(variables);
}

/// The user has agreed to these for this run.
pub(crate) fn agree_to(permissions: Vec<Permission>) {
    AGREED.lock().unwrap_or_else(PoisonError::into_inner).extend(permissions);
}

/// The user allows that servers are started without being asked, for this run.
pub(crate) fn allow_all_starts() {
    ALLOWS_STARTS.store(true, Ordering::Relaxed);
}

/// The user allows that secrets are sent without being asked, for this run.
pub(crate) fn allow_all_secrets() {
    ALLOWS_SECRETS.store(true, Ordering::Relaxed);
}

fn is_allowed(permission: &Permission) -> bool {
    let for_this_run = match permission {
        Permission::Start(_) => &ALLOWS_STARTS,
        Permission::Send(_) => &ALLOWS_SECRETS,
    };
    for_this_run.load(Ordering::Relaxed)
        || AGREED.lock().unwrap_or_else(PoisonError::into_inner).contains(permission)
        || Consents::of_user().is_ok_and(|consents| consents.has(permission))
}

/// The same for calls from a workspace: what it keeps of servers is known, and agents that are made
/// for calls are kept for its later ones.
#[must_use]
pub(crate) fn of_workspace(root: &Path) -> Registry {
    in_workspace(of_system(), root)
}

/// The same in a program that stays: where there is no key store, it keeps secrets until it ends.
#[must_use]
pub(crate) fn of_session(root: &Path) -> Registry {
    let saving =
        |name: &str, secret: Option<&str>| secrets::save_in_session(name, secret).map(|_| ());
    in_workspace(with_key_store(Arc::new(secrets::read_in_session), Arc::new(saving)), root)
}

fn in_workspace(registry: Registry, root: &Path) -> Registry {
    let registry = registry.in_workspace(root);
    match Paths::of_user() {
        Ok(paths) => registry.keeping_agents(paths.agents_path(root)),
        Err(_) => registry,
    }
}
