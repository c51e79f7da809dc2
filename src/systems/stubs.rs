//! Calls of any system, kept as stubs.

use serde_json::Map;

use super::{facets::stubs::Stubs, table::by_id};
use crate::{
    engine::{mask::Mask, services::sample::Asking, stub::record},
    model::{
        call::{Call, Event},
        problem::{Problem, ProblemKind},
        stub::StubService,
        trace::Trace,
    },
};

/// The services of a stub that answers as a call of this session was answered. Secrets are masked.
///
/// # Errors
/// When it had no answer.
pub(crate) fn of_call(call: &Call, mask: &Mask) -> Result<Vec<StubService>, Problem> {
    stubs(call.request.system).of_call(call, mask)
}

/// The same of a call in the history; `text` is its whole answer.
///
/// # Errors
/// As [`of_call`].
pub(crate) fn of_trace(trace: &Trace, text: &str) -> Result<Vec<StubService>, Problem> {
    stubs(&trace.head.system).of_trace(trace, text)
}

fn stubs(system: &str) -> &'static dyn Stubs {
    by_id(system).and_then(|system| system.stubs()).unwrap_or(&ToolStubs)
}

/// For systems whose services have no queue or path that a stub could answer at: mocks, `test --stub`
/// and the like know whom they answer for by the tool.
struct ToolStubs;

impl Stubs for ToolStubs {
    fn of_call(&self, call: &Call, mask: &Mask) -> Result<Vec<StubService>, Problem> {
        let arguments = mask.mask_text(&call.request.arguments);
        let with_text =
            |event| call.event_with_text(event).map_text(|text| text.into_owned().into());
        let events: Vec<Event> = call.events.iter().map(with_text).collect();
        let mut service =
            build_service(&call.request.name, &arguments, &events, &call.text.whole())?;
        record::mask_answers(&mut service, mask);
        Ok(vec![service])
    }

    fn of_trace(&self, trace: &Trace, text: &str) -> Result<Vec<StubService>, Problem> {
        let head = &trace.head;
        build_service(&head.tool, &head.arguments, &trace.events, text).map(|service| vec![service])
    }
}

fn build_service(
    tool: &str,
    arguments: &str,
    events: &[Event],
    text: &str,
) -> Result<StubService, Problem> {
    let refused = |cause: String| {
        Problem::new(ProblemKind::Input, format!("keeping a call of {tool} as a stub"), cause)
    };
    // A rule without them would answer every request.
    let arguments = serde_json::from_str(arguments)
        .map_err(|error| refused(format!("can't read its arguments: {error}")))?;
    let asking = Asking { user: "", config: &Map::new(), arguments: &arguments };
    let rule = record::recorded_rule(tool, &asking, events.iter(), text)
        .map_err(|cause| refused(cause).with_remedy("keep a call that was answered"))?;
    Ok(StubService { name: tool.to_owned(), rules: vec![rule], ..StubService::default() })
}
