//! What there is to say about the chosen state or arrow, in one line.

use super::super::facts::Facts;
use crate::engine::{
    gated::ToolRow,
    layout::marks::BoxMark,
    workflow::graph::{Edge, Link, StateRow},
};

fn tool_keys(facts: &Facts, rows: impl Iterator<Item = ToolRow>) -> String {
    rows.map(|row| &*facts.tools()[row].key).collect::<Vec<_>>().join(", ")
}

/// Of a longer way only so many steps are named.
const FEW: usize = 4;

/// The tools that keep a state, and those that lead to it from any, as far as the picture doesn't
/// name them.
pub(crate) type HiddenFeet<'l> = (&'l [ToolRow], &'l [ToolRow]);

/// About the arrow if one is chosen, else about the state.
pub(crate) fn footer_text(
    facts: &Facts,
    row: Option<StateRow>,
    edge: Option<&Edge>,
    feet: HiddenFeet<'_>,
) -> String {
    let name = |row: StateRow| &*facts.workflow.states()[row];
    match (edge, row) {
        (Some(Edge { link, tools }), _) => {
            let words = match *link {
                Link::Between { from, to } if from == to => format!("{} stays", name(to)),
                Link::Between { from, to } => format!("{} → {}", name(from), name(to)),
                Link::FromAny { to } => format!("any state → {}", name(to)),
                Link::StayAny => "any state stays".to_owned(),
            };
            format!("{words}: {}", tool_keys(facts, tools.iter().copied()))
        }
        (_, Some(row)) => of_state(facts, row, feet),
        _ => format!("the run is in {}, which no tool uses", facts.context.state()),
    }
}

fn of_state(facts: &Facts, row: StateRow, feet: HiddenFeet<'_>) -> String {
    let mut words = vec![facts.workflow.states()[row].to_string()];
    words.push(match facts.here.as_ref().and_then(|paths| paths.to_state(row)) {
        _ if Some(row) == facts.current => "current".into(),
        None => "unreachable from here".into(),
        Some(hops) if hops.len() > FEW => {
            format!(
                "{} steps: {}, …",
                hops.len(),
                tool_keys(facts, hops[..FEW].iter().map(|hop| hop.tool))
            )
        }
        Some(hops) => format!("by {}", tool_keys(facts, hops.iter().map(|hop| hop.tool))),
    });
    for (tools, mark) in [(feet.0, BoxMark::Itself), (feet.1, BoxMark::FromAny)] {
        if !tools.is_empty() {
            let more = if tools.len() > FEW { ", …" } else { "" };
            let keys = tool_keys(facts, tools.iter().copied().take(FEW));
            words.push(format!("{} {keys}{more}", mark.sign()));
        }
    }
    if facts.analysis.dead_ends.contains(&row) {
        words.push(format!("{} dead end", BoxMark::DeadEnd.sign()));
    }
    if let Some(trap) = facts.analysis.traps.iter().find(|trap| trap.contains(&row)) {
        let sign = BoxMark::Trap.sign();
        words.push(match trap.len() {
            1 => format!("{sign} no way out"),
            states => format!("{sign} leads only to {states} states"),
        });
    }
    if let Some(found) = facts.analysis.never_produced.iter().find(|found| found.state == row) {
        words.push(match found.elsewhere.first() {
            Some(tool) => {
                format!("produced by {}, whose groups aren't requested", facts.tools()[*tool].key)
            }
            None => match facts.workflow.similar_state(row) {
                Some(near) => {
                    format!("no tool leads here; did you mean {}?", facts.workflow.states()[near])
                }
                None => "no tool leads here".into(),
            },
        });
    }
    words.join(" · ")
}
