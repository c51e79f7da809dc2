//! Which steps of a call are to run, and what each would send.

use std::sync::Arc;

use clap::Args;
use serde_json::{Map, Value};

use super::{
    ending::{CommandResult, Ending},
    global::Global,
    out::CommandOutput,
};
use crate::{
    engine::{mask::Mask, trace::wanted::TraceFilter},
    model::{
        call::Request,
        problem::{Problem, ProblemKind},
        shown::short_line,
    },
    store::history::History,
    systems::{
        calling::steps_of,
        facets::steps::{SeenValue, StepChoice, StepPreview, Steps},
    },
};

/// How much of a parameter's value is shown.
const LONGEST: usize = 100;

#[derive(Args, Clone, Debug)]
pub(crate) struct StepOptions {
    /// Run a tool of several steps up to this one, by number or name (OpenSearch)
    #[arg(long, value_name = "STEP")]
    until: Option<String>,

    /// Run from this step on, with the outputs of earlier steps from the tool's newest call;
    /// retries a failed step
    #[arg(long, value_name = "STEP")]
    from: Option<String>,

    /// Run only this step, with the same outputs
    #[arg(long, value_name = "STEP", conflicts_with_all = ["from", "until"])]
    step: Option<String>,
}

impl StepOptions {
    /// The request with the steps that are asked for.
    pub fn choose_steps(
        &self,
        request: Request,
        history: impl FnOnce() -> Result<Arc<History>, Problem>,
        out: &CommandOutput,
    ) -> Result<Request, Problem> {
        let needs_outputs = self.from.is_some() || self.step.is_some();
        if !needs_outputs && self.until.is_none() {
            return Ok(request);
        }
        let Some(steps) = steps_of(&request) else {
            let cause = format!("{} is called as a whole", request.name);
            let problem = Problem::new(ProblemKind::Input, "choosing steps", cause);
            return Err(problem.with_remedy("leave out --until, --from and --step"));
        };
        let outputs = if needs_outputs {
            kept_outputs(steps, &request, &*history()?, out)?
        } else {
            Map::new()
        };
        let choice = StepChoice {
            from: self.from.clone(),
            until: self.until.clone(),
            only: self.step.clone(),
            outputs,
        };
        steps.choose_steps(request, &choice)
    }
}

/// What steps stored in the newest call of the tool that stored anything.
fn kept_outputs(
    steps: &dyn Steps,
    request: &Request,
    history: &History,
    out: &CommandOutput,
) -> Result<Map<String, Value>, Problem> {
    let listing = history.list_calls(TraceFilter::default())?;
    for call in listing.calls.iter().filter(|call| *call.tool == request.name) {
        let trace = history.load_trace(&call.id)?;
        let outputs = steps.outputs_of(&trace.head.body, &trace.stage_bodies());
        if !outputs.is_empty() {
            out.print_detail(format_args!("continues from call {}", call.id));
            return Ok(outputs);
        }
    }
    Ok(Map::new())
}

/// The steps of a request as they would be sent; `None` where it is sent as a whole.
pub(crate) fn preview_steps(request: &Request) -> Result<Option<Vec<StepPreview>>, Problem> {
    let Some(steps) = steps_of(request) else { return Ok(None) };
    let previews = steps
        .preview_steps(request)
        .map_err(|why| Problem::new(ProblemKind::Input, "rendering the steps", why))?;
    Ok((!previews.is_empty()).then_some(previews))
}

/// Prints steps: what each sees, and what it would send. Secrets are masked, but for scripts.
pub(crate) fn print_steps(
    global: &Global,
    out: &mut CommandOutput,
    steps: &[StepPreview],
    mask: &Mask,
) -> CommandResult {
    for (row, step) in steps.iter().enumerate() {
        if global.json {
            out.json_line(&step.json)?;
            continue;
        }
        if row > 0 {
            out.print_line("")?;
        }
        let name = out.safe_text(&step.name).into_owned();
        out.print_line(format!("step {} {name}", step.number))?;
        let widest = step.seen.iter().map(|seen| seen.name.chars().count()).max().unwrap_or(0);
        for SeenValue { name, value, origin, .. } in &step.seen {
            let value = short_value(&mask.mask_named_value(name, value));
            let line = format!("  {name:<widest$}  {value}  ({origin})");
            out.print_line(out.safe_text(&line).into_owned())?;
        }
        out.print_line(format!("  → {}", out.safe_text(&mask.mask_text(&step.line))))?;
        if let Some(body) = &step.body {
            out.print_line(format!("  {}", out.safe_text(&mask.mask_text(body))))?;
        }
        for remark in &step.remarks {
            out.print_line(format!("  ! {}", out.safe_text(remark)))?;
        }
    }
    // A step without a request can't be sent.
    let is_whole = steps.iter().all(|step| step.is_sendable);
    Ok(if is_whole { Ending::Done } else { Ending::Found })
}

/// A value on one line.
fn short_value(value: &str) -> String {
    short_line(value, LONGEST)
}
