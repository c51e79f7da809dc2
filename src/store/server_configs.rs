//! Servers that other programs have configured, in the files where these programs look for them.
//! Nothing is written there.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    path::{Path, PathBuf},
};

use super::files;
use crate::{
    model::problem::{Problem, ProblemKind},
    systems::{
        facets::configured::{ConfigFile, FoundConfig},
        table,
    },
};

/// The configurations of other programs that have servers, those of the project first; and what
/// cannot be read of them.
#[must_use]
pub(crate) fn find_configs(project: &Path) -> (Vec<FoundConfig>, Vec<Problem>) {
    let home = env::home_dir();
    let mut paths = Vec::new();
    for configured in table::configured() {
        let below = |folder: &Path, files: Vec<&str>| -> Vec<PathBuf> {
            files.iter().map(|file| folder.join(file)).collect()
        };
        paths.extend(below(project, configured.project_files()));
        paths.extend(home.iter().flat_map(|home| below(home, configured.home_files())));
    }
    let mut seen = BTreeSet::new();
    paths.retain(|path| path.is_file() && seen.insert(path.clone()));
    let (mut configs, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        match read_config(&path, project) {
            // Settings of editors are there for much else.
            Ok(config) if config.read.servers.is_empty() && !config.read.form.is_empty() => {}
            Ok(config) => configs.push(config),
            Err(problem) => problems.push(problem),
        }
    }
    (configs, problems)
}

/// Reads one configuration, in whatever form it is.
///
/// # Errors
/// When it cannot be read as a text.
pub(crate) fn read_config(path: &Path, project: &Path) -> Result<FoundConfig, Problem> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let text = files::read_text(&path)?;
    let slashes = |path: &Path| path.display().to_string().replace('\\', "/");
    let variables: BTreeMap<String, String> = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let platform = match env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        _ => "linux",
    };
    let Some(configured) = table::configured().next() else {
        let doing = format!("reading {}", path.display());
        return Err(Problem::new(ProblemKind::Input, doing, "no system here reads configurations"));
    };
    let read = configured.read_config(&ConfigFile {
        path: &slashes(&path),
        text: &text.text,
        home: env::home_dir().as_deref().and_then(Path::to_str),
        project: project.to_str(),
        variables: &variables,
        platform,
    });
    Ok(FoundConfig { path, read })
}
