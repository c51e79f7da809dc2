//! How many files the process may have open: a session has connections, watched folders and
//! servers, and what can't be opened in the middle of one ends it.

use crate::model::problem::Problem;

/// With fewer no command runs for sure.
#[cfg(unix)]
const LEAST: u64 = 16;
/// Raised to this many where it is allowed, of fewer than [`FEW`].
#[cfg(unix)]
const WANTED: u64 = 1024;
#[cfg(unix)]
const FEW: u64 = 256;

/// Raises a low limit on open files as far as the process may.
///
/// # Errors
/// When it stays too low to run.
#[cfg(unix)]
pub(crate) fn ensure_open_files() -> Result<(), Problem> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use crate::model::problem::ProblemKind;

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= FEW) {
        return Ok(());
    }
    let raised = maximum.map_or(WANTED, |maximum| maximum.min(WANTED));
    if setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum }).is_ok()
        && raised >= LEAST
    {
        return Ok(());
    }
    let cause = format!("no more than {raised} files may be open at once here");
    Err(Problem::new(ProblemKind::Input, "starting", cause)
        .with_remedy("raise the limit: ulimit -n 1024"))
}

#[cfg(not(unix))]
pub(crate) fn ensure_open_files() -> Result<(), Problem> {
    Ok(())
}
