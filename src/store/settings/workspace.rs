//! Reads the workspace's `toolcrib.toml`.

use crate::{
    model::{
        finding::Finding,
        problem::{Problem, ProblemKind},
        settings::WorkspaceSettings,
    },
    store::{
        files,
        workspace::{SETTINGS, Workspace},
    },
    systems::settings::parse_settings,
};

/// Reads the workspace's settings; without the file, everything is as it comes.
///
/// # Errors
/// When the file is there and cannot be read.
pub(crate) fn load_settings(
    workspace: &Workspace,
) -> Result<(WorkspaceSettings, Vec<Finding>), Problem> {
    match files::read_text(&workspace.root.join(SETTINGS)) {
        Ok(read) => Ok(parse_settings(&read.text)),
        Err(problem) if problem.kind == ProblemKind::Missing => Ok(Default::default()),
        Err(problem) => Err(problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::samples::SAMPLES;

    #[test]
    fn the_samples_settings_are_clean() {
        for sample in SAMPLES {
            let text = sample.files.iter().find(|(path, _)| *path == SETTINGS).unwrap().1;
            let told: Vec<_> =
                parse_settings(text).1.into_iter().map(|finding| finding.message).collect();
            assert_eq!(told, [""; 0], "{}", sample.name);
        }
    }
}
