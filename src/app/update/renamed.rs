//! What goes by another name, or another place, when files do: the run, what is tried, the stops,
//! what is typed for calls of a tool.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
    sync::Arc,
};

use crate::{
    app::{
        calls::{CallText, RequestGoal},
        documents::Renamed,
        moved::MovedEntries,
        state::{State, StepGoal, ViewTarget},
        workflow::LiveStep,
    },
    engine::{
        mentions::NameKind,
        simulate::{run::rename_in, stop::Stop},
    },
    model::entry::EntryId,
};

/// The tools that something was typed or chosen for or that are mocked, with their keys.
pub(super) struct CalledTools(Vec<(String, EntryId)>);

impl CalledTools {
    pub fn from_state(state: &State) -> Self {
        let typed = state.invoke.texts.keys().map(|text| &text.tool);
        let chosen = state.network.routes.keys();
        let tools: HashSet<&EntryId> = typed.chain(&state.invoke.mocks).chain(chosen).collect();
        let key = |id: &EntryId| Some((state.catalog.tool(id)?.entry.key.clone(), id.clone()));
        Self(tools.into_iter().filter_map(key).collect())
    }
}

/// A state, a group or a tool has another name: the run, what is tried and the stops go by it.
pub(super) fn follow_rename(
    state: &mut State,
    Renamed { what, from, to }: &Renamed,
    called: &CalledTools,
) {
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
            let before = called.0.iter().find(|(key, _)| **key == **from).map(|(_, id)| id);
            let after = state.catalog.tools.iter().find(|tool| *tool.entry.key == **to);
            if let Some((before, after)) = before.zip(after.map(|tool| tool.id().clone())) {
                move_typed(state, before, &after);
            }
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

/// Entries have other places: what is known of them goes along, and the screens are shown where they
/// went.
pub(super) fn follow_moved(state: &mut State, moved: MovedEntries) {
    if moved.is_empty() {
        return;
    }
    // What is gone has somebody else at its place, who is selected then.
    if let Some(now) = state.selected.as_ref().and_then(|id| moved.follow(id)) {
        state.selected = Some(now);
    }
    state.goal = state.goal.take().and_then(|goal| {
        let entry = moved.follow(&goal.entry)?;
        Some(ViewTarget { entry, ..goal })
    });
    let invoke = &mut state.invoke;
    moved.follow_keys_by(&mut invoke.texts, |text| {
        Some(CallText { tool: moved.follow(&text.tool)?, part: text.part })
    });
    invoke.mocks = invoke.mocks.iter().filter_map(|id| moved.follow(id)).collect();
    moved.follow_keys(&mut invoke.kept_mocks);
    moved.follow_keys(&mut invoke.breakpoints);
    invoke.calls.follow_moved(&moved);
    if let Some(batch) = &mut invoke.batch {
        batch.request.tool = moved.follow_or_nowhere(&batch.request.tool);
    }
    invoke.step_goal = invoke.step_goal.take().and_then(|goal| {
        let tool = moved.follow(&goal.tool)?;
        Some(StepGoal { tool, ..goal })
    });
    invoke.request_goal = invoke.request_goal.take().and_then(|goal| {
        let tool = moved.follow(&goal.tool)?;
        Some(RequestGoal { tool, ..goal })
    });
    moved.follow_keys(&mut state.network.routes);
    let workflow = &mut state.workflow;
    moved.follow_one(&mut workflow.fill_first);
    workflow.live = workflow.live.take().and_then(|live| {
        let tool = moved.follow(&live.tool)?;
        Some(LiveStep { tool, ..live })
    });
    let tried = workflow.what_if.iter_mut().chain(&mut workflow.what_ifs_before);
    for what_if in tried {
        moved.follow_list(&mut what_if.edits, |(tool, _)| tool);
    }
    if let Some(findings) = moved.follow_findings(&state.findings) {
        state.findings = Arc::new(findings.into());
    }
    state.moved.push(moved);
}

/// What was typed for calls of a tool is its own under another identity, too.
fn move_typed(state: &mut State, before: &EntryId, after: &EntryId) {
    let invoke = &mut state.invoke;
    let of_tool = |text: &&CallText| text.tool == *before;
    let texts: Vec<CallText> = invoke.texts.keys().filter(of_tool).cloned().collect();
    for text in texts {
        let part = text.part;
        move_key(&mut invoke.texts, &text, CallText { tool: after.clone(), part });
    }
    if invoke.mocks.remove(before) {
        invoke.mocks.insert(after.clone());
    }
    move_key(&mut invoke.kept_mocks, before, after.clone());
    move_key(&mut invoke.breakpoints, before, after.clone());
    move_key(&mut state.network.routes, before, after.clone());
}

fn move_key<K: Eq + Hash, V>(map: &mut HashMap<K, V>, from: &K, to: K) {
    if let Some(value) = map.remove(from) {
        map.insert(to, value);
    }
}
