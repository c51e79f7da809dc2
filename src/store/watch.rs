//! Reports what changes in a workspace's folders while it is open.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::Duration,
};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::{files::TEMPORARY, stale, walk, workspace::Workspace};
use crate::model::{
    entry::FileId,
    problem::{Problem, ProblemKind},
};

/// Changes are gathered so long: a save by rename is several.
const GATHERING: Duration = Duration::from_millis(100);

/// What changed on disk. It may be as it was, or gone: look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Changed {
    Files(BTreeSet<FileId>),
    /// Folders came or went, or too much happened at once: anything may be different.
    Everything,
}

/// Watches until it is dropped.
#[derive(Debug)]
pub(crate) struct Watch(Sender<FolderEvent>);

#[derive(Debug)]
enum FolderEvent {
    Event(notify::Result<Event>),
    Stop,
}

/// Watches on single folders: whole trees of hidden folders would be watched for nothing.
struct FolderWatcher {
    workspace: Workspace,
    watcher: RecommendedWatcher,
    folders: HashSet<PathBuf>,
}

impl Watch {
    /// Watches the workspace's folders (hidden ones, `target` and `node_modules` not) and says what
    /// changes, from a thread of its own.
    ///
    /// # Errors
    /// When the system cannot watch them, as when too many are watched already.
    pub fn start(
        workspace: &Workspace,
        mut tell: impl FnMut(Changed) + Send + 'static,
    ) -> Result<Self, Problem> {
        let failed = |error: &notify::Error| {
            Problem::new(
                ProblemKind::File,
                format!("watching {}", workspace.root.display()),
                error.to_string(),
            )
            .with_remedy(
                "changes by other programs won't be noticed until you reload the workspace",
            )
        };
        let (sender, heard) = channel();
        let events = sender.clone();
        // The teller may have ended; then nobody needs to know.
        let watcher =
            notify::recommended_watcher(move |event| drop(events.send(FolderEvent::Event(event))));
        let watcher = watcher.map_err(|error| failed(&error))?;
        let mut teller =
            FolderWatcher { workspace: workspace.clone(), watcher, folders: HashSet::new() };
        let top = match &workspace.only {
            Some(file) => {
                workspace.file_path(file).parent().map(Path::to_owned).unwrap_or_default()
            }
            None => workspace.root.clone(),
        };
        stale::sweep_folder(&top);
        teller.watcher.watch(&top, RecursiveMode::NonRecursive).map_err(|error| failed(&error))?;
        teller.folders.insert(top.clone());
        if workspace.only.is_none() {
            teller.watch_below(&top).map_err(|error| failed(&error))?;
        }
        thread::spawn(move || {
            while let Some(events) = gather_events(&heard) {
                if let Some(changed) = teller.collect_changes(events) {
                    tell(changed);
                }
            }
        });
        Ok(Self(sender))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.send(FolderEvent::Stop);
    }
}

/// The events of one moment; `None`: it is over.
fn gather_events(heard: &Receiver<FolderEvent>) -> Option<Vec<notify::Result<Event>>> {
    let mut events = Vec::new();
    let mut next = heard.recv().ok()?;
    thread::sleep(GATHERING);
    loop {
        match next {
            FolderEvent::Event(event) => events.push(event),
            FolderEvent::Stop => return None,
        }
        match heard.try_recv() {
            Ok(more) => next = more,
            Err(_) => return Some(events),
        }
    }
}

impl FolderWatcher {
    /// Watches the folders below one, and takes away what killed saves left there.
    fn watch_below(&mut self, folder: &Path) -> notify::Result<()> {
        for below in walk::list_folders(folder) {
            if !self.folders.contains(&below) {
                stale::sweep_folder(&below);
                match self.watcher.watch(&below, RecursiveMode::NonRecursive) {
                    Ok(()) => drop(self.folders.insert(below)),
                    Err(error) if matches!(error.kind, notify::ErrorKind::MaxFilesWatch) => {
                        return Err(error);
                    }
                    // It went meanwhile, and that will be reported.
                    Err(_) => {}
                }
            }
        }
        Ok(())
    }

    fn collect_changes(&mut self, events: Vec<notify::Result<Event>>) -> Option<Changed> {
        let mut files = BTreeSet::new();
        let mut everything = false;
        for event in events {
            let Ok(event) = event else {
                everything = true;
                continue;
            };
            everything |= event.need_rescan();
            if matches!(event.kind, EventKind::Access(_)) {
                continue;
            }
            for path in &event.paths {
                if !self.folders.contains(path) && self.is_new_folder(path) {
                    everything = true;
                    // Without a watch on it, its files are still seen when the workspace is read
                    // again.
                    let _ = self.watch_below(path);
                } else if self.folders.contains(path) && !path.is_dir() {
                    everything = true;
                    self.folders.retain(|folder| !folder.starts_with(path));
                } else if !is_temporary(path) {
                    files.extend(self.workspace.file_id(path));
                }
            }
        }
        match everything {
            true => Some(Changed::Everything),
            false => (!files.is_empty()).then_some(Changed::Files(files)),
        }
    }

    fn is_new_folder(&self, path: &Path) -> bool {
        self.workspace.only.is_none()
            && path.is_dir()
            && walk::is_entered_path(&self.workspace.root, path)
    }
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(TEMPORARY))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::store::files::{self, Expected, OutsideLinks};

    /// Longer than any machine needs; only a failure waits for it.
    const PATIENCE: Duration = Duration::from_secs(20);

    fn started() -> (tempfile::TempDir, Workspace, Watch, Receiver<Changed>) {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("a/b")).unwrap();
        fs::create_dir_all(home.path().join("target")).unwrap();
        fs::write(home.path().join("a/b/old.json"), "{}").unwrap();
        let workspace = Workspace::find(Some(home.path())).unwrap();
        let (sender, changes) = channel();
        let watch = Watch::start(&workspace, move |changed| drop(sender.send(changed))).unwrap();
        (home, workspace, watch, changes)
    }

    fn files(names: &[&str]) -> Changed {
        Changed::Files(names.iter().map(|name| FileId::new(*name)).collect())
    }

    #[test]
    fn changed_files_are_told_by_name_and_nothing_else_is() {
        let (_home, workspace, _watch, changes) = started();
        let path = workspace.root.join("a/b/old.json");
        fs::write(workspace.root.join("target/made.json"), "{}").unwrap();
        fs::write(workspace.root.join("notes.txt"), "").unwrap();
        files::save_file(&workspace.root, &path, "{ }", Expected::Anything, OutsideLinks::Refuse)
            .unwrap();
        assert_eq!(changes.recv_timeout(PATIENCE).unwrap(), files(&["a/b/old.json"]));
        fs::remove_file(&path).unwrap();
        assert_eq!(changes.recv_timeout(PATIENCE).unwrap(), files(&["a/b/old.json"]));
    }

    #[test]
    fn new_folders_are_watched_and_gone_ones_told() {
        let (_home, workspace, _watch, changes) = started();
        fs::create_dir(workspace.root.join("new")).unwrap();
        assert_eq!(changes.recv_timeout(PATIENCE).unwrap(), Changed::Everything);
        fs::write(workspace.root.join("new/x.yaml"), "").unwrap();
        assert_eq!(changes.recv_timeout(PATIENCE).unwrap(), files(&["new/x.yaml"]));
        fs::remove_dir_all(workspace.root.join("new")).unwrap();
        // Its file may be known before it.
        while changes.recv_timeout(PATIENCE).unwrap() != Changed::Everything {}
    }

    #[test]
    fn a_dropped_watch_tells_nothing_more() {
        let (_home, workspace, watch, changes) = started();
        drop(watch);
        fs::write(workspace.root.join("x.yaml"), "").unwrap();
        assert_eq!(
            changes.recv_timeout(PATIENCE),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected)
        );
    }
}
