//! Tools that are pasted as text.

use super::{
    overlays::{
        menu::{Item, Menu},
        paste::Paste,
        proposal::Proposal,
        server_import,
    },
    view::{OverlayReply, Reply, Screen},
};
use crate::{
    app::{
        compose::{
            context::ComposeContext,
            pasting::{self, TargetChoice},
            server_block::read_block,
        },
        message::ScreenId,
        state::State,
    },
    systems::target::Target,
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

/// Shows what a pasted text adds, before it is added: tools, or servers that it configures. Where it
/// isn't known of which system the tools are to be, that is asked first.
pub(crate) fn paste_descriptors(text: &str, state: &State) -> Reply {
    let (context, near) = (ComposeContext::from_state(state), state.selected.as_ref());
    let has_tools = pasting::paste_entries(context, text, near).is_ok();
    if let Some(Ok(config)) = read_block(text).filter(|_| !has_tools) {
        return Reply::send(server_import::choose_servers(config));
    }
    let known = &state.network.connections.known;
    let is_connected = |target: Target| {
        known.iter().any(|connection| connection.settings.contains_key(target.word()))
    };
    let choices = pasting::target_choices(context, text, near, is_connected);
    match choices.len() {
        0 | 1 => paste_proposal(text, None, state).into_reply(),
        _ => choose_target(text, choices),
    }
}

fn choose_target(text: &str, choices: Vec<TargetChoice>) -> Reply {
    let item = |choice: &TargetChoice| Item {
        title: choice.target.title().to_owned(),
        detail: match choice.lost.as_str() {
            "" => "keeps all of it".to_owned(),
            lost => format!("has no place for {lost}"),
        },
        ..Item::default()
    };
    let (text, items) = (text.to_owned(), choices.iter().map(item).collect());
    let propose = move |row: usize, state: &State| {
        let target = choices.get(row).map(|choice| choice.target);
        OverlayReply::CloseWith(paste_proposal(&text, target, state).into_reply())
    };
    Reply::Open(Box::new(Menu::with_state("Paste tools as those of", items, propose)))
}

/// What it adds as a dialog.
fn paste_proposal(text: &str, target: Option<Target>, state: &State) -> Proposal {
    let (text, near) = (text.to_owned(), state.selected.clone());
    Proposal::new("Paste tools", "", move |state| {
        let context = ComposeContext::from_state(state);
        pasting::paste_entries_to(context, &text, near.as_ref(), target)
    })
    .with_act("add")
}
