//! `toolcrib agent`: asks TrustGraph's agent and says its steps as they come, with the state and
//! the tools after each.

use std::{pin::pin, time::Duration};

use clap::{Args, builder::PossibleValuesParser};
use serde_json::json;
use tokio::{sync::mpsc, time::Instant};

use super::{
    arguments::parse_duration,
    deployed,
    ending::{CommandResult, Ending, StopReason, end_event, of_call},
    global::Global,
    opened::OpenWorkspace,
    out::{CommandOutput, Tint, print_problem},
    request::RequestArgs,
    signals::{interrupted, wait_for},
    variable_options::VariableOptions,
};
use crate::{
    engine::{
        mask::Mask,
        template,
        transcript::{offered_words, state_words},
    },
    model::{
        agent::{AgentOutput, AgentQuestion, AgentReport, Part},
        call::{CallError, Event, EventKind, Limits, Outcome, Request},
        connection::Connection,
        error_kind::ErrorKind,
    },
    runtime::registry,
    store::secrets,
    systems::agents,
    wire::{agent, now::elapsed_ms, systems::facets::agent::AgentRun},
};

/// Events on their way at most.
const QUEUE: usize = 256;

#[derive(Args, Debug)]
pub(crate) struct Agent {
    /// What to ask the agent
    question: String,

    #[command(flatten)]
    request: RequestArgs,

    #[command(flatten)]
    variables: VariableOptions,

    /// The agent's pattern; by default the agent chooses
    #[arg(long, value_name = "PATTERN", value_parser = PossibleValuesParser::new(agents::patterns()))]
    pattern: Option<String>,

    /// The collection for tools that name none; by default TrustGraph's, "default"
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,

    /// The broker behind the gateway, by name in toolcrib.toml or address; shows the tools that the
    /// model is offered, and the agent's own errors
    #[arg(long, value_name = "NAME|URL")]
    broker: Option<String>,

    /// The time limit for the next message: 30s, 2m; by default ten minutes
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,
}

impl Agent {
    pub fn run(&self, global: &Global, out: &mut CommandOutput) -> CommandResult {
        let mut opened = OpenWorkspace::read_connected(global, None, out)?;
        let named = template::variable_names(&self.question);
        self.variables.give_all(&mut opened.settings.connections, named, out)?;
        let connections = &opened.settings.connections;
        let mut connection = connections.current();
        let agent = agents::find_agent(&connection)?;
        if let Some(broker) = &self.broker {
            connection = agent.broker_connection(&connection, connections, broker)?;
        }
        let asked = AgentQuestion {
            question: self.question.clone(),
            context: self.request.context(&opened),
            pattern: self.pattern.clone(),
            collection: self.collection.clone(),
        };
        let correlation = uuid::Uuid::new_v4().to_string();
        let request = agent.question_request(&asked, &correlation, &connection)?;
        let items = deployed::read_items(&connection)?;
        let run = agent::begin_run(request.system, &asked, &items)?;
        if let Some(words) = run.load_problem() {
            out.warn(words);
        }
        let wait = self.timeout.unwrap_or(agent::PATIENCE);
        let limits = agent::run_limits(wait, "give it more time with --timeout");
        let mask = secrets::build_mask(&connections.known);
        let dialogue = Telling { out, json: global.json, open: None, at_ms: 0 };
        wait_for(
            "asking the agent",
            dialogue.run_agent(run, connection, Question { request, limits }, mask),
        )
    }
}

/// The call that asks the agent.
struct Question {
    request: Request,
    limits: Limits,
}

/// Reports a dialogue to whoever reads the output.
struct Telling<'d> {
    out: &'d mut CommandOutput,
    json: bool,
    /// The text whose line is not ended.
    open: Option<Part>,
    at_ms: u64,
}

impl Telling<'_> {
    async fn run_agent(
        mut self,
        mut agent: Box<dyn AgentRun>,
        connection: Connection,
        Question { request, limits }: Question,
        mask: Mask,
    ) -> CommandResult {
        self.print_start(&*agent)?;
        let registry = registry::of_system();
        let mut interrupt = pin!(interrupted());
        tokio::select! {
            biased;
            () = &mut interrupt => return Ok(Ending::Interrupted),
            listening = agent.subscribe(&registry, &connection, mask) => if let Err(problem) = listening {
                self.out.warn(format_args!("not connected to the broker: {}; \
                    {}", problem.cause, problem.remedy));
            },
        }
        let began = Instant::now();
        let (sender, mut events) = mpsc::channel::<Event>(QUEUE);
        let mut call = registry.run_call(&connection, request, limits, sender);
        let mut running = true;
        let ended = loop {
            let event = tokio::select! {
                biased;
                () = &mut interrupt => {
                    self.at_ms = elapsed_ms(began);
                    self.out.print_status("the agent keeps running: TrustGraph has no way to stop \
                        it");
                    break self.print_end(Outcome::Cancelled, None);
                }
                event = events.recv() => event,
                () = &mut call, if running => {
                    running = false;
                    continue;
                }
                said = agent.next_overheard() => {
                    self.at_ms = elapsed_ms(began);
                    self.print_events(said)?;
                    continue;
                }
            };
            let Some(Event { at_ms, kind }) = event else { break Ok(Ending::Done) };
            self.at_ms = at_ms;
            match kind {
                EventKind::Chunk { text, .. } => {
                    let said = agent.handle_message(&text);
                    self.print_events(said)?;
                }
                EventKind::Notice(words) => self.out.print_status(words),
                EventKind::End { outcome, problem: Some(problem) }
                    if problem.kind == ErrorKind::AgentError =>
                {
                    let (said, problem) = agent.explain_failure(problem).await;
                    self.print_events(said)?;
                    break self.print_end(outcome, Some(problem));
                }
                EventKind::End { outcome, problem } => break self.print_end(outcome, problem),
                EventKind::Sent { .. }
                | EventKind::Headers { .. }
                | EventKind::Stage(_)
                | EventKind::Stray { .. } => {}
            }
        };
        agent.unsubscribe().await;
        ended
    }

    fn print_start(&mut self, agent: &dyn AgentRun) -> Result<(), StopReason> {
        for words in agent.warnings() {
            self.out.warn(words);
        }
        let AgentReport::State { state, available } = agent.current_state() else { return Ok(()) };
        self.tell_state("start", &state, &available)
    }

    fn tell_state(
        &mut self,
        event: &str,
        state: &str,
        available: &[String],
    ) -> Result<(), StopReason> {
        if self.json {
            let state = json!({"event": event, "at_ms": self.at_ms, "state": state, "available": available});
            return Ok(self.out.json_line(&state)?);
        }
        self.print_line("state", Tint::Dim, &state_words(state, available))
    }

    fn print_line(&mut self, label: &str, tint: Tint, text: &str) -> Result<(), StopReason> {
        if self.open.take().is_some() {
            self.out.print_line("")?;
        }
        self.out.print_line(format_args!(
            "{} {}",
            self.out.tint(Tint::Bold, &format!("{label:<11}")),
            self.out.tint(tint, text)
        ))?;
        Ok(self.out.flush()?)
    }

    fn print_events(&mut self, said: Vec<AgentReport>) -> Result<(), StopReason> {
        for said in said {
            match said {
                AgentReport::Told(AgentOutput::Action { tool, arguments }) if self.json => {
                    let action = json!({"event": "action", "at_ms": self.at_ms, "tool": tool, "arguments": arguments});
                    self.out.json_line(&action)?;
                }
                AgentReport::Told(AgentOutput::Action { tool, arguments }) => {
                    self.print_line("action", Tint::Odd, &format!("{tool} {arguments}"))?;
                }
                AgentReport::Told(AgentOutput::Text { part, text, ends }) => {
                    self.print_text(part, &text, ends)?;
                }
                AgentReport::Note(words) => self.out.print_status(words),
                AgentReport::State { state, available } => {
                    self.tell_state("state", &state, &available)?;
                }
                AgentReport::Offered { steps, tools } if self.json => {
                    self.out.json_line(&json!({"event": "offered", "at_ms": self.at_ms, "steps": steps, "tools": tools}))?;
                }
                AgentReport::Offered { tools, .. } => {
                    self.print_line("offered", Tint::Dim, &offered_words(&tools))?;
                }
            }
        }
        Ok(())
    }

    fn print_text(&mut self, part: Part, text: &str, ends: bool) -> Result<(), StopReason> {
        if self.json {
            let piece =
                json!({"event": part.as_str(), "at_ms": self.at_ms, "text": text, "last": ends});
            return Ok(self.out.json_line(&piece)?);
        }
        if self.open != Some(part) && !(text.is_empty() && ends) {
            let label = self.out.tint(Tint::Bold, &format!("{:<11}", part.as_str()));
            self.out.raw_start(&label)?;
            self.open = Some(part);
        }
        self.out.print_raw(text)?;
        if ends && self.open.take().is_some() {
            self.out.print_line("")?;
        }
        Ok(self.out.flush()?)
    }

    fn print_end(&mut self, outcome: Outcome, problem: Option<CallError>) -> CommandResult {
        if self.open.take().is_some() {
            self.out.print_line("")?;
        }
        if self.json {
            self.out.json_line(&end_event(self.at_ms, outcome, problem.as_ref()))?;
        }
        self.out.flush()?;
        let ending = Ending::of_call(outcome, problem.as_ref());
        if let Some(problem) = problem.filter(|_| !self.json) {
            print_problem(&of_call(outcome, problem, "asking the agent"));
        }
        Ok(ending)
    }
}
