//! `toolcrib test`: makes the calls of saved cases and says where the answers differ from what they
//! expect.

use std::{path::PathBuf, pin::pin, sync::Arc, time::Duration};

use clap::{Args, ValueEnum};
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{
    cases::{self, Filed},
    ending::{Ended, Ending, Halt},
    global::Global,
    opened::Opened,
    out::{Out, Tint},
    signals::{interrupted, wait_for},
    wrap::wrap,
};
use crate::{
    engine::{
        case::verdict::{Answer, Verdict, judge},
        junit::{self, Checked, Suite},
        settings::connections,
    },
    model::{
        call::{Limits, Outcome, Request},
        connection::Connection,
        problem::Problem,
        trace::Head,
    },
    runtime::{now::now, registry},
    store::{history::History, paths::Paths, secrets},
    systems::{calling, facets::calls::CallOf},
    wire::registry::Registry,
};

/// Events on their way at most, for each call.
const QUEUE: usize = 256;

#[derive(Args, Debug)]
pub(crate) struct Test {
    /// Case files, or folders of them; without any, the workspace's folder `cases`
    #[arg(value_name = "CASE")]
    cases: Vec<PathBuf>,

    /// How the report is written
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "json")]
    format: Format,

    /// So many calls at once
    #[arg(short, long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
    /// For CI
    Junit,
}

/// A case ready to be called, or why it cannot be.
struct Plan {
    filed: Filed,
    call: Result<(Connection, Box<Request>), Problem>,
}

/// A case as it went.
struct Tried {
    filed: Filed,
    verdict: Verdict,
}

impl Test {
    pub fn run(&self, global: &Global, out: &mut Out) -> Ended {
        let filed = match self.cases.as_slice() {
            [] => cases::read(&[cases::of_workspace(global)?])?,
            given => cases::read(given)?,
        };
        let opened = self.workspace(global, &filed, out)?;
        let plans: Vec<Plan> = filed.into_iter().map(|filed| plan(filed, &opened)).collect();
        let format = if global.json { Format::Json } else { self.format };
        let history = Paths::of_user().map(|paths| {
            Arc::new(History::of(
                &paths,
                &opened.workspace.root,
                secrets::mask(&opened.settings.connections.known),
            ))
        });
        let registry = registry::of_workspace(&opened.workspace.root);
        let suite = Run { registry, plans, jobs: usize::from(self.jobs), history: history.ok() };
        wait_for("testing", run(suite, format, out))
    }

    /// The workspace that is named, else the one that the first case lies in.
    fn workspace(&self, global: &Global, filed: &[Filed], out: &Out) -> Result<Opened, Problem> {
        let home = filed.first().and_then(Filed::home).filter(|_| global.workspace.is_none());
        Opened::read_at(global, home.as_deref(), out)
    }
}

fn plan(filed: Filed, opened: &Opened) -> Plan {
    let request = || {
        let case = &filed.case;
        let tool = opened.tool(&case.tool)?;
        let connections = &opened.settings.connections;
        let connection = match &case.connection {
            Some(name) if connections.chosen.is_none() => connections::named(connections, name)?,
            _ => connections.of(tool),
        };
        let user = case
            .user
            .as_deref()
            .or(opened.settings.context.user.as_deref())
            .unwrap_or(super::call::NOBODY);
        let correlation = uuid::Uuid::new_v4().to_string();
        let (catalog, arguments) = (&opened.catalog, &case.arguments);
        let request = calling::request(&CallOf {
            catalog,
            tool,
            user,
            arguments,
            correlation: &correlation,
            connection: &connection,
            route: None,
        })?;
        Ok((connection, Box::new(request)))
    };
    let call = request();
    Plan { filed, call }
}

/// What is tried, and with what.
struct Run {
    registry: Registry,
    plans: Vec<Plan>,
    jobs: usize,
    history: Option<Arc<History>>,
}

async fn run(suite: Run, format: Format, out: &mut Out) -> Ended {
    let Run { registry, plans, jobs, history } = suite;
    let mut interrupt = pin!(interrupted());
    let mut tried = Vec::with_capacity(plans.len());
    let trying = plans.into_iter().map(|plan| attempt(plan, &registry, history.as_ref()));
    let mut results = pin!(futures::stream::iter(trying).buffered(jobs));
    loop {
        let next = tokio::select! {
            biased;
            () = &mut interrupt => return Ok(Ending::Interrupted),
            next = results.next() => next,
        };
        let Some(one) = next else { break };
        if format == Format::Human {
            human(&one, out)?;
        }
        tried.push(one);
    }
    match format {
        Format::Human => {}
        Format::Json => out.json(&tried.iter().map(to_json).collect::<Value>())?,
        Format::Junit => out.raw(&junit::report("toolcrib test", &suites(&tried)))?,
    }
    let failed: Vec<&Tried> = tried.iter().filter(|one| !one.verdict.holds()).collect();
    let all = if tried.len() == 1 { "1 case".to_owned() } else { format!("{} cases", tried.len()) };
    out.say(match failed.len() {
        0 => format!("as expected: {all}"),
        count => format!("{count} of {all} not as expected"),
    });
    Ok(ending(&failed))
}

/// Where nothing but the connection is at fault, that is told.
fn ending(failed: &[&Tried]) -> Ending {
    match failed {
        [] => Ending::Done,
        failed if failed.iter().all(|one| one.verdict.answer.outcome == Some(Outcome::Lost)) => {
            Ending::Unreachable
        }
        _ => Ending::Found,
    }
}

async fn attempt(plan: Plan, registry: &Registry, history: Option<&Arc<History>>) -> Tried {
    let Plan { filed, call } = plan;
    let verdict = match call {
        Err(problem) => Verdict::not_called(&problem),
        Ok((connection, request)) => {
            let limits = Limits { linger: Duration::ZERO, ..Limits::default() };
            let limits = filed.case.timeout.map_or(limits, |time| Limits {
                first: time,
                idle: time,
                total: time,
                ..limits
            });
            // A case is tried although it cannot be kept in the history.
            let mut recorder = history
                .and_then(|history| history.begin(&Head::of(&request, &connection, now())).ok());
            let (sender, mut events) = mpsc::channel(QUEUE);
            let calling = registry.call(&connection, *request, limits, sender);
            let taking = async {
                let mut answer = Answer::default();
                let mut batch = Vec::with_capacity(QUEUE);
                while events.recv_many(&mut batch, QUEUE).await > 0 {
                    recorder = recorder
                        .take()
                        .and_then(|mut recorder| recorder.take(&batch).ok().map(|()| recorder));
                    batch.drain(..).for_each(|event| answer.take(&event));
                }
                answer
            };
            judge(&filed.case, tokio::join!(calling, taking).1)
        }
    };
    Tried { filed, verdict }
}

fn human(tried: &Tried, out: &mut Out) -> Result<(), Halt> {
    let (mark, tint) = if tried.verdict.holds() { ("✓", Tint::Good) } else { ("✗", Tint::Bad) };
    let name = out.text(&format!("{}  {}", tried.filed.name(), tried.filed.case.tool)).into_owned();
    let took = out.tint(Tint::Dim, &format!("{} ms", tried.verdict.answer.took_ms));
    out.line(format!("{} {name}  {took}", out.tint(tint, mark)))?;
    for difference in tried.verdict.differences() {
        for line in wrap(&out.text(&difference), "    ") {
            out.line(line)?;
        }
    }
    out.flush()?;
    Ok(())
}

fn to_json(tried: &Tried) -> Value {
    let mut value = json!({"case": tried.filed.name(), "file": tried.filed.path.display().to_string(), "tool": tried.filed.case.tool});
    if let (Value::Object(value), Value::Object(verdict)) = (&mut value, tried.verdict.to_json()) {
        value.extend(verdict);
    }
    value
}

/// A suite for each file.
fn suites(tried: &[Tried]) -> Vec<Suite> {
    let suite = |one: &Tried| Suite {
        name: one.filed.name(),
        file: one.filed.path.display().to_string(),
        cases: vec![Checked {
            name: one.filed.case.tool.clone(),
            differences: one.verdict.differences().collect(),
            took_ms: Some(one.verdict.answer.took_ms),
        }],
    };
    tried.iter().map(suite).collect()
}
