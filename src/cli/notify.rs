//! `--notify`: a notification when a command ends, in the way that the user's settings name.

use std::time::Duration;

use tokio::runtime::Builder;

use super::{ending::Ending, out};
use crate::{
    app::notifications::make_notification,
    engine::mask::Mask,
    model::{
        duration::print_rounded,
        notification::{Notification, NotificationWay},
        problem::{Problem, ProblemKind},
    },
    runtime::{
        notifications::{desktop, terminal::KnownTerminal},
        terminal,
    },
    store::{paths::Paths, settings::user},
};

/// Says that a command has ended. Who interrupts one is there, and needs no notification.
pub(crate) fn notify_end(command: &str, ending: Ending, took: Duration) {
    if ending == Ending::Interrupted {
        return;
    }
    let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let body = format!("{} after {}", ending.as_words(), print_rounded(took_ms));
    let notification = make_notification(command, &body, &Mask::default());
    if let Err(problem) = send(&notification) {
        out::print_problem(&problem);
    }
}

fn send(notification: &Notification) -> Result<(), Problem> {
    let doing = "sending a notification";
    let failed = |error: std::io::Error| Problem::new(ProblemKind::File, doing, error.to_string());
    let (settings, _) = user::load_settings(&Paths::of_user()?.config_file())?;
    match settings.notifications.way {
        NotificationWay::Desktop => {
            let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
            runtime.block_on(desktop::show(notification))
        }
        way => {
            let sequence = KnownTerminal::from_env().sequence(notification, way);
            terminal::write_beside_lines(&sequence).map_err(failed)
        }
    }
}
