//! Tools that are pasted as text.

use super::{
    overlays::{paste::Paste, proposal::Proposal, server_import},
    view::{Reply, Screen},
};
use crate::app::{
    compose::{context::ComposeContext, pasting, server_block::read_block},
    message::ScreenId,
    state::State,
};

/// Waits for a text with descriptors.
pub(crate) fn await_paste() -> Reply {
    let words = "Paste now, with your terminal's paste key (often Ctrl+Shift+V): one tool or \
        many, as YAML or JSON; tools of MCP, OpenAI or OpenAPI are converted; or an mcpServers block. Changes are shown before they are made.";
    Reply::Open(Box::new(Paste::new("Paste tools", words, paste_descriptors)))
}

/// Whether a text is of tools that can be added, and not one word or sentence. It is a value where
/// the screen edits a text, or has a form of values: on Tools a form is of a tool.
pub(crate) fn adds_tools(text: &str, screen: Option<&dyn Screen>, state: &State) -> bool {
    let takes = |screen: &dyn Screen| {
        screen.is_typing() || state.screen != ScreenId::Tools && screen.shown_form().is_some()
    };
    !screen.is_some_and(takes)
        && state.form.is_none()
        && text.contains([':', '{'])
        && pasting::paste_entries(ComposeContext::from_state(state), text, state.selected.as_ref())
            .is_ok()
}

/// Shows what a pasted text adds, before it is added: tools, or servers that it configures.
pub(crate) fn paste_descriptors(text: &str, state: &State) -> Reply {
    let context = ComposeContext::from_state(state);
    let has_tools = pasting::paste_entries(context, text, state.selected.as_ref()).is_ok();
    match read_block(text).filter(|_| !has_tools) {
        Some(Ok(config)) => Reply::send(server_import::choose_servers(config)),
        _ => paste_proposal(text, state).into_reply(),
    }
}

/// The same as a dialog.
fn paste_proposal(text: &str, state: &State) -> Proposal {
    let (text, near) = (text.to_owned(), state.selected.clone());
    Proposal::new("Paste tools", "", move |state| {
        pasting::paste_entries(ComposeContext::from_state(state), &text, near.as_ref())
    })
    .with_act("add")
}
