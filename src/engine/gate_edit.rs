//! Edits of a tool's gate, as data: what they make of the gate, and which edits of the descriptor
//! they come to.

use serde_json::Value;

use super::filter::join_names;
use crate::{
    model::{
        context::Name,
        entry::EntryId,
        finding::EntryEdit,
        tool::{Gate, States, Tool},
    },
    schema::{literal::Literal, pointer::Pointer},
    syntax::edit::Edit,
};

/// One change of a tool's gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateEdit {
    AddGroup(Name),
    RemoveGroup(Name),
    /// In these groups alone.
    InGroups(Vec<Name>),
    AddState(Name),
    RemoveState(Name),
    /// Available in every state.
    Everywhere,
    /// Available in these states alone.
    OnlyIn(Vec<Name>),
    /// Where it leads; `None`: the state stays.
    LeadTo(Option<Name>),
}

impl GateEdit {
    /// What the edit does, as a request.
    #[must_use]
    pub fn description(&self) -> String {
        match self {
            Self::AddGroup(group) => format!("add group {group} to the tool"),
            Self::RemoveGroup(group) => format!("take the tool out of group {group}"),
            Self::InGroups(groups) if groups.is_empty() => {
                "take the tool out of every group".into()
            }
            Self::InGroups(groups) => format!("put the tool in {} only", join_names(groups)),
            Self::AddState(state) => format!("make the tool available in {state}"),
            Self::RemoveState(state) => format!("make the tool no longer available in {state}"),
            Self::Everywhere => "make the tool available in every state".into(),
            Self::OnlyIn(states) if states.is_empty() => {
                "make the tool available in no state".into()
            }
            Self::OnlyIn(states) => {
                format!("make the tool available in {} only", join_names(states))
            }
            Self::LeadTo(Some(state)) => format!("let the tool lead to {state}"),
            Self::LeadTo(None) => "let the tool leave the state as it is".into(),
        }
    }

    /// What it makes of the tool, in few words for a list.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::AddGroup(group) => format!("in group {group} too"),
            Self::RemoveGroup(group) => format!("no longer in group {group}"),
            Self::InGroups(groups) if groups.is_empty() => "in no group".into(),
            Self::InGroups(groups) => format!("in {} only", join_names(groups)),
            Self::AddState(state) => format!("available in {state} too"),
            Self::RemoveState(state) => format!("no longer available in {state}"),
            Self::Everywhere => "available in every state".into(),
            Self::OnlyIn(states) if states.is_empty() => "available in no state".into(),
            Self::OnlyIn(states) => format!("available in {} only", join_names(states)),
            Self::LeadTo(Some(state)) => format!("leads to {state}"),
            Self::LeadTo(None) => "leaves the state as it is".into(),
        }
    }

    /// The gate after it. An edit that changes nothing gives the same gate.
    #[must_use]
    pub fn apply_to(&self, gate: &Gate) -> Gate {
        let mut gate = gate.clone();
        match self {
            Self::AddGroup(group) => {
                let mut groups = gate.groups();
                if !groups.contains(group) {
                    groups.push(group.clone());
                    gate.groups = Some(groups);
                }
            }
            Self::RemoveGroup(group) => {
                let mut groups = gate.groups();
                if groups.contains(group) {
                    groups.retain(|name| name != group);
                    gate.groups = Some(groups);
                }
            }
            Self::InGroups(groups) => gate.groups = Some(groups.clone()),
            Self::AddState(state) => {
                if let States::Only(listed) = &mut gate.states
                    && !listed.contains(state)
                {
                    listed.push(state.clone());
                }
            }
            Self::RemoveState(state) => {
                if let States::Only(listed) = &mut gate.states {
                    listed.retain(|name| name != state);
                }
            }
            Self::Everywhere => gate.states = States::Every,
            Self::OnlyIn(states) => gate.states = States::Only(states.clone()),
            Self::LeadTo(state) => gate.next.clone_from(state),
        }
        gate
    }

    /// The edits that lead from one gate to another, each of another member.
    #[must_use]
    pub fn edits_between(before: &Gate, after: &Gate) -> Vec<Self> {
        let mut edits = Vec::new();
        if before.groups() != after.groups() {
            edits.push(Self::InGroups(after.groups()));
        }
        match &after.states {
            _ if before.states == after.states => {}
            States::Every => edits.push(Self::Everywhere),
            States::Only(states) => edits.push(Self::OnlyIn(states.clone())),
        }
        if before.next != after.next {
            edits.push(Self::LeadTo(after.next.clone()));
        }
        edits
    }

    /// The edits of the tool's descriptor that it comes to; none where it changes nothing.
    #[must_use]
    pub fn descriptor_edits(&self, tool: &Tool) -> Vec<EntryEdit> {
        let (gate, keys) = (self.apply_to(&tool.gate), tool.keys);
        if gate == tool.gate {
            return Vec::new();
        }
        let of =
            |edits: Vec<Edit>| edits.into_iter().map(|edit| of_entry(tool.id(), edit)).collect();
        match self {
            Self::AddGroup(group) => of(vec![add_name(tool, keys.groups, group, &gate.groups())]),
            Self::RemoveGroup(group) => of(remove_name(tool, keys.groups, group, &gate.groups())),
            Self::InGroups(groups) => of(vec![set_names(keys.groups, groups)]),
            Self::AddState(state) => {
                of(vec![add_name(tool, keys.states, state, listed_states(&gate.states))])
            }
            Self::RemoveState(state) => {
                of(remove_name(tool, keys.states, state, listed_states(&gate.states)))
            }
            Self::Everywhere => of(vec![Edit::Remove { at: member_pointer(keys.states) }]),
            Self::OnlyIn(states) => of(vec![set_names(keys.states, states)]),
            Self::LeadTo(Some(state)) => {
                of(vec![Edit::Set { at: member_pointer(keys.next), to: (&**state).into() }])
            }
            Self::LeadTo(None) => of(vec![Edit::Remove { at: member_pointer(keys.next) }]),
        }
    }
}

fn of_entry(entry: &EntryId, edit: Edit) -> EntryEdit {
    EntryEdit { entry: entry.clone(), edit }
}

fn member_pointer(key: &str) -> Pointer {
    Pointer::root().child(key)
}

fn listed_states(states: &States) -> &[Name] {
    match states {
        States::Only(listed) => listed,
        States::Every => &[],
    }
}

fn set_names(key: &str, names: &[Name]) -> Edit {
    let items: Value = names.iter().map(|name| Value::from(&**name)).collect();
    Edit::Set { at: member_pointer(key), to: Literal::from(items) }
}

/// Into the list that is there; a value that is no list is written anew with all `names`.
fn add_name(tool: &Tool, key: &str, name: &Name, names: &[Name]) -> Edit {
    match tool.entry.value.get(key).and_then(Value::as_array) {
        Some(items) => {
            Edit::Insert { at: member_pointer(key).item(items.len()), item: (&**name).into() }
        }
        None => set_names(key, names),
    }
}

/// Out of the list that is there, each time that it stands in it, the last one first.
fn remove_name(tool: &Tool, key: &str, name: &Name, names: &[Name]) -> Vec<Edit> {
    let Some(items) = tool.entry.value.get(key).and_then(Value::as_array) else {
        return vec![set_names(key, names)];
    };
    let rows = items
        .iter()
        .enumerate()
        .filter(|(_, item)| item.as_str() == Some(&**name))
        .map(|(row, _)| row);
    rows.rev().map(|row| Edit::Remove { at: member_pointer(key).item(row) }).collect()
}
