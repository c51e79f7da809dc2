//! Case files as the command line names them.

use std::path::{Path, PathBuf};

use super::{
    data_files::{FileKind, display_name, find_workspace_root, list_data_files},
    global::Global,
};
use crate::{
    engine::case::{page::FOLDER, script::Case},
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

    /// The workspace that the file lies in.
    #[must_use]
    pub fn workspace_root(&self) -> Option<PathBuf> {
        find_workspace_root(&self.path)
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
pub(crate) fn read_cases(given: &[PathBuf]) -> Result<Vec<CaseFile>, Problem> {
    let mut filed = Vec::new();
    for path in given {
        match path.is_dir() {
            true => list_data_files(path)?
                .into_iter()
                .try_for_each(|path| read_one(&path).map(|one| filed.push(one)))?,
            false => filed.push(read_one(path)?),
        }
    }
    if filed.is_empty() {
        return Err(KIND
            .missing("there is no case file")
            .with_remedy("keep a call as a case in Invoke or History"));
    }
    Ok(filed)
}

fn read_one(path: &Path) -> Result<CaseFile, Problem> {
    let source = KIND.parse_file(path)?;
    let case = Case::from_source(&source)
        .map_err(|issue| KIND.fault_at(path, &source, &issue.at, &issue.message))?;
    Ok(CaseFile { path: path.to_owned(), case })
}
