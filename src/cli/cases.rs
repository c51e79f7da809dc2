//! Case files as the command line names them.

use std::path::{Path, PathBuf};

use super::{
    data_files::{BrokenFile, FileKind, display_name, find_workspace_root, list_data_files},
    global::Global,
};
use crate::{
    engine::{
        case::{ask::AskCase, page::FOLDER, script::Case},
        members::FileIssue,
    },
    model::problem::Problem,
};

const KIND: FileKind = FileKind {
    one: "case",
    folder: FOLDER,
    remedy: "keep a call as a case in Invoke or History, or name a case file",
};

/// A case and its file.
#[derive(Default)]
pub(crate) struct CaseFile {
    pub path: PathBuf,
    pub case: Case,
}

impl CaseFile {
    /// Its own name, else its file's.
    #[must_use]
    pub fn display_name(&self) -> String {
        display_name(&self.case.name, &self.path)
    }
}

/// An ask case and its file.
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
}

impl CaseFiles {
    /// The workspace that the first of them lies in.
    #[must_use]
    pub fn workspace_root(&self) -> Option<PathBuf> {
        let calls = self.calls.iter().map(|filed| &filed.path);
        let asks = self.asks.iter().map(|filed| &filed.path);
        let mut all = calls.chain(asks).chain(self.broken.iter().map(|broken| &broken.path));
        find_workspace_root(all.next()?)
    }
}

/// The folder of a workspace that holds its cases.
///
/// # Errors
/// When the workspace has none.
pub(crate) fn of_workspace(global: &Global) -> Result<PathBuf, Problem> {
    KIND.workspace_folder(global)
}

/// Reads files, and of folders all files in them by name.
///
/// # Errors
/// When there is no file at all.
pub(crate) fn read_cases(given: &[PathBuf]) -> Result<CaseFiles, Problem> {
    let mut filed = CaseFiles::default();
    for path in given {
        match path.is_dir() {
            true => list_data_files(path)?.iter().for_each(|path| take_one(path, &mut filed)),
            false => take_one(path, &mut filed),
        }
    }
    if filed.calls.is_empty() && filed.asks.is_empty() && filed.broken.is_empty() {
        return Err(none_there());
    }
    Ok(filed)
}

/// That there is no case.
pub(crate) fn none_there() -> Problem {
    let none = KIND.missing("there is no case file");
    none.with_remedy("keep a call as a case in Invoke or History")
}

/// The files that words mean: a path, else a file of that name among the workspace's cases.
pub(crate) fn named_files(given: &[PathBuf], global: &Global) -> Vec<PathBuf> {
    KIND.named_files(given, global)
}

fn take_one(path: &Path, filed: &mut CaseFiles) {
    if let Err(problem) = read_one(path, filed) {
        filed.broken.push(BrokenFile { path: path.to_owned(), problem });
    }
}

fn read_one(path: &Path, filed: &mut CaseFiles) -> Result<(), Problem> {
    let source = KIND.parse_file(path)?;
    let fault = |issue: FileIssue| KIND.fault_at(path, &source, &issue.at, &issue.message);
    let path = path.to_owned();
    match source.value(0).is_some_and(|value| AskCase::is_one(value)) {
        true => {
            let case = AskCase::from_source(&source).map_err(fault)?;
            filed.asks.push(AskFile { path, case });
        }
        false => {
            let case = Case::from_source(&source).map_err(fault)?;
            filed.calls.push(CaseFile { path, case });
        }
    }
    Ok(())
}
