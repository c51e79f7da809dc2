//! The secrets that this process knows: the values of variables that are named as such, here or in
//! a connection's settings, and what was read from the system's key store.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use super::key_store::KeyStore;
use crate::{
    engine::{
        mask::{LearnedSecrets, Mask},
        secret,
    },
    model::{
        connection::{Connection, SecretAt},
        problem::{Problem, ProblemKind},
    },
};

/// What the key store gave to this process. One list for all: whoever writes a text must not see
/// these, wherever they came in.
static LEARNED: LazyLock<LearnedSecrets> = LazyLock::new(LearnedSecrets::default);

/// What is kept until this process ends, where there is no key store.
static OF_SESSION: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);

fn of_session() -> MutexGuard<'static, HashMap<String, String>> {
    OF_SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a secret is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptSecret {
    InKeyStore,
    /// There is no key store: until this process ends.
    UntilEnd,
}

/// Hides the values of all variables that connections name, of those whose names say that they hold
/// secrets, and what [`read_secret`] gives, also later.
#[must_use]
pub(crate) fn build_mask(connections: &[Connection]) -> Mask {
    let named: Vec<&str> =
        connections.iter().flat_map(Connection::secrets).filter_map(variable_name).collect();
    // A variable that is not text is no secret that could be written as text.
    let known = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let known =
        known.filter(|(name, _)| named.contains(&name.as_str()) || secret::is_secret_name(name));
    Mask::new(known.map(|(_, value)| value)).with_learned(LEARNED.clone())
}

/// Hides the secrets that this process used, also those of later, and what looks like one.
#[must_use]
pub(crate) fn used_mask() -> Mask {
    Mask::of_learned(LEARNED.clone())
}

/// A secret of the system's key store; every mask hides it from now on.
///
/// # Errors
/// When there is no key store, or no such secret in it, or it stays locked.
pub(crate) fn read_secret(name: &str) -> Result<String, Problem> {
    let secret = KeyStore::open()?.read_secret(name)?;
    LEARNED.register_secret(&secret);
    Ok(secret)
}

/// Keeps a secret in the system's key store, which every mask hides from now on; `None` takes out
/// what is kept under that name, where something is.
///
/// # Errors
/// When there is no key store, or it stays locked.
pub(crate) fn save_secret(name: &str, secret: Option<&str>) -> Result<(), Problem> {
    let store = KeyStore::open()?;
    match secret {
        Some(secret) => {
            LEARNED.register_secret(secret);
            store.save_secret(name, secret)
        }
        None => match store.delete_secret(name) {
            Err(problem) if problem.kind == ProblemKind::Missing => Ok(()),
            deleted => deleted,
        },
    }
}

/// The same as [`read_secret`] in a process that stays: what it keeps itself counts, too. Where there
/// is no key store, nothing is in it.
///
/// # Errors
/// When there is no such secret, or the key store stays locked.
pub(crate) fn read_in_session(name: &str) -> Result<String, Problem> {
    let kept = of_session().get(name).cloned();
    match kept {
        Some(secret) => Ok(secret),
        None => {
            KeyStore::open().map_err(|none| Problem { kind: ProblemKind::Missing, ..none })?;
            read_secret(name)
        }
    }
}

/// The same as [`save_secret`] in a process that stays: where there is no key store, it keeps the
/// secret itself.
///
/// # Errors
/// When the key store stays locked.
pub(crate) fn save_in_session(name: &str, secret: Option<&str>) -> Result<KeptSecret, Problem> {
    let kept = match (KeyStore::open(), secret) {
        (Ok(_), _) => {
            save_secret(name, secret)?;
            of_session().remove(name);
            return Ok(KeptSecret::InKeyStore);
        }
        (Err(_), Some(secret)) => {
            LEARNED.register_secret(secret);
            of_session().insert(name.to_owned(), secret.to_owned())
        }
        (Err(_), None) => of_session().remove(name),
    };
    drop(kept);
    Ok(KeptSecret::UntilEnd)
}

/// Whether this process keeps secrets itself.
#[must_use]
pub(crate) fn keeps_until_end() -> bool {
    !of_session().is_empty()
}

/// Lets every mask hide this secret from now on: it is about to be used.
pub(crate) fn register_secret(secret: &str) {
    LEARNED.register_secret(secret);
}

fn variable_name(at: &SecretAt) -> Option<&str> {
    match at {
        SecretAt::Variable(name) => Some(name),
        SecretAt::KeyStore(_) => None,
    }
}
