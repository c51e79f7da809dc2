//! What is done to make a hidden tool available: steps, groups, a start, an edit.

use super::facts::Facts;
use crate::{
    app::{
        compose::{context::ComposeContext, plan::Plan},
        message::Message,
        notices::NoticeKind,
        state::State,
        workflow::WorkflowMessage,
    },
    engine::{explain::tool::Change, gated::ToolRow},
    schema::count::count_text,
    ui::{
        overlays::{
            confirm::{Answer, Confirm},
            proposal::{Proposal, propose_plan},
        },
        view::Reply,
    },
};

/// Whether a change takes steps, or begins the run elsewhere.
pub(super) fn takes_steps(change: &Change) -> bool {
    match change {
        Change::Take { .. } | Change::Start { .. } => true,
        Change::Drop { then: Some(then), .. } => takes_steps(then),
        Change::Ask { .. }
        | Change::AskAndTake { .. }
        | Change::Edit(_)
        | Change::EditAndTake { .. }
        | Change::Drop { .. } => false,
    }
}

/// Makes a change that shows a hidden tool; what changes files is shown first.
pub(super) fn change_reply(change: &Change, tool: ToolRow, facts: &Facts, state: &State) -> Reply {
    let walk = |rows: &[ToolRow]| {
        Message::Workflow(WorkflowMessage::Walk {
            tools: rows.iter().filter_map(|row| facts.tool_id(*row)).cloned().collect(),
        })
    };
    let mut messages: Vec<Message> = facts
        .groups_for(change)
        .map(|groups| Message::Workflow(WorkflowMessage::SetGroups(Some(groups))))
        .into_iter()
        .collect();
    let made = match change {
        Change::Drop { then: Some(then), .. } => then,
        made => made,
    };
    match made {
        Change::Take { .. } | Change::Start { .. } if state.workflow.what_if.is_some() => {
            return Reply::Refused(
                "no steps during a what-if: → goes to the edit that makes this tool \
                available"
                    .into(),
            );
        }
        Change::AskAndTake { .. } if state.workflow.what_if.is_some() => {}
        Change::Ask { .. } | Change::Drop { .. } => {}
        Change::Take { tools, .. } | Change::AskAndTake { tools, .. } => {
            messages.push(walk(tools));
        }
        Change::Start { state: start, .. } => {
            messages.push(Message::Workflow(WorkflowMessage::SetStart(start.clone())));
        }
        Change::Edit(edits) | Change::EditAndTake { edits, .. }
            if state.workflow.what_if.is_some() =>
        {
            let Some(id) = facts.tool_id(tool) else { return Reply::Handled };
            messages.push(Message::Workflow(WorkflowMessage::TryEdits(
                edits.iter().map(|edit| (id.clone(), edit.clone())).collect(),
            )));
        }
        Change::Edit(edits) | Change::EditAndTake { edits, .. } => {
            if let Change::EditAndTake { tools, .. } = made {
                messages.push(walk(tools));
            }
            let Some(tool) = facts.tool_id(tool).and_then(|id| state.catalog.tool(id)) else {
                return Reply::Handled;
            };
            let gate = edits.iter().fold(tool.gate.clone(), |gate, edit| edit.apply_to(&gate));
            let changes = ComposeContext::from_state(state).regate_changes([(tool, &gate)]);
            let plan = Plan::new(
                format!("{}: {}", tool.entry.key, made.description(facts.tools())),
                changes,
            );
            return shown_first(&tool.entry.key, plan, messages);
        }
    }
    if let Some(tool) = facts.tool_id(tool).and_then(|id| state.catalog.tool(id)) {
        let words = made.description(&state.catalog.tools);
        let key = &tool.entry.key;
        let words = match (state.workflow.what_if.is_some(), made) {
            (true, Change::AskAndTake { .. }) => {
                format!("Tried for {key}: {words}. During a what-if only the groups are requested")
            }
            (true, Change::EditAndTake { .. }) => {
                format!("Tried for {key}: {words}. During a what-if only the edit is made")
            }
            (true, _) => format!("Tried for {key}: {words}"),
            (false, _) => format!("Applied, to show {key}: {words}"),
        };
        messages.push(Message::Notice(NoticeKind::Done, words));
    }
    match made {
        Change::Start { state: start, .. }
            if state.workflow.simulation.steps().next().is_some() =>
        {
            asked_first(start, messages, state)
        }
        _ => Reply::Send(messages),
    }
}

/// Asks before the run is dropped that is under way.
fn asked_first(start: &str, messages: Vec<Message>, state: &State) -> Reply {
    let steps = state.workflow.simulation.steps().count();
    let steps = count_text(steps, "step", "steps");
    let words = format!("No tool leads to {start} from here. A new run drops this one of {steps}.");
    let answers = vec![
        Answer { key: 'k', words: "keep this run", messages: Vec::new() },
        Answer { key: 'n', words: "begin a new run", messages },
    ];
    Reply::Open(Box::new(Confirm::new(format!("Start in {start}?"), words, answers, Vec::new())))
}

/// Shows the lines that a change of the files touches before it is made, and what else goes with
/// it.
fn shown_first(tool: &str, plan: Plan, before: Vec<Message>) -> Reply {
    let make = move |state: &State| {
        let mut proposed = propose_plan(plan.clone(), state)?;
        proposed.messages.splice(0..0, before.iter().cloned());
        Ok(proposed)
    };
    Proposal::from_proposed(format!("Show {tool}"), "", make).into_reply()
}
