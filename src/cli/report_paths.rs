//! Files as reports name them.

use std::{
    env,
    path::{Path, PathBuf},
};

/// A file as one would type it: from the current folder where it lies below that, else as it is.
#[must_use]
pub(crate) fn typed_path(path: &Path) -> String {
    below(path, &current_folder()).unwrap_or(path).display().to_string()
}

/// A file, named from the current folder or in full, as a code forge names it: from the root of the
/// repository that the current folder is in; as it is where it lies in no repository.
#[must_use]
pub(crate) fn repository_path(path: &str) -> String {
    let here = current_folder();
    let whole = here.join(path);
    let is_root = |folder: &&Path| folder.join(".git").exists();
    let root = here.ancestors().find(is_root);
    match root.and_then(|root| below(&whole, root)) {
        Some(within) => within.display().to_string(),
        None => path.to_owned(),
    }
}

fn current_folder() -> PathBuf {
    env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default()
}

fn below<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    path.strip_prefix(folder).ok().filter(|rest| !rest.as_os_str().is_empty())
}
