//! Scenario files as the command line names them.

use std::path::PathBuf;

use super::{
    data_files::{FileKind, display_name, find_workspace_root, list_data_files},
    global::Global,
};
use crate::{
    engine::scenario::{page::FOLDER, script::Scenario},
    model::problem::Problem,
};

const KIND: FileKind = FileKind {
    one: "scenario",
    folder: FOLDER,
    remedy: "name a scenario file, or a folder of them",
};

/// A scenario and its file.
pub(crate) struct ScenarioFile {
    pub path: PathBuf,
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

/// Reads files, and of folders all files in them by name.
///
/// # Errors
/// When a file is missing, cannot be read, or is no scenario (reported with line and column); when
/// there is none at all.
pub(crate) fn read_scenarios(given: &[PathBuf]) -> Result<Vec<ScenarioFile>, Problem> {
    let mut scenarios = Vec::new();
    for path in given {
        if path.is_dir() {
            let inside = list_data_files(path)?;
            if inside.is_empty() {
                let cause = format!("{} holds no .yaml, .json or .toml file", path.display());
                return Err(KIND.missing(cause));
            }
            for path in inside {
                scenarios.push(read_one(path)?);
            }
        } else {
            scenarios.push(read_one(path.clone())?);
        }
    }
    Ok(scenarios)
}

fn read_one(path: PathBuf) -> Result<ScenarioFile, Problem> {
    let source = KIND.parse_file(&path)?;
    let value = source.value(0).ok_or_else(|| {
        KIND.fault(&path, "it is empty").with_remedy("a scenario has a start and steps")
    })?;
    let scenario = Scenario::from_value(value)
        .map_err(|issue| KIND.fault_at(&path, &source, &issue.at, &issue.message))?;
    Ok(ScenarioFile { path, scenario })
}
