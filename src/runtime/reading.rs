//! Reads the workspace, and again what something else has changed there.

use std::{ops::ControlFlow, sync::Arc};

use tokio::sync::mpsc;

use crate::{
    app::message::{DocumentMessage, FileEntries, Loaded, Message},
    model::{context::Mode, entry::FileId, problem::ProblemKind},
    store::{
        files,
        watch::{Changed, Watch},
        workspace::{FileRead, Workspace},
    },
    syntax::source::Source,
    systems::read,
};

/// Where more files change at once, as when another branch is checked out, all are read again: that
/// takes less time than to take in each alone.
const MOST_ALONE: usize = 50;

/// Reads the workspace in slices, so that the screen fills while files are still being read. With a
/// mode it is the first reading: the entries come along, those at the beginning of large files ahead
/// of all others.
pub(crate) fn read_all(
    workspace: &Workspace,
    messages: &mpsc::Sender<Message>,
    first: Option<Mode>,
) {
    let mut names = Vec::new();
    let held = |file: &FileId, source: &Source| {
        first.map(|mode| FileEntries { part: read::read_part_at_rest(file, source, mode), mode })
    };
    let beginning = |file: &FileId, source: Source| {
        if let Some(held) = held(file, &source) {
            // The loop may have ended; the first slice will tell.
            let _ = messages
                .blocking_send(Message::Document(DocumentMessage::Beginning(file.clone(), held)));
        }
    };
    let slice = |slice: Vec<FileRead>| {
        names.extend(slice.iter().map(|read| read.file.clone()));
        let loaded = slice.into_iter().map(|FileRead { file, text, source, .. }| {
            if let Ok(source) = &source {
                source.learn_style();
            }
            let held = source.as_ref().ok().and_then(|source| held(&file, source));
            let source =
                source.map(|source| if held.is_some() { source.at_rest() } else { source });
            (file, Loaded { text, source, held })
        });
        match messages.blocking_send(Message::Document(DocumentMessage::Loaded(loaded.collect()))) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    };
    let ended = match first {
        Some(_) => workspace.read_showing(beginning, slice),
        None => workspace.read_files(slice),
    };
    let message = match ended {
        Ok(end) => {
            let skipped = end.sentences();
            Message::Document(DocumentMessage::LoadEnded { names, skipped, unread: end.unread })
        }
        Err(problem) => Message::Failed(problem),
    };
    // The loop may have ended; then nobody needs to know.
    let _ = messages.blocking_send(message);
}

/// Reads one file again.
pub(crate) fn look_again(workspace: &Workspace, messages: &mpsc::Sender<Message>, file: FileId) {
    let _ = messages.blocking_send(read_again(workspace, file));
}

/// What a file holds now.
pub(crate) fn read_again(workspace: &Workspace, file: FileId) -> Message {
    match files::read_text(&workspace.file_path(&file)) {
        Ok(read) => Message::Document(DocumentMessage::DiskChanged { file, text: Some(read.text) }),
        Err(problem) if problem.kind == ProblemKind::Missing => {
            Message::Document(DocumentMessage::DiskChanged { file, text: None })
        }
        Err(problem) => Message::Failed(problem),
    }
}

/// Watches the workspace's folders; without that, changes are seen when the files are read again.
pub(crate) fn watch_workspace(
    workspace: &Arc<Workspace>,
    messages: &mpsc::Sender<Message>,
) -> Option<Watch> {
    let (seen, told) = (Arc::clone(workspace), messages.clone());
    let started = Watch::start(workspace, move |changed| match changed {
        Changed::Files(files) if files.len() <= MOST_ALONE => {
            files.into_iter().for_each(|file| look_again(&seen, &told, file));
        }
        Changed::Files(_) | Changed::Everything => read_all(&seen, &told, None),
    });
    started.map_err(|problem| tracing::warn!("{problem}")).ok()
}
