//! What killed processes left of their saves: temporary files that nobody holds any more.

use std::{
    fs::{self, DirEntry, OpenOptions},
    path::Path,
};

use super::files::TEMPORARY;

/// Takes them out of one folder. What cannot be removed stays, and is tried again another time.
pub(crate) fn sweep_folder(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let ours = |entry: &DirEntry| {
        entry.file_name().to_str().is_some_and(|name| name.starts_with(TEMPORARY))
    };
    for entry in entries.filter_map(Result::ok).filter(ours).filter(is_file) {
        let file = OpenOptions::new().read(true).write(true).open(entry.path());
        // Who saves holds a lock for as long as it lives.
        if file.is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file, no link.
fn is_file(entry: &DirEntry) -> bool {
    entry.metadata().is_ok_and(|known| known.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn only_those_that_nobody_holds_go() {
        let folder = tempfile::tempdir().unwrap();
        let made = |name: &str| File::create(folder.path().join(name)).unwrap();
        for name in [".toolcrib-left.tmp", "tools.yaml", ".other.tmp"] {
            made(name);
        }
        fs::create_dir(folder.path().join(".toolcrib-folder")).unwrap();
        let held = made(".toolcrib-held.tmp");
        held.lock().unwrap();
        sweep_folder(folder.path());
        let mut names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".other.tmp", ".toolcrib-folder", ".toolcrib-held.tmp", "tools.yaml"]);
        drop(held);
        sweep_folder(folder.path());
        assert!(!folder.path().join(".toolcrib-held.tmp").exists(), "its process is gone");
        sweep_folder(&folder.path().join("nowhere"));
    }
}
