//! Stub files as the command line names them.

use std::path::Path;

use super::{data_files::message_with_position, out::CommandOutput};
use crate::{
    engine::stub::read::{read_stub, unreached_rules},
    model::{
        problem::{Problem, ProblemKind},
        stub::{Stub, StubService},
    },
    store::files,
    syntax::source::{Format, Source},
};

/// The services of a stub file as it has them.
///
/// # Errors
/// When the file is missing, cannot be read or is no stub (reported with line and column).
pub(crate) fn read_services(path: &Path, out: &CommandOutput) -> Result<Vec<StubService>, Problem> {
    let text = files::read_text(path)?.text;
    let wrong = |cause: String| {
        Problem::new(ProblemKind::Input, format!("reading the stub {}", path.display()), cause)
    };
    let source = Source::parse(Format::from_path(path).unwrap_or(Format::Yaml), text)
        .map_err(|error| wrong(error.to_string()))?;
    let stub: Stub = read_stub(&source)
        .map_err(|issue| wrong(message_with_position(&source, &issue.at, &issue.message)))?;
    for issue in unreached_rules(&stub) {
        out.warn(format_args!(
            "{}: {}",
            path.display(),
            message_with_position(&source, &issue.at, &issue.message)
        ));
    }
    Ok(stub.services)
}
