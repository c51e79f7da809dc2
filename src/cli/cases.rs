//! Case files as the command line names them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::{
    data_files::{
        BrokenFile, FileFault, FileKind, display_name, find_workspace_root, list_data_files,
    },
    global::Global,
};
use crate::{
    engine::case::{
        ask::AskCase,
        page::FOLDER,
        read::{AnyCase, read_any_case},
        script::{Case, EXPECTED},
    },
    model::problem::Problem,
    schema::pointer::Pointer,
    syntax::source::Source,
};

const KIND: FileKind = FileKind {
    one: "case",
    folder: FOLDER,
    remedy: "keep a call as a case in Invoke or History, or name a case file",
};

/// A case and its file.
#[derive(Clone, Default)]
pub(crate) struct CaseFile {
    pub path: PathBuf,
    pub case: Case,
    /// The lines of what it expects, by key; of all of it as `expect`, and of its `call`.
    pub lines: BTreeMap<&'static str, usize>,
}

impl CaseFile {
    /// The line of an expectation, or of what is nearest to it.
    #[must_use]
    pub fn line_of(&self, what: &str) -> Option<usize> {
        [what, "expect", "call"].into_iter().find_map(|key| self.lines.get(key)).copied()
    }

    /// Its own name, else its file's.
    #[must_use]
    pub fn display_name(&self) -> String {
        display_name(&self.case.name, &self.path)
    }
}

/// An ask case and its file.
#[derive(Clone)]
pub(crate) struct AskFile {
    pub path: PathBuf,
    pub case: AskCase,
}

impl AskFile {
    /// Its own name, else its file's.
    #[must_use]
    pub fn display_name(&self) -> String {
        display_name(&self.case.name, &self.path)
    }
}

/// Cases of both kinds.
#[derive(Default)]
pub(crate) struct CaseFiles {
    pub calls: Vec<CaseFile>,
    pub asks: Vec<AskFile>,
    /// Files that hold none.
    pub broken: Vec<BrokenFile>,
    /// The names of those among the calls that were not asked for: others name their answers.
    pub needed: Vec<String>,
}

impl CaseFiles {
    /// The workspace that the first of them lies in.
    #[must_use]
    pub fn workspace_root(&self) -> Option<PathBuf> {
        find_workspace_root(self.paths().next()?)
    }

    /// All files, also those that hold none.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let calls = self.calls.iter().map(|filed| filed.path.as_path());
        let asks = self.asks.iter().map(|filed| filed.path.as_path());
        calls.chain(asks).chain(self.broken.iter().map(|broken| broken.path.as_path()))
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.paths().next().is_none()
    }
}

/// The folder of a workspace that holds its cases.
///
/// # Errors
/// When the workspace has none.
pub(crate) fn of_workspace(global: &Global) -> Result<PathBuf, Problem> {
    KIND.workspace_folder(global)
}

/// Reads files, and of folders all files in them by name; each once, however often it is named.
///
/// # Errors
/// When there is no file at all.
pub(crate) fn read_cases(given: &[PathBuf]) -> Result<CaseFiles, Problem> {
    let mut filed = CaseFiles::default();
    let mut taken = BTreeSet::new();
    for path in given {
        let named = if path.is_dir() { list_data_files(path)? } else { vec![path.clone()] };
        for path in named {
            if taken.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
                take_one(&path, &mut filed);
            }
        }
    }
    if filed.is_empty() {
        return Err(none_there());
    }
    Ok(filed)
}

/// That there is no case.
pub(crate) fn none_there() -> Problem {
    let none = KIND.missing("there is no case file");
    none.with_remedy("keep a call as a case in Invoke or History")
}

/// The files that a word means: a path, else a file of that name among the workspace's cases.
pub(crate) fn named_file(word: &Path, global: &Global) -> PathBuf {
    KIND.named_files(&[word.to_owned()], global).pop().unwrap_or_else(|| word.to_owned())
}

fn take_one(path: &Path, filed: &mut CaseFiles) {
    if let Err(FileFault { problem, line }) = read_one(path, filed) {
        filed.broken.push(BrokenFile { path: path.to_owned(), problem, line });
    }
}

fn read_one(path: &Path, filed: &mut CaseFiles) -> Result<(), FileFault> {
    let source = KIND.parse_file(path)?;
    let path = path.to_owned();
    // What the user names is meant as a case.
    match read_any_case(&source, true) {
        Some(Ok(AnyCase::Ask(case))) => filed.asks.push(AskFile { path, case: *case }),
        Some(Ok(AnyCase::Call(case))) => {
            filed.calls.push(CaseFile { path, case: *case, lines: read_lines(&source) });
        }
        Some(Err(issue)) => return Err(KIND.fault_at(&path, &source, &issue.at, &issue.message)),
        None => {}
    }
    Ok(())
}

fn read_lines(source: &Source) -> BTreeMap<&'static str, usize> {
    let expect = Pointer::root().child("expect");
    let inner = EXPECTED.iter().map(|what| (*what, expect.child(*what)));
    let outer = ["expect", "call"].map(|what| (what, Pointer::root().child(what)));
    let place = |(what, at): (&'static str, Pointer)| Some((what, source.find_place(0, &at)?.line));
    inner.chain(outer).filter_map(place).collect()
}
