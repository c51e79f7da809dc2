//! Calls of tools, whichever system they are of.

use serde_json::Value;

use crate::{
    model::{
        call::Request,
        connection::Connection,
        entry::SystemId,
        problem::{Problem, ProblemKind},
        tool::Tool,
        transport::TransportKind,
    },
    systems::{
        facets::{
            call_meta::{AnswerNote, CallMeta, GivenMeta},
            caller::CallingAgent,
            calls::{CallOf, Calls, RouteOffer},
        },
        table::{by_id, every_system},
    },
};

fn calls(system: &str) -> Option<&'static dyn Calls> {
    by_id(system)?.calls()
}

/// The request of a call, exactly as it will be sent.
///
/// # Errors
/// When tools of that system cannot be called, or this one cannot with these arguments over that
/// connection.
pub(crate) fn build_request(call: &CallOf<'_>) -> Result<Request, Problem> {
    let system = call.tool.entry.system;
    let Some(calls) = calls(system) else {
        let title = by_id(system).map_or(system, |system| system.title());
        let problem = Problem::new(
            ProblemKind::Input,
            "calling",
            format!("tools of {title} cannot be called yet"),
        );
        return Err(problem.with_remedy("choose a tool of another system"));
    };
    calls.build_request(call)
}

/// Who knows what a call of the tool says beside its arguments.
#[must_use]
pub fn call_meta(tool: &Tool) -> Option<&'static dyn CallMeta> {
    let known = |meta: &&dyn CallMeta| meta.meta_forms(&tool.entry.value).is_some();
    every_system().iter().filter_map(|system| system.call_meta()).find(known)
}

/// The request with what is given beside its arguments.
///
/// # Errors
/// When nothing is known of what the tool takes there, or it would not take this.
pub(crate) fn with_meta(
    request: &Request,
    tool: &Tool,
    given: &GivenMeta,
    is_checked: bool,
) -> Result<Request, Problem> {
    let problem = |cause: String| Problem::new(ProblemKind::Input, "calling", cause);
    let added = call_meta(tool).and_then(|known| {
        let faults =
            if is_checked { known.meta_faults(&tool.entry.value, given) } else { Vec::new() };
        Some((faults, calls(request.system)?.add_meta(request, &known.build_meta(given))?))
    });
    match added {
        Some((faults, request)) if faults.is_empty() => Ok(request),
        Some((faults, _)) => Err(problem(faults.join("; "))
            .with_remedy("give what is wanted, or send it as it is with --no-check")),
        None => Err(problem(format!(
            "\"{}\" does not say that its calls have a configuration or a context",
            tool.name
        ))
        .with_remedy("leave out --config and --context; `toolcrib mcp keep NAME` takes in what a server says of its tools")),
    }
}

/// What those who call a tool for a user do not see of a server's result; `sent` are the parameters
/// of the call.
#[must_use]
pub(crate) fn answer_notes(sent: &str, result: &Value) -> Vec<AnswerNote> {
    let Ok(sent) = serde_json::from_str::<Value>(sent) else { return Vec::new() };
    let known = every_system().iter().filter_map(|system| system.call_meta());
    known.flat_map(|known| known.answer_notes(&sent, result)).collect()
}

/// The same request once more under a fresh id.
#[must_use]
pub(crate) fn repeat_request(request: Request, correlation: &str) -> Request {
    match calls(request.system) {
        Some(calls) => calls.repeat_request(request, correlation),
        None => request,
    }
}

/// A queue's address as the transport spells it.
///
/// # Errors
/// When it has no place there.
pub(crate) fn queue_subject(
    system: SystemId,
    address: &str,
    transport: TransportKind,
) -> Result<String, Problem> {
    calls(system)
        .map_or_else(|| Ok(address.to_owned()), |calls| calls.queue_subject(address, transport))
}

/// The ways that a call of the tool could take over that connection, the one that is taken unasked
/// first; none where there is but one.
#[must_use]
pub(crate) fn call_routes(tool: &Tool, connection: &Connection) -> Vec<RouteOffer> {
    calls(tool.entry.system).map_or_else(Vec::new, |calls| calls.call_routes(tool, connection))
}

/// The arguments that a request's body carries, as a JSON object; an empty one where it carries
/// none.
#[must_use]
pub(crate) fn request_arguments(system: SystemId, body: &str) -> String {
    calls(system).and_then(|calls| calls.request_arguments(body)).unwrap_or_else(|| "{}".into())
}

/// The agent that calls over a connection are made in the name of; `None` where they are in
/// nobody's.
#[must_use]
pub(crate) fn calling_agent(connection: &Connection) -> Option<CallingAgent> {
    every_system()
        .iter()
        .filter_map(|system| system.caller())
        .find_map(|caller| caller.calling_agent(connection))
}

/// The connection without the agent that it names.
#[must_use]
pub(crate) fn without_agent(connection: Connection) -> Connection {
    every_system()
        .iter()
        .filter_map(|system| system.caller())
        .fold(connection, |connection, caller| caller.without_agent(connection))
}
