//! The screens, one row each.

pub mod connections;
pub mod form;
pub mod history;
pub mod invoke;
pub mod model_run;
pub mod resources;
pub mod tools;
pub mod waiting;
pub mod watch;
pub mod workflow;

use super::view::Screen;
use crate::app::{actions::ActionId, message::ScreenId, state::State};

/// A row of the table.
pub(crate) struct ScreenRow {
    pub id: ScreenId,
    /// The action that shows it; its title is the screen's name.
    pub action: ActionId,
    /// Its name where there is little room.
    pub short: &'static str,
    pub make: fn() -> Box<dyn Screen>,
    /// Whether the top line names it.
    pub named: fn(&State) -> bool,
}

fn always_named(_: &State) -> bool {
    true
}

/// Every screen, in the order of the top line.
pub(crate) const SCREENS: &[ScreenRow] = &[
    ScreenRow {
        id: ScreenId::Tools,
        action: "show-tools",
        short: "Tools",
        make: || Box::<tools::Tools>::default(),
        named: always_named,
    },
    ScreenRow {
        id: ScreenId::Workflow,
        action: "show-workflow",
        short: "Workflow",
        make: || Box::<workflow::WorkflowScreen>::default(),
        named: always_named,
    },
    ScreenRow {
        id: ScreenId::Invoke,
        action: "show-invoke",
        short: "Invoke",
        make: invoke::invoke_screen,
        named: always_named,
    },
    ScreenRow {
        id: ScreenId::Watch,
        action: "show-watch",
        short: "Watch",
        make: || Box::<watch::WatchScreen>::default(),
        named: always_named,
    },
    ScreenRow {
        id: ScreenId::History,
        action: "show-history",
        short: "History",
        make: || Box::<history::History>::default(),
        named: always_named,
    },
    ScreenRow {
        id: ScreenId::Connections,
        action: "show-connections",
        short: "Conn",
        make: || Box::<connections::ConnectionsScreen>::default(),
        named: always_named,
    },
    ScreenRow {
        id: ScreenId::Waiting,
        action: "show-waiting",
        short: "Waiting",
        make: || Box::<waiting::Waiting>::default(),
        // Most workspaces never need it.
        named: |state| {
            let answering = &state.answering;
            let waits = !answering.is_idle() || !answering.open.is_empty();
            waits || state.screen == ScreenId::Waiting
        },
    },
    ScreenRow {
        id: ScreenId::Resources,
        action: "show-resources",
        short: "Res",
        make: || Box::<resources::ResourcesScreen>::default(),
        // Only servers have some, and not all of them.
        named: |state| {
            let server = state.network.resource_server();
            let has_some = |name: &str| !state.network.readable_items(name).is_empty();
            state.screen == ScreenId::Resources || server.is_some_and(|at| has_some(&at.name))
        },
    },
    ScreenRow {
        id: ScreenId::Run,
        action: "show-run",
        short: "Run",
        make: || Box::<model_run::ModelRunScreen>::default(),
        named: |state| state.invoke.agent.run.is_some() || state.screen == ScreenId::Run,
    },
];
