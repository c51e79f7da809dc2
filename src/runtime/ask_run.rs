//! Runs of ask cases: a model, or what was recorded of one, chooses among the tools, and its calls
//! are answered as the case says.

use futures::future::BoxFuture;

use super::agent_loop::{AgentHost, AgentOutcome, AgentWorld, ModelSource, PlannedCall};
use crate::{
    engine::{
        agent_loop::{
            decision::Decision,
            event::AgentEvent,
            recording::{RecordedResult, Recording},
            run::AgentStart,
            turn::Usage,
        },
        case::{
            ask::AskCase,
            choice::{AskVerdict, ObservedCall, ObservedRun, judge_run},
        },
        stub::mock::{MockOptions, MockSource},
    },
    model::context::Context,
    wire::model_endpoint::ModelEndpoint,
};

/// What one run gave.
pub(crate) struct TriedRun {
    pub observed: ObservedRun,
    pub recording: Recording,
    pub usage: Option<Usage>,
}

/// Runs a case once: with what is recorded, else with the model.
pub(crate) async fn try_run(
    world: &AgentWorld<'_>,
    case: &AskCase,
    context: Context,
    recording: Option<Recording>,
    model: Option<&ModelEndpoint>,
) -> TriedRun {
    let start = AgentStart {
        question: case.question.clone(),
        system: case.system.clone(),
        context,
        mode: world.settings.mode,
        max_turns: case.max_turns,
    };
    let is_recorded = recording.is_some();
    let source = match (recording, model) {
        (Some(recording), _) => ModelSource::Recorded(recording),
        (None, Some(model)) => ModelSource::Endpoint(model),
        (None, None) => ModelSource::Recorded(Recording::default()),
    };
    let mut host =
        CaseHost { case, is_recorded, world, calls: Vec::new(), recording: Recording::default() };
    let outcome = world.run_agent(start, source, &mut host).await;
    let CaseHost { calls, recording, .. } = host;
    TriedRun { usage: outcome.run.usage(), observed: observed(&outcome, calls), recording }
}

/// What comes of a case's recorded runs with the tools as they are now.
pub(crate) async fn judge_recorded(
    world: &AgentWorld<'_>,
    case: &AskCase,
    context: Context,
    runs: Vec<Recording>,
) -> AskVerdict {
    let mut verdict = AskVerdict::default();
    for recording in runs {
        let tried = try_run(world, case, context.clone(), Some(recording), None).await;
        verdict.runs.push(judge_run(case, &tried.observed));
    }
    limit_pass(&mut verdict, case);
    verdict
}

/// Of fewer runs as large a part has to hold.
pub(crate) fn limit_pass(verdict: &mut AskVerdict, case: &AskCase) {
    let count = u32::try_from(verdict.runs.len()).unwrap_or(u32::MAX);
    verdict.pass = case.pass.min(count);
}

fn observed(outcome: &AgentOutcome, calls: Vec<ObservedCall>) -> ObservedRun {
    let problem = outcome.problem().map(|problem| problem.message);
    ObservedRun {
        calls,
        answer: outcome.run.answer().to_owned(),
        state: outcome.run.state().to_owned(),
        problem,
        took_ms: outcome.took_ms,
    }
}

/// Watches a run, and answers its calls as the case says.
struct CaseHost<'h, 'w> {
    case: &'h AskCase,
    is_recorded: bool,
    world: &'h AgentWorld<'w>,
    calls: Vec<ObservedCall>,
    recording: Recording,
}

impl AgentHost for CaseHost<'_, '_> {
    fn handle_event(&mut self, _: u64, event: &AgentEvent) {
        match event {
            AgentEvent::Called { tool, arguments, fault, .. } => self.calls.push(ObservedCall {
                tool: tool.clone(),
                key: self.world.key_of(tool).unwrap_or(tool).to_owned(),
                arguments: arguments.clone(),
                fault: fault.clone(),
            }),
            AgentEvent::Replied { reply, .. } => self.recording.replies.push_back(reply.clone()),
            AgentEvent::Returned { tool, answered, outcome, text, .. } if answered.is_answer() => {
                self.recording.results.push_back(RecordedResult {
                    tool: tool.clone(),
                    outcome: *outcome,
                    text: text.clone(),
                });
            }
            _ => {}
        }
    }

    fn decide<'h>(&'h mut self, planned: PlannedCall<'h>) -> BoxFuture<'h, Decision> {
        let answers = &self.case.answers;
        let given =
            answers.get(&planned.call.name).or_else(|| answers.get(&planned.tool.entry.key));
        let decision = match given {
            _ if self.is_recorded => Decision::Recorded,
            Some(text) => Decision::Mock(mock_text(text)),
            None if self.case.calls_tools => Decision::Call,
            None => Decision::Mock(MockOptions { pieces: 1, ..MockOptions::default() }),
        };
        Box::pin(std::future::ready(decision))
    }
}

fn mock_text(text: &str) -> MockOptions {
    MockOptions { source: MockSource::Text(text.to_owned()), pieces: 1, ..MockOptions::default() }
}
