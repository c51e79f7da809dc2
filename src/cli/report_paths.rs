//! Files as reports name them.

use std::{
    env,
    path::{Component, Path, PathBuf},
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
    let whole = without_parents(&here.join(path));
    let is_root = |folder: &&Path| folder.join(".git").exists();
    let root = here.ancestors().find(is_root);
    match root.and_then(|root| below(&whole, root)) {
        Some(within) => within.display().to_string(),
        None => path.to_owned(),
    }
}

/// The way to a file from a folder that has a part of it in common.
#[must_use]
pub(crate) fn relative_path(path: &Path, from: &Path) -> PathBuf {
    let shared = path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// A path without `..`, which leads out of the folder before it.
fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

fn current_folder() -> PathBuf {
    env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default()
}

fn below<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    path.strip_prefix(folder).ok().filter(|rest| !rest.as_os_str().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_up_to_what_is_shared() {
        for (path, from, way) in [
            ("/w/cases/un.yaml", "/w", "cases/un.yaml"),
            ("/w/cases/un.yaml", "/w/cases", "un.yaml"),
            ("/w/cases/un.yaml", "/w/docs/deep", "../../cases/un.yaml"),
        ] {
            let relative = relative_path(Path::new(path), Path::new(from));
            assert_eq!(relative, Path::new(way));
            assert_eq!(without_parents(&Path::new(from).join(relative)), Path::new(path));
        }
    }
}
