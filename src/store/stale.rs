//! What killed processes left of their saves: temporary files that nobody holds any more.

use std::{
    fs::{self, DirEntry, OpenOptions},
    path::Path,
    time::Duration,
};

use super::files::TEMPORARY;

/// A younger one may have been made a moment ago, and not be held yet; and not every file system knows locks.
const AGE: Duration = Duration::from_secs(60);

/// Takes them out of one folder. What cannot be removed stays, and is tried again another time.
pub fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let ours = |entry: &DirEntry| entry.file_name().to_str().is_some_and(|name| name.starts_with(TEMPORARY));
    for entry in entries.filter_map(Result::ok).filter(ours).filter(is_old) {
        let file = OpenOptions::new().read(true).write(true).open(entry.path());
        // Who saves holds a lock for as long as it lives.
        if file.is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file, no link, that was written some time ago.
fn is_old(entry: &DirEntry) -> bool {
    let Ok(known) = entry.metadata() else { return false };
    known.is_file() && known.modified().is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age > AGE))
}

#[cfg(test)]
mod tests {
    use std::{fs::File, time::SystemTime};

    use super::*;

    #[test]
    fn only_old_ones_that_nobody_holds_go() {
        let folder = tempfile::tempdir().unwrap();
        let long_ago = SystemTime::now() - 2 * AGE;
        let made = |name: &str, when: SystemTime| {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(when).unwrap();
            file
        };
        drop(made(".toolcrib-left.tmp", long_ago));
        drop(made(".toolcrib-fresh.tmp", SystemTime::now()));
        drop(made("tools.yaml", long_ago));
        drop(made(".other.tmp", long_ago));
        fs::create_dir(folder.path().join(".toolcrib-folder")).unwrap();
        let held = made(".toolcrib-held.tmp", long_ago);
        held.lock().unwrap();
        sweep(folder.path());
        let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".other.tmp", ".toolcrib-folder", ".toolcrib-fresh.tmp", ".toolcrib-held.tmp", "tools.yaml"]);
        drop(held);
        sweep(folder.path());
        assert!(!folder.path().join(".toolcrib-held.tmp").exists(), "its process is gone");
        sweep(&folder.path().join("nowhere"));
    }
}
