//! `toolcrib serve`: answers for tools with the sample services or by the rules of a stub, until it is stopped.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    answering::{self, Wanted},
    ending::{Ended, Ending, Halt},
    global::Global,
    opened::Opened,
    out::Out,
    signals::{interrupted, wait_for},
    stubs,
};
use crate::{
    model::{
        call::CallProblem,
        connection::Connection,
        problem::{Problem, ProblemKind},
        tool::Tool,
    },
    runtime::registry,
    systems::{commonground::settings::Channel, trustgraph::gateway::table::Table},
    wire::{
        registry::Registry,
        systems::{
            commonground::executor::From,
            facets::decided::Answered,
            trustgraph::{
                beside,
                gateway::{
                    doors::{self, GatewayRoute},
                    listening::Listening,
                },
                offers::{self, Offer},
                serving::Serving,
            },
        },
    },
};

/// Reports on their way at most.
const QUEUE: usize = 1_024;

#[derive(Args, Debug)]
pub struct Serve {
    /// Tools or services to answer for; without any, all that there is a sample for
    #[arg(value_name = "TOOL")]
    tools: Vec<String>,

    /// Answer by the rules of a stub file; tools that are named beside it are answered for by samples
    #[arg(long, value_name = "FILE")]
    stub: Option<PathBuf>,

    /// Where a gateway listens (HOST:PORT, port 0 is a free one), instead of where its connection leads to
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,

    /// Answer by hand the CommonGround tools that the stub has no rules for: each call is shown, a line of input is its result
    #[arg(long)]
    by_hand: bool,

    /// Answer the CommonGround commands too that already wait: those of the last 24 hours that nobody answered
    #[arg(long)]
    waiting: bool,
}

impl Serve {
    pub fn run(&self, global: &Global, out: &mut Out) -> Ended {
        let opened = Opened::read_aloud(global, out)?;
        let connection = self.connection(&opened)?;
        if connection.is_embedded() {
            let problem = Problem::new(ProblemKind::Input, "serving", "embedded services are there already, within each process");
            return Err(problem.remedy("name where to answer: --connection nats://127.0.0.1:4222").into());
        }
        if let Some(channel) = Channel::of(&connection) {
            let wanted = Wanted { tools: &self.tools, stub: self.stub.as_deref(), by_hand: self.by_hand };
            let answering = answering::stands(&wanted, &opened, &channel, out)?;
            let from = if self.waiting { From::Waiting } else { From::Now };
            return wait_for("serving", answering::serve(global, out, connection, answering, from));
        }
        if self.waiting {
            let problem = Problem::new(ProblemKind::Input, "serving", "only CommonGround's stream keeps commands that wait");
            return Err(problem.remedy("name a connection with [connections.NAME.commonground], or take --waiting out").into());
        }
        if self.by_hand {
            let problem = Problem::new(ProblemKind::Input, "serving", "only CommonGround's tools are answered by hand");
            return Err(problem.remedy("name a connection with [connections.NAME.commonground], or take --by-hand out").into());
        }
        if !connection.transport().is_bus() {
            let doors = self.doors(&opened, &connection, out)?;
            let table = Table::of(&opened.catalog);
            return wait_for("serving", serve(global, out, connection, Place::Gateway(doors, self.listen.as_deref(), table)));
        }
        if self.listen.is_some() {
            let problem =
                Problem::new(ProblemKind::Input, "serving", "--listen is for gateways; on a broker requests come to queues");
            return Err(problem.remedy("take it out, or name a gateway: --connection ws://127.0.0.1:0").into());
        }
        let offers = self.offers(&opened, out)?;
        wait_for("serving", serve(global, out, connection, Place::Bus(offers)))
    }

    /// The connection that calls of the named tools go through; without names, the workspace's.
    fn connection(&self, opened: &Opened) -> Result<Connection, Problem> {
        let connections = &opened.settings.connections;
        // A name that is no tool's is a service's, whose tools say where its calls go.
        let goes = |word: &str| {
            let calls = |tool: &&Arc<Tool>| tool.service.as_deref() == Some(word);
            let tool = opened.catalog.tool_called(word).or_else(|| opened.catalog.tools.iter().find(calls).map(AsRef::as_ref));
            tool.map_or_else(|| connections.current(), |tool| connections.of(tool))
        };
        let mut going = self.tools.iter().map(|word| (word, goes(word)));
        let Some((first, connection)) = going.next() else { return Ok(connections.current()) };
        match going.find(|(_, other)| other.name != connection.name) {
            None => Ok(connection),
            Some((other, there)) => {
                let cause = format!(
                    "calls of {first} go through connection \"{}\", those of {other} through \"{}\"",
                    connection.name, there.name
                );
                Err(Problem::new(ProblemKind::Input, "serving", cause).remedy("serve them apart, or name one with --connection"))
            }
        }
    }

    fn doors(&self, opened: &Opened, connection: &Connection, out: &Out) -> Result<Vec<GatewayRoute>, Problem> {
        let mut chosen =
            self.stub.as_deref().map_or_else(|| Ok(Vec::new()), |path| stubs::doors(path, opened, connection, out))?;
        let sample = |tool: &Tool| GatewayRoute::sample_for(tool, &opened.catalog, connection);
        if self.tools.is_empty() && self.stub.is_none() {
            let own: Vec<GatewayRoute> = opened.catalog.tools.iter().filter_map(|tool| sample(tool)).collect();
            return Ok(if own.is_empty() { doors::samples(connection) } else { own });
        }
        for word in &self.tools {
            let tool = opened.tool(word)?;
            if chosen.iter().any(|known| known.name == tool.entry.key) {
                continue;
            }
            chosen.push(sample(tool).ok_or_else(|| {
                let cause = format!("no sample can answer for the tool \"{word}\" behind a gateway");
                Problem::new(ProblemKind::Input, "serving", cause).remedy(
                    "there are samples for tools of type mcp-tool named joke-service, calculator or custom-rag, and of type knowledge-query; \
                     for others write a stub (--stub FILE)",
                )
            })?);
        }
        Ok(chosen)
    }

    fn offers(&self, opened: &Opened, out: &Out) -> Result<Vec<Offer>, Problem> {
        let mut chosen = self.stub.as_deref().map_or_else(|| Ok(Vec::new()), |path| stubs::offers(path, opened, out))?;
        if self.tools.is_empty() && self.stub.is_none() {
            let own = offers::standing_in(&opened.catalog.services);
            return Ok(if own.is_empty() { offers::samples() } else { own });
        }
        for word in &self.tools {
            let service = opened.service(word)?;
            let Some(offer) = offers::standing_in([service]).pop() else {
                let samples: Vec<_> = offers::samples().into_iter().map(|offer| offer.name).collect();
                let cause = format!("no sample can answer for the service \"{}\"", service.key());
                return Err(Problem::new(ProblemKind::Input, "serving", cause)
                    .remedy(format!("there are samples for {}", samples.join(", "))));
            };
            // Two tools may share a service, and the stub may have it.
            if !chosen.iter().any(|known| known.request == offer.request) {
                chosen.push(offer);
            }
        }
        Ok(chosen)
    }
}

/// Where to answer, and for what.
enum Place<'p> {
    Bus(Vec<Offer>),
    /// At another address than the connection's, where one is named; with the configuration that it has.
    Gateway(Vec<GatewayRoute>, Option<&'p str>, Table),
}

/// Services that listen already.
enum Started {
    /// With what whoever serves should know first.
    Bus(Serving, Vec<String>),
    Gateway(Box<Listening>),
}

impl Started {
    fn tell(&self, out: &Out) {
        match self {
            Self::Bus(serving, warnings) => {
                warnings.iter().for_each(|warning| out.warn(warning));
                for (name, subject) in serving.subjects() {
                    out.say(format_args!("listening on {subject} for {name}"));
                }
            }
            Self::Gateway(listening) => {
                if listening.is_open() {
                    out.warn("other machines can reach this address too");
                }
                for (name, path) in listening.places() {
                    out.say(format_args!("answering {path} for {name}"));
                }
                // Last, because who waits for it goes on at once.
                out.say(format_args!("listening at {}", listening.url()));
            }
        }
    }

    async fn run(self, reports: mpsc::Sender<Answered>, stop: CancellationToken) {
        match self {
            Self::Bus(serving, _) => serving.run(Some(reports), stop).await,
            Self::Gateway(listening) => listening.run(Some(reports), stop).await,
        }
    }
}

async fn serve(global: &Global, out: &mut Out, connection: Connection, place: Place<'_>) -> Ended {
    let registry = registry::of_system();
    let reached = |problem: CallProblem| {
        Halt::from(
            Problem::new(ProblemKind::Unreachable, format!("serving on {}", connection.name), problem.message)
                .remedy(problem.remedy),
        )
    };
    let mut interrupt = std::pin::pin!(interrupted());
    let started = tokio::select! {
        () = &mut interrupt => return Ok(Ending::Interrupted),
        started = start(&registry, &connection, place) => started.map_err(reached)?,
    };
    started.tell(out);
    let stop = CancellationToken::new();
    let (report, mut reports) = mpsc::channel(QUEUE);
    let mut running = tokio::spawn(started.run(report, stop.clone()));
    loop {
        tokio::select! {
            () = &mut interrupt, if !stop.is_cancelled() => stop.cancel(),
            Some(answered) = reports.recv() => tell(global, out, &answered)?,
            _ = &mut running => break,
        }
    }
    while let Ok(answered) = reports.try_recv() {
        tell(global, out, &answered)?;
    }
    match stop.is_cancelled() {
        true => Ok(Ending::Done),
        false => {
            Err(Problem::new(ProblemKind::Unreachable, format!("serving on {}", connection.name), "the connection ended").into())
        }
    }
}

async fn start(registry: &Registry, connection: &Connection, place: Place<'_>) -> Result<Started, CallProblem> {
    match place {
        Place::Bus(offers) => {
            let bus = registry.open(connection).await?;
            let warnings = beside::look(&*bus, &offers).await;
            Ok(Started::Bus(Serving::start(bus, offers).await?, warnings))
        }
        Place::Gateway(doors, listen, table) => {
            let listening = Listening::start(connection, registry.secrets(), listen, doors).await?.with(table);
            Ok(Started::Gateway(Box::new(listening)))
        }
    }
}

fn tell(global: &Global, out: &mut Out, answered: &Answered) -> Result<(), Halt> {
    let Answered { service, id, user, rule, pieces, note, problem } = answered;
    if global.json {
        let error = problem.as_ref().map(|problem| json!({"type": problem.kind.word(), "message": problem.message}));
        let mut line = json!({
            "event": "call", "service": service, "id": id, "user": user, "rule": rule, "chunks": pieces, "error": error,
        });
        if let Some(note) = note {
            line["note"] = (*note).into();
        }
        out.json_line(&line)?;
        return Ok(());
    }
    let of = if user.is_empty() { String::new() } else { format!(" of {user}") };
    match problem {
        None => {
            let rule = rule.as_ref().map_or_else(String::new, |rule| format!(" by \"{rule}\""));
            let chunks = if *pieces == 1 { "chunk" } else { "chunks" };
            let note = note.map_or_else(String::new, |note| format!(" ({note})"));
            out.say(format_args!("answered {service} {id}{of}{rule}: {pieces} {chunks}{note}"));
        }
        Some(problem) => out.say(format_args!("refused {service} {id}{of}: {} ({})", problem.message, problem.kind)),
    }
    Ok(())
}
