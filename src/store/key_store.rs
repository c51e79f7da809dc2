//! The system's key store: secrets by name, which the system keeps for the user. Nothing of it is
//! loaded or asked before it is opened.

use std::{collections::HashMap, sync::Arc};

use keyring_core::{Entry, Error, api::CredentialStore};

use crate::model::{
    connection::KEPT_AS as SERVICE,
    problem::{Problem, ProblemKind},
};

/// What the system's key store is called.
#[cfg(windows)]
pub(crate) const TITLE: &str = "the Windows Credential Manager";
#[cfg(target_vendor = "apple")]
pub(crate) const TITLE: &str = "the macOS Keychain";
#[cfg(not(any(windows, target_vendor = "apple")))]
pub(crate) const TITLE: &str = "the Secret Service (GNOME Keyring, KWallet, KeePassXC)";

/// What to do where there is none.
const ELSEWHERE: &str = "without a desktop, use an environment variable instead: \
    password-variable, token-variable, headers = { NAME = \"$NAME\" } in place of headers-key, \
    env = { NAME = \"$NAME\" } in place of env-key";

/// An open key store. Its answers may take time: the user may be asked to unlock it.
pub(crate) struct KeyStore {
    store: Arc<CredentialStore>,
}

impl KeyStore {
    /// Opens the system's.
    ///
    /// # Errors
    /// When there is none within reach.
    #[cfg(feature = "key-store")]
    pub fn open() -> Result<Self, Problem> {
        let none = |error: Error| {
            let cause = format!(
                "there is no key store here: {TITLE} doesn't answer ({})",
                root_cause(&error)
            );
            Problem::new(ProblemKind::Unreachable, "opening the key store", cause)
                .with_remedy(ELSEWHERE)
        };
        Ok(Self { store: system().map_err(none)? })
    }

    /// This build has none.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "key-store"))]
    pub fn open() -> Result<Self, Problem> {
        let cause = "this toolcrib was built without the key store (its feature key-store)";
        Err(Problem::new(ProblemKind::Unreachable, "opening the key store", cause)
            .with_remedy(ELSEWHERE))
    }

    /// The secret of that name.
    ///
    /// # Errors
    /// When there is none, or the store stays locked.
    pub fn read_secret(&self, name: &str) -> Result<String, Problem> {
        self.entry(name)
            .and_then(|entry| entry.get_password())
            .map_err(|error| store_problem("reading a secret", name, &error))
    }

    /// Keeps a secret under a name, in place of the one that was there.
    ///
    /// # Errors
    /// When the store refuses or stays locked.
    pub fn save_secret(&self, name: &str, secret: &str) -> Result<(), Problem> {
        self.entry(name)
            .and_then(|entry| entry.set_password(secret))
            .map_err(|error| store_problem("keeping a secret", name, &error))
    }

    /// Takes the secret of that name out.
    ///
    /// # Errors
    /// When there is none, or the store stays locked.
    pub fn delete_secret(&self, name: &str) -> Result<(), Problem> {
        let forgotten = self.entry(name).and_then(|entry| entry.delete_credential());
        forgotten.map_err(|error| store_problem("forgetting a secret", name, &error))
    }

    /// The names of our secrets, in order.
    ///
    /// # Errors
    /// When the store stays locked.
    pub fn secret_names(&self) -> Result<Vec<String>, Problem> {
        // Windows' store looks for patterns in names that it makes itself; ours are distinguished
        // from the others below.
        let wanted =
            if cfg!(windows) { HashMap::new() } else { HashMap::from([("service", SERVICE)]) };
        let found = self
            .store
            .search(&wanted)
            .map_err(|error| store_problem("listing secrets", "", &error))?;
        let ours = found
            .iter()
            .filter_map(Entry::get_specifiers)
            .filter(|(service, _)| service == SERVICE);
        let mut names: Vec<String> = ours.map(|(_, name)| name).collect();
        names.sort();
        Ok(names)
    }

    fn entry(&self, name: &str) -> keyring_core::Result<Entry> {
        self.store.build(SERVICE, name, None)
    }
}

#[cfg(all(windows, feature = "key-store"))]
fn system() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(windows_native_keyring_store::Store::new()?)
}

#[cfg(all(target_vendor = "apple", feature = "key-store"))]
fn system() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(all(not(any(windows, target_vendor = "apple")), feature = "key-store"))]
fn system() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(Arc::new(super::secret_service::SecretService::open()?))
}

fn store_problem(doing: &str, name: &str, error: &Error) -> Problem {
    let (kind, cause, remedy) = match error {
        Error::NoEntry => (
            ProblemKind::Missing,
            format!("the key store has no secret \"{name}\""),
            format!("add it: toolcrib secret set {name}"),
        ),
        Error::NoStorageAccess(_) => (
            ProblemKind::Refused,
            format!("the key store is locked ({})", root_cause(error)),
            format!("unlock it in your desktop's password manager; {ELSEWHERE}"),
        ),
        Error::Ambiguous(found) => (
            ProblemKind::Input,
            format!("the key store has {} secrets \"{name}\"", found.len()),
            "remove the wrong ones in your desktop's password manager".into(),
        ),
        // Its own words may repeat the secret's bytes.
        Error::BadEncoding(_) | Error::BadDataFormat(..) => (
            ProblemKind::Input,
            format!("the secret \"{name}\" in the key store isn't text"),
            format!("store it again: toolcrib secret set {name}"),
        ),
        _ => (
            ProblemKind::File,
            format!("the key store failed: {}", root_cause(error)),
            format!("it is {TITLE}; {ELSEWHERE}"),
        ),
    };
    Problem::new(kind, doing, cause).with_remedy(remedy)
}

/// What lies at the bottom of an error.
fn root_cause(error: &Error) -> String {
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_memory() -> KeyStore {
        KeyStore { store: keyring_core::mock::Store::new().unwrap() }
    }

    #[test]
    fn secrets_are_kept_listed_and_forgotten_by_name() {
        let store = in_memory();
        store.save_secret("bus", "hunter2hunter2").unwrap();
        store.save_secret("api", "geheim").unwrap();
        store.save_secret("bus", "hunter3hunter3").unwrap();
        assert_eq!(store.read_secret("bus").unwrap(), "hunter3hunter3");
        assert_eq!(store.secret_names().unwrap(), ["api", "bus"]);
        store.delete_secret("bus").unwrap();
        let problem = store.read_secret("bus").unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Missing);
        assert!(
            problem.cause.contains("\"bus\"") && problem.remedy.contains("toolcrib secret set bus"),
            "{problem}"
        );
        assert_eq!(store.delete_secret("bus").unwrap_err().kind, ProblemKind::Missing);
    }

    #[test]
    fn what_the_store_refuses_is_told_without_the_secret() {
        let secret = b"hunter2\xff".to_vec();
        let problem = store_problem("reading a secret", "bus", &Error::BadEncoding(secret));
        assert!(
            problem.cause.contains("isn't text") && !problem.to_string().contains("hunter2"),
            "{problem}"
        );
        let problem =
            store_problem("reading a secret", "bus", &Error::NoStorageAccess("dismissed".into()));
        assert!(problem.cause.contains("locked") && problem.remedy.contains("unlock"), "{problem}");
    }
}
