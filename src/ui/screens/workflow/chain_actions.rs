//! What can be done while a tool's steps stand in the place of the states.

use super::{
    chain::{Chain, NO_STEPS},
    graph::Zoom,
    screen::{Pane, WorkflowScreen},
};
use crate::{
    app::{
        actions::{ActionId, Scope},
        state::State,
        verbs,
    },
    model::tool::Tool,
    systems::calling,
    ui::{
        action_rows::{self, refuse_when},
        view::Reply,
    },
};

type Row = action_rows::Row<WorkflowScreen>;

pub(crate) const ACTIONS: &[Row] = &[
    Row::new(Scope::Chain, "show-step", "to Invoke", |screen, _| screen.chain.show_step())
        .keys(&[verbs::ACTIVATE])
        .help("Open this step in Invoke, with its request and result"),
    Row::new(Scope::Chain, "stop-before", "stop before", |screen, _| {
        screen.chain.turn_breakpoint()
    })
    .keys(&[verbs::TICK])
    .help("Set or remove a breakpoint: runs stop before this step"),
    Row::new(Scope::Chain, "show-states", "states", |screen, _| {
        screen.chain.close();
        screen.focus_pane(Pane::Offers);
        Reply::Handled
    })
    .keys(&[verbs::ESCAPE])
    .help("Show the states again"),
    Row::taking_over("centre", |screen, _| screen.chain.show_next()),
    Row::taking_over("fit", |screen, _| screen.chain.fit_picture()),
    Row::taking_over("zoom-in", |screen, _| screen.chain.zoom(Zoom::In)),
    Row::taking_over("zoom-out", |screen, _| screen.chain.zoom(Zoom::Out)),
    Row::taking_over("signs", |_, _| Chain::open_legend()),
    Row::refusing("view", states_refusal),
    Row::refusing("follow-run", states_refusal),
    Row::refusing("set-start", states_refusal),
];

/// Those that are named in the bottom line.
pub(super) const HINTS: [ActionId; 6] =
    ["show-step", "stop-before", "show-states", "zoom-in", "zoom-out", "signs"];

/// Whether a tool's steps stand in the place of the states.
pub(super) fn are_in_force(screen: &WorkflowScreen) -> bool {
    screen.chain.is_open() && !screen.matrix.is_open()
}

/// Why the chosen tool has no steps to be shown.
pub(super) fn steps_refusal(screen: &WorkflowScreen, state: &State) -> Option<String> {
    let facts = screen.facts.as_ref();
    let tool = facts.and_then(|facts| facts.tool_id(screen.offers.selected_tool()?));
    let tool = tool.and_then(|tool| state.tool(tool));
    let runs_steps = |tool: &Tool| calling::steps_of_system(tool.entry.system).is_some();
    refuse_when(!tool.is_some_and(runs_steps), NO_STEPS)
}

/// Shows the steps of the chosen tool in place of the states.
pub(super) fn show_steps(screen: &mut WorkflowScreen, state: &State) -> Reply {
    let facts = screen.facts.as_ref();
    let tool = facts.and_then(|facts| facts.tool_id(screen.offers.selected_tool()?));
    let Some(tool) = tool.cloned() else { return Reply::Ignored };
    let reply = screen.chain.open(tool, state);
    if screen.chain.is_open() {
        screen.focus_pane(Pane::Graph);
    }
    reply
}

fn states_refusal(_: &WorkflowScreen, _: &State) -> Option<String> {
    refuse_when(true, "the picture shows steps: Esc goes back to the states")
}
