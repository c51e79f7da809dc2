//! Stub files as the command line names them.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use super::{data_files::message_with_position, opened::OpenWorkspace, out::CommandOutput};
use crate::{
    engine::stub::{
        page::{FOLDER, file_of_tool},
        read::{read_stub, unreached_rules},
    },
    model::{
        problem::{Problem, ProblemKind},
        stub::{Stub, StubService},
        tool::Tool,
    },
    store::files,
    syntax::source::{Format, Source},
};

/// The services of a stub file as it has them.
///
/// # Errors
/// When the file is missing, cannot be read or is no stub (reported with line and column).
pub(crate) fn read_services(path: &Path, out: &CommandOutput) -> Result<Vec<StubService>, Problem> {
    Ok(read_file(path, out)?.services)
}

fn read_file(path: &Path, out: &CommandOutput) -> Result<Stub, Problem> {
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
    Ok(stub)
}

/// The tool's own stub in the workspace, which its mocks answer by. One that can't be read is a
/// warning.
pub(crate) fn own_stub(
    tool: &Tool,
    opened: &OpenWorkspace,
    out: &CommandOutput,
) -> Option<StubService> {
    let path = opened.workspace.root.join(file_of_tool(&tool.entry.key).path());
    if !path.is_file() {
        return None;
    }
    let stub = read_file(&path, out).map_err(|problem| out.warn(format_args!("{problem}")));
    stub.ok()?.into_service_named(&tool.entry.key)
}

/// The own stubs of all tools, by the tools' keys.
pub(crate) fn own_stubs(
    opened: &OpenWorkspace,
    out: &CommandOutput,
) -> BTreeMap<String, StubService> {
    if !opened.workspace.root.join(FOLDER).is_dir() {
        return BTreeMap::new();
    }
    let own = |tool: &Arc<Tool>| Some((tool.entry.key.clone(), own_stub(tool, opened, out)?));
    opened.catalog.tools.iter().filter_map(own).collect()
}

/// The service of a stub file that answers for a tool: named by its key, its name or its service.
///
/// # Errors
/// When there is none.
pub(crate) fn service_of<'s>(
    tool: &Tool,
    services: &'s [StubService],
    file: &Path,
) -> Result<&'s StubService, Problem> {
    let names = [Some(&tool.entry.key), Some(&tool.name), tool.service.as_ref()];
    let found = services.iter().find(|stub| names.contains(&Some(&stub.name)));
    found.ok_or_else(|| {
        let cause = format!("the stub {} has no service \"{}\"", file.display(), tool.entry.key);
        Problem::new(ProblemKind::Input, "answering by a stub", cause)
            .with_remedy("add one, with a rule that answers")
    })
}
