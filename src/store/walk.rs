//! Walks a folder for the files that may hold descriptors, within bounds.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::files;
use crate::{
    model::{entry::FileId, problem::Problem},
    syntax::source::Format,
};

/// More files than this are not listed.
const MOST_FILES: usize = 100_000;
/// More folders and files of any kind than this are not looked at.
const MOST_ENTRIES: usize = 1_000_000;
/// Folders are followed so deep.
const DEEPEST: usize = 32;

/// Folders that hold what programs made, not what people wrote.
const PASSED_OVER: [&str; 2] = ["target", "node_modules"];

/// The files of a folder, in the order of their names, and what was left out.
#[derive(Debug, Default)]
pub(super) struct FoundFiles {
    pub files: Vec<FileId>,
    pub skipped: Vec<LeftOut>,
}

/// Something that isn't read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its path in the workspace; `None` where it is more than one file or folder.
    pub at: Option<FileId>,
    /// A sentence that says what it is, and why.
    pub words: String,
}

impl LeftOut {
    fn new(at: &str, words: String) -> Self {
        Self { at: Some(FileId::new(at)), words }
    }

    pub(super) fn of_all(words: String) -> Self {
        Self { at: None, words }
    }
}

/// The file that a path is, when it lies within the root and its name can be said.
pub(super) fn id_of(root: &Path, path: &Path) -> Option<FileId> {
    let parts: Option<Vec<&str>> =
        path.strip_prefix(root).ok()?.iter().map(|part| part.to_str()).collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| FileId::new(parts.join("/")))
}

/// Whether the walk would list a file of that name.
pub(super) fn is_ours(file: &FileId) -> bool {
    let folders = file.path().parent().into_iter().flat_map(Path::iter);
    let name = file.path().file_name().and_then(|name| name.to_str()).unwrap_or_default();
    !name.starts_with('.')
        && Format::from_path(file.path()).is_some()
        && folders.filter_map(|name| name.to_str()).all(is_entered)
}

/// Whether the walk from the root would come into that folder.
pub(super) fn is_entered_path(root: &Path, folder: &Path) -> bool {
    id_of(root, folder)
        .is_some_and(|id| id.path().iter().filter_map(|name| name.to_str()).all(is_entered))
}

fn is_entered(folder: &str) -> bool {
    !folder.starts_with('.') && !PASSED_OVER.contains(&folder)
}

/// Lists the files below a folder. Hidden ones, `target` and `node_modules` are passed over in
/// silence.
pub(super) fn list_files(root: &Path) -> Result<FoundFiles, Problem> {
    let mut walk = Walk::default();
    walk.walk_folder(root, "", 0).map_err(|error| {
        files::io_problem(&format!("reading the folder {}", root.display()), &error)
    })?;
    let mut found = walk.found;
    found.files.sort_unstable();
    if walk.ended {
        let words = format!(
            "the folder is too large: only {} files below it were found; open a smaller one",
            found.files.len()
        );
        found.skipped.push(LeftOut::of_all(words));
    }
    Ok(found)
}

/// The folders below a root that hold what the walk lists, the root among them.
pub(super) fn list_folders(root: &Path) -> Vec<PathBuf> {
    let mut walk = Walk::default();
    let _ = walk.walk_folder(root, "", 0);
    let mut folders = vec![root.to_owned()];
    folders.extend(walk.folders.iter().map(|folder| root.join(folder)));
    folders
}

#[derive(Default)]
struct Walk {
    found: FoundFiles,
    folders: Vec<String>,
    entries: usize,
    ended: bool,
}

impl Walk {
    fn walk_folder(&mut self, path: &Path, name: &str, depth: usize) -> std::io::Result<()> {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            self.entries += 1;
            if self.entries > MOST_ENTRIES || self.found.files.len() >= MOST_FILES {
                self.ended = true;
                return Ok(());
            }
            let own = entry.file_name();
            let Some(own) = own.to_str() else {
                let shown = entry.path();
                if Format::from_path(&shown).is_some() {
                    let words = format!("{} was left out: its name is not UTF-8", shown.display());
                    let at = format!("{name}/{}", own.to_string_lossy());
                    self.found.skipped.push(LeftOut::new(at.trim_start_matches('/'), words));
                }
                continue;
            };
            let full = if name.is_empty() { own.to_owned() } else { format!("{name}/{own}") };
            let kind = entry.file_type()?;
            if kind.is_dir() {
                if is_entered(own) {
                    self.walk_subfolder(&entry.path(), full, depth + 1);
                }
            } else if kind.is_symlink() && is_entered(own) && entry.path().is_dir() {
                let words = format!(
                    "{full} is a link to a folder and was not followed; open that folder instead"
                );
                self.found.skipped.push(LeftOut::new(&full, words));
            } else if !own.starts_with('.') && Format::from_path(Path::new(own)).is_some() {
                if kind.is_symlink() && !entry.path().exists() {
                    let words =
                        format!("{full} was left out: it is a link to a file that doesn't exist");
                    self.found.skipped.push(LeftOut::new(&full, words));
                } else {
                    self.found.files.push(FileId::new(full));
                }
            }
        }
        Ok(())
    }

    fn walk_subfolder(&mut self, path: &Path, name: String, depth: usize) {
        if depth > DEEPEST {
            let words = format!("{name} was left out: it is more than {DEEPEST} folders deep");
            self.found.skipped.push(LeftOut::new(&name, words));
            return;
        }
        if let Err(error) = self.walk_folder(path, &name, depth) {
            let problem = files::io_problem(&format!("reading {name}"), &error);
            let words = format!("{problem}; the folder was left out");
            self.found.skipped.push(LeftOut::new(&name, words));
        }
        self.folders.push(name);
    }
}
