//! Calls of tools, whichever system they are of.

use serde_json::{Map, Value};

use crate::{
    engine::{
        case::script::{Case, CaseSteps},
        variables,
    },
    model::{
        call::Request,
        connection::Connection,
        content_part::ContentPart,
        copied::Copied,
        entry::SystemId,
        problem::{Problem, ProblemKind},
        tool::Tool,
        transport::TransportKind,
    },
    schema::literal::Literal,
    systems::{
        case_arguments::{masked_arguments, masked_words},
        facets::{
            call_meta::{AnswerNote, AnswerView, CallMeta, GivenMeta, MetaFault, MetaForms},
            caller::CallingAgent,
            calls::{CallOf, Calls, RouteOffer},
            renderings::{Rendering, Renderings},
            steps::{StepChoice, Steps},
        },
        table::{by_id, every_system},
    },
};

fn calls(system: &str) -> Option<&'static dyn Calls> {
    by_id(system)?.calls()
}

/// The request of a call, exactly as it will be sent, but for variables of the environment and
/// secrets: these are filled in last.
///
/// # Errors
/// When tools of that system cannot be called, or this one cannot with these arguments over that
/// connection, or when it names a variable that nothing defines.
pub(crate) fn build_request(call: &CallOf<'_>) -> Result<Request, Problem> {
    let system = call.tool.entry.system;
    let title = || by_id(system).map_or(system, |system| system.title());
    let problem = |cause: String| Problem::new(ProblemKind::Input, "calling", cause);
    let Some(calls) = calls(system) else {
        return Err(problem(format!("tools of {} run only inside it", title())).with_remedy(
            "mock its answer, or call the tool through its MCP server if it has one",
        ));
    };
    if call.meta.is_some() && !takes_meta(call.tool) {
        return Err(problem(format!("calls of tools of {} have no _meta", title()))
            .with_remedy("pass only arguments"));
    }
    if call.route.is_some() && calls.call_routes(call.tool, call.connection).is_empty() {
        return Err(problem(format!("calls of \"{}\" have but one route", call.tool.name))
            .with_remedy("name no route"));
    }
    variables::fill_request(calls.build_request(call)?, call.connection)
}

/// The request of a case: by its way, with only the steps that it names.
///
/// # Errors
/// As [`build_request`], when the tool's steps are not run one by one, and when an argument is the
/// sign of a secret that isn't kept.
pub(crate) fn build_case_request(case: &Case, call: CallOf<'_>) -> Result<Request, Problem> {
    if let Some(at) = masked_arguments(case).first() {
        let doing = "reading the arguments of the case";
        return Err(Problem::new(ProblemKind::Input, doing, masked_words(at)));
    }
    let call = CallOf {
        arguments: &case.arguments,
        meta: case.meta.as_ref(),
        route: case.route.as_deref(),
        ..call
    };
    let request = build_request(&call)?;
    let Some(CaseSteps { from, until, outputs }) = case.steps.clone() else { return Ok(request) };
    match steps_of(&request) {
        Some(steps) => {
            steps.choose_steps(request, &StepChoice { from, until, outputs, only: None })
        }
        None => {
            let cause = format!("{} is called as a whole", request.name);
            Err(Problem::new(ProblemKind::Input, "choosing steps", cause)
                .with_remedy("take \"steps\" out of the case"))
        }
    }
}

/// What a case has to say of a request beside its arguments, for the same call to be made again:
/// its way, and which steps it was to run.
#[must_use]
pub(crate) fn case_parts(request: &Request) -> (Option<String>, Option<CaseSteps>) {
    let route = request_route(request);
    let choice = steps_of(request).and_then(|steps| steps.choice_of(&request.body));
    let steps =
        choice.map(|StepChoice { from, until, outputs, .. }| CaseSteps { from, until, outputs });
    (route, steps)
}

/// The way that a request takes, where it has to be named for another request to take the same.
#[must_use]
pub(crate) fn request_route(request: &Request) -> Option<String> {
    calls(request.system)?.request_route(request)
}

/// Whether a call of the tool can say something beside its arguments, in `_meta`.
#[must_use]
pub(crate) fn takes_meta(tool: &Tool) -> bool {
    calls(tool.entry.system).is_some_and(|calls| calls.meta_faults(&Map::new()).is_some())
}

/// Who knows what a call of the tool says beside its arguments.
fn call_meta(tool: &Tool) -> Option<&'static dyn CallMeta> {
    let known = |meta: &&dyn CallMeta| meta.meta_forms(&tool.entry.value).is_some();
    every_system().iter().filter_map(|system| system.call_meta()).find(known)
}

/// The forms of what a call of the tool may say in `_meta`, where its server says what that is.
#[must_use]
pub(crate) fn meta_forms(tool: &Tool) -> Option<MetaForms> {
    call_meta(tool)?.meta_forms(&tool.entry.value)
}

/// The members of `_meta` that say what is given.
///
/// # Errors
/// When nothing is known of what the tool takes there.
pub(crate) fn build_meta(tool: &Tool, given: &GivenMeta) -> Result<Map<String, Value>, Problem> {
    match call_meta(tool) {
        Some(known) => Ok(known.build_meta(&tool.entry.value, given)),
        None if *given == GivenMeta::default() => Ok(Map::new()),
        None => {
            let cause = format!("calls of \"{}\" have no configuration or context", tool.name);
            let remedy = "omit --config and --context; `toolcrib mcp keep NAME` saves what a \
                server says about its tools";
            Err(Problem::new(ProblemKind::Input, "calling", cause).with_remedy(remedy))
        }
    }
}

/// What is wrong with the `_meta` of a call of the tool, also what its server requires there and is
/// not given.
#[must_use]
pub(crate) fn meta_faults(tool: &Tool, meta: &Map<String, Value>) -> Vec<MetaFault> {
    let by_protocol = calls(tool.entry.system).and_then(|calls| calls.meta_faults(meta));
    let mut faults = by_protocol.unwrap_or_default();
    if let Some(known) = call_meta(tool) {
        let key = |fault: &MetaFault| fault.at.tokens().first().cloned().unwrap_or_default();
        faults.retain(|fault| !known.is_own_key(&key(fault)));
        faults.extend(known.meta_faults(&tool.entry.value, meta));
    }
    faults
}

/// What those who call a tool for a user do not see of a server's result; `sent` are the parameters
/// of the call.
#[must_use]
pub(crate) fn answer_notes(sent: &str, result: &Value) -> Vec<AnswerNote> {
    let Ok(sent) = serde_json::from_str::<Value>(sent) else { return Vec::new() };
    let known = every_system().iter().filter_map(|system| system.call_meta());
    known.flat_map(|known| known.answer_notes(&sent, result)).collect()
}

/// A server's result as those who call a tool for a user hand it on; `sent` are the parameters of
/// the call.
#[must_use]
pub(crate) fn answer_views(sent: &str, result: &Value) -> Vec<AnswerView> {
    let Ok(sent) = serde_json::from_str::<Value>(sent) else { return Vec::new() };
    let known = every_system().iter().filter_map(|system| system.call_meta());
    known.filter_map(|known| known.answer_view(&sent, result)).collect()
}

/// Who knows a program that makes calls in its own way.
fn all_renderings() -> impl Iterator<Item = &'static dyn Renderings> {
    every_system().iter().filter_map(|system| system.renderings())
}

/// The words of the programs that a call can be rendered for.
#[must_use]
pub(crate) fn rendering_words() -> Vec<&'static str> {
    all_renderings().map(|program| program.word()).collect()
}

/// A call as other programs make it, each with the program's word; none where they have no such
/// tool.
#[must_use]
pub(crate) fn render_call(
    tool: &Tool,
    arguments: &Literal,
    meta: &Map<String, Value>,
) -> Vec<(&'static str, Rendering)> {
    let rendered = |program: &'static dyn Renderings| {
        Some((program.word(), program.render_call(tool, arguments, meta)?))
    };
    all_renderings().filter_map(rendered).collect()
}

/// A request as programs make it that know the system, to be taken there.
#[must_use]
pub(crate) fn request_copies(request: &Request, connection: &Connection) -> Vec<Copied> {
    calls(request.system).map_or_else(Vec::new, |calls| calls.copies(request, connection))
}

/// A connection as other programs are configured with it; nothing where no such program is known.
#[must_use]
pub(crate) fn connection_copies(connection: &Connection) -> Vec<Copied> {
    let configured = every_system().iter().filter_map(|system| system.configured());
    configured.flat_map(|configured| configured.config_entries(connection)).collect()
}

/// A request that sends a frame as it is over a connection; `None` where that takes none.
#[must_use]
pub(crate) fn frame_request(
    connection: &Connection,
    frame: &str,
    correlation: &str,
) -> Option<Request> {
    let calls = every_system().iter().filter_map(|system| system.calls());
    calls.filter_map(|calls| calls.frame_request(connection, frame, correlation)).next()
}

/// What a frame of that system is, in a word or two: a method, an answer. `None` where it is none.
#[must_use]
pub(crate) fn frame_label(system: SystemId, frame: &str) -> Option<String> {
    calls(system)?.frame_label(frame)
}

/// The parts of an answer that is more than text; `result` is what came with its stage `result`.
#[must_use]
pub(crate) fn answer_parts(system: SystemId, result: &str) -> Vec<ContentPart> {
    let Ok(result) = serde_json::from_str(result) else { return Vec::new() };
    calls(system).map(|calls| calls.answer_parts(&result)).unwrap_or_default()
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

/// The `_meta` that a request's body carries, as a JSON object.
#[must_use]
pub(crate) fn request_meta(system: &str, body: &str) -> Option<String> {
    calls(system)?.request_meta(body)
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

/// Who runs the steps of a call, where its system does.
#[must_use]
pub fn steps_of(request: &Request) -> Option<&'static dyn Steps> {
    steps_of_system(request.system)
}

/// Who runs the steps of calls of a system.
#[must_use]
pub(crate) fn steps_of_system(system: &str) -> Option<&'static dyn Steps> {
    by_id(system)?.steps()
}
