//! The log: files in the state folder, one a day, a few kept. Never the screen.

use tracing_appender::{
    non_blocking::{NonBlockingBuilder, WorkerGuard},
    rolling::{Builder, Rotation},
};
use tracing_subscriber::EnvFilter;

use super::paths::Paths;
use crate::model::problem::{Problem, ProblemKind};

/// So many days are kept.
const DAYS: usize = 5;
/// Lines that wait to be written; more are dropped, so that a full disk holds nothing up.
const WAITING: usize = 10_000;

/// Says how much is logged, as `tracing` filters are written: `info`, `toolcrib::wire=error`. What is
/// below `info` is in debug builds alone (`Cargo.toml`).
pub(crate) const VARIABLE: &str = "TOOLCRIB_LOG";

/// Lines are written until this is dropped.
#[must_use]
pub(crate) struct Log(
    #[expect(dead_code, reason = "held for its drop, which writes what waits")] WorkerGuard,
);

/// Opens the log of this process.
///
/// # Errors
/// When the file cannot be made, or a log is open already.
pub(crate) fn open_log(paths: &Paths) -> Result<Log, Problem> {
    let folder = paths.private_folder("log")?;
    let failed = |cause: String| {
        Problem::new(ProblemKind::File, format!("opening the log in {}", folder.display()), cause)
    };
    let files = Builder::new()
        .rotation(Rotation::DAILY)
        .max_log_files(DAYS)
        .filename_prefix("toolcrib")
        .filename_suffix("log")
        .build(&folder)
        .map_err(|error| failed(error.to_string()))?;
    let (writer, guard) =
        NonBlockingBuilder::default().buffered_lines_limit(WAITING).lossy(true).finish(files);
    let filter =
        EnvFilter::try_from_env(VARIABLE).unwrap_or_else(|_| EnvFilter::new("warn,toolcrib=info"));
    let subscriber = tracing_subscriber::fmt()
        .with_writer(writer)
        .with_env_filter(filter)
        .with_ansi(false)
        .finish();
    tracing::subscriber::set_global_default(subscriber)
        .map_err(|error| failed(error.to_string()))?;
    Ok(Log(guard))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_logged_is_in_a_file_that_only_the_user_can_reach() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let paths = Paths { config: at("config"), state: at("state"), cache: at("cache") };
        let log = open_log(&paths).unwrap();
        tracing::warn!(target: "toolcrib", "a line");
        drop(log);
        let file = fs::read_dir(at("state/log")).unwrap().next().unwrap().unwrap().path();
        assert!(fs::read_to_string(file).unwrap().contains("a line"));
        assert_eq!(fs::metadata(at("state")).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(open_log(&paths).is_err(), "there is one log");
    }
}
