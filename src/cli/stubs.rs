//! Stub files as the command line names them.

use std::{path::Path, sync::Arc};

use super::{opened::Opened, out::Out, scenarios::placed};
use crate::{
    engine::stub::{
        read::{read, unreached},
        script::{Stub, StubService},
    },
    model::{
        connection::Connection,
        problem::{Problem, ProblemKind},
        transport::Traffic,
    },
    store::files,
    syntax::source::{Format, Source},
    systems::trustgraph::{
        agent,
        gateway::{endpoints::Endpoint, served},
        settings::Gateway,
    },
    wire::systems::{
        facets::decided::By,
        trustgraph::{gateway::doors::GatewayRoute, offers::Offer},
    },
};

/// The services of a stub file, on the queues that it says, else on those of the workspace's services. Those that are behind a gateway are
/// told and left out.
///
/// # Errors
/// When the file is missing, cannot be read or is no stub (told with line and column), a service's queues are not known, or none is left.
pub fn offers(path: &Path, opened: &Opened, out: &Out) -> Result<Vec<Offer>, Problem> {
    let mut offers = Vec::new();
    for stub in services(path, out)? {
        match &stub.request {
            Some(place) if Endpoint::parse(place).is_some() => {
                out.warn(format_args!(
                    "\"{}\" is left out: {place} is behind a gateway; serve it on http:// or ws://",
                    stub.name
                ));
            }
            _ => offers.push(offer(stub, opened)?),
        }
    }
    left(offers, path, "serve it on a gateway: --connection ws://127.0.0.1:0")
}

/// The same behind a gateway: at the paths that the file says, else for the tools of the workspace that they are named after. Services on
/// queues are told and left out, and so is what cannot be rehearsed in this way.
///
/// # Errors
/// As [`offers`].
pub fn doors(path: &Path, opened: &Opened, connection: &Connection, out: &Out) -> Result<Vec<GatewayRoute>, Problem> {
    let mut doors = Vec::new();
    for stub in services(path, out)? {
        match door(&stub, opened, connection)? {
            Ok(door) => {
                if connection.transport().about().traffic == Traffic::Exchange {
                    not_over_http(&stub, out);
                }
                doors.push(door);
            }
            Err(why) => out.warn(format_args!("\"{}\" is left out: {why}", stub.name)),
        }
    }
    left(doors, path, "serve it on its broker: --connection nats://127.0.0.1:4222")
}

fn left<T>(left: Vec<T>, path: &Path, remedy: &str) -> Result<Vec<T>, Problem> {
    if left.is_empty() {
        let cause = format!("nothing in {} can be answered for on this connection", path.display());
        return Err(Problem::new(ProblemKind::Input, "serving", cause).remedy(remedy));
    }
    Ok(left)
}

fn not_over_http(stub: &StubService, out: &Out) {
    for rule in &stub.rules {
        if let Some(words) = rule.then.fault.and_then(served::over_http) {
            out.warn(format_args!("the rule \"{}\" of \"{}\": {words}; a WebSocket (ws://) has ids", rule.name, stub.name));
        }
    }
}

/// Where a stub answers behind a gateway; else why it is left out.
fn door(stub: &StubService, opened: &Opened, connection: &Connection) -> Result<Result<GatewayRoute, String>, Problem> {
    let by = By::Stub(Arc::new(stub.clone()));
    if let Some(queue) = &stub.request {
        let why = || format!("{queue} is a queue, and a gateway has none; serve it on its broker");
        return Ok(GatewayRoute::of_path(stub, by).ok_or_else(why));
    }
    if let Some(tool) = opened.catalog.tool_called(&stub.name) {
        let door = GatewayRoute::of_tool(tool, &opened.catalog, connection, by);
        return Ok(door.map_err(|problem| format!("{}; {}", problem.cause, problem.remedy)));
    }
    if stub.name == agent::SERVICE {
        let at = Endpoint::of_flow(agent::SERVICE, &Gateway::of(connection));
        return Ok(Ok(GatewayRoute { name: stub.name.clone(), at, config: serde_json::Map::new(), by }));
    }
    if opened.service(&stub.name).is_ok() {
        return Ok(Err("TrustGraph's gateway has no endpoint for tool services; serve it on its broker".into()));
    }
    let cause = format!("the stub answers for \"{}\", which is no tool of this workspace", stub.name);
    let remedy = "give it a request-queue, such as /api/v1/flow/default/service/mcp-tool";
    Err(Problem::new(ProblemKind::Input, "serving", cause).remedy(remedy))
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
