//! A call whose steps are made here: each is rendered, sent, read, and what it stores goes to the
//! next. What is sent and what comes of it is reported step by step.

use std::ops::ControlFlow;

use serde_json::{Value, json};

use super::rest::{Answer, RestClient};
use crate::{
    model::{
        call::{CallError, EventKind, Outcome},
        error_kind::ErrorKind,
        size,
    },
    systems::opensearch::{
        calls::{STEP_ANSWER, STEP_PROBLEM, STEP_REQUEST},
        steps::{
            answer::{StepAnswer, read_answer},
            order::RunOrder,
            plan::Plan,
            prepare::{PreparedStep, StepRequest, left_open_remark, prepare_step},
            state::RunState,
        },
    },
    wire::{
        session::event_sink::{CallEnd, EventSink, SinkClosed},
        systems::facets::multi_step::CallContext,
    },
};

/// Makes the steps that the request asks for; the last one's output is the answer.
pub(crate) async fn run_steps(
    context: CallContext<'_>,
    sink: &mut EventSink,
) -> Result<CallEnd, SinkClosed> {
    let refused = |cause: String| {
        (Outcome::Failed, Some(CallError::new(ErrorKind::BadRequest, cause, "correct the tool")))
    };
    let Some(order) = RunOrder::from_body(&context.request.body) else {
        return Ok(refused("the request has no steps".into()));
    };
    let plan = match order.read_plan() {
        Ok(plan) => plan,
        Err(why) => return Ok(refused(why)),
    };
    let mut run = Run {
        rest: RestClient::new(&context),
        largest: context.limits.answer,
        state: order.begin(),
        behind: order.behind.clone(),
        plan,
        has_sent: false,
    };
    let mut last = None;
    for number in order.step_numbers(run.plan.steps.len()) {
        match run.make_step(number, sink).await? {
            ControlFlow::Continue(answer) => last = Some(answer),
            ControlFlow::Break(end) => return Ok(end),
        }
    }
    let Some(answer) = last else { return Ok(refused("no steps left to run".into())) };
    let text = answer.stored.filtered;
    sink.emit(EventKind::Chunk { bytes: text.len(), text: text.into() }).await?;
    Ok((Outcome::Succeeded, None))
}

struct Run<'r> {
    rest: RestClient<'r>,
    /// How many bytes an answer may have.
    largest: u64,
    state: RunState,
    /// Connectors and models of the workspace.
    behind: Vec<Value>,
    plan: Plan,
    has_sent: bool,
}

impl Run<'_> {
    /// Makes one step, and keeps its output for those after it.
    async fn make_step(
        &mut self,
        number: usize,
        sink: &mut EventSink,
    ) -> Result<ControlFlow<CallEnd, StepAnswer>, SinkClosed> {
        let Some(step) = self.plan.steps.get(number).cloned() else {
            return Ok(ControlFlow::Break((Outcome::Failed, None)));
        };
        let prepared = prepare_step(number, &step, &self.state).with_remote(&step, &self.behind);
        let title = format!("step {} of {}, {}", number + 1, self.plan.steps.len(), step.called());
        let body = prepared.to_json().to_string();
        let line = match &prepared.request {
            Ok(request) => format!("{title}: {} {}", request.method, request.path),
            Err(why) => format!("{title} cannot be sent: {why}"),
        };
        sink.emit_stage(STEP_REQUEST, line, body).await?;
        let left_open = prepared.left_open.iter().map(|name| left_open_remark(name));
        for remark in prepared.remarks.iter().cloned().chain(left_open) {
            sink.emit(EventKind::Notice(format!("{title}: {remark}"))).await?;
        }
        let request = match sendable(&prepared) {
            Ok(request) => request,
            Err(problem) => {
                return Ok(ControlFlow::Break((Outcome::Failed, Some(at_step(&title, problem)))));
            }
        };
        if !self.has_sent {
            self.has_sent = true;
            let bytes = request.body.as_deref().unwrap_or_default().len();
            sink.emit(EventKind::Sent { bytes }).await?;
        }
        let answer = match self.ask(request, sink).await {
            Ok(answer) => answer,
            Err((outcome, problem)) => {
                let problem = problem.map(|problem| at_step(&title, problem));
                return Ok(ControlFlow::Break((outcome, problem)));
            }
        };
        match read_answer(&step, &prepared.parameters, answer.status, &answer.body) {
            Ok(answer) => {
                self.state.store_output(number, step.called(), &answer.stored);
                tell_answer(&title, number, step.called(), &answer, sink).await?;
                Ok(ControlFlow::Continue(answer))
            }
            Err(problem) => {
                let body = json!({
                    "step": number + 1, "name": step.called(), "status": answer.status,
                    "raw": answer.body, STEP_PROBLEM: problem.message,
                });
                let words = format!("{title} answered {}", answer.status);
                sink.emit_stage(STEP_ANSWER, words, body.to_string()).await?;
                let problem = Some(at_step(&title, problem));
                Ok(ControlFlow::Break((Outcome::Failed, problem)))
            }
        }
    }

    async fn ask(&self, request: &StepRequest, sink: &mut EventSink) -> Result<Answer, CallEnd> {
        let asked = (request.method.as_str(), request.path.as_str(), request.body.as_deref());
        let answer = self.rest.fetch(asked, sink).await?;
        if answer.body.len() as u64 > self.largest {
            let message = format!("the answer has more than {}", size::format_size(self.largest));
            let remedy = "raise largest-answer of the connection, or request less";
            let problem = CallError::new(ErrorKind::AnswerTooLarge, message, remedy);
            return Err((Outcome::Lost, Some(problem)));
        }
        Ok(answer)
    }
}

/// The request of a step, unless something is missing in it.
fn sendable(prepared: &PreparedStep) -> Result<&StepRequest, CallError> {
    let refused = |cause: String| {
        CallError::new(
            ErrorKind::BadRequest,
            cause,
            "correct the step's templates, or set the missing values",
        )
    };
    let request = prepared.request.as_ref().map_err(|why| refused(why.clone()))?;
    let unfilled = prepared.unfilled_names();
    if unfilled.is_empty() {
        return Ok(request);
    }
    let names = unfilled.join(", ");
    let cause = format!("{names} has no value; a cluster would get the placeholder unchanged");
    let given: Vec<String> = unfilled.iter().map(|name| format!("{name}=…")).collect();
    Err(CallError::new(
        ErrorKind::BadRequest,
        cause,
        format!("set {}, or a default in the template", given.join(" ")),
    ))
}

/// The problem with where in the call it came up.
fn at_step(title: &str, problem: CallError) -> CallError {
    CallError { message: format!("{title}: {}", problem.message), ..problem }
}

async fn tell_answer(
    title: &str,
    number: usize,
    called: &str,
    answer: &StepAnswer,
    sink: &mut EventSink,
) -> Result<(), SinkClosed> {
    let size = size::format_size(answer.raw.len() as u64);
    let kept = size::format_size(answer.stored.filtered.len() as u64);
    let words = format!(
        "{title} answered {}: {size}, of which {kept} are kept as {called}.output",
        answer.status
    );
    sink.emit_stage(STEP_ANSWER, words, answer.to_json(number, called).to_string()).await?;
    for remark in &answer.remarks {
        sink.emit(EventKind::Notice(format!("{title}: {remark}"))).await?;
    }
    Ok(())
}
