//! Reads the workspace, and again what something else has changed there.

use std::{ops::ControlFlow, path::Path, sync::Arc};

use tokio::sync::mpsc;

use super::watching::resolve_path;
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

/// The most bytes of a file whose tools are added.
const MOST_OF_TOOLS: u64 = 4 << 20;

/// Reads a file that the user names to add its tools.
pub(super) fn read_tools(root: &Path, path: &str) -> Message {
    let read = files::read_up_to(&resolve_path(root, path), MOST_OF_TOOLS);
    let message = |read: files::Text| Message::Document(DocumentMessage::ToolsRead(read.text));
    read.map_or_else(Message::Failed, message)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_for_its_tools_by_its_path() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("server.py");
        std::fs::write(&path, "def a(): pass").unwrap();
        for named in ["server.py", path.to_str().unwrap()] {
            let read = read_tools(home.path(), named);
            let Message::Document(DocumentMessage::ToolsRead(text)) = read else {
                panic!("{read:?}")
            };
            assert_eq!(&*text, "def a(): pass");
        }
        let missing = read_tools(home.path(), "none.py");
        assert!(matches!(missing, Message::Failed(_)), "{missing:?}");
    }
}
