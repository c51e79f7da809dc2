//! Stub files as the command line names them.

use std::path::Path;

use super::{out::Out, scenarios::placed};
use crate::{
    engine::stub::{
        read::{read, unreached},
        script::{Stub, StubService},
    },
    model::problem::{Problem, ProblemKind},
    store::files,
    syntax::source::{Format, Source},
};

/// The services of a stub file as it has them.
///
/// # Errors
/// When the file is missing, cannot be read or is no stub (told with line and column).
pub(crate) fn services(path: &Path, out: &Out) -> Result<Vec<StubService>, Problem> {
    let text = files::read(path)?.text;
    let wrong = |cause: String| {
        Problem::new(ProblemKind::Input, format!("reading the stub {}", path.display()), cause)
    };
    let source = Source::parse(Format::of(path).unwrap_or(Format::Yaml), text)
        .map_err(|error| wrong(error.to_string()))?;
    let stub: Stub =
        read(&source).map_err(|issue| wrong(placed(&source, &issue.at, &issue.message)))?;
    for issue in unreached(&stub) {
        out.warn(format_args!(
            "{}: {}",
            path.display(),
            placed(&source, &issue.at, &issue.message)
        ));
    }
    Ok(stub.services)
}
