//! Stub files as the command line names them.

use std::{path::Path, sync::Arc};

use super::{opened::Opened, out::Out, scenarios::placed};
use crate::{
    engine::stub::{
        read::{read, unreached},
        script::{Stub, StubService},
    },
    model::problem::{Problem, ProblemKind},
    store::files,
    syntax::source::{Format, Source},
    wire::serve::offers::{By, Offer},
};

/// The services of a stub file, on the queues that it says, else on those of the workspace's services.
///
/// # Errors
/// When the file is missing, cannot be read or is no stub (told with line and column), or a service's queues are not known.
pub fn offers(path: &Path, opened: &Opened, out: &Out) -> Result<Vec<Offer>, Problem> {
    services(path, out)?.into_iter().map(|stub| offer(stub, opened)).collect()
}

/// The services of a stub file as it has them.
///
/// # Errors
/// When the file is missing, cannot be read or is no stub (told with line and column).
pub fn services(path: &Path, out: &Out) -> Result<Vec<StubService>, Problem> {
    let text = files::read(path)?.text;
    let wrong = |cause: String| Problem::new(ProblemKind::Input, format!("reading the stub {}", path.display()), cause);
    let source = Source::parse(Format::of(path).unwrap_or(Format::Yaml), text).map_err(|error| wrong(error.to_string()))?;
    let stub: Stub = read(&source).map_err(|issue| wrong(placed(&source, &issue.at, &issue.message)))?;
    for issue in unreached(&stub) {
        out.warn(format_args!("{}: {}", path.display(), placed(&source, &issue.at, &issue.message)));
    }
    Ok(stub.services)
}

fn offer(stub: StubService, opened: &Opened) -> Result<Offer, Problem> {
    let (request, response) = match stub.request.clone() {
        Some(request) => (request, stub.response.clone()),
        None => {
            let queues = opened.service(&stub.name).ok().and_then(|service| {
                Some((service.request_queue.clone()?, stub.response.clone().or_else(|| service.response_queue.clone())))
            });
            queues.ok_or_else(|| {
                let cause = format!(
                    "the stub answers for \"{}\", which is no service of this workspace, nor a tool that has one",
                    stub.name
                );
                Problem::new(ProblemKind::Input, "serving", cause).remedy(format!(
                    "give it a request-queue and a response-queue, such as request:tg:{0} and response:tg:{0}",
                    stub.name
                ))
            })?
        }
    };
    Ok(Offer { name: stub.name.clone(), request, response, by: By::Stub(Arc::new(stub)) })
}
