//! Refuses to change an entry whose file can't be read at the moment: its form shows what the file
//! had before, and nothing could be written into it.

use crate::{
    app::{
        message::{DocumentMessage, Message},
        state::State,
    },
    model::entry::EntryId,
    ui::{form::host::FormHost, view::Reply},
};

/// The reply, or a refusal of it where it would change such an entry, whose form is then as it was.
pub(super) fn refuse_broken(reply: Reply, form: &mut FormHost<EntryId>, state: &State) -> Reply {
    let Some(why) = form.owner().and_then(|entry| broken_reason(entry, state)) else {
        return reply;
    };
    let is_change =
        |message: &Message| matches!(message, Message::Document(DocumentMessage::Change { .. }));
    let changes = matches!(&reply, Reply::Send(messages) if messages.iter().any(is_change));
    match (changes, form.is_typing()) {
        (false, false) => return reply,
        (true, _) => drop(form.take_shown()),
        (false, true) => form.rest(),
    }
    Reply::Refused(why)
}

fn broken_reason(entry: &EntryId, state: &State) -> Option<String> {
    let error = state.documents.get(entry.file())?.source.as_ref().err()?;
    let editor = state.keymap.way_to("editor");
    Some(format!(
        "{} can't be read ({error}): correct its text first, {editor} opens it",
        entry.file()
    ))
}
