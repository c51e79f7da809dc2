//! Tools that are pasted as text, on Tools and Workflow.

use super::{
    overlays::{paste::Paste, proposal::Proposal},
    view::Reply,
};
use crate::app::{
    compose::{context::ComposeContext, entries},
    state::State,
};

/// Waits for a text with descriptors.
pub(crate) fn await_paste() -> Reply {
    let words = "Paste now, with your terminal's paste key (often Ctrl+Shift+V): one tool or \
        many, as YAML or JSON. Changes are shown before they are made.";
    Reply::Open(Box::new(Paste::new("Paste tools", words, paste_descriptors)))
}

/// Shows what a pasted text adds, before it is added.
pub(crate) fn paste_descriptors(text: &str, state: &State) -> Reply {
    let (text, near) = (text.to_owned(), state.selected.clone());
    Proposal::new("Paste tools", "", move |state| {
        entries::paste_entries(ComposeContext::from_state(state), &text, near.as_ref())
    })
    .into_reply()
}
