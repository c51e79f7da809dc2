//! What goes by another name when files do: the run, what is tried, the stops.

use crate::{
    app::{documents::Renamed, state::State},
    engine::{
        mentions::NameKind,
        simulate::{run::rename_in, stop::Stop},
    },
};

/// A state, a group or a tool has another name: the run, what is tried and the stops go by it.
pub(super) fn follow_rename(state: &mut State, Renamed { what, from, to }: &Renamed) {
    match what {
        NameKind::State => {
            state.workflow.simulation.rename_state(from, to);
            for stop in &mut state.workflow.stops {
                if *stop == Stop::State(from.clone()) {
                    *stop = Stop::State(to.clone());
                }
            }
        }
        NameKind::Tool => {
            state.workflow.simulation.rename_tool(from, to);
            for stop in &mut state.workflow.stops {
                if *stop == Stop::Available(from.clone()) {
                    *stop = Stop::Available(to.clone());
                }
            }
        }
        NameKind::Group => {
            state.workflow.simulation.rename_group(from, to);
            if let Some(groups) =
                state.workflow.what_if.as_mut().and_then(|what_if| what_if.groups.as_mut())
            {
                rename_in(groups, from, to);
            }
        }
    }
}
