//! Calls of any system, kept as stubs.

use super::{
    facets::stubs::Stubs,
    table::{by_id, every_system},
};
use crate::{
    engine::mask::Mask,
    model::{
        call::Call,
        problem::{Problem, ProblemKind},
        stub::StubService,
        trace::Trace,
    },
};

/// The services of a stub that answers as a call of this session was answered. Secrets are masked.
///
/// # Errors
/// When no stub can answer for its system, or it had no answer.
pub(crate) fn of_call(call: &Call, mask: &Mask) -> Result<Vec<StubService>, Problem> {
    stubs(call.request.system, &call.request.name, &call.request.to)?.of_call(call, mask)
}

/// The same of a call in the history; `text` is its whole answer.
///
/// # Errors
/// As [`of_call`].
pub(crate) fn of_trace(trace: &Trace, text: &str) -> Result<Vec<StubService>, Problem> {
    stubs(&trace.head.system, &trace.head.tool, &trace.head.to)?.of_trace(trace, text)
}

/// The systems whose calls can be kept, for people: `TrustGraph's tools`.
#[must_use]
pub(crate) fn supported_systems() -> String {
    let titles: Vec<String> = every_system()
        .iter()
        .filter(|system| system.stubs().is_some())
        .map(|system| format!("{}'s tools", system.title()))
        .collect();
    titles.join(" or ")
}

fn stubs(system: &str, tool: &str, to: &str) -> Result<&'static dyn Stubs, Problem> {
    by_id(system).and_then(|system| system.stubs()).ok_or_else(|| {
        let doing = format!("keeping a call of {tool} as a stub");
        let problem = Problem::new(
            ProblemKind::Input,
            doing,
            format!("it went to {to}, where stubs can't answer"),
        );
        problem.with_remedy(format!("use calls of {}", supported_systems()))
    })
}
