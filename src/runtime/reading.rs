//! Reads the workspace, and again what something else has changed there.

use std::{ops::ControlFlow, sync::Arc};

use tokio::sync::mpsc;

use crate::{
    app::message::{Loaded, Message},
    model::{entry::FileId, problem::ProblemKind},
    store::{
        files,
        watch::{Changed, Watch},
        workspace::Workspace,
    },
};

/// Reads the workspace in slices, so that the screen fills while files are still being read.
pub fn read_all(workspace: &Workspace, messages: &mpsc::Sender<Message>) {
    let mut names = Vec::new();
    let ended = workspace.read(|slice| {
        names.extend(slice.iter().map(|read| read.file.clone()));
        let loaded = slice
            .into_iter()
            .map(|read| (read.file, Loaded { text: read.text, source: read.source }))
            .collect();
        match messages.blocking_send(Message::Loaded(loaded)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    let message = match ended {
        Ok(end) => Message::LoadEnded { names, skipped: end.skipped },
        Err(problem) => Message::Failed(problem),
    };
    // The loop may have ended; then nobody needs to know.
    let _ = messages.blocking_send(message);
}

/// Reads one file again.
pub fn look_again(workspace: &Workspace, messages: &mpsc::Sender<Message>, file: FileId) {
    let message = match files::read(&workspace.path(&file)) {
        Ok(read) => Message::DiskChanged { file, text: Some(read.text) },
        Err(problem) if problem.kind == ProblemKind::Missing => {
            Message::DiskChanged { file, text: None }
        }
        Err(problem) => Message::Failed(problem),
    };
    let _ = messages.blocking_send(message);
}

/// Watches the workspace's folders; without that, changes are seen when the files are read again.
pub fn watch(workspace: &Arc<Workspace>, messages: &mpsc::Sender<Message>) -> Option<Watch> {
    let (seen, told) = (Arc::clone(workspace), messages.clone());
    let started = Watch::start(workspace, move |changed| match changed {
        Changed::Files(files) => files.into_iter().for_each(|file| look_again(&seen, &told, file)),
        Changed::Everything => read_all(&seen, &told),
    });
    started.map_err(|problem| tracing::warn!("{problem}")).ok()
}
