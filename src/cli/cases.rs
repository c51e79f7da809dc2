//! Case files as the command line names them.

use std::path::{Path, PathBuf};

use super::{
    data_files::{FileKind, display_name, find_workspace_root, list_data_files},
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
}

impl CaseFiles {
    /// The workspace that the first of them lies in.
    #[must_use]
    pub fn workspace_root(&self) -> Option<PathBuf> {
        let asks = self.asks.iter().map(|filed| &filed.path);
        let first = self.calls.iter().map(|filed| &filed.path).chain(asks).next()?;
        find_workspace_root(first)
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
/// When a file is missing, cannot be read, or is no case (reported with line and column); when
/// there is none at all.
pub(crate) fn read_cases(given: &[PathBuf]) -> Result<CaseFiles, Problem> {
    let mut filed = CaseFiles::default();
    for path in given {
        match path.is_dir() {
            true => list_data_files(path)?
                .into_iter()
                .try_for_each(|path| read_one(&path, &mut filed))?,
            false => read_one(path, &mut filed)?,
        }
    }
    if filed.calls.is_empty() && filed.asks.is_empty() {
        return Err(KIND
            .missing("there is no case file")
            .with_remedy("keep a call as a case in Invoke or History"));
    }
    Ok(filed)
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
