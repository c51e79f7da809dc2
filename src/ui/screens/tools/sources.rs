//! The dialogs that read a file again that tools of a list come from, and that write back to it.

use crate::{
    app::{
        compose::{
            context::ComposeContext,
            plan::Plan,
            sources::{self, sources_near},
        },
        state::State,
    },
    model::entry::{EntryId, FileId},
    ui::{
        overlays::{
            menu::{Item, Menu},
            proposal::Proposal,
        },
        view::{OverlayReply, Reply},
    },
};

/// A way between a list and the file that its tools come from.
#[derive(Clone, Copy)]
pub(super) struct Way {
    title: &'static str,
    act: &'static str,
    make: fn(ComposeContext<'_>, &EntryId, &FileId) -> Result<Plan, String>,
}

pub(super) const READ_AGAIN: Way =
    Way { title: "Read source again", act: "update", make: sources::read_again };
pub(super) const WRITE_BACK: Way =
    Way { title: "Write to source", act: "write", make: sources::write_back };

fn sources_of_selected(state: &State) -> Vec<(EntryId, FileId)> {
    let near = state.selected.as_ref();
    near.map(|id| sources_near(ComposeContext::from_state(state), id)).unwrap_or_default()
}

/// Why the selected entry has no source.
pub(super) fn refusal(state: &State) -> Option<String> {
    let words = "the tools of this file come from no other one: add tools of a file… remembers \
        where those of a list come from";
    sources_of_selected(state).is_empty().then(|| words.to_owned())
}

/// Shows what it changes; where there are several files, asks first which is meant.
pub(super) fn choose(way: Way, state: &State) -> Reply {
    let sources = sources_of_selected(state);
    if let [(list, file)] = &sources[..] {
        return propose(way, list, file);
    }
    let item = |(_, file): &(EntryId, FileId)| Item { title: file.to_string(), ..Item::default() };
    let items = sources.iter().map(item).collect();
    Reply::Open(Box::new(Menu::new(way.title, items, move |row| match sources.get(row) {
        Some((list, file)) => OverlayReply::CloseWith(propose(way, list, file)),
        None => OverlayReply::Close,
    })))
}

fn propose(way: Way, list: &EntryId, file: &FileId) -> Reply {
    let (list, file) = (list.clone(), file.clone());
    let make = move |state: &State| (way.make)(ComposeContext::from_state(state), &list, &file);
    Proposal::new(way.title, "", make).with_act(way.act).into_reply()
}
