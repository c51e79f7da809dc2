//! For a tool, the smallest set of groups that lets it run at all, and the tools to take before it.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::graph::{Origin, StateRow, Workflow};
use crate::{
    engine::{
        filter::AskedGroups,
        gated::{Gated, ToolRow},
    },
    model::context::{ANY, Name},
};

/// What to ask for so that a tool can run, and what to take before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Groups to ask for beside those given.
    pub groups: Vec<Name>,
    /// The tools to take first, and then the state in which the tool is available.
    pub before: Vec<ToolRow>,
    pub state: Name,
    pub proof: Proof,
}

/// Whether a smaller set of groups is ruled out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    Smallest,
    /// The search was cut short; a smaller set may exist.
    Found,
}

/// How many partial ways are looked at before the search gives up on proving its answer.
const PATIENCE: usize = 20_000;

/// The fewest groups beside `asked` under which `tool` can run from the state `start`, with a shortest sequence under them.
/// `*` is given only where a tool in no group is needed. `None` when no groups help.
#[must_use]
pub fn fewest_groups<T: Gated>(tools: &[T], asked: &AskedGroups, start: &str, tool: ToolRow) -> Option<Reach> {
    let workflow = Workflow::of(tools, &AskedGroups::Every, start);
    // Without any group in the way, is there a way at all?
    workflow.paths_from(workflow.start()).nearest_for(&workflow, tool)?;
    let (added, proof) = Search::new(tools, asked, &workflow, tool).run();
    let added = added.unwrap_or_else(|| vec![ANY.into()]);
    let all = match asked {
        AskedGroups::Every => AskedGroups::Every,
        AskedGroups::Only(given) => AskedGroups::of(Some(&given.iter().chain(&added).cloned().collect::<Vec<_>>())),
    };
    let under = Workflow::of(tools, &all, start);
    let paths = under.paths_from(under.start());
    let state = paths.nearest_for(&under, tool)?;
    let before = paths.to_state(state)?.into_iter().map(|hop| hop.tool).collect();
    Some(Reach { groups: added, before, state: under.states()[state].clone(), proof })
}

/// A set of group rows, ascending.
type Groups = Vec<usize>;

/// A search over (state, groups asked for beside those given), fewest groups first, then fewest tools. A way is dropped when an
/// earlier one came to the same state with a part of its groups.
struct Search<'w> {
    workflow: &'w Workflow,
    goal: ToolRow,
    names: Vec<Name>,
    /// For each tool: free when the groups given let it in; else the groups of which one would.
    price: Vec<Price>,
    /// For each node (the last is "any state"), the sets it was reached with.
    seen: Vec<Vec<Groups>>,
}

enum Price {
    Free,
    OneOf(Vec<usize>),
}

impl<'w> Search<'w> {
    fn new<T: Gated>(tools: &[T], asked: &AskedGroups, workflow: &'w Workflow, goal: ToolRow) -> Self {
        let mut names: Vec<Name> = Vec::new();
        let mut rows = std::collections::HashMap::new();
        let price = tools
            .iter()
            .map(|tool| {
                let gate = tool.gate();
                if asked.admit(gate) {
                    return Price::Free;
                }
                // A group with the literal name `*` can't be asked for alone: that asks for every group.
                let groups = gate.groups().into_iter().filter(|name| &**name != ANY);
                Price::OneOf(
                    groups
                        .map(|name| {
                            *rows.entry(name.clone()).or_insert_with(|| {
                                names.push(name);
                                names.len() - 1
                            })
                        })
                        .collect(),
                )
            })
            .collect();
        Self { workflow, goal, names, price, seen: vec![Vec::new(); workflow.states().len() + 1] }
    }

    fn run(mut self) -> (Option<Vec<Name>>, Proof) {
        let any = self.workflow.states().len();
        let done = any + 1;
        let mut queue = BinaryHeap::from([Reverse((0, 0, Groups::new(), self.workflow.start()))]);
        let mut patience = PATIENCE;
        while let Some(Reverse((_, steps, groups, node))) = queue.pop() {
            if node == done {
                return (Some(groups.iter().map(|row| self.names[*row].clone()).collect()), Proof::Smallest);
            }
            if self.is_dominated(node, &groups) {
                continue;
            }
            patience -= 1;
            if patience == 0 {
                return (None, Proof::Found);
            }
            self.seen[node].push(groups.clone());
            let mut push = |groups: Groups, steps, node| queue.push(Reverse((groups.len(), steps, groups, node)));
            let tools = if node == any {
                self.workflow.everywhere()
            } else {
                if self.is_goal(node) {
                    self.with(&groups, self.goal).into_iter().for_each(|groups| push(groups, steps, done));
                }
                push(groups.clone(), steps, any);
                self.workflow.listing(node)
            };
            for tool in tools {
                if let Some(to) = self.workflow.members()[*tool].target {
                    self.with(&groups, *tool).into_iter().for_each(|groups| push(groups, steps + 1, to));
                }
            }
        }
        (None, Proof::Smallest)
    }

    fn is_goal(&self, state: StateRow) -> bool {
        match &self.workflow.members()[self.goal].origin {
            Origin::Every => true,
            Origin::Only(rows) => rows.contains(&state),
        }
    }

    fn is_dominated(&self, node: usize, groups: &Groups) -> bool {
        self.seen[node].iter().any(|earlier| earlier.iter().all(|row| groups.contains(row)))
    }

    /// The sets to go on with after a tool: the same where it is in already, else one larger for each of its groups.
    fn with(&self, groups: &Groups, tool: ToolRow) -> Vec<Groups> {
        match &self.price[tool] {
            Price::Free => vec![groups.clone()],
            Price::OneOf(rows) if rows.iter().any(|row| groups.contains(row)) => vec![groups.clone()],
            Price::OneOf(rows) => rows
                .iter()
                .map(|row| {
                    let mut larger = groups.clone();
                    larger.push(*row);
                    larger.sort_unstable();
                    larger
                })
                .collect(),
        }
    }
}
