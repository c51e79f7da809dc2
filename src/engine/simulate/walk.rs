//! Ways that are not chosen step by step: a random one, and all of a few steps.

use super::stop::Stop;
use crate::{
    engine::{
        gated::{Gated, ToolRow, row_of},
        workflow::graph::{StateRow, Workflow},
    },
    model::context::Context,
    schema::{chance::SplitMix64, ordering::PutInOrder},
};

/// A way of so many steps, or fewer where no tool is left; every tool that a state offers is as
/// likely. The same seed gives the same way.
#[must_use]
pub(crate) fn random_walk<T: Gated>(
    tools: &[T],
    context: &Context,
    seed: u64,
    steps: usize,
) -> Vec<ToolRow> {
    let workflow = Workflow::new(tools, context);
    let mut state = workflow.start();
    let mut dice = SplitMix64::new(seed);
    let mut way = Vec::new();
    while way.len() < steps {
        let (listing, everywhere) = (workflow.tools_listing(state), workflow.tools_everywhere());
        let count = listing.len() + everywhere.len();
        if count == 0 {
            break;
        }
        let at = random_below(&mut dice, count);
        let tool = listing.get(at).copied().unwrap_or_else(|| everywhere[at - listing.len()]);
        state = workflow.target_state(state, tool);
        way.push(tool);
    }
    way
}

/// The shortest way to where one of the stops is met, the tool that meets it included; and that
/// stop. `None` when no way meets any.
#[must_use]
pub(crate) fn to_stop<T: Gated>(
    tools: &[T],
    context: &Context,
    stops: &[Stop],
) -> Option<(Vec<ToolRow>, Stop)> {
    let workflow = Workflow::new(tools, context);
    let paths = workflow.paths_from(workflow.start());
    let offers = |state: StateRow, tool: ToolRow| workflow.tools_listing(state).contains(&tool);
    // A tool that is available everywhere is available before the first step.
    let waited: Vec<Option<ToolRow>> = stops
        .iter()
        .map(|stop| match stop {
            Stop::Available(key) => row_of(tools, key),
            Stop::State(_) | Stop::NoTool => None,
        })
        .collect();
    let is_met =
        |(stop, waited): &(&Stop, &Option<ToolRow>), from: StateRow, to: StateRow| match stop {
            Stop::Available(_) => {
                waited.is_some_and(|tool| offers(to, tool) && !offers(from, tool))
            }
            Stop::State(name) => workflow.states()[to] == *name,
            Stop::NoTool => {
                workflow.tools_listing(to).is_empty() && workflow.tools_everywhere().is_empty()
            }
        };
    let mut reached: Vec<StateRow> =
        (0..workflow.states().len()).filter(|state| paths.reaches(*state)).collect();
    reached.order_by_key(|state| paths.distance(*state));
    for from in reached {
        for tool in offered_tools(&workflow, from) {
            let to = workflow.target_state(from, tool);
            if let Some((stop, _)) = stops.iter().zip(&waited).find(|stop| is_met(stop, from, to)) {
                let before = paths.to_state(from)?.into_iter().map(|hop| hop.tool);
                return Some((before.chain([tool]).collect(), stop.clone()));
            }
        }
    }
    None
}

/// Every way of up to so many steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AllWalks {
    /// The tools of each, in the order of tools; a way is as long as it can be.
    pub listed: Vec<Vec<ToolRow>>,
    /// How many there are in all, those that are not listed among them.
    pub count: u64,
    /// Every step that is on one of all these ways, each once: from where, by which tool.
    pub steps: Vec<(StateRow, ToolRow)>,
}

/// All ways of up to `steps` steps from a context, the first `most` of them listed.
#[must_use]
pub(crate) fn all_walks<T: Gated>(
    tools: &[T],
    context: &Context,
    steps: usize,
    most: usize,
) -> AllWalks {
    let workflow = Workflow::new(tools, context);
    let mut listed = Vec::new();
    list_walks(&workflow, steps, most, &mut listed);
    AllWalks { listed, count: count_walks(&workflow, steps), steps: steps_within(&workflow, steps) }
}

fn offered_tools(workflow: &Workflow, state: StateRow) -> Vec<ToolRow> {
    let mut rows: Vec<ToolRow> =
        workflow.tools_listing(state).iter().chain(workflow.tools_everywhere()).copied().collect();
    rows.sort_unstable();
    rows
}

/// Depth first, without recursion: how deep a way may go is the user's to say.
fn list_walks(workflow: &Workflow, steps: usize, most: usize, listed: &mut Vec<Vec<ToolRow>>) {
    let mut way: Vec<ToolRow> = Vec::new();
    let mut open = vec![(workflow.start(), offered_tools(workflow, workflow.start()), 0)];
    while let Some((state, tools, at)) = open.last_mut() {
        let is_end = way.len() == steps || tools.is_empty();
        if is_end && listed.len() < most && !way.is_empty() {
            listed.push(way.clone());
        }
        match tools.get(*at).filter(|_| !is_end && listed.len() < most) {
            Some(tool) => {
                *at += 1;
                let next = workflow.target_state(*state, *tool);
                way.push(*tool);
                let offered = offered_tools(workflow, next);
                open.push((next, offered, 0));
            }
            None => {
                open.pop();
                way.pop();
            }
        }
    }
}

fn count_walks(workflow: &Workflow, steps: usize) -> u64 {
    let states = workflow.states().len();
    let offers: Vec<Vec<StateRow>> = (0..states)
        .map(|state| {
            offered_tools(workflow, state)
                .into_iter()
                .map(|tool| workflow.target_state(state, tool))
                .collect()
        })
        .collect();
    // Ways of up to so many steps from each state; a state without tools ends a way.
    let mut ways = vec![1_u64; states];
    for _ in 0..steps {
        let longer = |state: StateRow| match offers[state].as_slice() {
            [] => 1,
            next => next.iter().fold(0_u64, |sum, to| sum.saturating_add(ways[*to])),
        };
        ways = (0..states).map(longer).collect();
    }
    if steps == 0 || offers[workflow.start()].is_empty() { 0 } else { ways[workflow.start()] }
}

fn steps_within(workflow: &Workflow, steps: usize) -> Vec<(StateRow, ToolRow)> {
    let paths = workflow.paths_from(workflow.start());
    let near = |state: &StateRow| paths.distance(*state).is_some_and(|distance| distance < steps);
    let states = (0..workflow.states().len()).filter(near);
    states
        .flat_map(|state| offered_tools(workflow, state).into_iter().map(move |tool| (state, tool)))
        .collect()
}

fn random_below(dice: &mut SplitMix64, count: usize) -> usize {
    usize::try_from(dice.next_number() % count as u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{
        engine::{filter::available_tools, gated::Slot},
        model::tool::{Gate, States},
    };

    fn tool(key: &str, states: Option<&[&str]>, next: Option<&str>) -> Slot {
        let states = states.map_or(States::Every, |list| {
            States::Only(list.iter().map(|name| (*name).into()).collect())
        });
        Slot {
            key: key.into(),
            name: key.into(),
            gate: Gate { groups: None, states, next: next.map(Into::into), ..Gate::open() },
        }
    }

    fn tools() -> Vec<Slot> {
        vec![
            tool("a", Some(&["undefined"]), Some("s")),
            tool("b", Some(&["s"]), Some("end")),
            tool("c", Some(&["s", "undefined"]), None),
            tool("d", Some(&["s"]), Some("undefined")),
        ]
    }

    /// Every way by trying each available tool, straight from the filter.
    fn tried(tools: &[Slot], state: &str, steps: usize) -> Vec<Vec<usize>> {
        let rows =
            available_tools(tools, &Context { state: Some(state.into()), ..Context::default() });
        if steps == 0 || rows.is_empty() {
            return vec![Vec::new()];
        }
        let on = |row: usize| {
            let next = tools[row].gate.next.clone().unwrap_or_else(|| state.into());
            tried(tools, &next, steps - 1).into_iter().map(move |way| [vec![row], way].concat())
        };
        rows.into_iter().flat_map(on).collect()
    }

    #[test]
    fn all_ways_are_those_that_trying_finds() {
        let tools = tools();
        for steps in 1..7 {
            let found = all_walks(&tools, &Context::default(), steps, 10_000);
            let expected = tried(&tools, "undefined", steps);
            assert_eq!(found.count, expected.len() as u64);
            assert_eq!(found.listed, expected);
            let some = all_walks(&tools, &Context::default(), steps, 2);
            assert_eq!((some.listed.len(), some.count), (expected.len().min(2), found.count));
            let taken: BTreeSet<usize> = expected.iter().flatten().copied().collect();
            assert_eq!(found.steps.iter().map(|(_, tool)| *tool).collect::<BTreeSet<_>>(), taken);
        }
        assert_eq!(all_walks(&tools, &Context::default(), 0, 10).count, 0);
        assert_eq!(
            all_walks(&tools, &Context { state: Some("end".into()), ..Context::default() }, 3, 10)
                .count,
            0
        );
        assert_eq!(
            all_walks(&tools, &Context::default(), 100_000, 3).listed.len(),
            3,
            "a long way does not exhaust the stack"
        );
    }

    #[test]
    fn a_random_walk_takes_what_is_offered_and_comes_again_with_its_seed() {
        let tools = tools();
        let mut seen = BTreeSet::new();
        for seed in 0..200 {
            let way = random_walk(&tools, &Context::default(), seed, 8);
            assert_eq!(way, random_walk(&tools, &Context::default(), seed, 8));
            let mut state = "undefined".to_owned();
            for row in &way {
                assert!(
                    available_tools(
                        &tools,
                        &Context { state: Some(state.as_str().into()), ..Context::default() }
                    )
                    .contains(row)
                );
                state = tools[*row].gate.next.as_deref().unwrap_or(&state).to_owned();
            }
            assert!(way.len() == 8 || state == "end");
            seen.insert(way);
        }
        assert!(seen.len() > 50, "different seeds go different ways: {}", seen.len());
    }

    #[test]
    fn the_way_to_a_stop_is_the_shortest_that_meets_it() {
        let tools = tools();
        let way =
            |stop: Stop| super::to_stop(&tools, &Context::default(), &[stop]).map(|(way, _)| way);
        assert_eq!(way(Stop::State("end".into())), Some(vec![0, 1]));
        assert_eq!(way(Stop::State("undefined".into())), Some(vec![2]), "coming to it anew");
        assert_eq!(way(Stop::Available("b".into())), Some(vec![0]));
        assert_eq!(way(Stop::Available("a".into())), Some(vec![0, 3]), "it must go first");
        assert_eq!(way(Stop::NoTool), Some(vec![0, 1]));
        assert_eq!(way(Stop::State("elsewhere".into())), None);
        let stops = [Stop::NoTool, Stop::Available("d".into())];
        let (way, stop) = super::to_stop(&tools, &Context::default(), &stops).unwrap();
        assert_eq!((way, stop), (vec![0], Stop::Available("d".into())), "the nearest of them");
        // Walking it, no stop is met earlier, and the last step meets one.
        let mut at = Context::default();
        for (row, tool) in [0, 3].into_iter().enumerate() {
            let next = Context { state: tools[tool].gate.next.clone(), ..Context::default() };
            assert_eq!(Stop::Available("a".into()).is_met(&tools, &at, &next), row == 1);
            at = next;
        }
    }
}
