//! The state graph itself: states, which tools each offers, where those lead, and the edges to
//! draw.

use std::collections::{BTreeMap, HashMap};

use crate::{
    engine::{
        filter::AskedGroups,
        gated::{Gated, ToolRow},
    },
    model::{
        context::{Context, Name, UNDEFINED},
        tool::States,
    },
};

/// A state's place in [`Workflow::states`].
pub(crate) type StateRow = usize;

/// The graph that tools make under the groups of a context. States keep the order in which they are
/// first named, `undefined` first.
#[derive(Clone, Debug)]
pub struct Workflow {
    states: Vec<Name>,
    rows: HashMap<Name, StateRow>,
    members: Vec<Member>,
    offers: Vec<Vec<ToolRow>>,
    everywhere: Vec<ToolRow>,
    start: StateRow,
}

/// A tool's part in the workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub admission: GroupAdmission,
    pub origin: Origin,
    /// Where it leads; `None`: the state stays.
    pub target: Option<StateRow>,
}

impl Member {
    #[must_use]
    pub fn is_admitted(&self) -> bool {
        self.admission == GroupAdmission::Admitted
    }
}

/// Whether the groups asked for let a tool in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupAdmission {
    Admitted,
    /// None of its groups was asked for.
    NotAsked,
    /// It is in no group, and `*` was not asked for.
    NoGroup,
    /// Its system does not load it.
    NotLoaded,
}

/// The states in which a tool is available, once its groups are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Every,
    /// Only these, each once; empty: in none.
    Only(Vec<StateRow>),
}

/// Tools that lead the same way, drawn as one arrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub link: Link,
    pub tools: Vec<ToolRow>,
}

/// From where to where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Link {
    /// From a state to a state, or to itself.
    Between { from: StateRow, to: StateRow },
    /// From any state to one.
    FromAny { to: StateRow },
    /// From any state to itself.
    StayAny,
}

impl Link {
    /// The states at its tail and its head, where it has one there.
    #[must_use]
    pub fn end_states(self) -> (Option<StateRow>, Option<StateRow>) {
        match self {
            Self::Between { from, to } => (Some(from), Some(to)),
            Self::FromAny { to } => (None, Some(to)),
            Self::StayAny => (None, None),
        }
    }
}

impl Workflow {
    /// The workflow under the groups of `context`, starting in its state. All tools give states;
    /// only admitted ones give edges.
    #[must_use]
    pub fn new<T: Gated>(tools: &[T], context: &Context) -> Self {
        Self::for_groups(
            tools,
            &AskedGroups::from_request(context.groups.as_deref()),
            context.state(),
        )
    }

    /// The workflow under `groups`, starting in the state `start`.
    #[must_use]
    pub fn for_groups<T: Gated>(tools: &[T], groups: &AskedGroups, start: &str) -> Self {
        let mut states = Interner::default();
        states.intern(&UNDEFINED.into());
        let start = states.intern(&start.into());
        let members: Vec<Member> = tools
            .iter()
            .map(|tool| {
                let gate = tool.gate();
                let admission = match (groups.admit(gate), &gate.groups) {
                    (true, _) => GroupAdmission::Admitted,
                    (false, _) if gate.not_loaded().is_some() => GroupAdmission::NotLoaded,
                    (false, Some(none)) if none.is_empty() => GroupAdmission::NoGroup,
                    (false, _) => GroupAdmission::NotAsked,
                };
                let origin = match &gate.states {
                    States::Every => Origin::Every,
                    States::Only(listed) => {
                        let mut rows: Vec<StateRow> = Vec::with_capacity(listed.len());
                        for name in listed {
                            let row = states.intern(name);
                            if !rows.contains(&row) {
                                rows.push(row);
                            }
                        }
                        Origin::Only(rows)
                    }
                };
                Member {
                    admission,
                    origin,
                    target: gate.next.as_ref().map(|next| states.intern(next)),
                }
            })
            .collect();
        let mut offers = vec![Vec::new(); states.names.len()];
        let mut everywhere = Vec::new();
        for (tool, member) in members.iter().enumerate().filter(|(_, member)| member.is_admitted())
        {
            match &member.origin {
                Origin::Every => everywhere.push(tool),
                Origin::Only(rows) => rows.iter().for_each(|row| offers[*row].push(tool)),
            }
        }
        Self { states: states.names, rows: states.rows, members, offers, everywhere, start }
    }

    /// The same workflow with further states, which no tool names yet, behind its own.
    #[must_use]
    pub fn with_states(mut self, listed: &[Name]) -> Self {
        for name in listed {
            if !self.rows.contains_key(name) {
                self.rows.insert(name.clone(), self.states.len());
                self.states.push(name.clone());
                self.offers.push(Vec::new());
            }
        }
        self
    }

    /// Every state that any tool names, `undefined`, and the start; then those that were included.
    #[must_use]
    pub fn states(&self) -> &[Name] {
        &self.states
    }

    #[must_use]
    pub fn state_row(&self, name: &str) -> Option<StateRow> {
        self.rows.get(name).copied()
    }

    #[must_use]
    pub fn start(&self) -> StateRow {
        self.start
    }

    /// One for each tool, in the order given.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The admitted tools that list this state; beside those of [`Workflow::tools_everywhere`].
    #[must_use]
    pub fn tools_listing(&self, state: StateRow) -> &[ToolRow] {
        &self.offers[state]
    }

    /// The admitted tools that are available in every state.
    #[must_use]
    pub fn tools_everywhere(&self) -> &[ToolRow] {
        &self.everywhere
    }

    /// How many tools a state offers.
    #[must_use]
    pub fn offer_count(&self, state: StateRow) -> usize {
        self.offers[state].len() + self.everywhere.len()
    }

    /// Whether an admitted tool is available in a state.
    #[must_use]
    pub fn offers_tool(&self, state: StateRow, tool: ToolRow) -> bool {
        let member = &self.members[tool];
        member.is_admitted()
            && match &member.origin {
                Origin::Every => true,
                Origin::Only(rows) => rows.contains(&state),
            }
    }

    /// Where a tool leads from a state.
    #[must_use]
    pub fn target_state(&self, state: StateRow, tool: ToolRow) -> StateRow {
        self.members[tool].target.unwrap_or(state)
    }

    /// The edges to draw: tools that lead the same way together, in a stable order.
    #[must_use]
    pub fn edges(&self) -> Vec<Edge> {
        self.edges_of(Member::is_admitted)
    }

    /// The same for the tools of every group, whether asked for or not; of those that are loaded.
    #[must_use]
    pub fn all_edges(&self) -> Vec<Edge> {
        self.edges_of(|member| member.admission != GroupAdmission::NotLoaded)
    }

    /// The same for the tools whose groups are not asked for alone.
    #[must_use]
    pub fn edges_not_asked(&self) -> Vec<Edge> {
        self.edges_of(|member| {
            matches!(member.admission, GroupAdmission::NotAsked | GroupAdmission::NoGroup)
        })
    }

    fn edges_of(&self, takes_part: impl Fn(&Member) -> bool) -> Vec<Edge> {
        let mut edges: BTreeMap<Link, Vec<ToolRow>> = BTreeMap::new();
        for (tool, member) in
            self.members.iter().enumerate().filter(|(_, member)| takes_part(member))
        {
            match &member.origin {
                Origin::Every => {
                    edges
                        .entry(member.target.map_or(Link::StayAny, |to| Link::FromAny { to }))
                        .or_default()
                        .push(tool);
                }
                Origin::Only(rows) => {
                    for from in rows {
                        let link =
                            Link::Between { from: *from, to: member.target.unwrap_or(*from) };
                        edges.entry(link).or_default().push(tool);
                    }
                }
            }
        }
        edges.into_iter().map(|(link, tools)| Edge { link, tools }).collect()
    }

    /// Whether any tool, of whatever group, leads to a state, or one is in it without being led
    /// there.
    #[must_use]
    pub fn is_ever_produced(&self, state: StateRow) -> bool {
        state == self.start
            || state == 0
            || self.members.iter().any(|member| member.target == Some(state))
    }
}

#[derive(Default)]
struct Interner {
    names: Vec<Name>,
    rows: HashMap<Name, StateRow>,
}

impl Interner {
    fn intern(&mut self, name: &Name) -> StateRow {
        if let Some(row) = self.rows.get(name) {
            return *row;
        }
        let row = self.names.len();
        self.names.push(name.clone());
        self.rows.insert(name.clone(), row);
        row
    }
}
