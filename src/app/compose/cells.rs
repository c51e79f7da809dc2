//! Cells of the matrix: whether a tool is in a group or available in a state, and the plan that
//! switches many of them together.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    context::ComposeContext,
    groups::own_place,
    plan::{Plan, list_names},
};
use crate::{
    app::documents::Change,
    engine::{gate_edit::GateEdit, workflow::similar::nearest_name},
    model::{
        context::{DEFAULT_GROUP, Name},
        entry::EntryId,
        tool::{Audience, Gate, States, Tool},
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
};

/// Puts tools into a group that may be a new one.
///
/// # Errors
/// When a tool has no groups that can be changed, or is in the group already.
pub fn put_into_group(
    context: ComposeContext<'_>,
    tools: &[EntryId],
    name: &Name,
) -> Result<Plan, String> {
    let cells: Vec<_> = tools.iter().map(|id| (id.clone(), Column::Group(name.clone()))).collect();
    let known = || context.catalog.gate_names().groups.iter().map(AsRef::as_ref);
    let near = match known().any(|group| group == &**name) {
        true => None,
        false => nearest_name(name, known()),
    };
    let note = near.map(|near| format!("There is a group {near} already: this is another one."));
    Ok(switch_cells(context, &cells, Switch::On, &[])?.with_note(note))
}

/// A column of the matrix.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// A group that tools name.
    Group(Name),
    /// One of the workspace's own lists, by its full name.
    List(Name),
    State(Name),
    AnyState,
}

impl Column {
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Group(name) | Self::List(name) | Self::State(name) => name,
            Self::AnyState => "any state",
        }
    }
}

/// What is in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tick {
    On,
    /// On because the tool names nothing: in `default`, or in every state.
    Implied,
    /// There for every request, whatever groups it asks for.
    Unrestricted,
    Off,
}

impl Tick {
    /// Whether switching the cell takes something away.
    #[must_use]
    pub fn is_on(self) -> bool {
        matches!(self, Self::On | Self::Implied)
    }
}

/// What is in the cell of a tool and a column.
#[must_use]
pub(crate) fn cell_tick(tool: &Tool, column: &Column, settings: Option<&Value>) -> Tick {
    let on = |is: bool| if is { Tick::On } else { Tick::Off };
    match column {
        Column::Group(name) => match &tool.gate.groups {
            None if tool.gate_table.is_some() || tool.gate.offer == Audience::ToAll => {
                Tick::Unrestricted
            }
            None if &**name == DEFAULT_GROUP => Tick::Implied,
            groups => on(groups.iter().flatten().any(|group| group == name)),
        },
        Column::List(name) => {
            let members = settings.and_then(|settings| own_place(settings, name)?.get(settings));
            on(members.is_some_and(|members| contains_tool(members, tool)))
        }
        Column::State(name) => match &tool.gate.states {
            States::Every => Tick::Implied,
            States::Only(listed) => on(listed.contains(name)),
        },
        Column::AnyState => on(tool.gate.states == States::Every),
    }
}

fn is_member(item: &Value, tool: &Tool) -> bool {
    item.as_str().is_some_and(|name| name == tool.entry.key || name == tool.name)
}

fn contains_tool(members: &Value, tool: &Tool) -> bool {
    match members {
        Value::Array(items) => items.iter().any(|item| is_member(item, tool)),
        Value::Object(below) => below.values().any(|members| contains_tool(members, tool)),
        _ => false,
    }
}

/// The edits of gates that switch cells of tools, which are only tried; `states` are all there are.
///
/// # Errors
/// When a cell is in a list of the workspace, a tool would have no groups in toolcrib.toml, or
/// nothing would change.
pub(crate) fn try_cells(
    cells: &[(Tool, Column)],
    to: Switch,
    states: &[Name],
) -> Result<Vec<(EntryId, GateEdit)>, String> {
    let mut gates: BTreeMap<&EntryId, (&Tool, Gate)> = BTreeMap::new();
    for (tool, column) in cells {
        let (_, gate) = gates.entry(tool.id()).or_insert_with(|| (tool, tool.gate.clone()));
        if let Column::List(name) = column {
            return Err(format!("{name} is a list of the workspace, and no part of a what-if"));
        }
        switch_gate(tool, gate, column, to, states);
    }
    let mut edits = Vec::new();
    for (id, (tool, gate)) in gates {
        if gate.groups != tool.gate.groups {
            let groups = gate.groups.ok_or_else(|| {
                format!("{} would be available to every request: not in a what-if", tool.entry.key)
            })?;
            edits.push((id.clone(), GateEdit::InGroups(groups)));
        }
        match gate.states {
            same if same == tool.gate.states => {}
            States::Every => edits.push((id.clone(), GateEdit::Everywhere)),
            States::Only(listed) => edits.push((id.clone(), GateEdit::OnlyIn(listed))),
        }
    }
    if edits.is_empty() { Err("nothing to change".into()) } else { Ok(edits) }
}

/// What cells are switched to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// Switches cells together; `states` are all there are, for a tool that is no longer to be
/// available in every one.
///
/// # Errors
/// When a cell cannot be switched, or nothing would change.
pub fn switch_cells(
    context: ComposeContext<'_>,
    cells: &[(EntryId, Column)],
    to: Switch,
    states: &[Name],
) -> Result<Plan, String> {
    let on = to == Switch::On;
    let mut gates: BTreeMap<&EntryId, Gate> = BTreeMap::new();
    let mut lists: BTreeMap<Pointer, Vec<Value>> = BTreeMap::new();
    for (id, column) in cells {
        let tool = match column {
            Column::List(_) => context.tool(id)?,
            _ => context.gated_tool(id)?,
        };
        let gate = gates.entry(id).or_insert_with(|| tool.gate.clone());
        switch_gate(tool, gate, column, to, states);
        if let Column::List(name) = column {
            let (at, held) = list_of(context, name)?;
            let items = lists.entry(at).or_insert(held);
            items.retain(|item| !is_member(item, tool));
            if on {
                items.push(Value::from(tool.entry.key.as_str()));
            }
        }
    }
    let mut changes: Vec<Change> = Vec::new();
    let mut notes = Vec::new();
    let mut regated = Vec::with_capacity(gates.len());
    for (id, gate) in gates {
        let tool = context.tool(id)?;
        notes.extend(gate_note(tool, &gate));
        regated.push((tool, gate));
    }
    changes.extend(context.regate_changes(regated.iter().map(|(tool, gate)| (*tool, gate))));
    for (at, items) in lists {
        let same = context
            .settings_value()
            .and_then(|settings| at.get(settings))
            .and_then(Value::as_array)
            == Some(&items);
        if !same {
            changes.push(
                context.in_settings(Edit::Set { at, to: Value::Array(items).into() }, String::new),
            );
        }
    }
    if changes.is_empty() {
        return Err("nothing to change".into());
    }
    let label = match cells {
        [(id, column)] => {
            let (key, column) = (&context.tool(id)?.entry.key, column.name());
            match on {
                true => format!("add {key} to {column}"),
                false => format!("remove {key} from {column}"),
            }
        }
        cells => format!("{} {} cells", if on { "tick" } else { "untick" }, cells.len()),
    };
    Ok(Plan { label, changes, notes, ..Plan::default() })
}

/// Switches a cell of a tool in its gate; lists are in no gate.
fn switch_gate(tool: &Tool, gate: &mut Gate, column: &Column, to: Switch, states: &[Name]) {
    match column {
        Column::Group(name) => gate.groups = groups_after_switch(tool, gate, name, to),
        Column::State(name) => gate.states = states_after_switch(gate, name, to, states),
        Column::AnyState if to == Switch::On => gate.states = States::Every,
        Column::AnyState if gate.states == States::Every => {
            gate.states = States::Only(Vec::new());
        }
        Column::AnyState | Column::List(_) => {}
    }
}

/// The groups of a gate with one switched on or off. A tool whose gate the settings hold is in no
/// list without groups but there for every request: its first group is its only one, and with its
/// last group gone it is there for every request again.
fn groups_after_switch(tool: &Tool, gate: &Gate, name: &Name, to: Switch) -> Option<Vec<Name>> {
    let is_in_settings = tool.gate_table.is_some();
    let mut groups = match &gate.groups {
        None if is_in_settings => Vec::new(),
        _ => gate.groups(),
    };
    match (to, groups.contains(name)) {
        (Switch::On, false) => groups.push(name.clone()),
        (Switch::Off, true) => groups.retain(|group| group != name),
        _ => return gate.groups.clone(),
    }
    Some(groups).filter(|groups| !is_in_settings || !groups.is_empty())
}

fn states_after_switch(gate: &Gate, name: &Name, to: Switch, states: &[Name]) -> States {
    match (&gate.states, to) {
        (States::Every, Switch::On) => States::Every,
        (States::Every, Switch::Off) => {
            States::Only(states.iter().filter(|state| *state != name).cloned().collect())
        }
        (States::Only(listed), Switch::On) if !listed.contains(name) => {
            States::Only(listed.iter().chain([name]).cloned().collect())
        }
        (States::Only(listed), Switch::Off) => {
            States::Only(listed.iter().filter(|state| *state != name).cloned().collect())
        }
        (same, _) => same.clone(),
    }
}

/// A list of the workspace's own: where it is and what it holds.
fn list_of(context: ComposeContext<'_>, name: &str) -> Result<(Pointer, Vec<Value>), String> {
    let settings = context.settings_value().ok_or("can't read toolcrib.toml")?;
    let at = own_place(settings, name).ok_or_else(|| format!("there is no group {name}"))?;
    match at.get(settings) {
        Some(Value::Array(items)) => Ok((at, items.clone())),
        _ => Err(format!("{name} contains other groups: toggle the cell of one of those")),
    }
}

fn gate_note(tool: &Tool, gate: &Gate) -> Option<String> {
    let key = &tool.entry.key;
    match (&tool.gate.states, &gate.states) {
        (States::Every, States::Only(only)) if !only.is_empty() => Some(format!(
            "{key} is available everywhere now; it will be available only in the \
                listed states."
        )),
        (before, States::Only(only)) if only.is_empty() && *before != gate.states => {
            Some(format!("{key} will be available in no state."))
        }
        _ if tool.gate_table.is_some() && tool.gate.groups != gate.groups => {
            Some(match &gate.groups {
                None => {
                    format!("{key} will be available to every request, whatever its groups.")
                }
                Some(_) if tool.gate.groups.is_some() => return None,
                Some(groups) => format!(
                    "{key} is available to every request now; it will be available only to \
                    requests for {}.",
                    list_names(groups.iter().map(|group| &**group))
                ),
            })
        }
        _ if gate.groups.as_ref().is_some_and(Vec::is_empty) && tool.gate.groups != gate.groups => {
            Some(format!("{key} will be in no group: only a request for all groups gets it."))
        }
        _ => None,
    }
}
