//! Runs of a model for the screen: each on a task of its own, what happens as messages, and
//! decisions back to it.

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    agent_loop::{AgentHost, AgentWorld, BegunRun, ModelSource, PlannedCall},
    ask_run::judge_recorded,
};
use crate::{
    app::{
        agent_run::{
            AgentEffect, AgentMessage, CaseTask, PlannedCall as ShownCall, RunEnd, RunNews,
            RunTask, TaskSource, TaskStart, TaskWorld,
        },
        message::Message,
    },
    engine::agent_loop::{decision::Decision, event::AgentEvent},
    model::{
        call::{CallError, Limits, Outcome},
        error_kind::ErrorKind,
    },
    store::history::History,
    systems::model_settings::ModelSettings,
    wire::{
        model_endpoint::{ModelEndpoint, PATIENCE},
        registry::Registry,
        spawning::spawn,
    },
};

/// How much news travels in one message at most.
const NEWS: usize = 256;

/// The runs that are under way, by turn.
#[derive(Default)]
pub(super) struct ModelRuns(HashMap<u64, Running>);

struct Running {
    decisions: mpsc::UnboundedSender<Decision>,
    stop: CancellationToken,
}

impl Drop for ModelRuns {
    fn drop(&mut self) {
        self.0.values().for_each(|running| running.stop.cancel());
    }
}

/// What all runs share.
pub(super) struct Shared {
    pub registry: Arc<Registry>,
    pub history: Arc<History>,
    pub limits: Limits,
    pub messages: mpsc::Sender<Message>,
}

impl ModelRuns {
    /// Does what is asked; never waits.
    pub fn perform(&mut self, effect: AgentEffect, shared: impl FnOnce() -> Shared) {
        match effect {
            AgentEffect::Begin(task) => self.begin(*task, shared()),
            AgentEffect::Decide { turn, decision } => {
                if let Some(running) = self.0.get(&turn) {
                    // A run that has ended needs no decision.
                    let _ = running.decisions.send(*decision);
                }
            }
            AgentEffect::TryCase(task) => drop(spawn(try_case(*task, shared()))),
            AgentEffect::Stop(turn) => {
                if let Some(running) = self.0.remove(&turn) {
                    running.stop.cancel();
                }
            }
        }
    }

    fn begin(&mut self, task: RunTask, shared: Shared) {
        let (decisions, decided) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        self.0.retain(|_, running| !running.decisions.is_closed());
        self.0.insert(task.turn, Running { decisions, stop: stop.clone() });
        let (turn, messages) = (task.turn, shared.messages.clone());
        let (tell, mut told) = mpsc::unbounded_channel();
        spawn(run_task(task, shared, ScreenHost { tell, decided, stop }));
        spawn(async move {
            let mut batch = Vec::with_capacity(NEWS);
            while told.recv_many(&mut batch, NEWS).await > 0 {
                let news = std::mem::take(&mut batch);
                // The loop may have ended; then nobody needs to know.
                if messages.send(Message::Agent(AgentMessage::News { turn, news })).await.is_err() {
                    return;
                }
            }
        });
    }
}

/// Reports to the screen what happens, and waits for its decisions.
struct ScreenHost {
    tell: mpsc::UnboundedSender<RunNews>,
    decided: mpsc::UnboundedReceiver<Decision>,
    stop: CancellationToken,
}

impl ScreenHost {
    fn tell(&self, news: RunNews) {
        // Nobody looks any more.
        let _ = self.tell.send(news);
    }
}

impl AgentHost for ScreenHost {
    fn handle_event(&mut self, at_ms: u64, event: &AgentEvent) {
        self.tell(RunNews::Happened { at_ms, event: event.clone() });
    }

    fn decide<'h>(&'h mut self, planned: PlannedCall<'h>) -> BoxFuture<'h, Decision> {
        self.tell(RunNews::Waits(Box::new(ShownCall {
            call: planned.call.clone(),
            tool: planned.tool.id().clone(),
            state: planned.state.to_owned(),
            fault: planned.fault.cloned(),
        })));
        Box::pin(async move {
            tokio::select! {
                biased;
                () = self.stop.cancelled() => Decision::Stop,
                decision = self.decided.recv() => decision.unwrap_or(Decision::Stop),
            }
        })
    }
}

async fn run_task(task: RunTask, shared: Shared, mut host: ScreenHost) {
    let RunTask { source, start, world, .. } = task;
    let mut world = agent_world(&world, &shared);
    world.stop = host.stop.clone();
    let endpoint;
    let source = match source {
        TaskSource::Recorded(recording) => ModelSource::Recorded(recording),
        TaskSource::Model(connection) => {
            let Some(model) = ModelSettings::from_connection(&connection) else {
                return host.tell(RunNews::Ended(Box::new(no_model(&connection.name))));
            };
            endpoint = ModelEndpoint::new(*connection, model, PATIENCE);
            ModelSource::Endpoint(&endpoint)
        }
    };
    let outcome = match start {
        TaskStart::Question(start) => world.run_agent(start, source, &mut host).await,
        TaskStart::Branch { run, past, branch } => {
            let begun = BegunRun { run: *run, past };
            world.go_on(begun, Some(branch), source, &mut host).await
        }
    };
    host.tell(RunNews::Ended(Box::new(RunEnd {
        outcome: outcome.outcome(),
        problem: outcome.problem(),
        took_ms: outcome.took_ms,
        trace: outcome.trace,
    })));
}

fn agent_world<'w>(world: &'w TaskWorld, shared: &'w Shared) -> AgentWorld<'w> {
    let TaskWorld { catalog, tools, settings, user, routes, mocks, stubs } = world;
    let mut made = AgentWorld::new(catalog, tools, settings, &shared.registry);
    made.caller.history = Some(Arc::clone(&shared.history));
    // What comes too late is of no use to a model that waits.
    made.caller.limits = Limits { linger: Duration::ZERO, ..shared.limits };
    made.caller.user.clone_from(user);
    made.caller.routes.clone_from(routes);
    made.caller.stubs.clone_from(stubs);
    made.mocks.clone_from(mocks);
    made
}

async fn try_case(task: CaseTask, shared: Shared) {
    let CaseTask { file, case, context, runs, world } = task;
    let verdict = judge_recorded(&agent_world(&world, &shared), &case, context, runs).await;
    let tried = AgentMessage::CaseTried { file, verdict: Box::new(verdict) };
    // The loop may have ended; then nobody needs to know.
    let _ = shared.messages.send(Message::Agent(tried)).await;
}

fn no_model(connection: &str) -> RunEnd {
    let message = format!("the connection \"{connection}\" leads to no model");
    let remedy = "add a table model with its name to the connection";
    RunEnd {
        outcome: Outcome::Failed,
        problem: Some(CallError::new(ErrorKind::Missing, message, remedy)),
        took_ms: 0,
        trace: None,
    }
}
