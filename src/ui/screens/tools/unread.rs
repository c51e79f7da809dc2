//! Reports what is typed in the forms of the catalog and is no value: it is asked about before it
//! would be lost.

use crate::{
    app::{documents::UnreadText, message::Message, notices::NoticeKind, state::State},
    model::entry::EntryId,
    ui::{form::host::FormHost, view::Reply},
};

/// The reply, with what is unread now where that is something else than before.
pub(super) fn with_unread(reply: Reply, form: &FormHost<EntryId>, state: &State) -> Reply {
    let mut unread: Vec<UnreadText> = Vec::new();
    for (entry, issues) in form.draft_issues() {
        let key = state.catalog.entry(entry).map_or("", |entry| &entry.key);
        let text =
            |issue| UnreadText { file: entry.file().clone(), words: format!("{key}: {issue}") };
        unread.extend(issues.into_iter().map(text));
    }
    unread.sort_by(|one, other| one.words.cmp(&other.words));
    if unread == state.documents.unread {
        return reply;
    }
    match reply {
        Reply::Handled => Reply::send(Message::Unread(unread)),
        Reply::Send(mut messages) => {
            messages.push(Message::Unread(unread));
            Reply::Send(messages)
        }
        Reply::Refused(why) => {
            Reply::Send(vec![Message::Unread(unread), Message::Notice(NoticeKind::Hint, why)])
        }
        other => other,
    }
}
