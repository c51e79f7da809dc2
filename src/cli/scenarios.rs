//! Scenario files as the command line names them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::global::Global;
use crate::{
    engine::scenario::{page::FOLDER, script::Scenario},
    model::problem::{Problem, ProblemKind},
    schema::pointer::Pointer,
    store::{
        files,
        workspace::{SETTINGS, Workspace},
    },
    syntax::source::{Format, Source},
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
        match self.scenario.name.is_empty() {
            true => self.path.display().to_string(),
            false => self.scenario.name.clone(),
        }
    }

    /// The workspace that the file lies in; `None` where it lies in none.
    #[must_use]
    pub fn workspace_root(&self) -> Option<PathBuf> {
        find_workspace_root(&self.path)
    }
}

/// The workspace that a file lies in.
#[must_use]
pub(crate) fn find_workspace_root(file: &Path) -> Option<PathBuf> {
    let path = fs::canonicalize(file).ok()?;
    path.ancestors().skip(1).find(|folder| folder.join(SETTINGS).is_file()).map(Path::to_owned)
}

/// The folder of a workspace that holds its scenarios.
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
    Err(Problem::new(ProblemKind::Missing, "reading scenarios", cause)
        .with_remedy("name a scenario file, or a folder of them"))
}

/// Reads files, and of folders all files in them by name.
///
/// # Errors
/// When a file is missing, cannot be read, or is no scenario (told with line and column); when
/// there is none at all.
pub(crate) fn read_scenarios(given: &[PathBuf]) -> Result<Vec<ScenarioFile>, Problem> {
    let mut scenarios = Vec::new();
    for path in given {
        if path.is_dir() {
            let inside = list_data_files(path)?;
            if inside.is_empty() {
                let cause = format!("{} holds no .yaml, .json or .toml file", path.display());
                return Err(Problem::new(ProblemKind::Missing, "reading scenarios", cause)
                    .with_remedy("name a scenario file, or a folder of them"));
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
    paths.sort();
    Ok(paths)
}

fn read_one(path: PathBuf) -> Result<ScenarioFile, Problem> {
    let doing = format!("reading the scenario {}", path.display());
    let text = files::read_text(&path)?.text;
    let wrong = |cause: String| Problem::new(ProblemKind::Input, doing.clone(), cause);
    let source = Source::parse(Format::from_path(&path).unwrap_or(Format::Yaml), text)
        .map_err(|error| wrong(error.to_string()))?;
    let value = source.value(0).ok_or_else(|| {
        wrong("it is empty".into()).with_remedy("a scenario has a start and steps")
    })?;
    let scenario = Scenario::from_value(value)
        .map_err(|issue| wrong(message_with_position(&source, &issue.at, &issue.message)))?;
    Ok(ScenarioFile { path, scenario })
}

/// An issue with the line and column of the nearest thing that is there.
#[must_use]
pub(crate) fn message_with_position(source: &Source, at: &Pointer, message: &str) -> String {
    let mut nearest = Some(at.clone());
    while let Some(pointer) = nearest {
        if let Some(place) = source.find_place(0, &pointer) {
            return format!("line {}, column {}: {message}", place.line, place.column);
        }
        nearest = pointer.parent();
    }
    format!("{at}: {message}")
}
