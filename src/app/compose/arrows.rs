//! Arrows: a tool that is available in a state and leads to another. Draw one, move its ends, take
//! it away, make a tool available everywhere.
//!
//! A tool has one next state and a list of states, so what is done to one of its arrows may be done
//! to others too; the plan says so.

use super::{
    context::ComposeContext,
    plan::{Plan, list_names},
};
use crate::model::{
    context::Name,
    entry::EntryId,
    tool::{Gate, States, Tool},
};

/// Where an arrow comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tail {
    State(Name),
    /// Only this state: a tool that was available everywhere no longer is.
    Only(Name),
    Every,
}

impl std::fmt::Display for Tail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::State(name) | Self::Only(name) => f.write_str(name),
            Self::Every => f.write_str("any state"),
        }
    }
}

/// The gate of a new tool that is this arrow.
#[must_use]
pub fn gate_of_new(tail: &Tail, to: &Name) -> Gate {
    match tail {
        Tail::State(from) | Tail::Only(from) => {
            let next = (from != to).then(|| to.clone());
            Gate { groups: None, states: States::Only(vec![from.clone()]), next, ..Gate::open() }
        }
        Tail::Every => {
            Gate { groups: None, states: States::Every, next: Some(to.clone()), ..Gate::open() }
        }
    }
}

fn gate_with_arrow(gate: &Gate, tail: &Tail, to: &Name) -> Gate {
    let states = match (&gate.states, tail) {
        (_, Tail::Every) | (States::Every, Tail::State(_)) => States::Every,
        (_, Tail::Only(from)) => States::Only(vec![from.clone()]),
        (States::Only(listed), Tail::State(from)) => {
            let mut listed = listed.clone();
            if !listed.contains(from) {
                listed.push(from.clone());
            }
            States::Only(listed)
        }
    };
    // A tool without a next state stays where it is: an arrow to the same state says just that.
    let stays =
        gate.next.is_none() && matches!(tail, Tail::State(from) | Tail::Only(from) if from == to);
    Gate { states, next: if stays { None } else { Some(to.clone()) }, ..gate.clone() }
}

/// Draws an arrow with a tool that is there.
///
/// # Errors
/// When the tool does that already.
pub fn draw_arrow(
    context: ComposeContext<'_>,
    tool: &EntryId,
    tail: &Tail,
    to: &Name,
) -> Result<Plan, String> {
    let tool = context.gated_tool(tool)?;
    let gate = gate_with_arrow(&tool.gate, tail, to);
    let key = &tool.entry.key;
    if gate == tool.gate {
        return Err(format!("{key} already leads from {tail} to {to}"));
    }
    let plan =
        Plan::new(format!("draw {key}: {tail} → {to}"), context.regate_changes([(tool, &gate)]));
    Ok(plan.with_note(others_follow(tool, &gate)).with_note(no_longer(tool, &gate)))
}

/// What else a new next state does to a tool's other arrows.
fn others_follow(tool: &Tool, gate: &Gate) -> Option<String> {
    let to = gate.next.as_ref().filter(|_| gate.next != tool.gate.next)?;
    let from = match (&tool.gate.states, &gate.states) {
        (States::Every, States::Every) => "every state".to_owned(),
        (States::Only(before), States::Only(after)) => {
            list_names(before.iter().filter(|name| after.contains(name)).map(|name| &**name))
        }
        (States::Only(before), States::Every) => list_names(before.iter().map(|name| &**name)),
        (States::Every, States::Only(after)) => list_names(after.iter().map(|name| &**name)),
    };
    if from.is_empty() {
        return None;
    }
    Some(match &tool.gate.next {
        Some(before) => format!(
            "{} has only one next state: from {from} it will lead to {to} instead of {before}.",
            tool.entry.key
        ),
        None => format!(
            "{} has only one next state: from {from} it will lead to {to}; now it stays.",
            tool.entry.key
        ),
    })
}

/// Where a tool is available now and will not be.
fn no_longer(tool: &Tool, gate: &Gate) -> Option<String> {
    match (&tool.gate.states, &gate.states) {
        (States::Every, States::Only(only)) => {
            let gone = tool.gate.next.as_ref().map_or_else(String::new, |next| {
                format!(" Its arrows from all other states to {next} go away.")
            });
            Some(format!(
                "{} is available everywhere now; it will be available only in {}.{gone}",
                tool.entry.key,
                or_none(only)
            ))
        }
        (_, States::Only(only)) if only.is_empty() && tool.gate.states != gate.states => {
            Some(format!("{} will be available in no state.", tool.entry.key))
        }
        _ => None,
    }
}

fn or_none(names: &[Name]) -> String {
    if names.is_empty() {
        "no state".to_owned()
    } else {
        list_names(names.iter().map(|name| &**name))
    }
}

/// Gives tools other gates in one plan.
fn regate_tools(
    context: ComposeContext<'_>,
    tools: &[EntryId],
    label: &str,
    gate: impl Fn(&Tool) -> Gate,
) -> Result<Plan, String> {
    let keys: Vec<&str> = tools
        .iter()
        .filter_map(|id| context.catalog.tool(id))
        .map(|tool| tool.entry.key.as_str())
        .collect();
    let mut plan = Plan::new(format!("{label} {}", list_names(keys)), Vec::new());
    let mut gates = Vec::with_capacity(tools.len());
    for id in tools {
        let tool = context.gated_tool(id)?;
        let to = gate(tool);
        plan = plan.with_note(others_follow(tool, &to)).with_note(no_longer(tool, &to));
        gates.push((tool, to));
    }
    plan.changes = context.regate_changes(gates.iter().map(|(tool, to)| (*tool, to)));
    if plan.changes.is_empty() { Err("nothing to change".to_owned()) } else { Ok(plan) }
}

/// Makes arrows lead to another state.
///
/// # Errors
/// When nothing would change.
pub fn move_head(
    context: ComposeContext<'_>,
    tools: &[EntryId],
    to: &Name,
) -> Result<Plan, String> {
    regate_tools(context, tools, &format!("lead to {to}:"), |tool| Gate {
        next: Some(to.clone()),
        ..tool.gate.clone()
    })
}

/// Makes arrows come from another state.
///
/// # Errors
/// When nothing would change.
pub fn move_tail(
    context: ComposeContext<'_>,
    tools: &[EntryId],
    from: &Tail,
    onto: &Name,
) -> Result<Plan, String> {
    regate_tools(context, tools, &format!("come from {onto}:"), |tool| {
        let states = match (&tool.gate.states, from) {
            (States::Only(listed), Tail::State(from) | Tail::Only(from)) => {
                let mut moved: Vec<Name> = Vec::with_capacity(listed.len());
                for name in listed {
                    let name = if name == from { onto } else { name };
                    if !moved.contains(name) {
                        moved.push(name.clone());
                    }
                }
                States::Only(moved)
            }
            _ => States::Only(vec![onto.clone()]),
        };
        Gate { states, ..tool.gate.clone() }
    })
}

/// Takes arrows away: the tools are no longer available in that state; those from any state lead
/// nowhere any more.
///
/// # Errors
/// When nothing would change.
pub fn remove_arrows(
    context: ComposeContext<'_>,
    tools: &[EntryId],
    from: &Tail,
) -> Result<Plan, String> {
    regate_tools(context, tools, "delete arrow of", |tool| match (&tool.gate.states, from) {
        (States::Only(listed), Tail::State(from) | Tail::Only(from)) => {
            let states =
                States::Only(listed.iter().filter(|name| *name != from).cloned().collect());
            Gate { states, ..tool.gate.clone() }
        }
        _ if tool.gate.next.is_some() => Gate { next: None, ..tool.gate.clone() },
        _ => Gate { states: States::Only(Vec::new()), ..tool.gate.clone() },
    })
}

/// Makes tools available in every state.
///
/// # Errors
/// When they are already.
pub fn allow_everywhere(context: ComposeContext<'_>, tools: &[EntryId]) -> Result<Plan, String> {
    regate_tools(context, tools, "available everywhere:", |tool| Gate {
        states: States::Every,
        ..tool.gate.clone()
    })
}

/// Takes the next state away: the tools leave the state as it is.
///
/// # Errors
/// When they do already.
pub(crate) fn clear_next_state(
    context: ComposeContext<'_>,
    tools: &[EntryId],
) -> Result<Plan, String> {
    regate_tools(context, tools, "stay:", |tool| Gate { next: None, ..tool.gate.clone() })
}
