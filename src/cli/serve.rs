//! `toolcrib serve`: answers for tools with the sample services or by the rules of a stub, until it is stopped.

use std::path::PathBuf;

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
        connection::{Connection, TransportKind},
        problem::{Problem, ProblemKind},
    },
    runtime::registry,
    wire::{
        registry::Registry,
        serve::{
            offers::{self, Offer},
            serving::{Answered, Serving},
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

    /// Answer by hand the CommonGround tools that the stub has no rules for: each call is shown, a line of input is its result
    #[arg(long)]
    by_hand: bool,
}

impl Serve {
    pub fn run(&self, global: &Global, out: &mut Out) -> Ended {
        let opened = Opened::read_aloud(global, out)?;
        let connection = opened.connection(global)?;
        if connection.transport == TransportKind::Embedded {
            let problem = Problem::new(ProblemKind::Input, "serving", "embedded services are there already, within each process");
            return Err(problem.remedy("name where to answer: --connection nats://127.0.0.1:4222").into());
        }
        if let Some(channel) = connection.channel.clone() {
            let wanted = Wanted { tools: &self.tools, stub: self.stub.as_deref(), by_hand: self.by_hand };
            let answering = answering::stands(&wanted, &opened, &channel, out)?;
            return wait_for("serving", answering::serve(global, out, connection, answering));
        }
        if self.by_hand {
            let problem = Problem::new(ProblemKind::Input, "serving", "only CommonGround's tools are answered by hand");
            return Err(problem.remedy("name a connection with [connections.NAME.commonground], or take --by-hand out").into());
        }
        let offers = self.offers(&opened, out)?;
        wait_for("serving", serve(global, out, connection, offers))
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

async fn serve(global: &Global, out: &mut Out, connection: Connection, offers: Vec<Offer>) -> Ended {
    let registry = registry::of_system();
    let reached = |problem: CallProblem| {
        Halt::from(
            Problem::new(ProblemKind::Unreachable, format!("serving on {}", connection.name), problem.message)
                .remedy(problem.remedy),
        )
    };
    let mut interrupt = std::pin::pin!(interrupted());
    let serving = tokio::select! {
        () = &mut interrupt => return Ok(Ending::Interrupted),
        serving = start(&registry, &connection, offers) => serving.map_err(reached)?,
    };
    for (name, subject) in serving.subjects() {
        out.say(format_args!("listening on {subject} for {name}"));
    }
    let stop = CancellationToken::new();
    let (report, mut reports) = mpsc::channel(QUEUE);
    let mut running = tokio::spawn(serving.run(Some(report), stop.clone()));
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

async fn start(registry: &Registry, connection: &Connection, offers: Vec<Offer>) -> Result<Serving, CallProblem> {
    Serving::start(registry.open(connection).await?, offers).await
}

fn tell(global: &Global, out: &mut Out, answered: &Answered) -> Result<(), Halt> {
    let Answered { service, id, user, rule, pieces, problem } = answered;
    if global.json {
        let error = problem.as_ref().map(|problem| json!({"type": problem.kind, "message": problem.message}));
        out.json_line(&json!({
            "event": "call", "service": service, "id": id, "user": user, "rule": rule, "chunks": pieces, "error": error,
        }))?;
        return Ok(());
    }
    match problem {
        None => {
            let rule = rule.as_ref().map_or_else(String::new, |rule| format!(" by \"{rule}\""));
            let chunks = if *pieces == 1 { "chunk" } else { "chunks" };
            out.say(format_args!("answered {service} {id} of {user}{rule}: {pieces} {chunks}"));
        }
        Some(problem) => out.say(format_args!("refused {service} {id} of {user}: {} ({})", problem.message, problem.kind)),
    }
    Ok(())
}
