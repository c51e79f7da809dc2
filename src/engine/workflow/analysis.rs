//! What can be said about a workflow: reachable, stuck, never run, waited for, unused.

use super::{
    graph::{GroupAdmission, Origin, StateRow, Workflow},
    paths::Paths,
    similar,
};
use crate::engine::gated::ToolRow;

/// Everything about a workflow as seen from its start. Lists are in the order of states or tools.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The shortest ways from the start; a state is reachable when there is one.
    pub paths: Paths,
    /// States that offer no tool.
    pub dead_ends: Vec<StateRow>,
    /// Sets of states that offer tools but cannot be left; the one that holds the start is none.
    pub traps: Vec<Vec<StateRow>>,
    /// Sets of states that lead to each other, and states that a tool leads back to from
    /// themselves.
    pub cycles: Vec<Vec<StateRow>>,
    /// For each state, whether there is a way back to the start.
    pub returns: Vec<bool>,
    /// Tools that can never run from this start under these groups.
    pub never_run: Vec<(ToolRow, NeverRuns)>,
    /// States that an admitted tool waits for and no admitted tool leads to.
    pub never_produced: Vec<NeverProduced>,
    /// States that an admitted tool leads to and no admitted tool lists.
    pub never_awaited: Vec<NeverAwaited>,
}

/// Why a tool can never run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NeverRuns {
    /// None of its groups was asked for.
    NotAsked,
    /// It is in no group; only a request for `*` shows it.
    NoGroup,
    /// Its system does not load it.
    NotLoaded,
    /// It lists no state.
    NoState,
    /// No state that it lists can be reached.
    Unreachable { waits_for: Vec<StateRow> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeverProduced {
    pub state: StateRow,
    /// The admitted tools that list it.
    pub waiting: Vec<ToolRow>,
    /// Tools that would lead there, were their groups asked for.
    pub elsewhere: Vec<ToolRow>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeverAwaited {
    pub state: StateRow,
    /// The admitted tools that lead there.
    pub produced_by: Vec<ToolRow>,
    /// Tools that list it, were their groups asked for.
    pub elsewhere: Vec<ToolRow>,
}

impl Analysis {
    #[must_use]
    pub fn reaches(&self, state: StateRow) -> bool {
        self.paths.reaches(state)
    }
}

impl Workflow {
    /// The analysis from the start, in time linear in states and edges.
    #[must_use]
    pub fn analysis(&self) -> Analysis {
        let paths = self.paths_from(self.start());
        let parts = ConnectedParts::from_workflow(self);
        let dead_ends =
            (0..self.states().len()).filter(|state| self.offer_count(*state) == 0).collect();
        let (never_produced, never_awaited) = self.loose_ends();
        Analysis {
            dead_ends,
            traps: parts.find_traps(self),
            cycles: parts.find_cycles(self),
            returns: self.states_leading_to(self.start()),
            never_run: self.never_run(&paths),
            never_produced,
            never_awaited,
            paths,
        }
    }

    /// The state whose name is a slip of the hand away, of those that a tool leads to.
    #[must_use]
    pub fn similar_state(&self, state: StateRow) -> Option<StateRow> {
        let name = similar::nearest_name(
            &self.states()[state],
            self.produced_states().iter().map(|row| &*self.states()[*row]),
        )?;
        self.state_row(name)
    }

    /// The names of the states that a tool leads to, to look for many that are a slip of the hand
    /// away.
    #[must_use]
    pub fn produced_names(&self) -> similar::Names<'_> {
        similar::Names::from_names(
            self.produced_states().into_iter().map(|row| &*self.states()[row]),
        )
    }

    /// The states that a tool leads to, and the one that a run starts in.
    fn produced_states(&self) -> Vec<StateRow> {
        let mut produced: Vec<StateRow> =
            self.members().iter().filter_map(|member| member.target).collect();
        produced.push(self.start());
        produced.sort_unstable();
        produced.dedup();
        produced
    }

    fn never_run(&self, paths: &Paths) -> Vec<(ToolRow, NeverRuns)> {
        let why = |tool: ToolRow| {
            let member = &self.members()[tool];
            match (member.admission, &member.origin) {
                (GroupAdmission::NotAsked, _) => Some(NeverRuns::NotAsked),
                (GroupAdmission::NoGroup, _) => Some(NeverRuns::NoGroup),
                (GroupAdmission::NotLoaded, _) => Some(NeverRuns::NotLoaded),
                (GroupAdmission::Admitted, Origin::Every) => None,
                (GroupAdmission::Admitted, Origin::Only(rows)) if rows.is_empty() => {
                    Some(NeverRuns::NoState)
                }
                (GroupAdmission::Admitted, Origin::Only(rows))
                    if rows.iter().any(|row| paths.reaches(*row)) =>
                {
                    None
                }
                (GroupAdmission::Admitted, Origin::Only(rows)) => {
                    Some(NeverRuns::Unreachable { waits_for: rows.clone() })
                }
            }
        };
        (0..self.members().len()).filter_map(|tool| Some((tool, why(tool)?))).collect()
    }

    fn loose_ends(&self) -> (Vec<NeverProduced>, Vec<NeverAwaited>) {
        let mut ends = vec![StateEnds::default(); self.states().len()];
        for (tool, member) in self.members().iter().enumerate() {
            if let Some(target) = member.target {
                if member.is_admitted() {
                    &mut ends[target].produced_by
                } else {
                    &mut ends[target].produced_elsewhere
                }
                .push(tool);
            }
            if let Origin::Only(rows) = &member.origin {
                for row in rows {
                    if member.is_admitted() {
                        &mut ends[*row].listed_by
                    } else {
                        &mut ends[*row].listed_elsewhere
                    }
                    .push(tool);
                }
            }
        }
        let mut produced = Vec::new();
        let mut awaited = Vec::new();
        // One is in the start and in `undefined` without being led there.
        let given = |state: StateRow| state == self.start() || state == 0;
        for (state, ends) in ends.into_iter().enumerate().filter(|(state, _)| !given(*state)) {
            if !ends.listed_by.is_empty() && ends.produced_by.is_empty() {
                produced.push(NeverProduced {
                    state,
                    waiting: ends.listed_by,
                    elsewhere: ends.produced_elsewhere,
                });
            } else if !ends.produced_by.is_empty() && ends.listed_by.is_empty() {
                awaited.push(NeverAwaited {
                    state,
                    produced_by: ends.produced_by,
                    elsewhere: ends.listed_elsewhere,
                });
            }
        }
        (produced, awaited)
    }
}

#[derive(Clone, Default)]
struct StateEnds {
    produced_by: Vec<ToolRow>,
    produced_elsewhere: Vec<ToolRow>,
    listed_by: Vec<ToolRow>,
    listed_elsewhere: Vec<ToolRow>,
}

/// The strongly connected parts. One node beyond the states represents "any state": every state
/// leads to it, and it leads where the tools that are available everywhere lead; it joins no states
/// that those tools do not join.
struct ConnectedParts {
    part_of: Vec<usize>,
    members: Vec<Vec<StateRow>>,
}

impl ConnectedParts {
    fn from_workflow(workflow: &Workflow) -> Self {
        let successors = successors(workflow);
        let count = successors.len();
        let mut search = Tarjan {
            successors: &successors,
            order: vec![usize::MAX; count],
            low: vec![0; count],
            on_stack: vec![false; count],
            stack: Vec::new(),
            part_of: vec![0; count],
            parts: Vec::new(),
            next: 0,
        };
        for node in 0..count {
            if search.order[node] == usize::MAX {
                search.visit(node);
            }
        }
        Self { part_of: search.part_of, members: search.parts }
    }

    /// The states of a part, without the node for "any state".
    fn part_states(&self, workflow: &Workflow, part: usize) -> Vec<StateRow> {
        let mut states: Vec<StateRow> = self.members[part]
            .iter()
            .copied()
            .filter(|node| *node < workflow.states().len())
            .collect();
        states.sort_unstable();
        states
    }

    fn find_traps(&self, workflow: &Workflow) -> Vec<Vec<StateRow>> {
        let mut left = vec![false; self.members.len()];
        for (node, next) in successors(workflow).iter().enumerate() {
            for to in next {
                left[self.part_of[node]] |= self.part_of[*to] != self.part_of[node];
            }
        }
        let start = self.part_of[workflow.start()];
        let stuck =
            |states: &Vec<StateRow>| states.iter().any(|state| workflow.offer_count(*state) > 0);
        let mut traps: Vec<Vec<StateRow>> = (0..self.members.len())
            .filter(|part| !left[*part] && *part != start)
            .map(|part| self.part_states(workflow, part))
            .filter(stuck)
            .collect();
        traps.sort();
        traps
    }

    fn find_cycles(&self, workflow: &Workflow) -> Vec<Vec<StateRow>> {
        let back_to_itself = |state: StateRow| {
            let leads_here = |tool: &ToolRow| workflow.members()[*tool].target == Some(state);
            workflow.tools_listing(state).iter().any(leads_here)
                || workflow.tools_everywhere().iter().any(leads_here)
        };
        let is_cycle = |states: &Vec<StateRow>| match states.as_slice() {
            [] => false,
            [one] => back_to_itself(*one),
            _ => true,
        };
        let mut cycles: Vec<Vec<StateRow>> = (0..self.members.len())
            .map(|part| self.part_states(workflow, part))
            .filter(is_cycle)
            .collect();
        cycles.sort();
        cycles
    }
}

fn successors(workflow: &Workflow) -> Vec<Vec<usize>> {
    let any = workflow.states().len();
    let mut targets: Vec<StateRow> = workflow
        .tools_everywhere()
        .iter()
        .filter_map(|tool| workflow.members()[*tool].target)
        .collect();
    targets.sort_unstable();
    targets.dedup();
    let mut successors: Vec<Vec<usize>> = (0..any)
        .map(|state| {
            let listed = workflow
                .tools_listing(state)
                .iter()
                .filter_map(|tool| workflow.members()[*tool].target);
            listed.chain((!targets.is_empty()).then_some(any)).collect()
        })
        .collect();
    successors.push(targets);
    successors
}

/// Tarjan's search without recursion, so that a long chain of states cannot exhaust the stack.
struct Tarjan<'s> {
    successors: &'s [Vec<usize>],
    order: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    part_of: Vec<usize>,
    parts: Vec<Vec<usize>>,
    next: usize,
}

impl Tarjan<'_> {
    fn visit(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter_node(root);
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            match self.successors[node].get(*edge) {
                Some(to) => {
                    *edge += 1;
                    if self.order[*to] == usize::MAX {
                        self.enter_node(*to);
                        path.push((*to, 0));
                    } else if self.on_stack[*to] {
                        self.low[node] = self.low[node].min(self.order[*to]);
                    }
                }
                None => {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        self.low[*parent] = self.low[*parent].min(self.low[node]);
                    }
                    if self.low[node] == self.order[node] {
                        self.pop_component(node);
                    }
                }
            }
        }
    }

    fn enter_node(&mut self, node: usize) {
        self.order[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
    }

    fn pop_component(&mut self, root: usize) {
        let mut part = Vec::new();
        while let Some(node) = self.stack.pop() {
            self.on_stack[node] = false;
            self.part_of[node] = self.parts.len();
            part.push(node);
            if node == root {
                break;
            }
        }
        self.parts.push(part);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        engine::{
            filter::{AllowedGroups, AskedGroups, Filter, next_state},
            gated::Slot,
            spec_tools::spec_tools,
            workflow::reach::{GroupSearch, ReachProof},
        },
        model::{
            call::Outcome,
            context::{Context, Mode, Name, UNDEFINED},
            tool::{Gate, States},
        },
    };

    const STATES: &[&str] = &[UNDEFINED, "a", "b", "c", "d"];
    const GROUPS: &[&str] = &["g", "h", "i"];

    fn names(of: &'static [&'static str], size: usize) -> impl Strategy<Value = Vec<Name>> {
        proptest::sample::subsequence(of, 0..=size)
            .prop_map(|list| list.into_iter().map(Name::from).collect())
    }

    fn tools() -> impl Strategy<Value = Vec<Slot>> {
        let states =
            prop_oneof![1 => Just(States::Every), 6 => names(STATES, 3).prop_map(States::Only)];
        let groups = proptest::option::weighted(0.9, names(GROUPS, 2));
        let next = proptest::option::weighted(0.8, proptest::sample::select(STATES));
        let gate = (groups, states, next).prop_map(|(groups, states, next)| Gate {
            groups,
            states,
            next: next.map(Name::from),
            ..Gate::open()
        });
        proptest::collection::vec(gate, 0..8).prop_map(|gates| {
            gates
                .into_iter()
                .enumerate()
                .map(|(row, gate)| Slot { key: format!("t{row}").into(), name: "t".into(), gate })
                .collect()
        })
    }

    fn context() -> impl Strategy<Value = Context> {
        let groups = prop_oneof![3 => names(GROUPS, 3).prop_map(Some), 1 => Just(Some(vec![Name::from("*")])), 1 => Just(None)];
        (groups, proptest::sample::select(STATES)).prop_map(|(groups, state)| Context {
            user: None,
            groups,
            state: Some(state.into()),
        })
    }

    /// The rules by trying: where one step of any available tool leads, straight from the filter.
    fn next<'t>(
        tools: &'t [Slot],
        groups: Option<&Vec<Name>>,
        state: &str,
    ) -> Vec<(usize, Name, &'t Slot)> {
        let filter = Filter::new(&Context {
            user: None,
            groups: groups.cloned(),
            state: Some(state.into()),
        });
        let admitted = tools.iter().enumerate().filter(|(_, tool)| filter.admits(&tool.gate));
        admitted
            .map(|(row, tool)| {
                (row, next_state(&tool.gate, state, Outcome::Succeeded, Mode::Document), tool)
            })
            .collect()
    }

    /// Distances by widening circles.
    fn circles(tools: &[Slot], groups: Option<&Vec<Name>>, start: &str) -> Vec<(Name, usize)> {
        let mut found: Vec<(Name, usize)> = vec![(start.into(), 0)];
        for distance in 1..=STATES.len() + 1 {
            for (state, _) in found.clone().into_iter().filter(|(_, at)| *at + 1 == distance) {
                for (_, to, _) in next(tools, groups, &state) {
                    if !found.iter().any(|(state, _)| *state == to) {
                        found.push((to, distance));
                    }
                }
            }
        }
        found
    }

    fn reach(tools: &[Slot], groups: Option<&Vec<Name>>, start: &str) -> BTreeSet<Name> {
        circles(tools, groups, start).into_iter().map(|(state, _)| state).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn agrees_with_trying_everything(tools in tools(), context in context()) {
            let workflow = Workflow::new(&tools, &context);
            let analysis = workflow.analysis();
            let groups = context.groups.as_ref();
            let name = |row: StateRow| workflow.states()[row].clone();
            let set = |rows: &[StateRow]| rows.iter().map(|row| name(*row)).collect::<BTreeSet<_>>();
            let all = set(&(0..workflow.states().len()).collect::<Vec<_>>());
            let circles = circles(&tools, groups, context.state());

            let mut named: BTreeSet<Name> = [Name::from(UNDEFINED), context.state().into()].into();
            for tool in &tools {
                named.extend(tool.gate.next.clone());
                if let States::Only(states) = &tool.gate.states { named.extend(states.iter().cloned()); }
            }
            prop_assert_eq!(&all, &named, "a node for each state that any tool names");

            for row in 0..workflow.states().len() {
                let state = name(row);
                let expected = circles.iter().find(|(found, _)| *found == state).map(|(_, distance)| *distance);
                prop_assert_eq!(analysis.paths.distance(row), expected, "distance of {}", state);
                if let Some(hops) = analysis.paths.to_state(row) {
                    let mut at: Name = context.state().into();
                    for hop in &hops {
                        prop_assert_eq!(name(hop.from), at.clone());
                        let step = next(&tools, groups, &at).into_iter().find(|(tool, ..)| *tool == hop.tool);
                        prop_assert!(step.is_some(), "each hop's tool is available");
                        at = step.unwrap().1;
                    }
                    prop_assert_eq!(at, state.clone());
                    prop_assert_eq!(Some(hops.len()), expected);
                }
                prop_assert_eq!(analysis.returns[row], reach(&tools, groups, &state).contains(context.state()));
                prop_assert_eq!(analysis.dead_ends.contains(&row), next(&tools, groups, &state).is_empty());
                prop_assert_eq!(workflow.offer_count(row), next(&tools, groups, &state).len());
                for (tool, _) in tools.iter().enumerate() {
                    let offered = next(&tools, groups, &state).iter().any(|(row, ..)| *row == tool);
                    prop_assert_eq!(workflow.offers_tool(row, tool), offered);
                }
            }

            let mutual: BTreeSet<BTreeSet<Name>> = all.iter().map(|state| {
                reach(&tools, groups, state).into_iter().filter(|other| reach(&tools, groups, other).contains(state)).collect()
            }).collect();
            let cycles: BTreeSet<BTreeSet<Name>> = mutual.iter().filter(|set| set.len() > 1 || {
                let state = set.first().unwrap();
                next(&tools, groups, state).iter().any(|(_, _, tool)| tool.gate.next.as_ref() == Some(state))
            }).cloned().collect();
            prop_assert_eq!(analysis.cycles.iter().map(|rows| set(rows)).collect::<BTreeSet<_>>(), cycles);
            let traps: BTreeSet<BTreeSet<Name>> = mutual.into_iter().filter(|set| {
                let state = set.first().unwrap();
                reach(&tools, groups, state) == *set && !set.contains(context.state()) && !next(&tools, groups, state).is_empty()
            }).collect();
            prop_assert_eq!(analysis.traps.iter().map(|rows| set(rows)).collect::<BTreeSet<_>>(), traps);

            let runs: BTreeSet<usize> = circles.iter().flat_map(|(state, _)| next(&tools, groups, state)).map(|(row, ..)| row).collect();
            let never: BTreeSet<usize> = analysis.never_run.iter().map(|(tool, _)| *tool).collect();
            prop_assert_eq!((0..tools.len()).filter(|tool| !runs.contains(tool)).collect::<BTreeSet<_>>(), never);

            let asked = AskedGroups::from_request(context.groups.as_deref());
            let admitted: Vec<&Slot> = tools.iter().filter(|tool| asked.admit(&tool.gate)).collect();
            let produced: BTreeSet<Name> = admitted.iter().filter_map(|tool| tool.gate.next.clone()).collect();
            let awaited: BTreeSet<Name> = admitted.iter().filter_map(|tool| match &tool.gate.states {
                States::Only(states) => Some(states.clone()),
                States::Every => None,
            }).flatten().collect();
            let given: BTreeSet<Name> = [Name::from(UNDEFINED), context.state().into()].into();
            let less = |left: &BTreeSet<Name>, right: &BTreeSet<Name>| {
                left.difference(right).filter(|name| !given.contains(*name)).cloned().collect::<BTreeSet<_>>()
            };
            let rows: Vec<StateRow> = analysis.never_produced.iter().map(|found| found.state).collect();
            prop_assert_eq!(set(&rows), less(&awaited, &produced));
            let rows: Vec<StateRow> = analysis.never_awaited.iter().map(|found| found.state).collect();
            prop_assert_eq!(set(&rows), less(&produced, &awaited));
        }

        #[test]
        fn the_smallest_sets_of_groups_lead_to_a_state(tools in tools(), context in context()) {
            let asked = AskedGroups::from_request(context.groups.as_deref());
            let search = GroupSearch::new(&tools, &asked, context.state(), &AllowedGroups::Every);
            let plain: Vec<Name> = GROUPS.iter().chain(&["default"]).map(|name| Name::from(*name)).collect();
            for state in STATES {
                let comes = |added: &[Name]| {
                    let groups: Vec<Name> = asked.names().iter().chain(added).cloned().collect();
                    reach(&tools, Some(&groups), context.state()).contains(*state)
                };
                let enough: Vec<BTreeSet<Name>> = (0..1_usize << plain.len()).map(|bits| {
                    plain.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, name)| name.clone()).collect::<Vec<_>>()
                }).filter(|set| comes(set)).map(|set| set.into_iter().collect()).collect();
                let mut smallest: BTreeSet<BTreeSet<Name>> = enough.iter()
                    .filter(|set| !enough.iter().any(|other| other != *set && other.is_subset(set))).cloned().collect();
                if smallest.is_empty() && comes(&[Name::from("*")]) {
                    smallest.insert([Name::from("*")].into());
                }
                let every = search.every_smallest_to(state);
                prop_assert_eq!(every.sets.into_iter().map(|set| set.into_iter().collect()).collect::<BTreeSet<_>>(), smallest);
            }
        }

        #[test]
        fn the_fewest_groups_are_the_fewest(tools in tools(), context in context()) {
            let asked = AskedGroups::from_request(context.groups.as_deref());
            let given = asked.names();
            let search = GroupSearch::new(&tools, &asked, context.state(), &AllowedGroups::Every);
            for (row, tool) in tools.iter().enumerate() {
                // Every set of groups, `default` and `*` last, by size: the first under which the
                // tool comes up.
                let runs = |added: &[Name]| {
                    let groups: Vec<Name> = given.iter().chain(added).cloned().collect();
                    reach(&tools, Some(&groups), context.state()).iter()
                        .any(|state| next(&tools, Some(&groups), state).iter().any(|(found, ..)| *found == row))
                };
                let plain: Vec<Name> = GROUPS.iter().chain(&["default"]).map(|name| Name::from(*name)).collect();
                let mut subsets: Vec<Vec<Name>> = (0..1_usize << plain.len()).map(|bits| {
                    plain.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, name)| name.clone()).collect()
                }).collect();
                subsets.sort_by_key(Vec::len);
                let fewest = subsets.iter().find(|set| runs(set)).map(Vec::len)
                    .or_else(|| runs(&[Name::from("*")]).then_some(1));
                // Of the sets that do, those that hold no other of them.
                let enough: Vec<BTreeSet<Name>> =
                    subsets.iter().filter(|set| runs(set)).map(|set| set.iter().cloned().collect()).collect();
                let mut smallest: BTreeSet<BTreeSet<Name>> = enough.iter()
                    .filter(|set| !enough.iter().any(|other| other != *set && other.is_subset(set))).cloned().collect();
                if smallest.is_empty() && runs(&[Name::from("*")]) {
                    smallest.insert([Name::from("*")].into());
                }
                let every = search.every_smallest(row);
                prop_assert_eq!(every.proof, ReachProof::Smallest);
                prop_assert_eq!(every.sets.len(), smallest.len(), "no set twice");
                prop_assert_eq!(every.sets.into_iter().map(|set| set.into_iter().collect()).collect::<BTreeSet<_>>(), smallest);
                let answer = search.fewest_groups(row);
                prop_assert_eq!(answer.as_ref().map(|answer| answer.groups.len()), fewest, "{:?} {:?}", tool, answer);
                if let Some(answer) = answer {
                    prop_assert!(runs(&answer.groups));
                    prop_assert_eq!(answer.proof, ReachProof::Smallest);
                    let groups: Vec<Name> = given.iter().chain(&answer.groups).cloned().collect();
                    let mut at: Name = context.state().into();
                    for tool in &answer.before {
                        at = next(&tools, Some(&groups), &at).into_iter().find(|(row, ..)| row == tool).unwrap().1;
                    }
                    prop_assert_eq!(&at, &answer.state);
                    prop_assert!(next(&tools, Some(&groups), &at).iter().any(|(found, ..)| *found == row));
                }
            }
        }
    }

    #[test]
    fn the_documents_workflow_is_read_as_its_formula_says() {
        let context = Context {
            user: None,
            groups: Some(vec!["knowledge".into(), "compute".into()]),
            state: None,
        };
        let tools = spec_tools();
        let workflow = Workflow::new(&tools, &context);
        let analysis = workflow.analysis();
        let names = |rows: &[StateRow]| {
            rows.iter().map(|row| workflow.states()[*row].to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            workflow.states().iter().map(|name| &**name).collect::<Vec<_>>(),
            ["undefined", "research", "analysis", "modification", "results"]
        );
        assert_eq!(names(&analysis.dead_ends), ["results"], "reset-workflow is only in admin");
        assert_eq!(
            analysis.never_produced.iter().map(|found| found.state).collect::<Vec<_>>(),
            [1, 3]
        );
        let answer = GroupSearch::new(
            &tools,
            &AskedGroups::from_request(context.groups.as_deref()),
            UNDEFINED,
            &AllowedGroups::Every,
        )
        .fewest_groups(4)
        .unwrap();
        assert_eq!((answer.groups, answer.before), (vec!["admin".into()], vec![0]));
    }

    #[test]
    fn a_misspelt_state_is_recognised() {
        let mut tools = spec_tools();
        tools[3].gate.states = States::Only(vec!["anaylsis".into()]);
        let workflow = Workflow::for_groups(&tools, &AskedGroups::Every, UNDEFINED);
        let analysis = workflow.analysis();
        let found = analysis.never_produced.iter().find(|found| found.waiting == [3]).unwrap();
        assert_eq!(
            workflow.similar_state(found.state).map(|row| &*workflow.states()[row]),
            Some("analysis")
        );
    }

    #[test]
    fn a_long_chain_does_not_exhaust_the_stack() {
        let tools: Vec<Slot> = (0..100_000)
            .map(|row| Slot {
                key: "t".into(),
                name: "t".into(),
                gate: Gate {
                    groups: None,
                    states: States::Only(vec![format!("s{row}").into()]),
                    next: Some(format!("s{}", row + 1).into()),
                    ..Gate::open()
                },
            })
            .collect();
        let analysis = Workflow::for_groups(&tools, &AskedGroups::Every, "s0").analysis();
        assert_eq!(
            analysis
                .paths
                .to_tool(&Workflow::for_groups(&tools, &AskedGroups::Every, "s0"), 99_999)
                .unwrap()
                .len(),
            99_999
        );
    }
}
