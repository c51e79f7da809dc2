//! The journal: unsaved texts of a workspace, kept in the state folder so that they survive a
//! crash.
//!
//! Each session that runs holds one slot, by a lock that ends with its process. What lies in a slot
//! that nobody holds was left by a session that crashed; the next session takes over what the files
//! don't hold, and drops the rest.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant, SystemTime},
};

use serde_json::Value;

use super::{
    files::{self, Text},
    paths::Paths,
    stale,
};
use crate::{
    model::{
        digest::{former_name, path_name, text_digest},
        entry::FileId,
        problem::{Problem, ProblemKind},
        unsaved::{LeftText, LeftTexts},
    },
    syntax::shared_text::SharedText,
};

/// So many sessions can keep a journal for one workspace at a time.
const SLOTS: usize = 16;

/// A session that was killed may hold its slot for a moment longer.
const DYING: Duration = Duration::from_millis(250);

/// Until it is looked at again whether it does.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A wall clock and a file system's clock differ by so much.
const CLOCKS: Duration = Duration::from_millis(50);

/// Drafts by file.
pub type Drafts = BTreeMap<FileId, UnsavedText>;

/// An unsaved text, and how to tell later whether it is newer than its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsavedText {
    pub text: SharedText,
    /// When it was the newest.
    pub at: SystemTime,
    /// What the file may hold that is surely older: what was read or saved before, and what was
    /// being saved; `None`: no file.
    pub newer_than: Vec<Option<Arc<str>>>,
}

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
    pub fn for_workspace(paths: &Paths, root: &Path) -> Self {
        Self { paths: paths.clone(), root: root.to_owned(), slot: Mutex::new(None) }
    }

    /// What sessions that crashed left unsaved, where it differs from the files, each found by
    /// `path`. It stays in the journal until something else is written.
    ///
    /// # Errors
    /// When the state folder cannot be used, or a journal in it cannot be read.
    pub fn unsaved_texts(
        &self,
        path: impl Fn(&FileId) -> Option<PathBuf>,
    ) -> Result<LeftTexts, Problem> {
        let until = Instant::now() + DYING;
        self.collect_unsaved(path, || {
            thread::sleep(LOOK_EVERY);
            Instant::now() < until
        })
    }

    /// The same; waits for slots that are held as long as `wait` says so.
    fn collect_unsaved(
        &self,
        path: impl Fn(&FileId) -> Option<PathBuf>,
        mut wait: impl FnMut() -> bool,
    ) -> Result<LeftTexts, Problem> {
        if !self.paths.state.join("journal").is_dir() {
            return Ok(LeftTexts::new());
        }
        self.with_slot(|folder, slot| {
            stale::sweep_folder(folder);
            let mut left = read_slot(&slot.path)?;
            let mut slots = self.former_slots(folder);
            for former in &slots {
                for (file, draft) in read_slot(&former.path)? {
                    left.entry(file).or_insert(draft);
                }
            }
            for number in (0..SLOTS).filter(|number| *number != slot.number) {
                let (_, texts) = self.slot_paths(folder, number);
                if !texts.exists() {
                    continue;
                }
                let mut other = self.free_slot(folder, number);
                while other.is_none() && wait() {
                    other = self.free_slot(folder, number);
                }
                let Some(other) = other else { continue };
                for (file, draft) in read_slot(&other.path)? {
                    left.entry(file).or_insert(draft);
                }
                slots.push(other);
            }
            let count = left.len();
            let mut behind = BTreeSet::new();
            left.retain(|file, draft| match path(file).map(|path| draft.standing(&path)) {
                Some(Standing::Same) => false,
                Some(Standing::Behind) => behind.insert(file.clone()),
                Some(Standing::Newer) | None => true,
            });
            match left.is_empty() {
                true => clear_slot(&slot.path)?,
                false if slots.is_empty() && left.len() == count => {}
                false => write_slot(&slot.path, &self.root, &left)?,
            }
            slots.iter().try_for_each(|other| clear_slot(&other.path))?;
            let left = left.into_iter().map(|(file, LeftDraft { text, .. })| {
                let is_behind = behind.contains(&file);
                (file, LeftText { text: SharedText::whole_text(&text).clone(), is_behind })
            });
            Ok(left.collect())
        })
    }

    /// Keeps these texts in place of those before; with none, nothing is left.
    ///
    /// # Errors
    /// When they cannot be written; what was kept before is still there.
    pub fn write_drafts(&self, drafts: &Drafts) -> Result<(), Problem> {
        self.write_newest(|| drafts.clone())
    }

    /// The same with what `newest` says while nobody else writes: of several writers at once, the
    /// last leaves what is newest, although it began before the others.
    ///
    /// # Errors
    /// As of [`Journal::write_drafts`].
    pub fn write_newest(&self, newest: impl Fn() -> Drafts) -> Result<(), Problem> {
        if !self.paths.state.join("journal").is_dir() && newest().is_empty() {
            return Ok(());
        }
        self.with_slot(|_, slot| {
            let drafts = newest();
            let left = drafts
                .iter()
                .map(|(file, draft)| (file.clone(), LeftDraft::from_draft(draft)))
                .collect::<BTreeMap<_, _>>();
            match left.is_empty() {
                true => clear_slot(&slot.path),
                false => write_slot(&slot.path, &self.root, &left),
            }
        })
    }

    fn with_slot<T>(
        &self,
        act: impl FnOnce(&Path, &Slot) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let folder = self.paths.private_folder("journal")?;
        let mut held = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            *held = (0..SLOTS).find_map(|number| self.free_slot(&folder, number));
        }
        match &*held {
            Some(slot) => act(&folder, slot),
            None => {
                let cause = format!("no journal can be locked in {}", folder.display());
                Err(Problem::new(ProblemKind::File, "keeping unsaved work", cause).with_remedy(
                    "close other sessions on this workspace, or make the folder writable",
                ))
            }
        }
    }

    /// The lock of a slot, and what holds its texts.
    fn slot_paths(&self, folder: &Path, number: usize) -> (PathBuf, PathBuf) {
        let name = format!("{}-{number}", path_name(&self.root));
        (folder.join(format!("{name}.lock")), folder.join(format!("{name}.json")))
    }

    /// A slot, if no session holds it.
    fn free_slot(&self, folder: &Path, number: usize) -> Option<Slot> {
        let (lock, path) = self.slot_paths(folder, number);
        lock_slot(&lock, path, number)
    }

    /// What a session of an earlier version left, which named its slots differently.
    fn former_slots(&self, folder: &Path) -> Vec<Slot> {
        let name = former_name(self.root.as_path());
        let slot = |number: usize| {
            let at = |ending: &str| folder.join(format!("{name}-{number}.{ending}"));
            let path = Some(at("json")).filter(|path| path.exists())?;
            lock_slot(&at("lock"), path, number)
        };
        (0..SLOTS).filter_map(slot).collect()
    }
}

/// A slot, if no session holds it.
fn lock_slot(lock: &Path, path: PathBuf, number: usize) -> Option<Slot> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(lock).ok()?;
    match file.try_lock() {
        Ok(()) => Some(Slot { number, path, _lock: file }),
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => None,
    }
}

/// How a draft is beside its file.
enum Standing {
    /// The file holds it.
    Same,
    /// It was typed over what the file holds.
    Newer,
    /// The file was changed by somebody else.
    Behind,
}

/// A draft as it is in a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LeftDraft {
    text: SharedText,
    at: SystemTime,
    /// Fingerprints of the texts that it is newer than.
    newer_than: Vec<Option<u64>>,
}

impl LeftDraft {
    fn from_draft(draft: &UnsavedText) -> Self {
        let newer_than =
            draft.newer_than.iter().map(|text| text.as_deref().map(text_digest)).collect();
        Self { text: draft.text.clone(), at: draft.at, newer_than }
    }

    /// How it is beside the file now. Of a file that has gone it is all there is.
    fn standing(&self, path: &Path) -> Standing {
        let Ok(Text { text, stamp }) = files::read_text(path) else { return Standing::Newer };
        let is_later = || stamp.modified.is_none_or(|saved| saved + CLOCKS < self.at);
        // A journal of an earlier version says nothing of the file.
        let is_newer = match self.newer_than.as_slice() {
            [] => is_later(),
            known => known.contains(&Some(text_digest(&text))),
        };
        match is_newer {
            _ if self.text.equals_text(&text) => Standing::Same,
            true => Standing::Newer,
            false => Standing::Behind,
        }
    }

    /// As JSON; of an earlier version, only the text, which is as old as its journal.
    fn from_value(value: &Value, journal: SystemTime) -> Option<Self> {
        if let Some(text) = value.as_str() {
            return Some(Self { text: text.into(), at: journal, newer_than: Vec::new() });
        }
        let nanos = value["at"].as_u64().map(Duration::from_nanos)?;
        let newer_than = value["newer_than"].as_array()?.iter().map(Value::as_u64).collect();
        Some(Self {
            text: value["text"].as_str()?.into(),
            at: SystemTime::UNIX_EPOCH + nanos,
            newer_than,
        })
    }

    /// As JSON, piece by piece: a long text is not put together for that.
    fn print(&self, file: &mut impl Write) -> io::Result<()> {
        let nanos = self.at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let at = u64::try_from(nanos).unwrap_or(u64::MAX);
        write!(file, "{{\"text\":")?;
        serde_json::to_writer(&mut *file, &format_args!("{}", self.text))?;
        write!(file, ",\"at\":{at},\"newer_than\":")?;
        serde_json::to_writer(&mut *file, &self.newer_than)?;
        write!(file, "}}")
    }
}

fn read_slot(path: &Path) -> Result<BTreeMap<FileId, LeftDraft>, Problem> {
    let Text { text, stamp } = match files::read_text(path) {
        Ok(read) => read,
        Err(problem) if problem.kind == ProblemKind::Missing => return Ok(BTreeMap::new()),
        Err(problem) => return Err(problem),
    };
    match parse_slot(&text, stamp.modified.unwrap_or(SystemTime::UNIX_EPOCH)) {
        Some(left) => Ok(left),
        None => Err(put_aside(path)?),
    }
}

/// What a journal that was written then holds; `None`: this version can't read it.
fn parse_slot(text: &str, written: SystemTime) -> Option<BTreeMap<FileId, LeftDraft>> {
    let value = serde_json::from_str::<Value>(text).ok()?;
    let files = value.get("files")?.as_object()?;
    let draft = |(file, left): (&String, &Value)| {
        Some((FileId::new(file.as_str()), LeftDraft::from_value(left, written)?))
    };
    files.iter().map(draft).collect()
}

/// For the fuzzers: what is read of a journal is written, and read again as it was.
#[cfg(any(test, fuzzing))]
pub(crate) fn try_slot(text: &str) {
    let written = SystemTime::UNIX_EPOCH;
    let Some(left) = parse_slot(text, written) else { return };
    for (file, draft) in &left {
        let mut printed = Vec::new();
        #[expect(clippy::expect_used, reason = "a fuzzed promise")]
        draft.print(&mut printed).expect("memory takes all");
        let value = serde_json::from_slice(&printed).unwrap_or_default();
        let again = LeftDraft::from_value(&value, written);
        assert_eq!(again.as_ref().map(|again| &again.at), Some(&draft.at), "{file}");
        assert!(again.is_some_and(|again| again.text.to_string() == draft.text.to_string()));
    }
}

/// Moves what this version can't read to where no session writes.
fn put_aside(path: &Path) -> Result<Problem, Problem> {
    let doing = || format!("reading unsaved work from {}", path.display());
    let mut free = path.with_extension("json.unread");
    for number in 1_u32.. {
        if !free.exists() {
            break;
        }
        free = path.with_extension(format!("json.unread-{number}"));
    }
    fs::rename(path, &free).map_err(|error| files::io_problem(&doing(), &error))?;
    let cause = "this version can't read it: a newer one may have written it";
    Ok(Problem::new(ProblemKind::File, doing(), cause)
        .with_remedy(format!("it is kept as {}: look there", free.display())))
}

fn write_slot(path: &Path, root: &Path, left: &BTreeMap<FileId, LeftDraft>) -> Result<(), Problem> {
    files::write_private(path, |file| {
        write!(file, "{{\"workspace\":")?;
        serde_json::to_writer(&mut *file, &root.to_string_lossy())?;
        write!(file, ",\"files\":{{")?;
        for (row, (name, draft)) in left.iter().enumerate() {
            write!(file, "{}", if row > 0 { "," } else { "" })?;
            serde_json::to_writer(&mut *file, name.as_str())?;
            write!(file, ":")?;
            draft.print(file)?;
        }
        write!(file, "}}}}")
    })
}

fn clear_slot(path: &Path) -> Result<(), Problem> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(files::io_problem(&format!("clearing the journal {}", path.display()), &error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn texts(rows: &[(&str, &str)]) -> LeftTexts {
        let left = |text: &str| LeftText { text: text.into(), is_behind: false };
        rows.iter().map(|(file, text)| (FileId::new(*file), left(text))).collect()
    }

    fn drafts(rows: &[(&str, &str)]) -> Drafts {
        let draft = |LeftText { text, .. }| UnsavedText {
            text: text.into(),
            at: SystemTime::now(),
            newer_than: Vec::new(),
        };
        texts(rows).into_iter().map(|(file, text)| (file, draft(text))).collect()
    }

    /// Where no file is.
    fn nowhere(file: &FileId) -> Option<PathBuf> {
        Some(Path::new("/nowhere").join(file.path()))
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
        let session = Journal::for_workspace(&paths, root);
        assert!(session.unsaved_texts(nowhere).unwrap().is_empty());
        session.write_drafts(&Drafts::new()).unwrap();
        assert!(!paths.state.exists(), "nothing is made before it is needed");
        let rows = [("a.yaml", "a: \"ü\"\r\n"), ("b/c.json", "{")];
        let unsaved = texts(&rows);
        session.write_drafts(&drafts(&rows)).unwrap();
        let mode = fs::metadata(&journals(&paths)[0]).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        drop(session);
        let next = Journal::for_workspace(&paths, root);
        assert_eq!(next.unsaved_texts(nowhere).unwrap(), unsaved);
        assert_eq!(next.unsaved_texts(nowhere).unwrap(), unsaved, "looking takes nothing away");
        assert!(
            Journal::for_workspace(&paths, Path::new("/w/two"))
                .unsaved_texts(nowhere)
                .unwrap()
                .is_empty()
        );
        next.write_drafts(&Drafts::new()).unwrap();
        assert!(journals(&paths).is_empty());
    }

    #[test]
    fn what_an_earlier_version_left_under_another_name_is_offered() {
        let (_home, paths) = home();
        let root = Path::new("/w");
        Journal::for_workspace(&paths, root).write_drafts(&drafts(&[("a", "one")])).unwrap();
        let former = paths.state.join("journal").join(format!("{}-0", former_name(root)));
        fs::rename(&journals(&paths)[0], former.with_extension("json")).unwrap();
        let held = File::create(former.with_extension("lock")).unwrap();
        held.try_lock().unwrap();
        let session = || Journal::for_workspace(&paths, root);
        assert!(session().unsaved_texts(nowhere).unwrap().is_empty(), "its session goes on");
        drop(held);
        assert_eq!(session().unsaved_texts(nowhere).unwrap(), texts(&[("a", "one")]));
        assert!(!former.with_extension("json").exists());
    }

    #[test]
    fn what_is_newest_is_asked_for_while_nobody_else_writes() {
        let (_home, paths) = home();
        let session = Journal::for_workspace(&paths, Path::new("/w"));
        session.write_drafts(&drafts(&[("a", "one")])).unwrap();
        let asked = std::cell::Cell::new(0);
        let newest = || {
            asked.set(asked.get() + 1);
            assert!(session.slot.try_lock().is_err(), "another could write what is older after it");
            Drafts::new()
        };
        session.write_newest(newest).unwrap();
        assert_eq!((asked.get(), journals(&paths).len()), (1, 0));
    }

    #[test]
    fn sessions_beside_each_other_keep_their_own() {
        let (_home, paths) = home();
        let root = Path::new("/w");
        let (one, two) =
            (Journal::for_workspace(&paths, root), Journal::for_workspace(&paths, root));
        one.write_drafts(&drafts(&[("a", "one")])).unwrap();
        two.write_drafts(&drafts(&[("a", "two"), ("b", "two")])).unwrap();
        assert_eq!(
            one.unsaved_texts(nowhere).unwrap(),
            texts(&[("a", "one")]),
            "what a session holds is no one else's"
        );
        drop(one);
        drop(two);
        let next = Journal::for_workspace(&paths, root);
        assert_eq!(next.unsaved_texts(nowhere).unwrap(), texts(&[("a", "one"), ("b", "two")]));
        assert_eq!(journals(&paths).len(), 1);
    }

    #[test]
    fn a_session_that_has_not_ended_yet_is_waited_for() {
        let (_home, paths) = home();
        let root = Path::new("/w");
        let session = Journal::for_workspace(&paths, root);
        session.write_drafts(&drafts(&[("a", "one")])).unwrap();
        let next = Journal::for_workspace(&paths, root);
        let (mut dying, mut looks) = (Some(session), 0);
        let left = next.collect_unsaved(nowhere, || {
            looks += 1;
            if looks == 3 {
                dying.take();
            }
            looks < 10
        });
        assert_eq!((left.unwrap(), looks), (texts(&[("a", "one")]), 3));
    }

    #[test]
    fn what_has_no_file_is_offered() {
        let (_home, paths) = home();
        let of = || Journal::for_workspace(&paths, Path::new("/w"));
        of().write_drafts(&drafts(&[("a", "one")])).unwrap();
        assert_eq!(of().unsaved_texts(|_| None).unwrap(), texts(&[("a", "one")]));
    }

    #[test]
    fn a_journal_that_cannot_be_read_is_told_and_kept() {
        let (_home, paths) = home();
        let session = Journal::for_workspace(&paths, Path::new("/w"));
        session.write_drafts(&drafts(&[("a", "one")])).unwrap();
        fs::write(&journals(&paths)[0], "{").unwrap();
        for aside in ["json.unread", "json.unread-1"] {
            let journal = journals(&paths)[0].clone();
            let problem = session.unsaved_texts(nowhere).unwrap_err();
            let aside = journal.with_extension(aside);
            assert!(problem.remedy.contains(&aside.display().to_string()), "{problem}");
            assert_eq!(fs::read_to_string(aside).unwrap(), "{");
            // What is written next has a file of its own.
            session.write_drafts(&drafts(&[("a", "two")])).unwrap();
            fs::write(journal, "{").unwrap();
        }
    }

    /// What is offered of a draft of that age, made on those texts, when the file holds `saved`:
    /// nothing, or whether the file has changed since.
    fn offered(
        text: &str,
        age: Duration,
        newer_than: &[Option<&str>],
        saved: Option<&str>,
    ) -> Option<bool> {
        let (home, paths) = home();
        let at = |file: &FileId| Some(home.path().join(file.path()));
        let newer_than = newer_than.iter().map(|text| text.map(Arc::from)).collect();
        let draft = UnsavedText { text: text.into(), at: SystemTime::now() - age, newer_than };
        Journal::for_workspace(&paths, home.path())
            .write_drafts(&[(FileId::new("a"), draft)].into())
            .unwrap();
        if let Some(saved) = saved {
            fs::write(home.path().join("a"), saved).unwrap();
        }
        let offered = Journal::for_workspace(&paths, home.path()).unsaved_texts(at).unwrap();
        let offered = offered.values().next().map(|left| left.is_behind);
        assert_eq!(journals(&paths).is_empty(), offered.is_none(), "only that is kept");
        offered
    }

    #[test]
    fn what_the_file_does_not_hold_is_offered() {
        let (old, new) = (Duration::from_secs(60), Duration::ZERO);
        let (newer, behind) = (Some(false), Some(true));
        assert_eq!(offered("ab", old, &[Some("a")], Some("a")), newer, "typed after the last save");
        assert_eq!(
            offered("abc", old, &[Some("a"), Some("ab")], Some("ab")),
            newer,
            "typed while that was being saved"
        );
        assert_eq!(offered("ab", old, &[Some("a")], None), newer, "the file has gone");
        assert_eq!(offered("ab", old, &[None], None), newer, "a new file");
        assert_eq!(offered("ab", old, &[Some("a")], Some("theirs")), behind, "changed since");
        assert_eq!(offered("ab", old, &[None], Some("theirs")), behind, "made since");
        assert_eq!(offered("ab", old, &[Some("a")], Some("ab")), None, "it was saved");
        assert_eq!(offered("ab", new, &[Some("a")], Some("ab")), None, "it was saved");
        // Typed after somebody else had changed the file: that is still to be asked about.
        let ahead = SystemTime::now() + old;
        let (home, paths) = home();
        fs::write(home.path().join("a"), "theirs").unwrap();
        let draft =
            UnsavedText { text: "ab".into(), at: ahead, newer_than: vec![Some("a".into())] };
        Journal::for_workspace(&paths, home.path())
            .write_drafts(&[(FileId::new("a"), draft)].into())
            .unwrap();
        let offered = Journal::for_workspace(&paths, home.path())
            .unsaved_texts(|file| Some(home.path().join(file.path())))
            .unwrap();
        let left = LeftText { text: "ab".into(), is_behind: true };
        assert_eq!(offered, [(FileId::new("a"), left)].into());
    }
}
