//! One file: read whole with a stamp of what was there, saved whole or not at all.

use std::{
    fs::{self, File, Metadata, TryLockError},
    hash::{DefaultHasher, Hasher as _},
    io::{self, BufWriter, ErrorKind, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use tempfile::NamedTempFile;

use crate::model::{
    problem::{Problem, ProblemKind},
    size,
};

/// Files larger than this are not read.
pub(crate) const LARGEST: u64 = 100_000_000;

/// How the names of files begin that stand beside a file while it is being saved.
pub(crate) const TEMPORARY: &str = ".toolcrib-";

/// What a file was when it was read: enough to tell whether it is still the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub length: u64,
    pub modified: Option<SystemTime>,
    hash: u64,
}

impl Stamp {
    /// The stamp of a file that holds just this text.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self { length: text.len() as u64, modified: None, hash: hash_content(text.as_bytes()) }
    }

    fn new(content: &[u8], metadata: &Metadata) -> Self {
        Self {
            length: content.len() as u64,
            modified: metadata.modified().ok(),
            hash: hash_content(content),
        }
    }

    /// Whether a file of this content is the one that was read. A file that was only touched is the
    /// same.
    fn is_of(&self, content: &[u8]) -> bool {
        self.length == content.len() as u64 && self.hash == hash_content(content)
    }
}

fn hash_content(content: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    hasher.finish()
}

/// A file as read.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub text: Arc<str>,
    pub stamp: Stamp,
}

/// What must be on disk for a save to go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The file as it was read.
    Same(Stamp),
    /// No file.
    Absent,
    /// Whatever is there: the user has decided.
    Anything,
}

/// Whether a link may lead the save out of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutsideLinks {
    Refuse,
    /// The user was asked.
    Allow,
}

/// Why nothing was saved. The file is as it was.
#[derive(Clone, Debug)]
pub enum NotSaved {
    /// The file is not the one that was read: its text now, or that it is gone.
    Changed {
        problem: Problem,
        disk: Option<Arc<str>>,
    },
    /// A link leads out of the workspace, to here.
    LeadsOut {
        problem: Problem,
        to: PathBuf,
    },
    Failed(Problem),
}

impl NotSaved {
    #[must_use]
    pub fn problem(&self) -> &Problem {
        match self {
            Self::Changed { problem, .. }
            | Self::LeadsOut { problem, .. }
            | Self::Failed(problem) => problem,
        }
    }
}

/// Reads a file as text.
///
/// # Errors
/// When it is missing, no file, too large, may not be read, or is not UTF-8 (reported with line and
/// column).
pub(crate) fn read_text(path: &Path) -> Result<Text, Problem> {
    read_up_to(path, LARGEST)
}

/// The same with another limit of size.
///
/// # Errors
/// As [`read_text`].
pub(crate) fn read_up_to(path: &Path, largest: u64) -> Result<Text, Problem> {
    let doing = || format!("reading {}", path.display());
    let (content, metadata) = read_bytes(path, largest, &doing)?;
    let stamp = Stamp::new(&content, &metadata);
    let text = String::from_utf8(content).map_err(|error| not_utf8(&doing(), &error))?;
    Ok(Text { text: text.into(), stamp })
}

fn read_bytes(
    path: &Path,
    largest: u64,
    doing: &dyn Fn() -> String,
) -> Result<(Vec<u8>, Metadata), Problem> {
    let failed = |error: io::Error| io_problem(&doing(), &error);
    // Asked before opening: to open a pipe would wait for its writer.
    let metadata = fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "it is a folder" } else { "it is not a plain file" };
        return Err(Problem::new(ProblemKind::File, doing(), what));
    }
    let mut content =
        Vec::with_capacity(usize::try_from(metadata.len().min(largest)).unwrap_or_default() + 1);
    File::open(path)
        .and_then(|file| file.take(largest + 1).read_to_end(&mut content))
        .map_err(failed)?;
    if content.len() as u64 > largest {
        let length = size::format_size(metadata.len().max(largest + 1));
        let cause =
            format!("it has {length}; toolcrib reads files up to {}", size::format_size(largest));
        return Err(Problem::new(ProblemKind::File, doing(), cause));
    }
    Ok((content, metadata))
}

fn not_utf8(doing: &str, error: &std::string::FromUtf8Error) -> Problem {
    let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
    let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = good.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let column = String::from_utf8_lossy(&good[start..]).chars().count() + 1;
    let byte = error.as_bytes().get(good.len()).copied().unwrap_or_default();
    let cause = match error.as_bytes() {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "it is UTF-16, not UTF-8".to_owned(),
        _ => format!("the byte 0x{byte:02x} at line {line}, column {column} is not UTF-8"),
    };
    Problem::new(ProblemKind::Input, doing, cause).with_remedy("save the file as UTF-8")
}

/// An error of the system in words.
pub(crate) fn io_problem(doing: &str, error: &io::Error) -> Problem {
    let (kind, cause, remedy) = match error.kind() {
        ErrorKind::NotFound => {
            (ProblemKind::Missing, "there is no such file".to_owned(), "check its path")
        }
        ErrorKind::PermissionDenied => {
            (ProblemKind::File, "permission denied".to_owned(), "check its permissions")
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            (ProblemKind::File, "the disk is full".to_owned(), "make room on it, and try again")
        }
        ErrorKind::ReadOnlyFilesystem => {
            (ProblemKind::File, "the disk is read-only".to_owned(), "save to another folder")
        }
        _ => (ProblemKind::File, error.to_string(), ""),
    };
    Problem::new(kind, doing, cause).with_remedy(remedy)
}

/// Writes a file of the workspace whole or not at all: beside it, to the disk, then in its place.
/// Its mode and owner stay. Where another file can't take its place, or would lose its owner or cut
/// one of its hard links, it is written itself.
///
/// # Errors
/// Then the file is as it was: see [`NotSaved`].
pub fn save_file(
    root: &Path,
    path: &Path,
    text: &str,
    expected: Expected,
    outside: OutsideLinks,
) -> Result<Stamp, NotSaved> {
    let doing = format!("saving {}", display_path(root, path));
    let target = resolve_target(root, path, &doing, outside)?;
    let _lock = lock_for_save(&target);
    let mode = check_expected(&target, expected, &doing)?;
    let failed = |error: io::Error| NotSaved::Failed(io_problem(&doing, &error));
    let folder = target.parent().unwrap_or(root);
    fs::create_dir_all(folder).map_err(failed)?;
    let is_there = mode.is_some();
    let itself = || {
        let written = write_itself(&target, text).map_err(failed)?;
        Ok(Stamp::new(text.as_bytes(), &written))
    };
    if is_there && has_more_links(&target) {
        return itself();
    }
    let mut file = match create_temporary(folder, mode) {
        Ok(file) => file,
        Err(error) if is_there && error.kind() == ErrorKind::PermissionDenied => return itself(),
        Err(error) => return Err(failed(error)),
    };
    if is_there && take_owner(&target, file.path()).is_err() {
        return itself();
    }
    let write = |file: &mut File| file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    write(file.as_file_mut()).map_err(failed)?;
    let metadata = file.as_file().metadata().map_err(failed)?;
    let put = match expected {
        Expected::Absent => file.persist_noclobber(&target),
        _ => file.persist(&target),
    };
    match put {
        Ok(_) => {}
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
            return Err(changed_on_disk(&doing, &target));
        }
        // Something is mounted there.
        Err(error) if is_there && error.error.kind() == ErrorKind::ResourceBusy => {
            return itself();
        }
        Err(error) => return Err(failed(error.error)),
    }
    keep_name(folder);
    Ok(Stamp::new(text.as_bytes(), &metadata))
}

/// Changes a file's text by `edit`, which gets the text that is there (`None`: no file); again where
/// another process saved the file in the meantime, so that nothing of that is lost.
///
/// # Errors
/// Those of reading, of `edit`, and of saving; then the file is as it was.
pub(crate) fn edit_file(
    root: &Path,
    path: &Path,
    outside: OutsideLinks,
    mut edit: impl FnMut(Option<&str>) -> Result<String, Problem>,
) -> Result<(), Problem> {
    loop {
        let (before, expected) = match read_text(path) {
            Ok(read) => (Some(read.text), Expected::Same(read.stamp)),
            Err(problem) if problem.kind == ProblemKind::Missing => (None, Expected::Absent),
            Err(problem) => return Err(problem),
        };
        let after = edit(before.as_deref())?;
        match save_file(root, path, &after, expected, outside) {
            Ok(_) => return Ok(()),
            // Whoever saved it is done: each turn is one that somebody else needed no more.
            Err(NotSaved::Changed { .. }) => {}
            Err(refused) => return Err(refused.problem().clone()),
        }
    }
}

/// How often another process's save is waited for, and how long each time.
const LOCK_TRIES: u32 = 200;
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// Keeps other processes of toolcrib from saving a file between this one's look at it and its save.
/// None where there is no file, where the system has no such locks, or where somebody keeps one. On
/// Windows a locked file can't be read, so that none is locked there.
fn lock_for_save(target: &Path) -> Option<File> {
    if cfg!(windows) || !fs::metadata(target).ok()?.is_file() {
        return None;
    }
    let file = File::open(target).ok()?;
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Some(file),
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(_)) => return None,
        }
    }
    None
}

/// Writes a file without another one beside it. Where that fails midway, as on a full disk, what the
/// file had is written back.
fn write_itself(path: &Path, text: &str) -> io::Result<fs::Metadata> {
    let before = fs::read(path)?;
    let mut file = File::options().write(true).open(path)?;
    if let Err(error) = write_over(&mut file, text.as_bytes()) {
        write_over(&mut file, &before)?;
        return Err(error);
    }
    file.metadata()
}

fn write_over(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// Whether other names lead to the same file.
#[cfg(unix)]
fn has_more_links(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).is_ok_and(|metadata| metadata.nlink() > 1)
}

#[cfg(not(unix))]
fn has_more_links(_: &Path) -> bool {
    false
}

/// Gives a new file the owner and the group of the one that it replaces.
#[cfg(unix)]
fn take_owner(of: &Path, new: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let (old, made) = (fs::metadata(of)?, fs::metadata(new)?);
    if (old.uid(), old.gid()) == (made.uid(), made.gid()) {
        return Ok(());
    }
    chown(new, Some(old.uid()), Some(old.gid()))?;
    // A change of owner may take bits of the mode away.
    fs::set_permissions(new, old.permissions())
}

#[cfg(not(unix))]
fn take_owner(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Takes a file of the workspace away; a link goes, not what it leads to.
///
/// # Errors
/// Then the file is as it was: see [`NotSaved`].
pub(crate) fn remove_file(
    root: &Path,
    path: &Path,
    expected: Expected,
    outside: OutsideLinks,
) -> Result<(), NotSaved> {
    let doing = format!("removing {}", display_path(root, path));
    let folder = path.parent().unwrap_or(root);
    resolve_target(root, folder, &doing, outside)?;
    check_expected(path, expected, &doing)?;
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(NotSaved::Failed(io_problem(&doing, &error)));
        }
        _ => {}
    }
    keep_name(folder);
    Ok(())
}

/// Writes a file of toolcrib's own, which only the user may read, whole or not at all.
///
/// # Errors
/// When it cannot be written; the file is as it was.
pub(crate) fn save_private(path: &Path, text: &str) -> Result<(), Problem> {
    write_private(path, |file| file.write_all(text.as_bytes()))
}

/// The same, with what `print` writes.
///
/// # Errors
/// As [`save_private`].
pub(crate) fn write_private(
    path: &Path,
    print: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), Problem> {
    let write = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        let file =
            create_locked(|| tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder))?;
        let mut writer = BufWriter::new(file.as_file());
        print(&mut writer)?;
        writer.flush()?;
        drop(writer);
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|error| io_problem(&format!("writing {}", path.display()), &error))
}

fn display_path(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// The path that will be written, links followed, checked to be in the workspace.
fn resolve_target(
    root: &Path,
    path: &Path,
    doing: &str,
    outside: OutsideLinks,
) -> Result<PathBuf, NotSaved> {
    let failed = |error: io::Error| NotSaved::Failed(io_problem(doing, &error));
    let target = follow_links(path).map_err(failed)?;
    let root = fs::canonicalize(root).map_err(failed)?;
    if outside == OutsideLinks::Refuse && !target.starts_with(&root) {
        let cause = format!("a link points outside the workspace, to {}", target.display());
        let problem = Problem::new(ProblemKind::File, doing, cause)
            .with_remedy("open that folder instead, or allow it for this file");
        return Err(NotSaved::LeadsOut { problem, to: target });
    }
    Ok(target)
}

/// The path with all links followed; what is not there yet stays as it is.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        result => return result,
    }
    if let Ok(led) = fs::read_link(path) {
        // A link to nothing: what it names would be made.
        return follow_links(&path.parent().unwrap_or(Path::new("")).join(led));
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => Ok(follow_links(folder)?.join(name)),
        _ => Err(ErrorKind::NotFound.into()),
    }
}

/// That the file on disk is as expected and may be written; answers with its mode.
fn check_expected(
    path: &Path,
    expected: Expected,
    doing: &str,
) -> Result<Option<fs::Permissions>, NotSaved> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return match expected {
                Expected::Same(_) => Err(changed_on_disk(doing, path)),
                Expected::Absent | Expected::Anything => Ok(None),
            };
        }
        Err(error) => return Err(NotSaved::Failed(io_problem(doing, &error))),
    };
    if metadata.permissions().readonly() {
        let problem = Problem::new(ProblemKind::File, doing, "the file is read-only")
            .with_remedy("make it writable (chmod u+w)");
        return Err(NotSaved::Failed(problem));
    }
    match expected {
        Expected::Anything => {}
        Expected::Absent => return Err(changed_on_disk(doing, path)),
        Expected::Same(stamp) => {
            let (content, _) =
                read_bytes(path, LARGEST, &|| doing.to_owned()).map_err(NotSaved::Failed)?;
            if !stamp.is_of(&content) {
                return Err(changed_on_disk(doing, path));
            }
        }
    }
    Ok(Some(metadata.permissions()))
}

fn changed_on_disk(doing: &str, path: &Path) -> NotSaved {
    let (cause, disk) = match read_bytes(path, LARGEST, &|| doing.to_owned()) {
        Ok((content, _)) => (
            "it changed on disk since it was read",
            Some(String::from_utf8_lossy(&content).into_owned().into()),
        ),
        Err(problem) if problem.kind == ProblemKind::Missing => {
            ("it was removed on disk since it was read", None)
        }
        Err(problem) => return NotSaved::Failed(problem),
    };
    let problem = Problem::new(ProblemKind::Changed, doing, cause)
        .with_remedy("compare the two, then overwrite or reload it");
    NotSaved::Changed { problem, disk }
}

/// A temporary file in the folder with the mode that the file has, or that a new file gets from the
/// user's mask.
fn create_temporary(folder: &Path, mode: Option<fs::Permissions>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY).suffix(".tmp");
    #[cfg(unix)]
    let fresh = {
        use std::os::unix::fs::PermissionsExt as _;
        fs::Permissions::from_mode(0o666)
    };
    #[cfg(unix)]
    builder.permissions(fresh);
    let file = create_locked(|| builder.tempfile_in(folder))?;
    if let Some(mode) = mode {
        file.as_file().set_permissions(mode)?;
    }
    Ok(file)
}

/// Makes a temporary file that [`super::stale`] leaves alone until it is closed: it is locked. One
/// that was swept before it was locked is made again.
fn create_locked(mut make: impl FnMut() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    loop {
        let file = make()?;
        match file.as_file().try_lock() {
            Err(TryLockError::WouldBlock) => {}
            // Where the system knows no locks, nothing is swept.
            Err(TryLockError::Error(_)) => return Ok(file),
            Ok(()) if file.path().exists() => return Ok(file),
            Ok(()) => {}
        }
    }
}

/// Brings the folder's entry to the disk, where the system can.
fn keep_name(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// A text in a file of its own that only the user can read, for another program to edit; gone when
/// dropped.
pub(crate) struct Scratch(tempfile::NamedTempFile);

impl Scratch {
    /// # Errors
    /// When the file cannot be made or written.
    pub fn new(text: &str, ending: &str) -> io::Result<Self> {
        let file = tempfile::Builder::new().prefix("toolcrib-").suffix(ending).tempfile()?;
        fs::write(file.path(), text)?;
        Ok(Self(file))
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The text as it is now.
    ///
    /// # Errors
    /// When it cannot be read, or is not UTF-8.
    pub fn read_text(&self) -> io::Result<String> {
        fs::read_to_string(self.0.path())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use proptest::prelude::*;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn saving_keeps_mode_and_leaves_nothing_beside() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.yaml");
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let read = read_text(&path).unwrap();
        let stamp =
            save_file(root.path(), &path, "two", Expected::Same(read.stamp), OutsideLinks::Refuse)
                .unwrap();
        assert_eq!((&*fs::read_to_string(&path).unwrap(), mode(&path)), ("two", 0o640));
        save_file(root.path(), &path, "three", Expected::Same(stamp), OutsideLinks::Refuse)
            .unwrap();
        assert_eq!(names(root.path()), ["a.yaml"]);
        let fresh = root.path().join("new/deep/b.yaml");
        save_file(root.path(), &fresh, "b", Expected::Absent, OutsideLinks::Refuse).unwrap();
        assert_eq!(mode(&fresh) | 0o022, 0o666, "a new file gets what the user's mask leaves");
    }

    #[test]
    fn processes_that_edit_one_file_at_once_lose_nothing() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.txt");
        let add = |line: String| {
            edit_file(root.path(), &path, OutsideLinks::Refuse, |before| {
                Ok(format!("{}{line}\n", before.unwrap_or_default()))
            })
            .unwrap();
        };
        thread::scope(|scope| {
            for writer in 0..6 {
                scope.spawn(move || (0..15).for_each(|turn| add(format!("{writer} {turn}"))));
            }
        });
        let text = fs::read_to_string(&path).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!((lines.len(), text.lines().count()), (90, 90), "{text}");
    }

    #[test]
    fn a_file_that_changed_is_not_overwritten() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.yaml");
        fs::write(&path, "one").unwrap();
        let stamp = read_text(&path).unwrap().stamp;
        fs::write(&path, "theirs").unwrap();
        for expected in [Expected::Same(stamp), Expected::Absent] {
            let refused =
                save_file(root.path(), &path, "ours", expected, OutsideLinks::Refuse).unwrap_err();
            let NotSaved::Changed { problem, disk } = refused else { panic!("{refused:?}") };
            assert_eq!((problem.kind, disk.as_deref()), (ProblemKind::Changed, Some("theirs")));
            assert!(matches!(
                remove_file(root.path(), &path, expected, OutsideLinks::Refuse),
                Err(NotSaved::Changed { .. })
            ));
        }
        fs::write(&path, "one").unwrap();
        save_file(root.path(), &path, "ours", Expected::Same(stamp), OutsideLinks::Refuse)
            .expect("touched, not changed");
        fs::remove_file(&path).unwrap();
        let refused =
            save_file(root.path(), &path, "ours", Expected::Same(stamp), OutsideLinks::Refuse)
                .unwrap_err();
        assert!(matches!(refused, NotSaved::Changed { disk: None, .. }));
        save_file(root.path(), &path, "ours", Expected::Anything, OutsideLinks::Refuse).unwrap();
        remove_file(root.path(), &path, Expected::Anything, OutsideLinks::Refuse).unwrap();
        assert!(names(root.path()).is_empty());
    }

    #[test]
    fn links_lead_where_they_say_but_not_out() {
        let (root, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| root.path().join(name);
        fs::write(at("real.yaml"), "r").unwrap();
        fs::write(out.path().join("o.yaml"), "o").unwrap();
        symlink("real.yaml", at("link.yaml")).unwrap();
        save_file(
            root.path(),
            &at("link.yaml"),
            "through",
            Expected::Anything,
            OutsideLinks::Refuse,
        )
        .unwrap();
        assert!(at("link.yaml").is_symlink());
        assert_eq!(fs::read_to_string(at("real.yaml")).unwrap(), "through");

        symlink(out.path().join("o.yaml"), at("out.yaml")).unwrap();
        symlink(out.path(), at("folder")).unwrap();
        symlink(out.path().join("new.yaml"), at("dangling.yaml")).unwrap();
        for name in ["out.yaml", "folder/o.yaml", "folder/new/n.yaml", "dangling.yaml"] {
            let refused =
                save_file(root.path(), &at(name), "x", Expected::Anything, OutsideLinks::Refuse)
                    .unwrap_err();
            assert!(matches!(refused, NotSaved::LeadsOut { .. }), "{name}: {refused:?}");
        }
        assert!(matches!(
            remove_file(
                root.path(),
                &at("folder/o.yaml"),
                Expected::Anything,
                OutsideLinks::Refuse
            ),
            Err(NotSaved::LeadsOut { .. })
        ));
        assert_eq!(names(out.path()), ["o.yaml"]);
        assert_eq!(fs::read_to_string(out.path().join("o.yaml")).unwrap(), "o");
        save_file(root.path(), &at("out.yaml"), "allowed", Expected::Anything, OutsideLinks::Allow)
            .unwrap();
        assert_eq!(fs::read_to_string(out.path().join("o.yaml")).unwrap(), "allowed");
        remove_file(root.path(), &at("out.yaml"), Expected::Anything, OutsideLinks::Refuse)
            .unwrap();
        assert_eq!(names(out.path()), ["o.yaml"], "the link goes, not what it leads to");
    }

    #[test]
    fn a_file_with_two_names_stays_one() {
        let root = tempfile::tempdir().unwrap();
        let (one, other) = (root.path().join("one.yaml"), root.path().join("other.yaml"));
        fs::write(&one, "a longer text").unwrap();
        fs::hard_link(&one, &other).unwrap();
        let stamp = save_file(root.path(), &one, "short", Expected::Anything, OutsideLinks::Refuse)
            .unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "short");
        save_file(root.path(), &other, "again", Expected::Same(stamp), OutsideLinks::Refuse)
            .unwrap();
        assert_eq!(fs::read_to_string(&one).unwrap(), "again");
        assert_eq!(names(root.path()), ["one.yaml", "other.yaml"]);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::write(at("latin.yaml"), b"a: 1\nb\xc3\xbc: \xfc\n").unwrap();
        fs::write(at("wide.yaml"), b"\xff\xfea\0:\0").unwrap();
        fs::write(at("long.yaml"), "12345").unwrap();
        fs::create_dir(at("folder.yaml")).unwrap();
        for (problem, words) in [
            (read_text(&at("none.yaml")).unwrap_err(), "there is no such file"),
            (read_text(&at("folder.yaml")).unwrap_err(), "it is a folder"),
            (
                read_text(&at("latin.yaml")).unwrap_err(),
                "byte 0xfc at line 2, column 5 is not UTF-8",
            ),
            (read_text(&at("wide.yaml")).unwrap_err(), "it is UTF-16, not UTF-8"),
            (
                read_up_to(&at("long.yaml"), 4).unwrap_err(),
                "it has 5 B; toolcrib reads files up to 4 B",
            ),
        ] {
            assert!(problem.cause.contains(words), "{problem}");
            assert!(problem.doing.starts_with("reading /"), "{problem}");
        }
        assert_eq!(&*read_up_to(&at("long.yaml"), 5).unwrap().text, "12345");
    }

    #[test]
    fn a_read_only_file_is_not_replaced() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.yaml");
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let refused =
            save_file(root.path(), &path, "two", Expected::Anything, OutsideLinks::Refuse)
                .unwrap_err();
        assert!(refused.problem().cause.contains("read-only"), "{refused:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
    }

    proptest! {
        #[test]
        fn what_is_saved_is_read(text in any::<String>()) {
            let root = tempfile::tempdir().unwrap();
            let path = root.path().join("a.json");
            let stamp = save_file(root.path(), &path, &text, Expected::Absent, OutsideLinks::Refuse).unwrap();
            let back = read_text(&path).unwrap();
            prop_assert_eq!(&*back.text, text);
            prop_assert_eq!(back.stamp, stamp);
        }
    }
}
