//! Writes the journal of unsaved work, apart from the keys.

use std::{sync::Arc, time::Duration};

use tokio::sync::{mpsc, watch};

use crate::{
    app::{message::Message, notices::NoticeKind},
    model::entry::FileId,
    store::journal::{Drafts, Journal},
    wire::spawning::spawn_blocking,
};

/// Between two writings of the journal.
const JOURNAL_EVERY: Duration = Duration::from_secs(1);

/// Writes what is unsaved, at most once a second, the newest only. What was saved leaves the
/// journal at once.
pub(super) async fn keep_journal(
    journal: Arc<Journal>,
    mut unsaved: watch::Receiver<Drafts>,
    messages: mpsc::Sender<Message>,
) {
    let mut complained = false;
    while unsaved.changed().await.is_ok() {
        let files: Vec<FileId> = unsaved.borrow_and_update().keys().cloned().collect();
        let (journal, newest) = (Arc::clone(&journal), unsaved.clone());
        let written =
            spawn_blocking(move || journal.write_newest(|| newest.borrow().clone())).await;
        if let Ok(Err(problem)) = written
            && !std::mem::replace(&mut complained, true)
        {
            let words = format!(
                "unsaved changes are no longer kept for the next start; save them: {problem}"
            );
            let _ = messages.send(Message::Notice(NoticeKind::Warning, words)).await;
        }
        let mut watched = unsaved.clone();
        let is_saved =
            watched.wait_for(|drafts| files.iter().any(|file| !drafts.contains_key(file)));
        // The second is over, or a file is saved: either way what is newest is written next.
        let _ = tokio::time::timeout(JOURNAL_EVERY, is_saved).await;
    }
}
