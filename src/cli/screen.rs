//! Opening the screen with what the user has set up.

use super::{ending::StopReason, global::Global, plain::FaceChoice};
use crate::{
    app::{form_file::FilledForm, state::Start},
    model::{call::Limits, finding::Finding},
    runtime::{
        event_loop::ExitReason,
        launch::{self, LaunchSettings},
    },
    store::{log, paths::Paths, settings::user, workspace::Workspace},
};

/// Runs the screen, or plain mode, with the user's settings and themes, and with a log. What is wrong with those is
/// said on it, after `complaints`.
///
/// # Errors
/// When there is no terminal.
pub(crate) fn open_screen(
    global: &Global,
    workspace: Workspace,
    start: Start,
    mut complaints: Vec<String>,
) -> Result<(ExitReason, Option<FilledForm>), StopReason> {
    let face = FaceChoice::begin(global);
    let paths = Paths::of_user()?;
    // One can work without them, too.
    let loaded = user::load_settings(&paths.config_file());
    let (mut settings, findings) =
        loaded.map_err(|problem| complaints.push(problem.to_string())).unwrap_or_default();
    settings.notifications.on |= global.notify;
    settings.ascii |= global.ascii;
    complaints.extend(findings.iter().map(Finding::site_words));
    let (themes, unread) = user::load_themes(&paths.themes_folder());
    complaints.extend(unread.iter().map(ToString::to_string));
    // One can work without a log; it is written until the screen has ended.
    let _log = log::open_log(&paths).map_err(|problem| complaints.push(problem.to_string()));
    let limits = Limits::on_screen();
    Ok(launch::run_screen(LaunchSettings {
        workspace,
        paths,
        settings,
        themes,
        start,
        limits,
        complaints,
        face: face.finish()?,
    })?)
}
