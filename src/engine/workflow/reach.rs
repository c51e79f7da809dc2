//! For a tool, the smallest set of groups that lets it run at all, and the tools to take before it.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

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
const PATIENCE: usize = 5_000;

/// Finds, for one tool after another, the fewest groups that let it run from a state.
#[derive(Debug)]
pub struct GroupSearch {
    /// The workflow as if every group were asked for.
    workflow: Workflow,
    names: Vec<Name>,
    price: Vec<Price>,
}

/// What it takes to be let in.
#[derive(Debug)]
enum Price {
    /// The groups asked for do.
    Free,
    /// One of these groups; empty: only `*` does.
    OneOf(Vec<usize>),
}

impl GroupSearch {
    #[must_use]
    pub fn new<T: Gated>(tools: &[T], asked: &AskedGroups, start: &str) -> Self {
        let mut names: Vec<Name> = Vec::new();
        let mut rows: HashMap<Name, usize> = HashMap::new();
        let mut row_of = |name: Name| {
            *rows.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let price = tools
            .iter()
            .map(|tool| match tool.gate() {
                gate if asked.admit(gate) => Price::Free,
                // A group with the literal name `*` can't be asked for alone: that asks for every group.
                gate => Price::OneOf(gate.groups().into_iter().filter(|name| &**name != ANY).map(&mut row_of).collect()),
            })
            .collect();
        Self { workflow: Workflow::of(tools, &AskedGroups::Every, start), names, price }
    }

    /// The fewest groups beside those asked for under which a tool can run, and a shortest sequence under them.
    /// `*` is given only where nothing less helps. `None` when no groups help.
    #[must_use]
    pub fn fewest(&self, tool: ToolRow) -> Option<Reach> {
        let start = self.workflow.start();
        // Without any group in the way, is there a way at all?
        self.workflow.paths_from(start).nearest_for(&self.workflow, tool)?;
        let (found, proof) = Search::new(self, tool).run();
        let paths = match &found {
            Some(groups) => self.workflow.paths_by(start, |tool| self.is_let_in(tool, groups)),
            None => self.workflow.paths_from(start),
        };
        let state = paths.nearest_for(&self.workflow, tool)?;
        Some(Reach {
            groups: found.map_or_else(|| vec![ANY.into()], |groups| groups.iter().map(|row| self.names[*row].clone()).collect()),
            before: paths.to_state(state)?.into_iter().map(|hop| hop.tool).collect(),
            state: self.workflow.states()[state].clone(),
            proof,
        })
    }

    fn is_let_in(&self, tool: ToolRow, groups: &Groups) -> bool {
        match &self.price[tool] {
            Price::Free => true,
            Price::OneOf(rows) => rows.iter().any(|row| groups.contains(row)),
        }
    }
}

/// A set of group rows, ascending.
type Groups = Vec<usize>;

/// A search over (state, groups asked for beside those given), fewest groups first, then fewest tools. A way is dropped when an
/// earlier one came to the same state with a part of its groups.
struct Search<'s> {
    of: &'s GroupSearch,
    goal: ToolRow,
    /// For each node (the last is "any state"), the sets it was reached with.
    seen: Vec<Vec<Groups>>,
}

impl<'s> Search<'s> {
    fn new(of: &'s GroupSearch, goal: ToolRow) -> Self {
        Self { of, goal, seen: vec![Vec::new(); of.workflow.states().len() + 1] }
    }

    fn run(mut self) -> (Option<Groups>, Proof) {
        let workflow = &self.of.workflow;
        let any = workflow.states().len();
        let done = any + 1;
        let mut queue = BinaryHeap::from([Reverse((0, 0, Groups::new(), workflow.start()))]);
        let mut patience = PATIENCE;
        while let Some(Reverse((_, steps, groups, node))) = queue.pop() {
            if node == done {
                return (Some(groups), Proof::Smallest);
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
                workflow.everywhere()
            } else {
                if self.is_goal(node) {
                    self.with(&groups, self.goal).into_iter().for_each(|groups| push(groups, steps, done));
                }
                push(groups.clone(), steps, any);
                workflow.listing(node)
            };
            for tool in tools {
                if let Some(to) = workflow.members()[*tool].target {
                    self.with(&groups, *tool).into_iter().for_each(|groups| push(groups, steps + 1, to));
                }
            }
        }
        (None, Proof::Smallest)
    }

    fn is_goal(&self, state: StateRow) -> bool {
        match &self.of.workflow.members()[self.goal].origin {
            Origin::Every => true,
            Origin::Only(rows) => rows.contains(&state),
        }
    }

    fn is_dominated(&self, node: usize, groups: &Groups) -> bool {
        self.seen[node].iter().any(|earlier| earlier.iter().all(|row| groups.contains(row)))
    }

    /// The sets to go on with after a tool: the same where it is in already, else one larger for each of its groups.
    fn with(&self, groups: &Groups, tool: ToolRow) -> Vec<Groups> {
        match &self.of.price[tool] {
            _ if self.of.is_let_in(tool, groups) => vec![groups.clone()],
            Price::Free => vec![groups.clone()],
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
