//! For a tool or a state, the smallest sets of groups that let a run come there, and the tools to
//! take before it.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

use super::{
    graph::{Origin, StateRow, Workflow},
    paths::Paths,
};
use crate::{
    engine::{
        filter::{AllowedGroups, AskedGroups},
        gated::{Gated, ToolRow},
    },
    model::context::{ANY, DEFAULT_GROUP, Name},
    schema::ordering::PutInOrder,
};

/// What to ask for so that a tool can run, and what to take before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReachPlan {
    /// Groups to ask for beside those given.
    pub groups: Vec<Name>,
    /// The tools to take first, and then the state in which the tool is available.
    pub before: Vec<ToolRow>,
    pub state: Name,
    pub proof: ReachProof,
}

/// Whether a smaller set of groups is ruled out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReachProof {
    Smallest,
    /// The search was cut short; a smaller set may exist.
    Found,
}

/// Sets of groups, none of which is part of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GroupSets {
    /// The smallest first; empty where no groups help. An empty set: nothing needs to be asked for
    /// beside.
    pub sets: Vec<Vec<Name>>,
    pub proof: ReachProof,
}

/// What is said where no groups help, whatever is in the way from that state.
#[must_use]
pub(crate) fn no_way_words(start: &str) -> String {
    format!("no groups open a way to it from {start}")
}

/// How many partial ways are looked at before the search gives up on proving its answer.
const PATIENCE: usize = 500;
/// The same where all answers are looked for.
const MUCH_PATIENCE: usize = 20_000;

/// Finds, for one tool after another, the fewest groups that let it run from a state.
#[derive(Debug)]
pub(crate) struct GroupSearch {
    /// The workflow as if every group were asked for, and the ways in it.
    workflow: Workflow,
    paths: Paths,
    names: Vec<Name>,
    price: Vec<GroupPrice>,
    /// Whether `*` may be asked for where no name helps.
    may_ask_for_all: bool,
}

/// What it takes to be let in.
#[derive(Debug)]
enum GroupPrice {
    /// The groups asked for do.
    Free,
    /// One of these groups; empty: none that may be asked for by its name.
    OneOf(Vec<usize>),
}

impl GroupSearch {
    /// `allowed` are the groups that may be asked for beside those that are.
    #[must_use]
    pub fn new<T: Gated>(
        tools: &[T],
        asked: &AskedGroups,
        start: &str,
        allowed: &AllowedGroups,
    ) -> Self {
        let default: Name = DEFAULT_GROUP.into();
        let mut names: Vec<Name> = Vec::new();
        let mut rows: HashMap<&str, usize> = HashMap::new();
        let mut price = Vec::with_capacity(tools.len());
        for gate in tools.iter().map(Gated::gate) {
            if asked.admit(gate) {
                price.push(GroupPrice::Free);
                continue;
            }
            let mut any = Vec::new();
            // A group with the literal name `*` can't be asked for alone: that asks for every
            // group.
            let named = gate.groups.as_deref().unwrap_or(std::slice::from_ref(&default)).iter();
            for name in named.filter(|name| &***name != ANY && allowed.allows(name)) {
                let row = match rows.get(&**name) {
                    Some(row) => *row,
                    None => {
                        rows.insert(name, names.len());
                        names.push(name.clone());
                        names.len() - 1
                    }
                };
                any.push(row);
            }
            price.push(GroupPrice::OneOf(any));
        }
        let workflow = Workflow::for_groups(tools, &AskedGroups::Every, start);
        let may_ask_for_all = allowed.allows(&ANY.into());
        Self {
            paths: workflow.paths_from(workflow.start()),
            workflow,
            names,
            price,
            may_ask_for_all,
        }
    }

    /// The fewest groups beside those asked for under which a tool can run, and a shortest sequence
    /// under them. `*` is given only where nothing less helps. `None` when no groups help.
    #[must_use]
    pub fn fewest_groups(&self, tool: ToolRow) -> Option<ReachPlan> {
        // Without any group in the way, is there a way at all?
        self.paths.nearest_for(&self.workflow, tool)?;
        let (found, proof) = Search::new(self, SearchGoal::Tool(tool)).find_sets(AnswerCount::One);
        let groups = match (found.first(), proof) {
            (Some(groups), _) => Some(groups.rows().collect()),
            (None, ReachProof::Found) => self.greedy_cover(tool),
            (None, ReachProof::Smallest) => None,
        };
        let of_groups = groups.map(|rows: Vec<usize>| {
            let is_let_in = |tool| match &self.price[tool] {
                GroupPrice::Free => true,
                GroupPrice::OneOf(any) => any.iter().any(|row| rows.contains(row)),
            };
            let paths = self.workflow.paths_by(self.workflow.start(), is_let_in);
            (rows.iter().map(|row| self.names[*row].clone()).collect::<Vec<_>>(), paths)
        });
        let (names, paths) = match &of_groups {
            Some((names, paths)) => (names.clone(), paths),
            None if !self.may_ask_for_all => return None,
            None => (vec![ANY.into()], &self.paths),
        };
        let state = paths.nearest_for(&self.workflow, tool)?;
        Some(ReachPlan {
            groups: names,
            before: paths.to_state(state)?.into_iter().map(|hop| hop.tool).collect(),
            state: self.workflow.states()[state].clone(),
            proof,
        })
    }

    /// Every smallest set of groups beside those asked for under which a tool can run. `*` is given
    /// only where nothing less helps.
    #[must_use]
    pub fn every_smallest(&self, tool: ToolRow) -> GroupSets {
        self.group_sets(
            SearchGoal::Tool(tool),
            self.paths.nearest_for(&self.workflow, tool).is_some(),
        )
    }

    /// The same for coming into a state.
    #[must_use]
    pub fn every_smallest_to(&self, state: &str) -> GroupSets {
        match self.workflow.state_row(state) {
            Some(row) => self.group_sets(SearchGoal::State(row), self.paths.reaches(row)),
            None => GroupSets { sets: Vec::new(), proof: ReachProof::Smallest },
        }
    }

    fn group_sets(&self, goal: SearchGoal, possible: bool) -> GroupSets {
        if !possible {
            return GroupSets { sets: Vec::new(), proof: ReachProof::Smallest };
        }
        let (found, proof) = Search::new(self, goal).find_sets(AnswerCount::All);
        let mut sets: Vec<Vec<Name>> = found
            .into_iter()
            .map(|groups| groups.rows().map(|row| self.names[row].clone()).collect())
            .collect();
        sets.iter_mut().for_each(|set| set.sort());
        sets.order_by(|left, right| left.len().cmp(&right.len()).then_with(|| left.cmp(right)));
        if sets.is_empty() && self.may_ask_for_all {
            sets.push(vec![ANY.into()]);
        }
        GroupSets { sets, proof }
    }

    /// Groups that open the shortest way there is, the most useful ones first; `None` when a tool
    /// on it is in no group.
    fn greedy_cover(&self, tool: ToolRow) -> Option<Vec<usize>> {
        let mut open: Vec<&Vec<usize>> = Vec::new();
        let hops = self.paths.to_tool(&self.workflow, tool)?;
        for tool in hops.iter().map(|hop| hop.tool).chain([tool]) {
            match &self.price[tool] {
                GroupPrice::Free => {}
                GroupPrice::OneOf(rows) if rows.is_empty() => return None,
                GroupPrice::OneOf(rows) => open.push(rows),
            }
        }
        let mut chosen = Vec::new();
        while let Some(first) = open.first() {
            let opens = |row: &usize| open.iter().filter(|rows| rows.contains(row)).count();
            let candidates = open.iter().flat_map(|rows| rows.iter()).copied();
            let best = candidates.max_by_key(|row| (opens(row), Reverse(*row))).unwrap_or(first[0]);
            chosen.push(best);
            open.retain(|rows| !rows.contains(&best));
        }
        Some(chosen)
    }
}

/// How many groups beside those given the search goes up to.
const MOST: usize = 8;

/// A small set of group rows, ascending; unused places hold the largest number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Groups([u32; MOST]);

impl Groups {
    const NONE: Self = Self([u32::MAX; MOST]);

    fn rows(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().filter(|row| *row != u32::MAX).map(|row| row as usize)
    }

    fn len(self) -> usize {
        self.rows().count()
    }

    fn contains(self, row: usize) -> bool {
        self.rows().any(|has| has == row)
    }

    /// With one group more; `None` when there is no room for it.
    fn with_group(self, row: usize) -> Option<Self> {
        let mut rows = self.0;
        *rows.last_mut().filter(|last| **last == u32::MAX)? = u32::try_from(row).ok()?;
        rows.sort_unstable();
        Some(Self(rows))
    }

    fn is_part_of(self, other: Self) -> bool {
        self.rows().all(|row| other.contains(row))
    }
}

/// A search over (state, groups asked for beside those given), fewest groups first, then fewest
/// tools. A way is dropped when an earlier one came to the same state with a part of its groups.
struct Search<'s> {
    of: &'s GroupSearch,
    goal: SearchGoal,
    /// For each node (the last is "any state"), the sets it was reached with.
    seen: Vec<Vec<Groups>>,
    /// A way was given up because it wanted too many groups.
    cut: bool,
}

/// Where a search wants to come.
#[derive(Clone, Copy)]
enum SearchGoal {
    Tool(ToolRow),
    State(StateRow),
}

/// How many answers are wanted.
#[derive(Clone, Copy, PartialEq)]
enum AnswerCount {
    One,
    All,
}

impl<'s> Search<'s> {
    fn new(of: &'s GroupSearch, goal: SearchGoal) -> Self {
        Self { of, goal, seen: vec![Vec::new(); of.workflow.states().len() + 1], cut: false }
    }

    /// The sets under which the goal is come to, none part of another; and whether there are no
    /// others.
    fn find_sets(mut self, wanted: AnswerCount) -> (Vec<Groups>, ReachProof) {
        let of = self.of;
        let any = of.workflow.states().len();
        let done = any + 1;
        let mut queue = BinaryHeap::from([Reverse((0, 0, Groups::NONE, of.workflow.start()))]);
        let mut patience = if wanted == AnswerCount::One { PATIENCE } else { MUCH_PATIENCE };
        let mut found: Vec<Groups> = Vec::new();
        while let Some(Reverse((_, steps, groups, node))) = queue.pop() {
            // What holds an answer is no smaller one, and leads to none.
            if found.iter().any(|earlier| earlier.is_part_of(groups)) {
                continue;
            }
            if node == done {
                found.push(groups);
                if wanted == AnswerCount::One {
                    return (found, ReachProof::Smallest);
                }
                continue;
            }
            if self.seen[node].iter().any(|earlier| earlier.is_part_of(groups)) {
                continue;
            }
            patience -= 1;
            if patience == 0 {
                return (found, ReachProof::Found);
            }
            self.seen[node].push(groups);
            let mut push = |groups: Groups, steps: usize, node| {
                queue.push(Reverse((groups.len(), steps, groups, node)));
            };
            let tools = if node == any {
                of.workflow.tools_everywhere()
            } else {
                match self.goal {
                    SearchGoal::State(state) if state == node => push(groups, steps, done),
                    SearchGoal::Tool(tool) if self.is_listed(tool, node) => {
                        self.each_with(groups, tool, |groups| push(groups, steps, done));
                    }
                    _ => {}
                }
                push(groups, steps, any);
                of.workflow.tools_listing(node)
            };
            for tool in tools {
                if let Some(to) = of.workflow.members()[*tool].target {
                    self.each_with(groups, *tool, |groups| push(groups, steps + 1, to));
                }
            }
        }
        (found, if self.cut { ReachProof::Found } else { ReachProof::Smallest })
    }

    fn is_listed(&self, tool: ToolRow, state: StateRow) -> bool {
        match &self.of.workflow.members()[tool].origin {
            Origin::Every => true,
            Origin::Only(rows) => rows.contains(&state),
        }
    }

    /// The sets to go on with after a tool: the same where it is in already, else one larger for
    /// each of its groups.
    fn each_with(&mut self, groups: Groups, tool: ToolRow, mut then: impl FnMut(Groups)) {
        match &self.of.price[tool] {
            GroupPrice::Free => then(groups),
            GroupPrice::OneOf(rows) if rows.iter().any(|row| groups.contains(*row)) => then(groups),
            GroupPrice::OneOf(rows) => {
                for row in rows {
                    match groups.with_group(*row) {
                        Some(larger) => then(larger),
                        None => self.cut = true,
                    }
                }
            }
        }
    }
}
