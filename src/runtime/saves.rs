//! Files are saved one after another, in the order in which that was asked for: a second save of a
//! file finds on disk what the first one wrote, which the application may not know yet.

use std::{
    collections::HashMap,
    sync::{Arc, mpsc},
    thread,
};

use crate::{
    app::{
        effect::Overwrite,
        message::{DocumentMessage, Message},
    },
    model::{
        entry::FileId,
        problem::{Problem, ProblemKind},
    },
    store::{
        files::{self, Expected, NotSaved, OutsideLinks, Stamp},
        workspace::Workspace,
    },
    wire::spawning::spawn,
};

type Messages = tokio::sync::mpsc::Sender<Message>;

/// A file's text on disk; `None`: there is no such file.
type DiskText = Option<Arc<str>>;

/// What is to be written.
pub(super) struct Save {
    pub workspace: Arc<Workspace>,
    pub file: FileId,
    /// `None`: the file is taken away.
    pub text: DiskText,
    /// What the application knows to be on disk.
    pub before: DiskText,
    pub overwrite: Overwrite,
    /// Held until it is done.
    #[expect(dead_code, reason = "held for its drop, which says that it is done")]
    pub writing: mpsc::Sender<()>,
}

/// Takes saves, and carries them out on a thread of its own, which the first one starts.
#[derive(Default)]
pub(super) struct SaveQueue(Option<mpsc::Sender<Save>>);

impl SaveQueue {
    /// Saves a file once those before it are saved; what came of it is sent to `messages`.
    pub fn push(&mut self, save: Save, messages: &Messages) {
        let queue = match &self.0 {
            Some(queue) => queue,
            None => match start(messages) {
                Ok(queue) => self.0.insert(queue),
                Err(problem) => {
                    // Nothing was written, and the text stays unsaved.
                    let _ = messages.try_send(Message::Failed(problem));
                    return;
                }
            },
        };
        // The thread goes on as long as this end is there.
        let _ = queue.send(save);
    }
}

/// No save waits until the application has taken what came of the one before: the application may
/// itself be waiting until everything is written.
fn start(messages: &Messages) -> Result<mpsc::Sender<Save>, Problem> {
    let (queue, saves) = mpsc::channel::<Save>();
    let (done, mut results) = tokio::sync::mpsc::unbounded_channel();
    let messages = messages.clone();
    spawn(async move {
        while let Some(message) = results.recv().await {
            // The loop may have ended; then nobody needs to know.
            let _ = messages.send(message).await;
        }
    });
    let run = move || {
        let mut written = Written::default();
        for save in saves {
            let _ = done.send(written.carry_out(&save));
        }
    };
    let started = thread::Builder::new().name("saves".into()).spawn(run);
    started.map(|_| queue).map_err(|error| {
        Problem::new(ProblemKind::File, "starting to save", error.to_string())
            .with_remedy("end other programs, and save again")
    })
}

/// What was last written to each file, and what was known to be there before.
#[derive(Default)]
struct Written(HashMap<FileId, (DiskText, Arc<str>)>);

impl Written {
    fn carry_out(&mut self, save: &Save) -> Message {
        let Save { file, text, before, overwrite, .. } = save;
        let expected = match (overwrite, before) {
            (Overwrite::Allow, _) => Expected::Anything,
            (Overwrite::Refuse, Some(before)) => Expected::Same(Stamp::of_text(before)),
            (Overwrite::Refuse, None) => Expected::Absent,
        };
        let done = match (write(save, expected), self.0.get(file)) {
            // The application does not know of the save before this one yet.
            (Err(NotSaved::Changed { .. }), Some((known, ours))) if known == before => {
                write(save, Expected::Same(Stamp::of_text(ours)))
            }
            (done, _) => done,
        };
        match done {
            Ok(()) => {
                match text {
                    Some(text) => {
                        drop(self.0.insert(file.clone(), (before.clone(), Arc::clone(text))));
                    }
                    None => drop(self.0.remove(file)),
                }
                let (file, text) = (file.clone(), text.clone());
                Message::Document(DocumentMessage::Saved { file, text })
            }
            Err(NotSaved::Changed { disk, .. }) => {
                Message::Document(DocumentMessage::SaveRefused { file: file.clone(), disk })
            }
            Err(other) => Message::Failed(other.problem().clone()),
        }
    }
}

fn write(save: &Save, expected: Expected) -> Result<(), NotSaved> {
    let (root, path) = (&save.workspace.root, save.workspace.file_path(&save.file));
    match &save.text {
        Some(text) => files::save_file(root, &path, text, expected, OutsideLinks::Refuse).map(drop),
        None => files::remove_file(root, &path, expected, OutsideLinks::Refuse),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn text(text: &str) -> DiskText {
        Some(text.into())
    }

    #[test]
    fn a_second_save_knows_the_first_and_nothing_of_others() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let path = root.join("a.yaml");
        fs::write(&path, "a: 1\n").unwrap();
        let workspace = Arc::new(Workspace { root, only: None });
        let (writing, _done) = mpsc::channel();
        let save = |before: &str, after: &str| Save {
            workspace: Arc::clone(&workspace),
            file: FileId::new("a.yaml"),
            text: text(after),
            before: text(before),
            overwrite: Overwrite::Refuse,
            writing: writing.clone(),
        };
        let mut written = Written::default();
        let mut is_saved = |before: &str, after: &str| {
            let message = written.carry_out(&save(before, after));
            matches!(message, Message::Document(DocumentMessage::Saved { .. }))
        };
        // Both were asked for before the application knew that the first was done.
        assert!(is_saved("a: 1\n", "a: 2\n"));
        assert!(is_saved("a: 1\n", "a: 3\n"));
        assert!(is_saved("a: 3\n", "a: 4\n"));
        fs::write(&path, "a: theirs\n").unwrap();
        assert!(!is_saved("a: 4\n", "a: 5\n"));
        assert!(!is_saved("a: 3\n", "a: 5\n"), "what is there is nobody's of this process");
        assert_eq!(fs::read_to_string(&path).unwrap(), "a: theirs\n");
        // They went back to what the application knows.
        fs::write(&path, "a: 3\n").unwrap();
        assert!(is_saved("a: 3\n", "a: 6\n"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "a: 6\n");
    }

    #[tokio::test]
    async fn saves_end_although_nobody_takes_their_messages() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let workspace = Arc::new(Workspace { root: root.clone(), only: None });
        // Full from the first message on.
        let (messages, _kept) = tokio::sync::mpsc::channel(1);
        let (writing, done) = mpsc::channel();
        let mut queue = SaveQueue::default();
        for number in 0..5 {
            let save = Save {
                workspace: Arc::clone(&workspace),
                file: FileId::new(format!("{number}.yaml")),
                text: text("a: 1\n"),
                before: None,
                overwrite: Overwrite::Refuse,
                writing: writing.clone(),
            };
            queue.push(save, &messages);
        }
        drop(writing);
        // The loop waits like this, and takes no messages meanwhile.
        let ended = done.recv_timeout(std::time::Duration::from_secs(30));
        assert_eq!(ended, Err(mpsc::RecvTimeoutError::Disconnected));
        assert_eq!(fs::read_dir(&root).unwrap().count(), 5);
    }
}
