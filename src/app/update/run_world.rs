//! What runs of a model need of the workspace.

use std::sync::Arc;

use crate::{
    app::{agent_run::TaskWorld, state::State, stubs::own_stubs},
    model::{connection::Connection, settings::WorkspaceSettings},
    systems::calling::without_agent,
};

/// What runs need of the workspace, as it is now.
pub(super) fn world_of(state: &State) -> TaskWorld {
    let mut connections = state.network.connections.clone();
    let as_new_agent = |known: &mut Connection| {
        if state.network.new_agent.as_ref() == Some(&known.name) {
            *known = without_agent(known.clone());
        }
    };
    connections.known.iter_mut().for_each(as_new_agent);
    let tools = state.catalog.tools.iter().enumerate();
    let mocks = tools.filter_map(|(row, tool)| Some((row, state.mock_of(tool)?))).collect();
    let settings = WorkspaceSettings {
        mode: state.mode,
        profiles: state.workflow.profiles.clone(),
        connections,
        ..WorkspaceSettings::default()
    };
    TaskWorld {
        catalog: Arc::clone(&state.catalog),
        tools: state.gated_tools(),
        settings,
        user: state.invoke.user.clone(),
        routes: state.network.routes.clone(),
        mocks,
        stubs: own_stubs(&state.documents, &state.catalog.tools),
    }
}
