//! Files of one kind (cases, scenarios) as the command line names them, and where they lie.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{global::Global, report_paths::typed_path};
use crate::{
    engine::members::several_documents,
    model::problem::{Problem, ProblemKind},
    schema::{natural_order, ordering::PutInOrder, pointer::Pointer},
    store::{files, workspace::SETTINGS},
    syntax::{
        place::Place,
        source::{Format, Source},
    },
};

/// A file that isn't of its kind, and why.
pub(crate) struct BrokenFile {
    pub path: PathBuf,
    pub problem: Problem,
    /// The line that is at fault, where one is.
    pub line: Option<usize>,
}

/// What is wrong with a file, and in which line, where it is one.
pub(crate) struct FileFault {
    pub problem: Problem,
    pub line: Option<usize>,
}

impl From<Problem> for FileFault {
    fn from(problem: Problem) -> Self {
        Self { problem, line: None }
    }
}

impl From<FileFault> for Problem {
    fn from(fault: FileFault) -> Self {
        fault.problem
    }
}

impl BrokenFile {
    /// What is wrong, and what to do.
    #[must_use]
    pub fn words(&self) -> String {
        let Problem { cause, remedy, .. } = &self.problem;
        if remedy.is_empty() { cause.clone() } else { format!("{cause}: {remedy}") }
    }
}

/// A kind of files.
pub(crate) struct FileKind {
    /// What one of them is: `case`.
    pub one: &'static str,
    /// The folder of a workspace that holds them.
    pub folder: &'static str,
    /// What to do where there is none.
    pub remedy: &'static str,
}

impl FileKind {
    /// Why there is none.
    #[must_use]
    pub fn missing(&self, cause: impl Into<String>) -> Problem {
        Problem::new(ProblemKind::Missing, format!("reading {}s", self.one), cause)
            .with_remedy(self.remedy)
    }

    /// The folder of the workspace that holds them.
    ///
    /// # Errors
    /// When the workspace has none.
    pub fn workspace_folder(&self, global: &Global) -> Result<PathBuf, Problem> {
        let workspace = global.find_workspace(None)?;
        let folder = workspace.root.join(self.folder);
        let name = self.folder;
        let missing = || self.missing(format!("{} has no folder \"{name}\"", workspace.name()));
        folder.is_dir().then_some(folder).ok_or_else(missing)
    }

    /// The files that words mean: a path from here or from the workspace's root, else a file of that
    /// name among those of the workspace.
    pub fn named_files(&self, given: &[PathBuf], global: &Global) -> Vec<PathBuf> {
        let root = global.find_workspace(None).ok().map(|found| found.root);
        let is_name = |path: &Path| path.components().count() == 1 && path.extension().is_none();
        let in_folder = |word: &Path| {
            let folder = root.as_ref()?.join(self.folder);
            let endings = ["yaml", "yml", "json", "toml"].into_iter();
            let mut named = endings.map(|ending| folder.join(word).with_extension(ending));
            named.find(|path| path.is_file()).filter(|_| is_name(word))
        };
        let in_root =
            |word: &Path| root.as_ref().map(|root| root.join(word)).filter(|path| path.exists());
        let found = |path: &PathBuf| match path.exists() {
            true => path.clone(),
            false => in_folder(path).or_else(|| in_root(path)).unwrap_or_else(|| path.clone()),
        };
        given.iter().map(found).collect()
    }

    /// A file parsed.
    ///
    /// # Errors
    /// When it cannot be read, is no YAML, JSON or TOML, or holds several documents, of which only
    /// one would count.
    pub fn parse_file(&self, path: &Path) -> Result<Source, FileFault> {
        let text = files::read_text(path)?.text;
        let source = Source::parse(Format::from_path(path).unwrap_or(Format::Yaml), text).map_err(
            |error| FileFault {
                problem: self.fault(path, error.to_string()),
                line: Some(error.line),
            },
        )?;
        match source.document_count() {
            0 | 1 => Ok(source),
            count => Err(self
                .fault(path, several_documents(count, self.one))
                .with_remedy(format!("put each {} into a file of its own", self.one))
                .into()),
        }
    }

    /// Why a file is none of this kind.
    #[must_use]
    pub fn fault(&self, path: &Path, cause: impl Into<String>) -> Problem {
        let doing = format!("reading the {} {}", self.one, path.display());
        Problem::new(ProblemKind::Input, doing, cause)
    }

    /// The same, with the line and column of what is wrong in it.
    #[must_use]
    pub fn fault_at(&self, path: &Path, source: &Source, at: &Pointer, message: &str) -> FileFault {
        FileFault {
            problem: self.fault(path, message_with_position(source, at, message)),
            line: nearest_place(source, at).map(|place| place.line),
        }
    }
}

/// What a file is called: its own name, else its path.
#[must_use]
pub(crate) fn display_name(own: &str, path: &Path) -> String {
    if own.is_empty() { typed_path(path) } else { own.to_owned() }
}

/// The workspace that a file lies in.
#[must_use]
pub(crate) fn find_workspace_root(file: &Path) -> Option<PathBuf> {
    let path = fs::canonicalize(file).ok()?;
    path.ancestors().skip(1).find(|folder| folder.join(SETTINGS).is_file()).map(Path::to_owned)
}

/// The JSON, YAML and TOML files in a folder, by name.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn list_data_files(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let failed = |error: std::io::Error| {
        Problem::new(
            ProblemKind::File,
            format!("reading the folder {}", folder.display()),
            error.to_string(),
        )
    };
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(failed)?.collect();
    let paths = entries.map_err(failed)?.into_iter().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.is_file() && Format::from_path(path).is_some()).collect();
    let name = |path: &PathBuf| path.to_string_lossy().into_owned();
    paths.order_by(|one, other| natural_order::compare(&name(one), &name(other)));
    Ok(paths)
}

/// An issue with the line and column of the nearest thing that is there.
#[must_use]
pub(crate) fn message_with_position(source: &Source, at: &Pointer, message: &str) -> String {
    match nearest_place(source, at) {
        Some(place) => format!("line {}, column {}: {message}", place.line, place.column),
        None if at.is_root() => message.to_owned(),
        None => format!("{at}: {message}"),
    }
}

/// The place of the nearest thing that is there.
fn nearest_place(source: &Source, at: &Pointer) -> Option<Place> {
    let mut around = std::iter::successors(Some(at.clone()), Pointer::parent);
    around.find_map(|at| source.find_place(0, &at))
}
