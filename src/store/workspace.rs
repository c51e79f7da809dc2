//! The workspace: which folder it is, and reading all of its files in a stable order, slice by
//! slice.

use std::{
    collections::BTreeMap,
    env, fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use super::{
    files::{self, Stamp, Text},
    walk::{self, FoundFiles},
};
use crate::{
    model::{
        entry::FileId,
        problem::{Problem, ProblemKind},
        size,
    },
    syntax::source::{Format, Source, SyntaxError},
};

pub use super::walk::LeftOut;
pub(crate) use crate::model::settings::SETTINGS;

/// Files of a workspace that are larger are left out: no descriptor is.
pub(crate) const LARGEST_FILE: u64 = 16_000_000;
/// All files together are read up to this size.
pub(crate) const LARGEST_WORKSPACE: u64 = 512_000_000;

/// How many files make a slice.
const SLICE: usize = 128;
/// More threads than this do not read faster.
const READERS: usize = 4;

/// A folder with descriptors, or one file of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// Absolute, with links followed.
    pub root: PathBuf,
    /// Only this file was asked for.
    pub only: Option<FileId>,
}

/// A file as read.
#[derive(Clone, Debug)]
pub struct FileRead {
    pub file: FileId,
    pub text: Arc<str>,
    pub source: Result<Source, SyntaxError>,
    pub stamp: Stamp,
}

/// How the reading ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadEnd {
    pub files: usize,
    /// What was left out beside these.
    pub skipped: Vec<LeftOut>,
    /// The files that couldn't be read.
    pub unread: Vec<(FileId, Problem)>,
}

impl ReadEnd {
    /// Everything that was left out, each in a sentence that says why.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let unread =
            self.unread.iter().map(|(_, problem)| format!("{problem}; the file was left out"));
        self.skipped.iter().map(|left| left.words.clone()).chain(unread).collect()
    }
}

/// Folders of a workspace whose names say what their files are.
const OWN_FOLDERS: [&str; 5] = ["mcp", "cases", "scenarios", "stubs", "recordings"];

/// The folder that a file's folder makes a workspace of.
fn folder_above_own(folder: &Path) -> &Path {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    folder.parent().filter(|_| OWN_FOLDERS.contains(&name)).unwrap_or(folder)
}

impl Workspace {
    /// The workspace of a path: of a folder, the nearest upward with `toolcrib.toml`, else itself;
    /// of a file, that file alone, as it is in the folder that has its folder. Without a path, of the
    /// current folder.
    ///
    /// # Errors
    /// When there is no such path.
    pub fn find(path: Option<&Path>) -> Result<Self, Problem> {
        let asked = path.unwrap_or(Path::new("."));
        let real = fs::canonicalize(asked).map_err(|error| {
            let shown = if path.is_none() {
                env::current_dir().unwrap_or_default()
            } else {
                asked.to_owned()
            };
            let problem = files::io_problem(&format!("opening {}", shown.display()), &error);
            if problem.kind != ProblemKind::Missing {
                return problem;
            }
            let cause = "there is no such file or folder";
            Problem { cause: cause.into(), ..problem }
                .with_remedy("give a folder with descriptors, or one of its files")
        })?;
        if real.is_dir() {
            let root =
                real.ancestors().find(|folder| folder.join(SETTINGS).is_file()).unwrap_or(&real);
            return Ok(Self { root: root.to_owned(), only: None });
        }
        let (Some(folder), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(Problem::new(
                ProblemKind::Input,
                format!("opening {}", asked.display()),
                "it has no name",
            ));
        };
        if Format::from_path(&real).is_none() {
            let cause = "it is not a .json, .jsonc, .json5, .yaml, .yml or .toml file";
            return Err(Problem::new(
                ProblemKind::Input,
                format!("opening {}", asked.display()),
                cause,
            )
            .with_remedy("give a folder with descriptors, or one of its files"));
        }
        let root = folder
            .ancestors()
            .find(|folder| folder.join(SETTINGS).is_file())
            .unwrap_or_else(|| folder_above_own(folder));
        let only = walk::id_of(root, &folder.join(name)).ok_or_else(|| {
            Problem::new(
                ProblemKind::Input,
                format!("opening {}", asked.display()),
                "its name is not UTF-8",
            )
            .with_remedy("rename it")
        })?;
        Ok(Self { root: root.to_owned(), only: Some(only) })
    }

    /// The whole workspace of a file that isn't its own: the one above with `toolcrib.toml`, else the
    /// folder above its folder `cases`, else the current folder, which may be a whole home folder, else
    /// the folder above the file's; and the file within it.
    #[must_use]
    pub fn around(&self, file: &FileId) -> Option<(Self, FileId)> {
        let path = self.root.join(file.as_str());
        let has_settings = self.root.join(SETTINGS).is_file();
        let own = has_settings.then(|| self.root.clone());
        let folder = path.parent()?;
        let above = || Some(folder_above_own(folder)).filter(|above| *above != folder);
        let here = || Some(Self::find(None).ok()?.root).filter(|root| path.starts_with(root));
        let own = own.or_else(|| above().map(Path::to_owned));
        let root = own.or_else(here).or_else(|| Some(folder.parent()?.to_owned()))?;
        let file = walk::id_of(&root, &path)?;
        Some((Self { root, only: None }, file))
    }

    /// The workspace that a user names: a folder is one itself, also below another that has
    /// `toolcrib.toml`; a file is as in [`Self::find`].
    ///
    /// # Errors
    /// When there is no such path.
    pub fn named(path: &Path) -> Result<Self, Problem> {
        match fs::canonicalize(path) {
            Ok(root) if root.is_dir() => Ok(Self { root, only: None }),
            _ => Self::find(Some(path)),
        }
    }

    /// The name for the top line: the folder's, or the file's.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.only {
            Some(file) => file.to_string(),
            None => self
                .root
                .file_name()
                .map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned()),
        }
    }

    /// Where a file of the workspace is on disk.
    #[must_use]
    pub fn file_path(&self, file: &FileId) -> PathBuf {
        self.root.join(file.path())
    }

    /// Which file of the workspace a path is; `None` for paths outside, and for files that are not
    /// read.
    #[must_use]
    pub fn file_id(&self, path: &Path) -> Option<FileId> {
        let file = walk::id_of(&self.root, path)?;
        (walk::is_ours(&file) && self.only.as_ref().is_none_or(|only| *only == file))
            .then_some(file)
    }

    /// Reads one file.
    ///
    /// # Errors
    /// As [`files::read_text`].
    pub fn read_file(&self, file: &FileId) -> Result<FileRead, Problem> {
        Ok(parse_file(file.clone(), self.text_of(file)?))
    }

    fn text_of(&self, file: &FileId) -> Result<Text, Problem> {
        files::read_up_to(&self.file_path(file), LARGEST_FILE)
    }

    /// Reads every file, in the order of their names, and hands them over in slices while it goes
    /// on. Stops when a slice is answered with `Break`.
    ///
    /// # Errors
    /// When the folder cannot be read at all; single files that cannot are left out and said in the
    /// end.
    pub fn read_files(
        &self,
        slice: impl FnMut(Vec<FileRead>) -> ControlFlow<()>,
    ) -> Result<ReadEnd, Problem> {
        self.read_showing(|_, _| {}, slice)
    }

    /// The same, and hands over the beginnings of large files, in any order, before it reads them
    /// as a whole.
    ///
    /// # Errors
    /// As [`Self::read_files`].
    pub fn read_showing(
        &self,
        beginning: impl Fn(&FileId, Source) + Sync,
        mut slice: impl FnMut(Vec<FileRead>) -> ControlFlow<()>,
    ) -> Result<ReadEnd, Problem> {
        let FoundFiles { files, mut skipped } = match &self.only {
            Some(only) => FoundFiles { files: vec![only.clone()], skipped: Vec::new() },
            None => walk::list_files(&self.root)?,
        };
        let mut end = ReadEnd::default();
        let mut total = 0_u64;
        in_order(
            &files,
            |file| {
                let text = self.text_of(file).map_err(|problem| (file.clone(), problem))?;
                if let Some(begun) = Source::beginning(format_of(file), &text.text) {
                    beginning(file, begun);
                }
                Ok(parse_file(file.clone(), text))
            },
            |read| {
                let mut good = Vec::with_capacity(read.len());
                for result in read {
                    match result {
                        Ok(file) => {
                            total += file.stamp.length;
                            good.push(file);
                        }
                        // It went while we were on the way: nothing to tell.
                        Err((_, problem))
                            if problem.kind == ProblemKind::Missing && self.only.is_none() => {}
                        Err(unread) => end.unread.push(unread),
                    }
                }
                end.files += good.len();
                if !good.is_empty() && slice(good).is_break() {
                    return ControlFlow::Break(());
                }
                if total > LARGEST_WORKSPACE {
                    let limit = size::format_size(LARGEST_WORKSPACE);
                    skipped.push(LeftOut::of_all(format!(
                        "reading stopped after {} files: together they have more than {limit}",
                        end.files
                    )));
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            },
        );
        end.skipped = skipped;
        Ok(end)
    }
}

fn format_of(file: &FileId) -> Format {
    Format::from_path(file.path()).unwrap_or(Format::Json)
}

fn parse_file(file: FileId, Text { text, stamp }: Text) -> FileRead {
    let source = Source::of_format(format_of(&file), text.clone());
    FileRead { file, text, source, stamp }
}

/// Does `work` on slices of the items, several at once, and takes the results in the order of the
/// items.
fn in_order<I: Sync, R: Send>(
    items: &[I],
    work: impl Fn(&I) -> R + Sync,
    mut take: impl FnMut(Vec<R>) -> ControlFlow<()>,
) {
    let slices: Vec<&[I]> = items.chunks(SLICE).collect();
    let readers =
        thread::available_parallelism().map_or(1, usize::from).min(READERS).min(slices.len());
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    // Bounded, so that a slow taker holds the readers back.
    let (sender, receiver) = mpsc::sync_channel(READERS);
    thread::scope(|scope| {
        for _ in 0..readers {
            let (sender, slices, next, stop, work) = (sender.clone(), &slices, &next, &stop, &work);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let row = next.fetch_add(1, Ordering::Relaxed);
                    let Some(slice) = slices.get(row) else { return };
                    if sender.send((row, slice.iter().map(work).collect::<Vec<_>>())).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut wanted = 0;
        for (row, results) in receiver {
            early.insert(row, results);
            while let Some(results) = early.remove(&wanted) {
                wanted += 1;
                if take(results).is_break() {
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::{ffi::OsStrExt as _, fs::symlink},
        process::Command,
    };

    use super::*;

    fn write(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(workspace: &Workspace) -> (Vec<FileRead>, ReadEnd) {
        let mut all = Vec::new();
        let end = workspace.read_files(|slice| {
            all.extend(slice);
            ControlFlow::Continue(())
        });
        (all, end.unwrap())
    }

    fn names(files: &[FileRead]) -> Vec<&str> {
        files.iter().map(|read| read.file.as_str()).collect()
    }

    #[test]
    fn the_nearest_folder_with_settings_is_the_workspace() {
        let home = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(home.path()).unwrap();
        write(&root, "a/toolcrib.toml", "");
        write(&root, "a/b/c/tool.json", "{}");
        write(&root, "z/tool.json", "{}");
        write(&root, "z/notes.txt", "");
        let find = |path: &str| Workspace::find(Some(&root.join(path)));
        assert_eq!(find("a/b/c").unwrap(), Workspace { root: root.join("a"), only: None });
        assert_eq!(find("z").unwrap(), Workspace { root: root.join("z"), only: None });
        let named = |path: &str| Workspace::named(&root.join(path));
        assert_eq!(named("a/b/c").unwrap(), Workspace { root: root.join("a/b/c"), only: None });
        assert_eq!(named("a/b/c/tool.json").unwrap(), find("a/b/c/tool.json").unwrap());
        assert_eq!(named("nope").unwrap_err(), find("nope").unwrap_err());
        let one = find("a/b/c/tool.json").unwrap();
        assert_eq!((one.root.clone(), one.name()), (root.join("a"), "b/c/tool.json".into()));
        assert_eq!(names(&read(&one).0), ["b/c/tool.json"]);
        assert_eq!(one.file_id(&root.join("a/toolcrib.toml")), None);
        // What it is its folder says.
        write(&root, "z/mcp/list.json", "{}");
        let list = find("z/mcp/list.json").unwrap();
        assert_eq!((list.root.clone(), list.name()), (root.join("z"), "mcp/list.json".into()));
        assert_eq!(find("nope").unwrap_err().kind, ProblemKind::Missing);
        assert_eq!(find("z/notes.txt").unwrap_err().kind, ProblemKind::Input);
    }

    #[test]
    fn files_come_in_the_order_of_their_names() {
        let home = tempfile::tempdir().unwrap();
        for row in 0..1_000 {
            write(home.path(), &format!("{}/{row:04}.json", row % 7), "{\"a\": 1}");
        }
        let workspace = Workspace::find(Some(home.path())).unwrap();
        let (files, end) = read(&workspace);
        assert_eq!((files.len(), end), (1_000, ReadEnd { files: 1_000, ..ReadEnd::default() }));
        assert!(files.is_sorted_by_key(|read| read.file.clone()));
        assert!(files.iter().all(|read| read.source.is_ok()));
        let mut slices = 0;
        let end = workspace.read_files(|_| {
            slices += 1;
            ControlFlow::Break(())
        });
        assert_eq!((slices, end.unwrap().files), (1, SLICE));
    }

    #[test]
    fn the_beginning_of_a_long_list_comes_before_the_whole() {
        let home = tempfile::tempdir().unwrap();
        let item = |row: usize| format!(r#"{{"name": "t{row}, [x", "nested": [[1], {{}}]}}"#);
        let items: Vec<String> = (0..10_000).map(item).collect();
        let text =
            format!("{{\"server\": \"many\", \"none\": [],\n\"tools\": [{}]}}", items.join(",\n"));
        write(home.path(), "large.json", &text);
        let begun = std::sync::Mutex::new(Vec::new());
        let workspace = Workspace::find(Some(home.path())).unwrap();
        workspace
            .read_showing(
                |_, source| begun.lock().unwrap().push(source),
                |_| ControlFlow::Continue(()),
            )
            .unwrap();
        let begun = begun.into_inner().unwrap();
        let value = begun[0].value(0).unwrap();
        let read = value["tools"].as_array().unwrap();
        assert!((1_000..9_000).contains(&read.len()), "{}", read.len());
        assert_eq!((&value["server"], &read[999]["name"]), (&"many".into(), &"t999, [x".into()));
    }

    #[test]
    fn the_beginning_of_a_large_file_comes_before_the_whole() {
        let home = tempfile::tempdir().unwrap();
        let member = |row: usize| format!("  t{row}: {{type: prompt, name: t{row}}}\n");
        let members: String = (0..10_000).map(member).collect();
        write(home.path(), "large.yaml", &format!("tool:\n{members}"));
        write(home.path(), "small.yaml", "tool:\n  a: {type: prompt}\n  b: {type: prompt}\n");
        let (begun, mut read) = (std::sync::Mutex::new(Vec::new()), 0);
        let workspace = Workspace::find(Some(home.path())).unwrap();
        let end = workspace.read_showing(
            |file, source| begun.lock().unwrap().push((file.clone(), source.text().len())),
            |slice| {
                let begun = begun.lock().unwrap();
                let [(file, len)] = begun.as_slice() else { panic!("{begun:?}") };
                assert_eq!(file.as_str(), "large.yaml");
                assert!(*len > 10_000 && *len < slice[0].text.len());
                read += slice.len();
                ControlFlow::Continue(())
            },
        );
        assert_eq!((read, end.unwrap().files), (2, 2));
    }

    #[test]
    fn what_is_left_out_is_told() {
        let (home, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = home.path();
        for name in ["a.json", "B.YAML", "c/d.yml", "toolcrib.toml"] {
            write(root, name, "");
        }
        for name in [
            ".git/x.json",
            "target/x.json",
            "node_modules/x.json",
            ".hidden.json",
            ".toolcrib-1.tmp",
            "notes.md",
        ] {
            write(root, name, "");
        }
        write(out.path(), "far.json", "{}");
        fs::write(root.join("latin.yaml"), b"\xfc").unwrap();
        fs::write(root.join("big.json"), vec![b' '; LARGEST_FILE as usize + 1]).unwrap();
        fs::write(root.join(std::ffi::OsStr::from_bytes(b"\xfc.json")), "{}").unwrap();
        symlink(out.path(), root.join("linked")).unwrap();
        symlink(out.path().join("far.json"), root.join("near.json")).unwrap();
        symlink("nowhere.json", root.join("dangling.json")).unwrap();
        assert!(Command::new("mkfifo").arg(root.join("pipe.json")).status().unwrap().success());
        let (files, end) = read(&Workspace::find(Some(root)).unwrap());
        assert_eq!(names(&files), ["B.YAML", "a.json", "c/d.yml", "near.json", "toolcrib.toml"]);
        let words = end.sentences().join("\n");
        for told in [
            "latin.yaml",
            "big.json",
            "linked is a link to a folder",
            "pipe.json",
            "not UTF-8",
            "dangling.json",
        ] {
            assert!(words.contains(told), "{told} in\n{words}");
        }
        assert_eq!(end.sentences().len(), 6, "{words}");
    }

    #[test]
    fn a_path_is_told_back() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::find(Some(home.path())).unwrap();
        let file = FileId::new("a/b.yaml");
        assert_eq!(workspace.file_id(&workspace.file_path(&file)), Some(file));
        for outside in ["notes.md", ".git/a.json", "target/a.json", "a/.b.json"] {
            assert_eq!(workspace.file_id(&workspace.root.join(outside)), None, "{outside}");
        }
        assert_eq!(workspace.file_id(Path::new("/etc/x.json")), None);
    }
}
