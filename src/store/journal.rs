//! The journal: unsaved texts of a workspace, kept in the state folder so that they survive a crash.
//!
//! Each session that runs holds one slot, by a lock that ends with its process. What lies in a slot that nobody holds was left by a session
//! that crashed; the next session takes it over.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions, TryLockError},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Map, Value, json};

use super::{files, paths::Paths, stale};
use crate::model::{
    entry::FileId,
    problem::{Problem, ProblemKind},
};

/// So many sessions can keep a journal for one workspace at a time.
const SLOTS: usize = 16;

/// Unsaved texts by file.
pub type Unsaved = BTreeMap<FileId, Arc<str>>;

/// The journal of one workspace, for one session.
#[derive(Debug)]
pub struct Journal {
    paths: Paths,
    root: PathBuf,
    slot: Mutex<Option<Slot>>,
}

/// A slot that this process holds, for as long as the lock's file is open.
#[derive(Debug)]
struct Slot {
    number: usize,
    path: PathBuf,
    _lock: File,
}

impl Journal {
    /// The journal of the workspace with that folder. Nothing is made before it is needed.
    #[must_use]
    pub fn of(paths: &Paths, root: &Path) -> Self {
        Self { paths: paths.clone(), root: root.to_owned(), slot: Mutex::new(None) }
    }

    /// What sessions that crashed left unsaved; it stays in the journal until something else is written.
    ///
    /// # Errors
    /// When the state folder cannot be used, or a journal in it cannot be read.
    pub fn pending(&self) -> Result<Unsaved, Problem> {
        if !self.paths.state.join("journal").is_dir() {
            return Ok(Unsaved::new());
        }
        self.with_slot(|folder, slot| {
            stale::sweep(folder);
            let mut texts = read(&slot.path)?;
            for number in (0..SLOTS).filter(|number| *number != slot.number) {
                let Some(left) = self.free_slot(folder, number).filter(|left| left.path.exists()) else { continue };
                for (file, text) in read(&left.path)? {
                    texts.entry(file).or_insert(text);
                }
                write(&slot.path, &self.root, &texts)?;
                clear(&left.path)?;
            }
            Ok(texts)
        })
    }

    /// Keeps these texts in place of those before; with none, nothing is left.
    ///
    /// # Errors
    /// When they cannot be written; what was kept before is still there.
    pub fn write(&self, texts: &Unsaved) -> Result<(), Problem> {
        if texts.is_empty() && !self.paths.state.join("journal").is_dir() {
            return Ok(());
        }
        self.with_slot(|_, slot| match texts.is_empty() {
            true => clear(&slot.path),
            false => write(&slot.path, &self.root, texts),
        })
    }

    fn with_slot<T>(&self, act: impl FnOnce(&Path, &Slot) -> Result<T, Problem>) -> Result<T, Problem> {
        let folder = self.paths.private("journal")?;
        let mut held = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            *held = (0..SLOTS).find_map(|number| self.free_slot(&folder, number));
        }
        match &*held {
            Some(slot) => act(&folder, slot),
            None => {
                let cause = format!("no journal can be locked in {}", folder.display());
                Err(Problem::new(ProblemKind::File, "keeping unsaved work", cause)
                    .remedy("close other sessions on this workspace, or make the folder writable"))
            }
        }
    }

    /// A slot, if no session holds it.
    fn free_slot(&self, folder: &Path, number: usize) -> Option<Slot> {
        let mut hasher = DefaultHasher::new();
        self.root.hash(&mut hasher);
        let name = format!("{:016x}-{number}", hasher.finish());
        let lock = folder.join(format!("{name}.lock"));
        // Other slots than the first are seldom there: not made to be looked at.
        let path = folder.join(format!("{name}.json"));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(lock).ok()?;
        match file.try_lock() {
            Ok(()) => Some(Slot { number, path, _lock: file }),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => None,
        }
    }
}

fn read(path: &Path) -> Result<Unsaved, Problem> {
    let text = match files::read(path) {
        Ok(read) => read.text,
        Err(problem) if problem.kind == ProblemKind::Missing => return Ok(Unsaved::new()),
        Err(problem) => return Err(problem),
    };
    let texts = serde_json::from_str::<Value>(&text).ok().and_then(|value| {
        let files = value.get("files")?.as_object()?;
        files.iter().map(|(file, text)| Some((FileId::new(file.as_str()), Arc::from(text.as_str()?)))).collect()
    });
    texts.ok_or_else(|| {
        let doing = format!("reading unsaved work from {}", path.display());
        Problem::new(ProblemKind::File, doing, "it is not a journal").remedy("look into the file, then remove it")
    })
}

fn write(path: &Path, root: &Path, texts: &Unsaved) -> Result<(), Problem> {
    let files: Map<String, Value> = texts.iter().map(|(file, text)| (file.to_string(), Value::from(&**text))).collect();
    files::save_private(path, &json!({ "workspace": root.to_string_lossy(), "files": files }).to_string())
}

fn clear(path: &Path) -> Result<(), Problem> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(files::told(&format!("clearing the journal {}", path.display()), &error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn texts(rows: &[(&str, &str)]) -> Unsaved {
        rows.iter().map(|(file, text)| (FileId::new(*file), Arc::from(*text))).collect()
    }

    fn journals(paths: &Paths) -> Vec<PathBuf> {
        let Ok(folder) = fs::read_dir(paths.state.join("journal")) else { return Vec::new() };
        let paths = folder.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect()
    }

    fn home() -> (tempfile::TempDir, Paths) {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let paths = Paths { config: at("config"), state: at("state"), cache: at("cache") };
        (home, paths)
    }

    #[test]
    fn unsaved_texts_survive_their_session_and_no_longer() {
        let (_home, paths) = home();
        let root = Path::new("/w/one");
        let session = Journal::of(&paths, root);
        assert!(session.pending().unwrap().is_empty());
        session.write(&Unsaved::new()).unwrap();
        assert!(!paths.state.exists(), "nothing is made before it is needed");
        let unsaved = texts(&[("a.yaml", "a: \"ü\"\r\n"), ("b/c.json", "{")]);
        session.write(&unsaved).unwrap();
        let mode = fs::metadata(&journals(&paths)[0]).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        drop(session);
        let next = Journal::of(&paths, root);
        assert_eq!(next.pending().unwrap(), unsaved);
        assert_eq!(next.pending().unwrap(), unsaved, "looking takes nothing away");
        assert!(Journal::of(&paths, Path::new("/w/two")).pending().unwrap().is_empty());
        next.write(&Unsaved::new()).unwrap();
        assert!(journals(&paths).is_empty());
    }

    #[test]
    fn sessions_beside_each_other_keep_their_own() {
        let (_home, paths) = home();
        let root = Path::new("/w");
        let (one, two) = (Journal::of(&paths, root), Journal::of(&paths, root));
        one.write(&texts(&[("a", "one")])).unwrap();
        two.write(&texts(&[("a", "two"), ("b", "two")])).unwrap();
        assert_eq!(one.pending().unwrap(), texts(&[("a", "one")]), "what a session holds is no one else's");
        drop(one);
        drop(two);
        let next = Journal::of(&paths, root);
        assert_eq!(next.pending().unwrap(), texts(&[("a", "one"), ("b", "two")]));
        assert_eq!(journals(&paths).len(), 1);
    }

    #[test]
    fn a_journal_that_cannot_be_read_is_told_and_kept() {
        let (_home, paths) = home();
        let session = Journal::of(&paths, Path::new("/w"));
        session.write(&texts(&[("a", "one")])).unwrap();
        fs::write(&journals(&paths)[0], "{").unwrap();
        assert!(session.pending().unwrap_err().remedy.contains("remove it"));
        assert_eq!(journals(&paths).len(), 1);
    }
}
