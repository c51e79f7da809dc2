//! A run that is there again from its events, to go on with it.

use super::{
    decision::{Branch, BranchPoint, Change},
    event::AgentEvent,
    run::{AgentRun, AgentStart, CallResult},
};
use crate::{
    engine::gated::Gated,
    model::{clock::Millis, context::Profile},
};

/// The run that these events are of. Calls count by the tools as they are now.
pub fn run_from_events<'e, T: Gated>(
    start: AgentStart,
    events: impl IntoIterator<Item = &'e AgentEvent>,
    tools: &[T],
    profiles: &[Profile],
    now: Millis,
) -> AgentRun {
    let mut run = AgentRun::new(start, now);
    for event in events {
        match event {
            AgentEvent::Replied { reply, .. } => run.add_reply(reply.clone()),
            AgentEvent::Called { arguments, edited: true, .. } => {
                run.edit_arguments(&arguments.to_string());
            }
            AgentEvent::Returned { tool, answered, outcome, text, took_ms, .. } => {
                let row = run.check_tool(tools, tool).ok();
                let result = CallResult {
                    answered: *answered,
                    outcome: *outcome,
                    text: text.clone(),
                    took_ms: *took_ms,
                };
                run.finish_call(tools, profiles, row, &result, now);
            }
            AgentEvent::WentBack { turns, message, result, .. } => {
                let change = match (message, result) {
                    (Some(text), _) => Change::Message(text.clone()),
                    (None, Some((row, text))) => Change::Result { row: *row, text: text.clone() },
                    (None, None) => Change::Nothing,
                };
                run.take_branch(&Branch { from: BranchPoint::Turns(*turns), change });
            }
            _ => {}
        }
    }
    run
}
