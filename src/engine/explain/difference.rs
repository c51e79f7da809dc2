//! What a change of tools or context would do, said before it is made.

use std::collections::HashSet;

use crate::{
    engine::{filter, gated::Gated, workflow::graph::Workflow},
    model::context::{Context, Name},
};

/// What a request has: now, and in all that it can come to. Each list in the order of tools or
/// states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestTools {
    /// Keys of the tools that are available now.
    pub available: Vec<Name>,
    /// Keys of the tools that a run can come to take.
    pub runnable: Vec<Name>,
    /// States that a run can come to.
    pub reached: Vec<Name>,
}

impl RequestTools {
    #[must_use]
    pub fn from_tools<T: Gated>(tools: &[T], context: &Context) -> Self {
        let workflow = Workflow::new(tools, context);
        let paths = workflow.paths_from(workflow.start());
        let reached: Vec<usize> =
            (0..workflow.states().len()).filter(|row| paths.reaches(*row)).collect();
        let runs = |tool: &usize| {
            let member = &workflow.members()[*tool];
            member.is_admitted() && paths.nearest_for(&workflow, *tool).is_some()
        };
        let key = |row: usize| Name::from(tools[row].key());
        Self {
            available: filter::available_tools(tools, context).into_iter().map(key).collect(),
            runnable: (0..tools.len()).filter(runs).map(key).collect(),
            reached: reached.iter().map(|row| workflow.states()[*row].clone()).collect(),
        }
    }
}

/// What is there after a change and was not before, and the other way round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turn {
    pub gained: Vec<Name>,
    pub lost: Vec<Name>,
}

impl Turn {
    #[must_use]
    pub fn between(before: &[Name], after: &[Name]) -> Self {
        let less = |left: &[Name], right: &[Name]| {
            let right: HashSet<&Name> = right.iter().collect();
            left.iter().filter(|name| !right.contains(name)).cloned().collect()
        };
        Self { gained: less(after, before), lost: less(before, after) }
    }

    #[must_use]
    pub fn is_none(&self) -> bool {
        self.gained.is_empty() && self.lost.is_empty()
    }
}

/// How two standings differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    pub available: Turn,
    pub runnable: Turn,
    pub states: Turn,
}

impl Difference {
    #[must_use]
    pub fn between(before: &RequestTools, after: &RequestTools) -> Self {
        Self {
            available: Turn::between(&before.available, &after.available),
            runnable: Turn::between(&before.runnable, &after.runnable),
            states: Turn::between(&before.reached, &after.reached),
        }
    }

    #[must_use]
    pub fn is_none(&self) -> bool {
        self.available.is_none() && self.runnable.is_none() && self.states.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::{gate_edit::GateEdit, gated::Slot},
        model::tool::{Gate, States},
    };

    #[test]
    fn a_change_is_told_by_what_comes_and_goes() {
        let names = |list: &[&str]| list.iter().map(|name| Name::from(*name)).collect::<Vec<_>>();
        let tool = |key: &str, group: &str, state: &str, next: &str| Slot {
            key: key.into(),
            name: key.into(),
            gate: Gate {
                groups: Some(names(&[group])),
                states: States::Only(names(&[state])),
                next: Some(next.into()),
                ..Gate::open()
            },
        };
        let tools = [
            tool("a", "g", "undefined", "s"),
            tool("b", "h", "s", "t"),
            tool("c", "g", "t", "undefined"),
        ];
        let context =
            |groups: &[&str]| Context { groups: Some(names(groups)), ..Context::default() };
        let before = RequestTools::from_tools(&tools, &context(&["g"]));
        assert_eq!(
            (before.available.clone(), before.runnable.clone()),
            (names(&["a"]), names(&["a"]))
        );
        let ticked =
            Difference::between(&before, &RequestTools::from_tools(&tools, &context(&["g", "h"])));
        assert_eq!(ticked.available, Turn::default());
        let turn =
            |gained: &[&str], lost: &[&str]| Turn { gained: names(gained), lost: names(lost) };
        assert_eq!((ticked.runnable, ticked.states), (turn(&["b", "c"], &[]), turn(&["t"], &[])));
        let mut edited = tools.to_vec();
        edited[0].gate = GateEdit::LeadTo(Some("t".into())).apply_to(&edited[0].gate);
        let edited =
            Difference::between(&before, &RequestTools::from_tools(&edited, &context(&["g"])));
        assert_eq!((edited.runnable, edited.states), (turn(&["c"], &[]), turn(&["t"], &["s"])));
        assert!(Difference::between(&before, &before).is_none());
    }
}
