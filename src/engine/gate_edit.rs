//! Edits of a tool's gate, as data, and what they make of the gate.

use super::filter::join_names;
use crate::model::{
    context::Name,
    tool::{Audience, Gate, States},
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
            Self::RemoveGroup(group) => format!("remove the tool from group {group}"),
            Self::InGroups(groups) if groups.is_empty() => {
                "remove the tool from every group".into()
            }
            Self::InGroups(groups) => format!("set the tool's groups to {}", join_names(groups)),
            Self::AddState(state) => format!("make the tool available in {state}"),
            Self::RemoveState(state) => format!("make the tool unavailable in {state}"),
            Self::Everywhere => "make the tool available in every state".into(),
            Self::OnlyIn(states) if states.is_empty() => {
                "make the tool available in no state".into()
            }
            Self::OnlyIn(states) => {
                format!("make the tool available only in {}", join_names(states))
            }
            Self::LeadTo(Some(state)) => format!("set the tool's next state to {state}"),
            Self::LeadTo(None) => "let the tool keep the state".into(),
        }
    }

    /// What it makes of the tool, in few words for a list.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::AddGroup(group) => format!("in group {group} too"),
            Self::RemoveGroup(group) => format!("no longer in group {group}"),
            Self::InGroups(groups) if groups.is_empty() => "in no group".into(),
            Self::InGroups(groups) => format!("only in {}", join_names(groups)),
            Self::AddState(state) => format!("available in {state} too"),
            Self::RemoveState(state) => format!("no longer available in {state}"),
            Self::Everywhere => "available in every state".into(),
            Self::OnlyIn(states) if states.is_empty() => "available in no state".into(),
            Self::OnlyIn(states) => format!("available only in {}", join_names(states)),
            Self::LeadTo(Some(state)) => format!("leads to {state}"),
            Self::LeadTo(None) => "keeps the state".into(),
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
        if gate.offer == Audience::ToAll && gate.groups.is_some() {
            gate.offer = Audience::ToGroups;
        }
        gate
    }
}
