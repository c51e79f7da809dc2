//! States: what is waited for, what is led to, what can be reached when every group is asked for.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::{
    check::{Report, did_you_mean},
    context::{LintContext, listed_states},
};
use crate::{
    engine::workflow::{
        analysis::NeverRuns,
        graph::{Origin, StateRow, Workflow},
        similar::Names,
    },
    model::{
        context::UNDEFINED,
        tool::{States, Tool},
    },
    schema::count::first_names,
    syntax::edit::Edit,
};

pub(crate) fn empty_states(context: &LintContext<'_>, tool: &Tool, report: &mut Report<'_>) {
    if tool.gate.states == States::Only(Vec::new()) {
        let place = context.gate_place(tool);
        let found = report.add_finding(
            place.entry,
            place.member(tool.keys.states),
            place.message("its list of states is empty: the tool is never available"),
        );
        found.fix_remove("remove the list: available in every state");
    }
}

pub(crate) fn never_produced(context: &LintContext<'_>, report: &mut Report<'_>) {
    let (workflow, analysis) = context.full_workflow();
    if analysis.never_produced.is_empty() {
        return;
    }
    let produced = workflow.produced_names();
    for waiting in &analysis.never_produced {
        let state = state_name(workflow, waiting.state);
        let near = produced.nearest(state);
        for tool in waiting.waiting.iter().filter_map(|row| context.catalog.tools.get(*row)) {
            let place = context.gate_place(tool);
            let found = report.add_finding(
                place.entry,
                place.name(tool.keys.states, state),
                place.message(format!("no tool leads to \"{state}\"{}", did_you_mean(near))),
            );
            match near {
                Some(near) => found.fix_set(format!("change to \"{near}\""), near),
                // Without its last state a tool would be available in none, and without the list in
                // all: neither is meant.
                None if listed_states(tool).len() > 1 => {
                    found.fix_remove(format!("remove \"{state}\""));
                }
                None => {}
            }
        }
    }
}

pub(crate) fn never_awaited(context: &LintContext<'_>, report: &mut Report<'_>) {
    let (workflow, analysis) = context.full_workflow();
    if analysis.never_awaited.is_empty() {
        return;
    }
    let awaited: BTreeSet<&str> = context
        .catalog
        .tools
        .iter()
        .flat_map(|tool| listed_states(tool))
        .map(|state| &**state)
        .collect();
    let awaited = Names::from_names(awaited);
    for loose in &analysis.never_awaited {
        let state = state_name(workflow, loose.state);
        let near = awaited.nearest(state);
        for tool in loose.produced_by.iter().filter_map(|row| context.catalog.tools.get(*row)) {
            let message = format!(
                "this tool leads to the state \"{state}\", which no tool lists{}",
                did_you_mean(near)
            );
            let place = context.gate_place(tool);
            let found = report.add_finding(
                place.entry,
                place.member(tool.keys.next),
                place.message(message),
            );
            if let Some(near) = near {
                found.fix_set(format!("change to \"{near}\""), near);
            }
        }
    }
}

pub(crate) fn dead_end(context: &LintContext<'_>, report: &mut Report<'_>) {
    let (workflow, analysis) = context.full_workflow();
    let dead: HashSet<StateRow> = analysis.dead_ends.iter().copied().collect();
    for (tool, part) in context.catalog.tools.iter().zip(workflow.members()) {
        if let Some(state) = part.target.filter(|target| dead.contains(target)) {
            let message = format!(
                "no tool is available in \"{}\": runs end there",
                state_name(workflow, state)
            );
            let place = context.gate_place(tool);
            report.add_finding(place.entry, place.member(tool.keys.next), place.message(message));
        }
    }
}

/// One finding for each set of states, at the first tool that leads there; the others are its other
/// places.
pub(crate) fn state_trap(context: &LintContext<'_>, report: &mut Report<'_>) {
    let (workflow, analysis) = context.full_workflow();
    for trap in &analysis.traps {
        let within: HashSet<StateRow> = trap.iter().copied().collect();
        let leads_in = |origin: &Origin| match origin {
            Origin::Every => true,
            Origin::Only(rows) => rows.iter().any(|row| !within.contains(row)),
        };
        let parts = context.catalog.tools.iter().zip(workflow.members());
        let leading = parts.filter_map(|(tool, part)| {
            let target = part.target.filter(|target| within.contains(target))?;
            leads_in(&part.origin).then_some((tool, target))
        });
        let words = |target: StateRow| {
            let only = match trap.as_slice() {
                [one] => {
                    format!(
                        "every tool available in \"{}\" stays there",
                        state_name(workflow, *one)
                    )
                }
                _ => format!(
                    "from \"{}\" tools lead only among {}",
                    state_name(workflow, target),
                    some_names(workflow, trap)
                ),
            };
            format!("{only}: a run that gets there never leaves")
        };
        let leading: Vec<_> = leading.collect();
        let Some(((first, target), others)) = leading.split_first() else { continue };
        let also = match others.len() {
            0 => String::new(),
            1 => "; one more tool leads there".to_owned(),
            others => format!("; {others} more tools lead there"),
        };
        let at = context.gate_place(first);
        let message = format!("{}{also}", words(*target));
        let mut found =
            report.add_finding(at.entry, at.member(first.keys.next), at.message(message));
        for (tool, target) in others {
            let at = context.gate_place(tool);
            found.relate(at.entry, at.member(tool.keys.next), at.message(words(*target)));
        }
    }
}

/// The first of some states, and how many more there are.
fn some_names(workflow: &Workflow, states: &[StateRow]) -> String {
    let names: Vec<&str> = states.iter().map(|state| state_name(workflow, *state)).collect();
    first_names(&names, 6)
}

pub(crate) fn unreachable_tool(context: &LintContext<'_>, report: &mut Report<'_>) {
    let (workflow, analysis) = context.full_workflow();
    let never_produced: HashSet<StateRow> =
        analysis.never_produced.iter().map(|waiting| waiting.state).collect();
    for (row, why) in &analysis.never_run {
        let (Some(tool), NeverRuns::Unreachable { waits_for }) =
            (context.catalog.tools.get(*row), why)
        else {
            continue;
        };
        // States that nothing leads to are said by states.never-produced.
        if waits_for.iter().all(|state| never_produced.contains(state)) {
            continue;
        }
        let names: Vec<String> =
            waits_for.iter().map(|state| format!("\"{}\"", state_name(workflow, *state))).collect();
        let message = format!(
            "no run from \"{UNDEFINED}\" reaches {}, even with all groups",
            names.join(" or ")
        );
        let place = context.gate_place(tool);
        let at = place.member(tool.keys.states);
        let found = report.add_finding(place.entry, at.clone(), place.message(message));
        if at.get(&place.entry.value.parsed()).is_some_and(Value::is_array) {
            found.fix_edits(
                format!("also available in \"{UNDEFINED}\""),
                [Edit::Insert { at: at.item(0), item: UNDEFINED.into() }],
            );
        }
    }
}

fn state_name(workflow: &Workflow, state: StateRow) -> &str {
    workflow.states().get(state).map_or("", |name| name)
}
