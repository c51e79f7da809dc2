//! Scenario files as the command line names them.

use std::path::{Path, PathBuf};

use super::{
    data_files::{BrokenFile, FileKind, display_name, find_workspace_root, list_data_files},
    global::Global,
};
use crate::{
    engine::scenario::{page::FOLDER, script::Scenario},
    model::problem::Problem,
    syntax::source::Source,
};

const KIND: FileKind = FileKind {
    one: "scenario",
    folder: FOLDER,
    remedy: "name a scenario file, or a folder of them",
};

/// Scenarios, and files that hold none.
#[derive(Default)]
pub(crate) struct ScenarioFiles {
    pub scripted: Vec<ScenarioFile>,
    pub broken: Vec<BrokenFile>,
}

/// A scenario and its file.
pub(crate) struct ScenarioFile {
    pub path: PathBuf,
    pub source: Source,
    pub scenario: Scenario,
}

impl ScenarioFile {
    /// Its own name, else its file's.
    #[must_use]
    pub fn display_name(&self) -> String {
        display_name(&self.scenario.name, &self.path)
    }

    /// The workspace that the file lies in; `None` where it lies in none.
    #[must_use]
    pub fn workspace_root(&self) -> Option<PathBuf> {
        find_workspace_root(&self.path)
    }
}

/// The folder of a workspace that holds its scenarios.
///
/// # Errors
/// When the workspace has none.
pub(crate) fn of_workspace(global: &Global) -> Result<PathBuf, Problem> {
    KIND.workspace_folder(global)
}

/// The files that words mean: a path, else a file of that name among the workspace's scenarios.
pub(crate) fn named_files(given: &[PathBuf], global: &Global) -> Vec<PathBuf> {
    KIND.named_files(given, global)
}

/// Reads files, and of folders all files in them by name.
///
/// # Errors
/// When there is none at all, or only one that can't be read (reported with line and column).
pub(crate) fn read_scenarios(given: &[PathBuf]) -> Result<ScenarioFiles, Problem> {
    let mut files = ScenarioFiles::default();
    let mut take = |path: PathBuf| match read_one(&path) {
        Ok((source, scenario)) => files.scripted.push(ScenarioFile { path, source, scenario }),
        Err(problem) => files.broken.push(BrokenFile { path, problem, line: None }),
    };
    for path in given {
        if path.is_dir() {
            let inside = list_data_files(path)?;
            if inside.is_empty() {
                let cause = format!("{} holds no .yaml, .json or .toml file", path.display());
                return Err(KIND.missing(cause));
            }
            inside.into_iter().for_each(&mut take);
        } else {
            take(path.clone());
        }
    }
    Ok(files)
}

fn read_one(path: &Path) -> Result<(Source, Scenario), Problem> {
    let source = KIND.parse_file(path)?;
    let value = source.value(0).ok_or_else(|| {
        KIND.fault(path, "it is empty").with_remedy("a scenario has a start and steps")
    })?;
    let scenario = Scenario::from_value(value)
        .map_err(|issue| KIND.fault_at(path, &source, &issue.at, &issue.message))?;
    Ok((source, scenario))
}
