//! How one comes into a state and out of it, by which tools and under which groups.

use crate::{
    engine::{
        filter::{AllowedGroups, AskedGroups},
        gated::{Gated, ToolRow},
        workflow::{
            graph::{Origin, StateRow, Workflow},
            reach::{GroupSearch, GroupSets},
        },
    },
    model::context::{Context, Name},
};

/// What can be said about one state, whatever groups are asked for; of the tools that are loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StateView {
    pub name: Name,
    /// Tools that lead here from elsewhere.
    pub into: Vec<Passage>,
    /// Tools that lead from here elsewhere.
    pub out: Vec<Passage>,
    /// Tools that are available here and leave the state as it is.
    pub stay: Vec<Passage>,
    /// The shortest way from the context's state under its groups; `None`: there is none.
    pub way: Option<Vec<ToolRow>>,
    /// The smallest sets of groups to ask for, nothing beside them, that lead here from the
    /// context's state.
    pub groups: GroupSets,
}

/// A tool as it leads from a state to a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    pub tool: ToolRow,
    /// The states that it lists; `None`: any state.
    pub from: Option<Vec<Name>>,
    pub to: Name,
    /// Asking for one of these lets it in; empty: only `*` does.
    pub groups: Vec<Name>,
    /// Whether the context's groups let it in.
    pub admitted: bool,
}

impl StateView {
    /// A state of these tools, or one that is listed; `None` where neither names it and the context
    /// is not in it.
    #[must_use]
    pub fn for_state<T: Gated>(
        tools: &[T],
        context: &Context,
        listed: &[Name],
        state: &str,
    ) -> Option<Self> {
        let asked = AskedGroups::from_request(context.groups.as_deref());
        let workflow = Workflow::for_groups(tools, &asked, context.state()).with_states(listed);
        let row = workflow.state_row(state)?;
        let mut view = Self {
            name: workflow.states()[row].clone(),
            into: Vec::new(),
            out: Vec::new(),
            stay: Vec::new(),
            way: workflow
                .paths_from(workflow.start())
                .to_state(row)
                .map(|hops| hops.iter().map(|hop| hop.tool).collect()),
            groups: GroupSearch::new(
                tools,
                &AskedGroups::Only(Vec::new()),
                context.state(),
                &AllowedGroups::Every,
            )
            .every_smallest_to(state),
        };
        for (tool, gated) in
            tools.iter().enumerate().filter(|(_, gated)| gated.gate().not_loaded().is_none())
        {
            view.add_passage(&workflow, row, tool, gated.gate().groups());
        }
        Some(view)
    }

    fn add_passage(
        &mut self,
        workflow: &Workflow,
        here: StateRow,
        tool: ToolRow,
        groups: Vec<Name>,
    ) {
        let member = &workflow.members()[tool];
        let (from, listed, elsewhere) = match &member.origin {
            Origin::Every => (None, true, true),
            Origin::Only(rows) => {
                let names = rows.iter().map(|row| workflow.states()[*row].clone()).collect();
                (Some(names), rows.contains(&here), rows.iter().any(|row| *row != here))
            }
        };
        let to = member.target.unwrap_or(here);
        let passage = Passage {
            tool,
            from,
            to: workflow.states()[to].clone(),
            groups,
            admitted: member.is_admitted(),
        };
        if member.target == Some(here) && elsewhere {
            self.into.push(passage.clone());
        }
        match (listed, to == here) {
            (true, true) => self.stay.push(passage),
            (true, false) => self.out.push(passage),
            (false, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        engine::gated::Slot,
        model::tool::{Gate, States},
    };

    fn names(list: &[&str]) -> Vec<Name> {
        list.iter().map(|name| Name::from(*name)).collect()
    }

    fn tool(key: &str, groups: &[&str], states: Option<&[&str]>, next: Option<&str>) -> Slot {
        let states = states.map_or(States::Every, |states| States::Only(names(states)));
        Slot {
            key: key.into(),
            name: key.into(),
            gate: Gate {
                groups: Some(names(groups)),
                states,
                next: next.map(Name::from),
                ..Gate::open()
            },
        }
    }

    #[test]
    fn a_state_says_how_one_comes_in_and_out() {
        let tools = [
            tool("look", &["read"], Some(&["undefined"]), Some("found")),
            tool("note", &["write", "read"], Some(&["found"]), None),
            tool("send", &["write"], Some(&["found", "undefined"]), Some("sent")),
            tool("reset", &["admin"], None, Some("undefined")),
            tool("again", &["read"], Some(&["sent"]), Some("found")),
        ];
        let context = Context { groups: Some(names(&["read"])), ..Context::default() };
        let view = StateView::for_state(&tools, &context, &[], "found").unwrap();
        let rows =
            |passages: &[Passage]| passages.iter().map(|passage| passage.tool).collect::<Vec<_>>();
        assert_eq!(
            (rows(&view.into), rows(&view.out), rows(&view.stay)),
            (vec![0, 4], vec![2, 3], vec![1])
        );
        assert_eq!(view.way, Some(vec![0]));
        assert_eq!(
            view.groups.sets,
            [names(&["read"])],
            "with write and read there would be a longer way, but read alone does"
        );
        assert!(!view.out[0].admitted && view.into[0].admitted);
        assert_eq!(
            StateView::for_state(&tools, &context, &[], "sent").unwrap().groups.sets,
            [names(&["write"])]
        );
        assert_eq!(StateView::for_state(&tools, &context, &[], "nowhere"), None);
        let listed = StateView::for_state(&tools, &context, &names(&["later"]), "later").unwrap();
        assert_eq!((listed.way, rows(&listed.out), rows(&listed.stay)), (None, vec![3], vec![]));
    }
}
