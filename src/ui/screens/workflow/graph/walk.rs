//! Taking steps by the picture: along the chosen arrow, or to the chosen state.

use super::{super::facts::Facts, pane::Graph};
use crate::{
    app::{message::Message, workflow::WorkflowMessage},
    engine::{
        gated::ToolRow,
        workflow::graph::{Edge, Link},
    },
    model::call::Outcome,
    ui::view::Reply,
};

impl Graph {
    /// Takes the tools that lead from here to the chosen state, or along the chosen arrow.
    pub fn walk_to_chosen(&self, facts: &Facts) -> Reply {
        let step = |tool: ToolRow| {
            Some(Message::Workflow(WorkflowMessage::Step {
                tool: facts.tool_id(tool)?.clone(),
                outcome: Outcome::Succeeded,
            }))
        };
        let edge = self.selected_edge(facts);
        let goal = match &edge {
            Some(Edge { link: Link::Between { from, .. }, .. }) => Some(*from),
            Some(_) => facts.current,
            None => self.selected_state(facts),
        };
        let Some(row) = goal else { return Reply::Refused("there is no state".into()) };
        let name = &facts.workflow.states()[row];
        let Some(hops) = facts.here.as_ref().and_then(|paths| paths.to_state(row)) else {
            return Reply::Refused(format!("no tools of these groups lead from here to {name}"));
        };
        let mut steps: Vec<Message> = hops.iter().filter_map(|hop| step(hop.tool)).collect();
        if let Some(edge) = edge {
            let admitted =
                edge.tools.iter().find(|tool| facts.workflow.members()[**tool].is_admitted());
            match admitted {
                Some(tool) => steps.extend(step(*tool)),
                None => {
                    return Reply::Refused(
                        "the groups of this arrow's tools aren't requested".into(),
                    );
                }
            }
        }
        if steps.is_empty() {
            return Reply::Refused(format!(
                "the run is in {name}: use the arrow keys to select \
                another state"
            ));
        }
        Reply::Send(steps)
    }

    pub fn start_here(&self, facts: &Facts) -> Reply {
        match self.selected_state(facts) {
            Some(row) => Reply::send(Message::Workflow(WorkflowMessage::SetStart(
                facts.workflow.states()[row].clone(),
            ))),
            None => Reply::Refused("there is no state".into()),
        }
    }
}
