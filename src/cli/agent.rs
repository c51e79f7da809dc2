//! `toolcrib agent`: asks TrustGraph's agent and tells its steps as they come, with the state and the tools after each.

use std::{pin::pin, time::Duration};

use clap::Args;
use serde_json::json;
use tokio::{sync::mpsc, time::Instant};

use super::{
    call::duration,
    deployed,
    ending::{Ended, Ending, Halt, of_call},
    global::Global,
    opened::Opened,
    out::{Out, Tint, complain},
    request::RequestArgs,
    signals::{interrupted, wait_for},
};
use crate::{
    model::{
        call::{CallProblem, Event, EventKind, Limits, Outcome, Request},
        connection::Connection,
    },
    runtime::registry,
    systems::{
        deployed::push::Absent,
        trustgraph::{
            agent::{self, Part, Told},
            deployed::push,
            dialogue::{Dialogue, Said, state_words},
        },
    },
    wire::deployed::catalog,
};

/// Events on their way at most.
const QUEUE: usize = 256;

/// As long as the gateway itself waits.
const PATIENCE: Duration = Duration::from_secs(600);

#[derive(Args, Debug)]
pub struct Agent {
    /// What to ask the agent
    question: String,

    #[command(flatten)]
    request: RequestArgs,

    /// How long the next message may take: 30s, 2m; else ten minutes
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
}

impl Agent {
    pub fn run(&self, global: &Global, out: &mut Out) -> Ended {
        let opened = Opened::read_aloud(global, out)?;
        let (connection, context) = (opened.settings.connections.current(), self.request.context(&opened));
        let correlation = uuid::Uuid::new_v4().to_string();
        let request = agent::request(&self.question, &context, &correlation, &connection)?;
        let items = deployed::read(&connection)?;
        let tools = catalog(&items);
        if let Err(cause) = push::plan(&tools, &items, Absent::Keep).map_or_else(|problem| Err(problem.cause), |push| push.loads)
        {
            out.warn(format_args!("TrustGraph cannot load its tools: {cause}; the agent has those of before, or none"));
        }
        let wait = self.timeout.unwrap_or(PATIENCE);
        let limits = Limits { first: wait, idle: wait, total: Duration::MAX / 4, linger: Duration::ZERO, ..Limits::default() };
        let told = Dialogue::new(tools, context);
        let dialogue = Telling { out, json: global.json, told, open: None, at_ms: 0 };
        wait_for("asking the agent", dialogue.run(connection, request, limits))
    }
}

/// Tells a dialogue to whoever reads the output.
struct Telling<'d> {
    out: &'d mut Out,
    json: bool,
    told: Dialogue,
    /// The text whose line is not ended.
    open: Option<Part>,
    at_ms: u64,
}

impl Telling<'_> {
    async fn run(mut self, connection: Connection, request: Request, limits: Limits) -> Ended {
        self.begin()?;
        let (registry, began) = (registry::of_system(), Instant::now());
        let (sender, mut events) = mpsc::channel::<Event>(QUEUE);
        let mut interrupt = pin!(interrupted());
        let mut call = pin!(registry.call(&connection, request, limits, sender));
        let mut running = true;
        loop {
            let event = tokio::select! {
                biased;
                () = &mut interrupt => {
                    self.at_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                    self.out.say("the agent goes on by itself: TrustGraph has no way to stop it");
                    return self.end(Outcome::Cancelled, None);
                }
                event = events.recv() => event,
                () = &mut call, if running => {
                    running = false;
                    continue;
                }
            };
            let Some(Event { at_ms, kind }) = event else { return Ok(Ending::Done) };
            self.at_ms = at_ms;
            match kind {
                EventKind::Chunk { text, .. } => self.take(&text)?,
                EventKind::Notice(words) => self.out.say(words),
                EventKind::End { outcome, problem } => return self.end(outcome, problem),
                EventKind::Sent { .. } | EventKind::Headers(_) | EventKind::Stage(_) | EventKind::Stray { .. } => {}
            }
        }
    }

    fn begin(&mut self) -> Result<(), Halt> {
        for words in self.told.warnings() {
            self.out.warn(words);
        }
        let Said::State { state, available } = self.told.now() else { return Ok(()) };
        self.tell_state("start", &state, &available)
    }

    fn tell_state(&mut self, event: &str, state: &str, available: &[String]) -> Result<(), Halt> {
        if self.json {
            let state = json!({"event": event, "at_ms": self.at_ms, "state": state, "available": available});
            return Ok(self.out.json_line(&state)?);
        }
        self.line("state", Tint::Dim, &state_words(state, available))
    }

    fn line(&mut self, label: &str, tint: Tint, text: &str) -> Result<(), Halt> {
        self.out.line(format_args!("{} {}", self.out.tint(Tint::Bold, &format!("{label:<11}")), self.out.tint(tint, text)))?;
        Ok(self.out.flush()?)
    }

    fn take(&mut self, message: &str) -> Result<(), Halt> {
        for said in self.told.take(message) {
            match said {
                Said::Told(Told::Action { tool, arguments }) if self.json => {
                    let action = json!({"event": "action", "at_ms": self.at_ms, "tool": tool, "arguments": arguments});
                    self.out.json_line(&action)?;
                }
                Said::Told(Told::Action { tool, arguments }) => self.line("action", Tint::Odd, &format!("{tool} {arguments}"))?,
                Said::Told(Told::Text { part, text, ends }) => self.text(part, &text, ends)?,
                Said::Note(words) => self.out.say(words),
                Said::State { state, available } => self.tell_state("state", &state, &available)?,
            }
        }
        Ok(())
    }

    fn text(&mut self, part: Part, text: &str, ends: bool) -> Result<(), Halt> {
        if self.json {
            let piece = json!({"event": part.word(), "at_ms": self.at_ms, "text": text, "last": ends});
            return Ok(self.out.json_line(&piece)?);
        }
        if self.open != Some(part) && !(text.is_empty() && ends) {
            let label = self.out.tint(Tint::Bold, &format!("{:<11}", part.word()));
            self.out.raw_start(&label)?;
            self.open = Some(part);
        }
        self.out.raw(text)?;
        if ends && self.open.take().is_some() {
            self.out.line("")?;
        }
        Ok(self.out.flush()?)
    }

    fn end(&mut self, outcome: Outcome, problem: Option<CallProblem>) -> Ended {
        if self.open.take().is_some() {
            self.out.line("")?;
        }
        if self.json {
            let error = problem
                .as_ref()
                .map(|problem| json!({"type": problem.kind, "message": problem.message, "remedy": problem.remedy}));
            self.out.json_line(&json!({"event": "end", "at_ms": self.at_ms, "outcome": outcome.word(), "error": error}))?;
        }
        self.out.flush()?;
        if let Some(problem) = problem.filter(|_| !self.json) {
            complain(&of_call(outcome, problem, "asking the agent"));
        }
        Ok(Ending::of_call(outcome))
    }
}
