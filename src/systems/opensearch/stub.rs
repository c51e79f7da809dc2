//! Runs kept as stubs: each path that a step asked for with the answer that came, so that a cluster
//! of stubs answers the same run once more; of an agent that the cluster ran, its answer.

use serde_json::{Map, Value};

use super::{
    calls::{LOCAL, OpenSearchCalls},
    cluster::{answer::ClusterRequest, stubs::stub_arguments},
    error_shapes::is_failure,
    steps::order::RunOrder,
};
use crate::{
    engine::{mask::Mask, services::sample::Asking, stub::record},
    model::{
        call::{Call, CallError, CallState, Event, EventKind, Outcome},
        clock::Millis,
        error_kind::ErrorKind,
        problem::{Problem, ProblemKind},
        stub::{Rule, Stub, StubService},
        trace::Trace,
    },
    systems::facets::{
        steps::{SentStep, StepReport, StepResult, Steps},
        stubs::Stubs,
    },
};

/// A call as far as a stub is made of it.
struct StubSource<'c> {
    tool: &'c str,
    to: &'c str,
    body: &'c str,
    text: &'c str,
    stages: Vec<(String, String)>,
    /// Its events, where none holds a secret.
    events: Vec<Event>,
}

impl Stubs for OpenSearchCalls {
    fn of_call(&self, call: &Call, mask: &Mask) -> Result<Vec<StubService>, Problem> {
        let masked = |text: &str| mask.mask_text(text).into_owned();
        let stages = call.stage_bodies().into_iter();
        let whole = call.text.whole();
        let text = masked(&whole);
        // A secret may be split over several pieces.
        let is_plain = text == *whole;
        let shown = call.events.iter().filter(|_| is_plain);
        let with_text =
            |event| call.event_with_text(event).map_text(|text| text.into_owned().into());
        let source = StubSource {
            tool: &call.request.name,
            to: &call.request.to,
            body: &masked(&call.request.body),
            text: &text,
            events: shown.map(with_text).collect(),
            stages: stages.map(|(name, body)| (name, masked(&body))).collect(),
        };
        let problem = match &call.state {
            CallState::Ended { problem, .. } => problem.as_ref(),
            _ => None,
        };
        source.build_services(call.outcome(), problem)
    }

    fn of_trace(&self, trace: &Trace, text: &str) -> Result<Vec<StubService>, Problem> {
        let end = trace.events.iter().find_map(|event| match &event.kind {
            EventKind::End { outcome, problem } => Some((*outcome, problem.as_ref())),
            _ => None,
        });
        let (head, stages) = (&trace.head, trace.stage_bodies());
        let (tool, to, body) = (&*head.tool, &*head.to, &*head.body);
        let source = StubSource { tool, to, body, text, stages, events: trace.events.clone() };
        source.build_services(end.map(|(outcome, _)| outcome), end.and_then(|(_, problem)| problem))
    }
}

impl StubSource<'_> {
    fn build_services(
        &self,
        outcome: Option<Outcome>,
        problem: Option<&CallError>,
    ) -> Result<Vec<StubService>, Problem> {
        if self.to != LOCAL {
            let events = self.answer_events(outcome, problem);
            let arguments = RunOrder::from_body(self.body).map(|order| order.arguments);
            let rule = self.build_rule(self.tool, &arguments.unwrap_or_default(), &events)?;
            let service = StubService { name: self.tool.to_owned(), ..StubService::default() };
            return Ok(vec![StubService { rules: vec![rule], ..service }]);
        }
        let mut stub = Stub::default();
        for report in OpenSearchCalls.report_steps(&self.stages) {
            let StepReport { name, sent: Some(sent), result: Some(result), .. } = report else {
                continue;
            };
            record::add_service(&mut stub, self.build_service(&name, &sent, &result)?);
        }
        match stub.services.is_empty() {
            true => Err(self.refused("no step of it was answered".into())),
            false => Ok(stub.services),
        }
    }

    /// The pieces of an answer that was streamed, with their times, and its end; an answer of which
    /// not all pieces are there is one.
    fn answer_events(&self, outcome: Option<Outcome>, problem: Option<&CallError>) -> Vec<Event> {
        let is_piece =
            |event: &&Event| matches!(event.kind, EventKind::Sent { .. } | EventKind::Chunk { .. });
        let pieces: Vec<Event> = self.events.iter().filter(is_piece).cloned().collect();
        if answer_of(&pieces) != self.text {
            return end_events(self.text, outcome, problem.cloned());
        }
        let end = end_events("", outcome, problem.cloned());
        pieces.into_iter().chain(end).collect()
    }

    /// The path of a step, and the answer to what it sent. It is named by the path, so that answers
    /// of other runs there come to it.
    fn build_service(
        &self,
        step: &str,
        sent: &SentStep,
        result: &StepResult,
    ) -> Result<StubService, Problem> {
        let body = sent.body.as_deref().unwrap_or_default();
        let request = ClusterRequest::from_target(&sent.method, &sent.path, body, Millis(0));
        let events = match u16::try_from(result.status).ok().filter(|status| is_failure(*status)) {
            Some(status) => {
                let message = result.problem.as_deref().unwrap_or_default();
                let message = message.strip_prefix(&format!("HTTP {status}: ")).unwrap_or(message);
                let kind = ErrorKind::parse(&status.to_string());
                let problem = CallError::new(kind, message.to_owned(), "");
                end_events("", Some(Outcome::Failed), Some(problem))
            }
            None => end_events(&result.raw, Some(Outcome::Succeeded), None),
        };
        let rule = self.build_rule(step, &stub_arguments(&request), &events)?;
        Ok(StubService {
            name: request.path.clone(),
            request: Some(request.path),
            rules: vec![rule],
            ..StubService::default()
        })
    }

    fn build_rule(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        events: &[Event],
    ) -> Result<Rule, Problem> {
        let asking = Asking { user: "", config: &Map::new(), arguments };
        let text = answer_of(events);
        record::recorded_rule(name, &asking, events.iter(), &text).map_err(|why| self.refused(why))
    }

    fn refused(&self, cause: String) -> Problem {
        let doing = format!("keeping a call of {} as a stub", self.tool);
        Problem::new(ProblemKind::Input, doing, cause).with_remedy("keep a call that was answered")
    }
}

fn answer_of(events: &[Event]) -> String {
    let of = |event: &Event| match &event.kind {
        EventKind::Chunk { text, .. } => text.to_string(),
        _ => String::new(),
    };
    events.iter().map(of).collect()
}

/// What comes of a call that is answered in one piece.
fn end_events(text: &str, outcome: Option<Outcome>, problem: Option<CallError>) -> Vec<Event> {
    let chunk = EventKind::Chunk { bytes: text.len(), text: text.into() };
    let end = outcome.map(|outcome| EventKind::End { outcome, problem });
    let kinds = (!text.is_empty()).then_some(chunk).into_iter().chain(end);
    kinds.map(|kind| Event { at_ms: 0, kind }).collect()
}
