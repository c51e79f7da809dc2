//! Answering for TrustGraph's services on a bus, or as its gateway, by samples or by the rules of a
//! stub.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::json;
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use super::{
    announced::announced_service,
    beside,
    gateway::{
        doors::{self, GatewayRoute},
        listening::OpenGateway,
    },
    offers::{self, ServedService},
    serving::Serving,
};
use crate::{
    model::{
        call::CallError,
        connection::Connection,
        problem::{Problem, ProblemKind},
        stub::StubService,
        tool::Tool,
        transport::Traffic,
    },
    systems::trustgraph::{
        agent,
        gateway::{endpoints::Endpoint, served, table::Table},
        keys,
        settings::Gateway,
    },
    wire::{
        connector::Connector,
        systems::facets::{
            decided::{AnswerSource, AnsweredCall},
            responder::{
                PreparedResponder, Report, Responder, ResponderAbilities, ResponderRequest,
                Responding, ServedTarget, Stubs, forward_reports,
            },
        },
    },
};

/// Answers on request queues, or as a gateway.
pub(crate) struct TrustGraphResponder;

/// Where to answer, and for what.
enum Place {
    Bus(Vec<ServedService>, Vec<ServedTarget>),
    /// At another address than the connection's, where one is named; with the configuration that it
    /// has.
    Gateway(Vec<GatewayRoute>, Option<String>, Box<Table>),
}

/// Services that listen already.
enum Started {
    /// With what whoever serves should know first, and what can be announced.
    Bus(Serving, Vec<String>, Vec<ServedTarget>),
    Gateway(Box<OpenGateway>),
}

impl Responder for TrustGraphResponder {
    fn is_at(&self, connection: &Connection) -> bool {
        connection.settings.keys().all(|system| *system == keys::SYSTEM)
    }

    fn abilities(&self) -> ResponderAbilities {
        ResponderAbilities::default()
    }

    fn prepare(
        &self,
        wanted: &ResponderRequest<'_>,
    ) -> Result<Box<dyn PreparedResponder>, Problem> {
        if !wanted.connection.transport().is_bus() {
            let table = Box::new(Table::from_catalog(wanted.catalog));
            return Ok(Box::new(Place::Gateway(
                chosen_routes(wanted)?,
                wanted.listen.map(str::to_owned),
                table,
            )));
        }
        if wanted.listen.is_some() {
            let problem = Problem::new(
                ProblemKind::Input,
                "serving",
                "--listen is for gateways; on a broker requests come to queues",
            );
            return Err(problem
                .with_remedy("take it out, or name a gateway: --connection ws://127.0.0.1:0"));
        }
        let chosen = chosen_services(wanted)?;
        let announced =
            chosen.iter().map(|service| announced_service(service, wanted.catalog)).collect();
        Ok(Box::new(Place::Bus(chosen, announced)))
    }
}

impl PreparedResponder for Place {
    fn start<'a>(
        self: Box<Self>,
        connector: &'a dyn Connector,
        connection: &'a Connection,
    ) -> BoxFuture<'a, Result<Box<dyn Responding>, CallError>> {
        Box::pin(async move {
            let started = match *self {
                Self::Bus(offers, announced) => {
                    let bus = connector.open_bus(connection).await?;
                    let warnings = beside::conflict_warnings(&*bus, &offers).await;
                    Started::Bus(Serving::start(bus, offers).await?, warnings, announced)
                }
                Self::Gateway(doors, listen, table) => {
                    let listening = OpenGateway::start(
                        connection,
                        connector.secrets(),
                        listen.as_deref(),
                        doors,
                    )
                    .await?;
                    Started::Gateway(Box::new(listening.with_table(*table)))
                }
            };
            Ok(Box::new(started) as Box<dyn Responding>)
        })
    }
}

impl Responding for Started {
    fn warnings(&self) -> Vec<String> {
        match self {
            Self::Bus(_, warnings, _) => warnings.clone(),
            Self::Gateway(listening) if listening.is_open() => {
                vec!["other machines can reach this address too".into()]
            }
            Self::Gateway(_) => Vec::new(),
        }
    }

    fn listening_lines(&self) -> Vec<String> {
        match self {
            Self::Bus(serving, ..) => serving
                .subjects()
                .into_iter()
                .map(|(name, subject)| format!("listening on {subject} for {name}"))
                .collect(),
            // The address comes last, because who waits for it goes on at once.
            Self::Gateway(listening) => {
                let places = listening
                    .served_paths()
                    .map(|(name, path)| format!("answering {path} for {name}"));
                places.chain([format!("listening at {}", listening.url())]).collect()
            }
        }
    }

    fn announced_services(&self) -> Vec<ServedTarget> {
        let Self::Bus(serving, _, announced) = self else { return Vec::new() };
        let subjects = serving.subjects().into_iter().map(|(_, subject)| subject.to_owned());
        let placed = announced.iter().cloned().zip(subjects);
        placed.map(|(target, subject)| ServedTarget { subject, ..target }).collect()
    }

    fn connection_notices(&self) -> Option<broadcast::Receiver<String>> {
        let Self::Bus(serving, ..) = self else { return None };
        Some(serving.connection_notices())
    }

    fn last_address(&self) -> String {
        match self {
            Self::Bus(serving, ..) => {
                serving.subjects().pop().map(|(_, subject)| subject.to_owned()).unwrap_or_default()
            }
            Self::Gateway(listening) => listening.url(),
        }
    }

    fn run(
        self: Box<Self>,
        reports: mpsc::Sender<Report>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            match *self {
                Self::Bus(serving, ..) => {
                    forward_reports(|answered| serving.run(Some(answered), stop), reports).await;
                }
                Self::Gateway(listening) => {
                    forward_reports(|answered| listening.run(Some(answered), stop), reports).await;
                }
            }
        })
    }
}

impl From<AnsweredCall> for Report {
    fn from(answered: AnsweredCall) -> Self {
        let AnsweredCall { service, id, user, rule, pieces, note, problem, is_cut } = answered;
        let error = problem
            .as_ref()
            .map(|problem| json!({"type": problem.kind.as_str(), "message": problem.message}));
        let mut json = json!({
            "event": "call", "service": service, "id": id, "user": user, "rule": rule, "chunks": pieces, "error": error,
        });
        if let Some(note) = note {
            json["note"] = note.into();
        }
        let of = if user.is_empty() { String::new() } else { format!(" of {user}") };
        let words = match &problem {
            None => {
                let chunks = if pieces == 1 { "chunk" } else { "chunks" };
                let note = note.map_or_else(String::new, |note| format!(" ({note})"));
                format!("{pieces} {chunks}{note}")
            }
            Some(problem) => format!("{} ({})", problem.message, problem.kind),
        };
        let line = match &problem {
            None => {
                let rule = rule.map_or_else(String::new, |rule| format!(" by \"{rule}\""));
                format!("answered {service} {id}{of}{rule}: {words}")
            }
            Some(_) if is_cut => format!("cut off {service} {id}{of}: {words}"),
            Some(_) => format!("refused {service} {id}{of}: {words}"),
        };
        let answered = problem.is_none();
        Self {
            number: 0,
            tool: service,
            caller: user,
            words,
            answered,
            problem,
            line,
            details: Vec::new(),
            json,
        }
    }
}

fn chosen_routes(wanted: &ResponderRequest<'_>) -> Result<Vec<GatewayRoute>, Problem> {
    let mut chosen =
        wanted.stubs.as_ref().map_or_else(|| Ok(Vec::new()), |stubs| stub_doors(stubs, wanted))?;
    let sample = |tool: &Tool| GatewayRoute::sample_for(tool, wanted.catalog, wanted.connection);
    if wanted.tools.is_empty() && wanted.stubs.is_none() {
        let own: Vec<GatewayRoute> =
            wanted.catalog.tools.iter().filter_map(|tool| sample(tool)).collect();
        return Ok(if own.is_empty() { doors::sample_routes(wanted.connection) } else { own });
    }
    for word in wanted.tools {
        let tool = wanted.lookup.find_tool(word)?;
        if chosen.iter().any(|known| known.name == tool.entry.key) {
            continue;
        }
        chosen.push(sample(tool).ok_or_else(|| {
            let cause = format!("no sample can answer for the tool \"{word}\" behind a gateway");
            Problem::new(ProblemKind::Input, "serving", cause).with_remedy(
                "there are samples for tools of type mcp-tool named joke-service, calculator or custom-rag, and of type knowledge-query; \
                 for others write a stub (--stub FILE)",
            )
        })?);
    }
    Ok(chosen)
}

fn chosen_services(wanted: &ResponderRequest<'_>) -> Result<Vec<ServedService>, Problem> {
    let mut chosen =
        wanted.stubs.as_ref().map_or_else(|| Ok(Vec::new()), |stubs| stub_offers(stubs, wanted))?;
    if wanted.tools.is_empty() && wanted.stubs.is_none() {
        let own = offers::standing_in(wanted.catalog.services.iter());
        // On somebody's bus nobody is answered for whom the workspace doesn't know.
        if own.is_empty() && !wanted.catalog.tools.is_empty() {
            let cause = "no tool of this workspace has a sample that can answer for it";
            return Err(Problem::new(ProblemKind::Missing, "serving", cause).with_remedy(
                "add --mock to answer with examples, or --stub FILE to answer by rules",
            ));
        }
        return Ok(if own.is_empty() { offers::sample_services() } else { own });
    }
    for word in wanted.tools {
        let service = wanted.lookup.find_service(word)?;
        let Some(offer) = offers::standing_in([service]).pop() else {
            let samples: Vec<_> =
                offers::sample_services().into_iter().map(|offer| offer.name).collect();
            let cause = format!("no sample can answer for the service \"{}\"", service.key());
            return Err(Problem::new(ProblemKind::Input, "serving", cause)
                .with_remedy(format!("there are samples for {}", samples.join(", "))));
        };
        // Two tools may share a service, and the stub may have it.
        if !chosen.iter().any(|known| known.request == offer.request) {
            chosen.push(offer);
        }
    }
    Ok(chosen)
}

/// The services of a stub file, on the queues that it says, else on those of the workspace's
/// services. Those that are behind a gateway are reported and left out.
///
/// # Errors
/// When a service's queues are not known, or none is left.
fn stub_offers(
    stubs: &Stubs<'_>,
    wanted: &ResponderRequest<'_>,
) -> Result<Vec<ServedService>, Problem> {
    let mut offers = Vec::new();
    for stub in stubs.services.clone() {
        match &stub.request {
            Some(place) if Endpoint::parse(place).is_some() => {
                (wanted.warn)(format!(
                    "\"{}\" is left out: {place} is behind a gateway; serve it on http:// or ws://",
                    stub.name
                ));
            }
            _ => offers.push(stub_service(stub, wanted)?),
        }
    }
    require_any(offers, stubs.file, "serve it on a gateway: --connection ws://127.0.0.1:0")
}

/// The same behind a gateway: at the paths that the file says, else for the tools of the workspace
/// that they are named after. Services on queues are reported and left out, and so is what cannot
/// be rehearsed in this way.
///
/// # Errors
/// As [`stub_offers`].
fn stub_doors(
    stubs: &Stubs<'_>,
    wanted: &ResponderRequest<'_>,
) -> Result<Vec<GatewayRoute>, Problem> {
    let mut doors = Vec::new();
    for stub in stubs.services.clone() {
        match stub_route(&stub, wanted)? {
            Ok(door) => {
                if wanted.connection.transport().spec().traffic == Traffic::Exchange {
                    not_over_http(&stub, wanted);
                }
                doors.push(door);
            }
            Err(why) => (wanted.warn)(format!("\"{}\" is left out: {why}", stub.name)),
        }
    }
    require_any(doors, stubs.file, "serve it on its broker: --connection nats://127.0.0.1:4222")
}

fn require_any<T>(left: Vec<T>, file: &str, remedy: &str) -> Result<Vec<T>, Problem> {
    if left.is_empty() {
        let cause = format!("nothing in {file} can be answered for on this connection");
        return Err(Problem::new(ProblemKind::Input, "serving", cause).with_remedy(remedy));
    }
    Ok(left)
}

fn not_over_http(stub: &StubService, wanted: &ResponderRequest<'_>) {
    for rule in &stub.rules {
        if let Some(words) = rule.then.fault.and_then(served::over_http) {
            (wanted.warn)(format!(
                "the rule \"{}\" of \"{}\": {words}; a WebSocket (ws://) has ids",
                rule.name, stub.name
            ));
        }
    }
}

/// Where a stub answers behind a gateway; else why it is left out.
fn stub_route(
    stub: &StubService,
    wanted: &ResponderRequest<'_>,
) -> Result<Result<GatewayRoute, String>, Problem> {
    let by = AnswerSource::Stub(Arc::new(stub.clone()));
    if let Some(queue) = &stub.request {
        let why = || format!("{queue} is a queue, and a gateway has none; serve it on its broker");
        return Ok(GatewayRoute::of_path(stub, by).ok_or_else(why));
    }
    if let Some(tool) = wanted.catalog.tool_called(&stub.name) {
        let door = GatewayRoute::of_tool(tool, wanted.catalog, wanted.connection, by);
        return Ok(door.map_err(|problem| format!("{}; {}", problem.cause, problem.remedy)));
    }
    if stub.name == agent::SERVICE {
        let at = Endpoint::of_flow(agent::SERVICE, &Gateway::from_connection(wanted.connection));
        return Ok(Ok(GatewayRoute {
            name: stub.name.clone(),
            at,
            config: serde_json::Map::new(),
            by,
        }));
    }
    if wanted.lookup.find_service(&stub.name).is_ok() {
        return Ok(Err(
            "TrustGraph's gateway has no endpoint for tool services; serve it on its broker".into(),
        ));
    }
    let cause =
        format!("the stub answers for \"{}\", which is no tool of this workspace", stub.name);
    let remedy = "give it a request-queue, such as /api/v1/flow/default/service/mcp-tool";
    Err(Problem::new(ProblemKind::Input, "serving", cause).with_remedy(remedy))
}

fn stub_service(
    stub: StubService,
    wanted: &ResponderRequest<'_>,
) -> Result<ServedService, Problem> {
    let (request, response) = match stub.request.clone() {
        Some(request) => (request, stub.response.clone()),
        None => {
            let queues = wanted.lookup.find_service(&stub.name).ok().and_then(|service| {
                Some((
                    service.request_queue.clone()?,
                    stub.response.clone().or_else(|| service.response_queue.clone()),
                ))
            });
            queues.ok_or_else(|| {
                let cause = format!(
                    "the stub answers for \"{}\", which is no service of this workspace, nor a tool that has one",
                    stub.name
                );
                Problem::new(ProblemKind::Input, "serving", cause).with_remedy(format!(
                    "give it a request-queue and a response-queue, such as request:tg:{0} and response:tg:{0}",
                    stub.name
                ))
            })?
        }
    };
    Ok(ServedService {
        name: stub.name.clone(),
        request,
        response,
        by: AnswerSource::Stub(Arc::new(stub)),
    })
}
