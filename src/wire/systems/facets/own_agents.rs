//! Agents of our own in the projects that calls go to: made once, remembered in a folder, and used
//! by one call at a time.

use std::{
    fs::{self, DirBuilder, File},
    io,
    path::{Path, PathBuf},
};

use crate::model::digest::{former_name, text_name};

/// Where they are remembered; without a folder nowhere, so that each call makes its own.
#[derive(Clone, Debug, Default)]
pub struct OwnAgents {
    folder: Option<PathBuf>,
}

/// An agent that no other call uses, in this process or another, until this is dropped.
#[derive(Debug)]
pub struct OwnAgent {
    pub name: String,
    /// Its file, and the lock on it.
    held: Option<(PathBuf, File)>,
}

impl OwnAgents {
    /// Remembered in a folder, which is made when it is needed.
    #[must_use]
    pub fn in_folder(folder: PathBuf) -> Self {
        Self { folder: Some(folder) }
    }

    /// Those of a place that nobody uses now, in the order of their names. One that is passed over
    /// is free again.
    pub fn free_agents(&self, place: &str) -> impl Iterator<Item = OwnAgent> + use<> {
        let mut names = self
            .place_folder(place)
            .and_then(|folder| agent_files(&folder).ok())
            .unwrap_or_default();
        names.sort_unstable();
        names.into_iter().filter_map(|(name, path)| {
            let file = File::open(&path).ok()?;
            // Whoever has it removed it meanwhile, where it is no longer there.
            (file.try_lock().is_ok() && path.is_file())
                .then(|| OwnAgent { name, held: Some((path, file)) })
        })
    }

    /// Remembers a new one, which is in use at once. One that cannot be remembered serves this call
    /// alone.
    #[must_use]
    pub fn remember_agent(&self, place: &str, name: String) -> OwnAgent {
        let held = self.place_folder(place).and_then(|folder| create_locked(&folder, &name).ok());
        OwnAgent { name, held }
    }

    fn place_folder(&self, place: &str) -> Option<PathBuf> {
        let all = self.folder.as_ref()?;
        let folder = all.join(text_name(place));
        if !folder.exists() {
            // An earlier version named it differently; where there is none, nothing is renamed.
            let _ = fs::rename(all.join(former_name(place)), &folder);
        }
        Some(folder)
    }
}

impl OwnAgent {
    /// It is not there any more, and no later call is to try it.
    pub fn forget(self) {
        if let Some((path, _)) = &self.held {
            // What stays is tried again, and forgotten again.
            let _ = fs::remove_file(path);
        }
    }
}

fn agent_files(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let named = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        let name = entry.file_name().into_string().ok()?;
        // Files that begin with a dot are still being made.
        (!name.starts_with('.')).then(|| (name, entry.path()))
    };
    Ok(fs::read_dir(folder)?.filter_map(named).collect())
}

/// Makes the file of an agent. It has its name only once it is locked.
fn create_locked(folder: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)?;
    let (path, hidden) = (folder.join(name), folder.join(format!(".{name}")));
    let file = File::create_new(&hidden)?;
    file.try_lock().map_err(io::Error::from)?;
    fs::rename(&hidden, &path)?;
    Ok((path, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_used_by_one_call_at_a_time_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let agents = || OwnAgents::in_folder(folder.path().join("agents"));
        let free =
            |place: &str| agents().free_agents(place).map(|agent| agent.name).collect::<Vec<_>>();
        assert_eq!(free("lab"), Vec::<String>::new());
        let first = agents().remember_agent("lab", "ui_1".into());
        let second = agents().remember_agent("lab", "ui_2".into());
        assert_eq!((free("lab").len(), first.name.as_str()), (0, "ui_1"), "both are in use");
        drop(second);
        assert_eq!((free("lab"), free("other").len()), (vec!["ui_2".to_owned()], 0));
        drop(first);
        assert_eq!(free("lab"), ["ui_1", "ui_2"]);
        agents().free_agents("lab").next().unwrap().forget();
        assert_eq!(free("lab"), ["ui_2"]);
    }

    #[test]
    fn without_a_folder_nothing_is_kept() {
        let agents = OwnAgents::default();
        assert_eq!(agents.remember_agent("lab", "ui_1".into()).name, "ui_1");
        assert_eq!(agents.free_agents("lab").count(), 0);
    }
}
