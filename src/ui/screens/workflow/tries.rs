//! What-if: edits of a tool to try before they are made.

use super::facts::Facts;
use crate::{
    app::{message::Message, state::State, workflow::WorkflowMessage},
    engine::{gate_edit::GateEdit, gated::ToolRow},
    model::{
        context::{ANY, Name},
        tool::{Audience, Gate, States},
    },
    ui::{
        overlays::menu::{Item, Menu},
        view::Reply,
    },
};

/// Begins a what-if; in one, accepts it.
pub(crate) fn toggle_what_if(state: &State) -> Reply {
    Reply::send(if state.workflow.what_if.is_some() {
        Message::Workflow(WorkflowMessage::AcceptWhatIf)
    } else {
        Message::Workflow(WorkflowMessage::WhatIf)
    })
}

/// Why no what-if can be applied.
pub(super) fn none_refusal(state: &State) -> Option<String> {
    let begin = || state.keymap.way_to("what-if");
    let has_none = state.workflow.what_if.is_none();
    has_none.then(|| format!("there is no what-if: {} begins one", begin()))
}

/// Asks how a tool would be edited.
pub(crate) fn ask_edit(facts: &Facts, row: ToolRow) -> Reply {
    let tool = &facts.tools()[row];
    let Some(id) = facts.tool_id(row).cloned() else { return Reply::Handled };
    let edits = suggested_edits(&tool.gate, facts);
    let items =
        edits.iter().map(|edit| Item { title: edit.summary(), ..Item::default() }).collect();
    let title = format!("What if: {}", tool.key);
    Reply::Open(Box::new(Menu::with_replies(title, items, move |at| {
        Reply::send(Message::Workflow(WorkflowMessage::TryEdits(vec![(
            id.clone(),
            edits[at].clone(),
        )])))
    })))
}

/// The edits of a gate that come to mind: what concerns the present state and groups first.
fn suggested_edits(gate: &Gate, facts: &Facts) -> Vec<GateEdit> {
    let current: Name = facts.context.state().into();
    let states: Vec<Name> = facts.workflow.states().to_vec();
    let in_groups = gate.groups();
    let mut edits: Vec<GateEdit> = Vec::new();
    match &gate.states {
        States::Every => edits.push(GateEdit::OnlyIn(vec![current.clone()])),
        States::Only(listed) => {
            let here =
                if listed.contains(&current) { GateEdit::RemoveState } else { GateEdit::AddState };
            edits.push(here(current.clone()));
            edits.push(GateEdit::Everywhere);
            let others = states.iter().filter(|state| **state != current);
            edits.extend(others.map(|state| {
                if listed.contains(state) {
                    GateEdit::RemoveState(state.clone())
                } else {
                    GateEdit::AddState(state.clone())
                }
            }));
        }
    }
    edits.extend(in_groups.iter().cloned().map(GateEdit::RemoveGroup));
    let others = facts
        .groups
        .iter()
        .map(|group| &group.name)
        .filter(|name| !in_groups.contains(name) && &***name != ANY);
    // A tool that every request gets is in no other group beside its first.
    let into = |group: Name| match gate.offer {
        Audience::ToAll => GateEdit::InGroups(vec![group]),
        Audience::ToGroups | Audience::ToNone(_) => GateEdit::AddGroup(group),
    };
    edits.extend(others.cloned().map(into));
    let targets = states.iter().filter(|state| gate.next.as_ref() != Some(state));
    edits.extend(targets.cloned().map(|state| GateEdit::LeadTo(Some(state))));
    if gate.next.is_some() {
        edits.push(GateEdit::LeadTo(None));
    }
    edits
}
