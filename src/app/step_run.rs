//! The steps of a tool's request, and what came of each in this session.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{calls::CallPart, edited_text::EditedText, state::State};
use crate::{
    model::{
        call::{Call, CallId},
        entry::EntryId,
    },
    systems::{
        calling,
        facets::steps::{StepChoice, StepPreview, StepReport, Steps},
    },
};

/// How far the newest run is with a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepProgress {
    /// It was not run, or not since a step before it.
    Waiting,
    Running,
    Ran,
    Failed,
    /// The run stopped before it, and goes on there.
    Next,
}

/// What the steps of a tool depend on: while it is the same, so are they.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepsRevision {
    tool: EntryId,
    generation: u64,
    arguments: u64,
    route: Option<String>,
    connection: String,
    /// The calls of the tool, with how many events they have.
    calls: Vec<(CallId, usize)>,
    breaks: BTreeSet<String>,
}

impl StepsRevision {
    #[must_use]
    pub fn of_tool(state: &State, tool: &EntryId) -> Self {
        let arguments = state.typed_text(tool, CallPart::Arguments);
        let calls = state.invoke.calls.calls_of(tool).map(|call| (call.id, call.events.len()));
        Self {
            tool: tool.clone(),
            generation: state.generation,
            arguments: arguments.map_or(0, EditedText::revision),
            route: state.network.route_of(tool).map(str::to_owned),
            connection: state.connection_of(tool).name,
            calls: calls.collect(),
            breaks: state.invoke.breakpoints.get(tool).cloned().unwrap_or_default(),
        }
    }
}

/// What steps of the tool stored in its newest call that stored anything.
#[must_use]
pub fn stored_outputs(state: &State, steps: &dyn Steps, tool: &EntryId) -> Map<String, Value> {
    let outputs = |call: &Call| steps.outputs_of(&call.request.body, &call.stage_bodies());
    let mut stored = state.invoke.calls.calls_of(tool).map(outputs);
    stored.find(|outputs| !outputs.is_empty()).unwrap_or_default()
}

/// The steps of a tool's request, each as it would be sent, with what came of it.
#[derive(Clone, Debug, Default)]
pub struct StepRun {
    pub steps: Vec<StepPreview>,
    /// Why there are none, where the tool cannot be called so.
    pub refusal: Option<String>,
    /// In the order of their numbers.
    reports: Vec<StepReport>,
    breaks: BTreeSet<String>,
    is_under_way: bool,
}

impl StepRun {
    /// The steps of a tool with the arguments that are typed for it and with what its newest calls
    /// stored; none where its request has
    /// none that are run here.
    ///
    /// The newest call says of its steps what came of them; of those before its first one, the
    /// call says it that it went on from.
    #[must_use]
    pub fn of_tool(state: &State, tool: &EntryId) -> Self {
        let mut run = Self::default();
        let request = match state.build_request(tool) {
            Ok(request) => request,
            Err(problem) => return Self { refusal: Some(problem.cause), ..run },
        };
        let Some(steps) = calling::steps_of(&request) else { return run };
        let route = calling::request_route(&request);
        // What is stored is seen already, so that a step shows what trying it now would send.
        let outputs = stored_outputs(state, steps, tool);
        let with_outputs =
            steps.choose_steps(request.clone(), &StepChoice { outputs, ..StepChoice::default() });
        match steps.preview_steps(&with_outputs.unwrap_or(request)) {
            Ok(steps) => run.steps = steps,
            Err(why) => run.refusal = Some(why),
        }
        run.breaks = state.invoke.breakpoints.get(tool).cloned().unwrap_or_default();
        let newest = state.invoke.calls.latest_of(tool);
        run.is_under_way = newest.is_some_and(|call| call.outcome().is_none());
        // What came of a call by another route is not about these steps.
        let calls = state.invoke.calls.calls_of(tool);
        let calls = calls.take_while(|call| calling::request_route(&call.request) == route);
        for call in calls {
            let first = run.reports.first().map_or(usize::MAX, |report| report.number);
            let mut earlier = steps.report_steps(&call.stage_bodies());
            earlier.retain(|report| report.number < first);
            run.reports.splice(0..0, earlier);
            if run.reports.first().is_some_and(|report| report.number <= 1) {
                break;
            }
        }
        run
    }

    /// What came of a step, from 0.
    #[must_use]
    pub fn report_of(&self, row: usize) -> Option<&StepReport> {
        let at = self.reports.binary_search_by_key(&(row + 1), |report| report.number).ok()?;
        self.reports.get(at)
    }

    /// Whether runs stop before a step, from 0.
    #[must_use]
    pub fn has_break(&self, row: usize) -> bool {
        self.steps.get(row).is_some_and(|step| self.breaks.contains(&step.name))
    }

    /// How far the newest run is with a step, from 0.
    #[must_use]
    pub fn progress_of(&self, row: usize) -> StepProgress {
        let is_last = self.reports.last().is_some_and(|last| last.number == row + 1);
        match self.report_of(row) {
            Some(report) if report.has_succeeded() => StepProgress::Ran,
            Some(_) if is_last && self.is_under_way => StepProgress::Running,
            Some(_) => StepProgress::Failed,
            None if self.stopped_at() == Some(row) => StepProgress::Next,
            None => StepProgress::Waiting,
        }
    }

    /// The step, from 0, that the newest run did not get past: the first without a result; `None`
    /// where none was run, all were, or the run is under way.
    #[must_use]
    pub fn stopped_at(&self) -> Option<usize> {
        let last = self.reports.last().filter(|_| !self.is_under_way)?;
        let next = if last.has_succeeded() { last.number } else { last.number.checked_sub(1)? };
        (next < self.steps.len()).then_some(next)
    }

    /// The last step to be run by a run that begins at a step: the one before the next breakpoint.
    #[must_use]
    pub fn last_before_break(&self, from: usize) -> Option<usize> {
        let next = (from + 1..self.steps.len()).find(|row| self.has_break(*row))?;
        next.checked_sub(1)
    }
}
