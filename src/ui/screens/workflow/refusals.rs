//! Why an action can't be used, where several tables say so; and what they do alike.

use crate::{
    app::{
        message::{DocumentMessage, Message},
        state::State,
    },
    ui::{action_rows::refuse_when, view::Reply},
};

pub(super) const NO_STEPS: &str = "no steps during a what-if: W applies it, Esc cancels it";

/// A change of the workflow may be in several files: all are saved together.
pub(super) fn save_all() -> Reply {
    Reply::send(Message::Document(DocumentMessage::Save(None)))
}

pub(super) fn live_refusal(state: &State) -> Option<String> {
    refuse_when(state.workflow.live.is_some(), "a live step is running")
}

pub(super) fn none_to_copy(state: &State) -> Option<String> {
    refuse_when(state.catalog.tools.is_empty(), "there is no tool to copy")
}

pub(super) fn no_tool_yet(state: &State) -> Option<String> {
    refuse_when(state.catalog.tools.is_empty(), "there is no tool yet")
}
