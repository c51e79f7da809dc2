//! Case files as the command line names them.

use std::path::{Path, PathBuf};

use super::{
    global::Global,
    scenarios::{find_workspace_root, list_data_files, message_with_position},
};
use crate::{
    engine::case::{page::FOLDER, script::Case},
    model::problem::{Problem, ProblemKind},
    store::{files, workspace::Workspace},
    syntax::source::{Format, Source},
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
        if self.case.name.is_empty() {
            self.path.display().to_string()
        } else {
            self.case.name.clone()
        }
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
    let workspace = Workspace::find(global.workspace.as_deref())?;
    let folder = workspace.root.join(FOLDER);
    if folder.is_dir() {
        return Ok(folder);
    }
    let cause = format!("{} has no folder \"{FOLDER}\"", workspace.name());
    Err(Problem::new(ProblemKind::Missing, "reading cases", cause)
        .with_remedy("keep a call as a case in Invoke or History, or name a case file"))
}

/// Reads files, and of folders all files in them by name.
///
/// # Errors
/// When a file is missing, cannot be read, or is no case (told with line and column); when there is
/// none at all.
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
        let problem = Problem::new(ProblemKind::Missing, "reading cases", "there is no case file");
        return Err(problem.with_remedy("keep a call as a case in Invoke or History"));
    }
    Ok(filed)
}

fn read_one(path: &Path) -> Result<CaseFile, Problem> {
    let text = files::read_text(path)?.text;
    let wrong = |cause: String| {
        Problem::new(ProblemKind::Input, format!("reading the case {}", path.display()), cause)
    };
    let source = Source::parse(Format::from_path(path).unwrap_or(Format::Yaml), text)
        .map_err(|error| wrong(error.to_string()))?;
    let case = Case::from_source(&source)
        .map_err(|issue| wrong(message_with_position(&source, &issue.at, &issue.message)))?;
    Ok(CaseFile { path: path.to_owned(), case })
}
