//! `toolcrib serve`: answers for tools with the sample services, by the rules of a stub or by hand,
//! until it is stopped; with `--mcp`, offers the tools themselves to [`clients`].

mod announcing;
mod asking;
mod clients;
mod sources;
mod std_pipes;
mod tool_host;

use std::sync::Arc;

use clap::Args;
use serde_json::json;
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use self::sources::{AnswerSources, WantedMocks};

use super::{
    answering::{WaitingCalls, next_line, stdin_lines},
    ending::{CommandResult, Ending, StopReason},
    global::Global,
    opened::OpenWorkspace,
    out::CommandOutput,
    signals::{interrupted, wait_for},
};
use crate::{
    model::{
        call::CallError,
        catalog::Catalog,
        connection::Connection,
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
        tool::Tool,
    },
    runtime::registry,
    systems::{self, by_id},
    wire::{
        spawning::spawn,
        systems::{
            facets::responder::{
                PreparedResponder, Question, Report, ResponderAbilities, ResponderRequest, Stubs,
            },
            table,
        },
    },
};

/// Reports on their way at most.
const QUEUE: usize = 1_024;

#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// Tools or services to answer for; by default all that have a sample
    #[arg(value_name = "TOOL")]
    tools: Vec<String>,

    #[command(flatten)]
    sources: AnswerSources,

    /// The address at which a gateway listens (HOST:PORT, port 0 is any free port); by default that
    /// of its connection
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,

    /// Answer CommonGround tools without a rule by hand: each call is shown; type its result in a
    /// line
    #[arg(long)]
    by_hand: bool,

    /// Also answer CommonGround commands that are already waiting: unanswered ones of the last 24
    /// hours
    #[arg(long)]
    waiting: bool,

    /// Announce what is served: send its descriptors at the start and to whoever asks, and answer
    /// $SRV.PING, INFO and STATS as NATS micro services do
    #[arg(long, conflicts_with = "mcp")]
    announce: bool,

    #[command(flatten)]
    clients: clients::ServeClients,
}

impl Serve {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        if self.clients.mcp {
            return self.clients.run(global, out, &self.tools, &self.sources);
        }
        self.clients.check_unused()?;
        let opened = OpenWorkspace::read_connected(global, None, out)?;
        let connection =
            systems::table::claim_connection(self.serving_connection(&opened)?, &opened.catalog);
        if connection.is_embedded() {
            let problem = Problem::new(
                ProblemKind::Input,
                "serving",
                "the embedded connection already has its services, within each process",
            );
            return Err(problem
                .with_remedy("choose where to answer, such as --connection nats://127.0.0.1:4222, or offer tools to \
                     MCP clients with --mcp")
                .into());
        }
        if self.announce {
            announcing::check_connection(&connection)?;
        }
        let (asks, questions) = mpsc::channel(1);
        let prepared = self.prepare_responder(&opened, &connection, asks, out)?;
        let by_hand = ByHand { questions, catalog: &opened.catalog };
        let service = Service { connection, prepared, announces: self.announce };
        wait_for("serving", serve_until_interrupted(global, out, service, by_hand))
    }

    fn prepare_responder(
        &self,
        opened: &OpenWorkspace,
        connection: &Connection,
        asks: mpsc::Sender<Question>,
        out: &CommandOutput,
    ) -> Result<Box<dyn PreparedResponder>, Problem> {
        let Some(responder) = table::responder_at(connection) else {
            let cause = format!(
                "toolcrib can't answer for the system behind connection \"{}\"",
                connection.name
            );
            return Err(Problem::new(ProblemKind::Input, "serving", cause)
                .with_remedy("name another: --connection NAME"));
        };
        let ResponderAbilities { by_hand, backlog, .. } = responder.abilities();
        if self.waiting && !backlog {
            return Err(unsupported_problem(
                "stream keeps waiting commands",
                "--waiting",
                |abilities| abilities.backlog,
            ));
        }
        if self.by_hand && !by_hand {
            return Err(unsupported_problem(
                "tools are answered by hand",
                "--by-hand",
                |abilities| abilities.by_hand,
            ));
        }
        let reaches =
            |tool: &Tool| opened.settings.connections.for_tool(tool).name == connection.name;
        let wanted = WantedMocks { tools: &self.tools, reaches: &reaches, per_service: true };
        let (file, services) = self.sources.read_services(opened, &wanted, out)?;
        let is_left = |word: &&String| services.iter().all(|stub| stub.name != **word);
        let sampled: Vec<String> = self.tools.iter().filter(is_left).cloned().collect();
        let stubs = file.as_deref().map(|file| Stubs { file, services });
        responder.prepare(&ResponderRequest {
            connection,
            catalog: &opened.catalog,
            tools: &sampled,
            stubs,
            by_hand: self.by_hand.then_some(asks),
            backlog: self.waiting,
            listen: self.listen.as_deref(),
            lookup: opened,
            warn: &|words| out.warn(words),
        })
    }

    /// The connection that calls of the named tools go through; without names, the workspace's.
    fn serving_connection(&self, opened: &OpenWorkspace) -> Result<Connection, Problem> {
        let connections = &opened.settings.connections;
        // A name that is no tool's is a service's, whose tools say where its calls go.
        let goes = |word: &str| {
            let calls = |tool: &&Arc<Tool>| tool.service.as_deref() == Some(word);
            let tool = opened
                .catalog
                .tool_called(word)
                .or_else(|| opened.catalog.tools.iter().find(calls).map(AsRef::as_ref));
            tool.map_or_else(|| connections.current(), |tool| connections.for_tool(tool))
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
                Err(Problem::new(ProblemKind::Input, "serving", cause)
                    .with_remedy("serve them separately, or choose one with --connection"))
            }
        }
    }
}

/// That a system lacks what others have: `only CommonGround's tools are answered by hand`.
fn unsupported_problem(
    what: &str,
    option: &str,
    is_able: impl Fn(&ResponderAbilities) -> bool,
) -> Problem {
    let able = table::responders()
        .map(|(system, responder)| (system, responder.abilities()))
        .filter(|(_, able)| is_able(able));
    let (titles, connections): (Vec<_>, Vec<_>) = able
        .map(|(system, able)| {
            (by_id(system).map_or(system, |system| system.title()), able.connection)
        })
        .unzip();
    let problem = Problem::new(
        ProblemKind::Input,
        "serving",
        format!("only {}'s {what}", titles.join("'s or ")),
    );
    problem.with_remedy(format!("name {}, or take {option} out", connections.join(" or ")))
}

/// The calls that are answered by hand, and the tools that they are of.
struct ByHand<'c> {
    questions: mpsc::Receiver<Question>,
    catalog: &'c Catalog,
}

/// What answers where, and whether it announces itself.
struct Service {
    connection: Connection,
    prepared: Box<dyn PreparedResponder>,
    announces: bool,
}

/// Answers until it is interrupted.
async fn serve_until_interrupted(
    global: &Global,
    out: &mut CommandOutput,
    Service { connection, prepared, announces }: Service,
    ByHand { mut questions, catalog }: ByHand<'_>,
) -> CommandResult {
    let registry = registry::of_system();
    let doing = || format!("serving on {}", connection.name);
    let mut interrupt = std::pin::pin!(interrupted());
    let started = tokio::select! {
        () = &mut interrupt => return Ok(Ending::Interrupted),
        started = prepared.start(&registry, &connection) => started,
    };
    let responding = started.map_err(|problem: CallError| {
        let kind = if problem.kind == ErrorKind::NoProject {
            ProblemKind::Input
        } else {
            ProblemKind::Unreachable
        };
        StopReason::from(Problem::new(kind, doing(), problem.message).with_remedy(problem.remedy))
    })?;
    // First: what happens once it listens is said.
    let mut notices = responding.connection_notices();
    responding.warnings().into_iter().for_each(|warning| out.warn(warning));
    if global.json {
        out.json_line(&json!({"event": "listening", "address": responding.last_address()}))?;
    }
    responding.listening_lines().into_iter().for_each(|line| out.print_status(line));
    let stop = CancellationToken::new();
    let mut counts = None;
    if announces {
        let announced = announcing::announce(&registry, &connection, &*responding, &stop, out);
        counts = Some(announced.await?);
    }
    let (report, mut reports) = mpsc::channel(QUEUE);
    let mut running = spawn(responding.run(report, stop.clone()));
    let mut typing = None;
    let mut desk = WaitingCalls::new(catalog);
    loop {
        tokio::select! {
            () = &mut interrupt, if !stop.is_cancelled() => stop.cancel(),
            Some(report) = reports.recv() => {
                counts.iter().for_each(|counts| counts.count(&report));
                print_report(global, out, &report)?;
            }
            Some(words) = next_notice(&mut notices) => match global.json {
                true => out.json_line(&json!({"event": "notice", "text": words}))?,
                false => out.print_status(words),
            },
            Some(question) = questions.recv() => {
                typing.get_or_insert_with(stdin_lines);
                desk.push_question(question, out);
            }
            line = next_line(&mut typing), if !desk.is_empty() => match line {
                Some(line) => desk.answer_first(&line, out),
                // Nobody types any more: what waits stays unanswered.
                None => stop.cancel(),
            },
            _ = &mut running => break,
        }
    }
    while let Ok(report) = reports.try_recv() {
        print_report(global, out, &report)?;
    }
    match stop.is_cancelled() {
        true => Ok(Ending::Done),
        false => {
            Err(Problem::new(ProblemKind::Unreachable, doing(), "the connection ended").into())
        }
    }
}

/// What the connection says next; `None`: nothing will come.
async fn next_notice(notices: &mut Option<broadcast::Receiver<String>>) -> Option<String> {
    loop {
        match notices.as_mut()?.recv().await {
            Ok(words) => return Some(words),
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => *notices = None,
        }
    }
}

fn print_report(
    global: &Global,
    out: &mut CommandOutput,
    report: &Report,
) -> Result<(), StopReason> {
    if global.json {
        out.json_line(&report.json)?;
        return Ok(());
    }
    out.print_status(&report.line);
    for line in &report.details {
        out.print_status(format_args!("  {line}"));
    }
    Ok(())
}
