//! A scenario as data.

use crate::model::{
    call::Outcome,
    context::{Context, Mode, Name},
};

/// A saved start, steps and expectations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    pub name: String,
    pub start: Context,
    /// What the user asks the agent; live steps give it to tools that take a question.
    pub question: Option<String>,
    /// `None`: the workspace's.
    pub mode: Option<Mode>,
    pub steps: Vec<ScenarioStep>,
}

/// One step: a change of groups, a tool, what is expected; each may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioStep {
    /// Asked for from this step on; the outer `None`: as before.
    pub groups: Option<GroupsChange>,
    /// By key or name; `None`: nothing is taken, only expectations are looked at.
    pub tool: Option<Name>,
    /// How it ends; `None`: it succeeds.
    pub outcome: Option<Outcome>,
    pub expect: Expectations,
}

/// Groups for the steps to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupsChange {
    /// Leave them out, which means `default`.
    Absent,
    Only(Vec<Name>),
}

impl GroupsChange {
    #[must_use]
    pub fn groups(&self) -> Option<Vec<Name>> {
        match self {
            Self::Absent => None,
            Self::Only(names) => Some(names.clone()),
        }
    }
}

/// What is expected of a step. Tools are named by key or name, in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations {
    /// The state before it.
    pub before: Option<Name>,
    /// The state after it.
    pub after: Option<Name>,
    /// Exactly these are available before it.
    pub available: Option<Vec<Name>>,
    /// These at least are available before it.
    pub includes: Option<Vec<Name>>,
    /// These at least are hidden before it.
    pub hidden: Option<Vec<Name>>,
    /// Exactly these are filtered by group.
    pub filtered_by_group: Option<Vec<Name>>,
    /// Exactly these are filtered by state.
    pub filtered_by_state: Option<Vec<Name>>,
    /// Whether the step is refused; a step that is refused without this is a difference.
    pub refused: Option<Refusal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Expected,
    Excluded,
}
