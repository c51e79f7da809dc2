//! The user's own folders: settings, state (private to the user), cache.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use directories::{BaseDirs, ProjectDirs};

use crate::model::{
    digest::{former_name, path_name},
    problem::{Problem, ProblemKind},
    settings::SETTINGS,
};

/// Where toolcrib keeps what is not the workspace's. Nothing is made before it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Holds `config.toml` and `themes/`.
    pub config: PathBuf,
    /// Holds journals and logs; nobody else may read it.
    pub state: PathBuf,
    /// Can be thrown away at any time.
    pub cache: PathBuf,
}

/// The user's home folder, where the system names one.
#[must_use]
pub fn home_folder() -> Option<PathBuf> {
    BaseDirs::new().map(|folders| folders.home_dir().to_owned())
}

/// The folder that a program works in which was started by a launcher, and so in the home folder or at
/// the root: those are no workspaces. `None` where it was started in a folder of the user's.
#[must_use]
pub fn launcher_folder(here: &Path, home: &Path) -> Option<PathBuf> {
    let is_none = here == home || here.parent().is_none();
    (is_none && !here.join(SETTINGS).is_file()).then(|| home.join("toolcrib"))
}

impl Paths {
    /// The platform's folders for this user.
    ///
    /// # Errors
    /// When the system names no home folder.
    pub fn of_user() -> Result<Self, Problem> {
        let missing = |cause: &str| {
            Problem::new(ProblemKind::Missing, "finding your settings", cause)
                .with_remedy("set HOME, or XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_CACHE_HOME")
        };
        let folders = ProjectDirs::from("", "", "toolcrib")
            .ok_or_else(|| missing("there is no home folder"))?;
        let paths = Self {
            config: folders.config_dir().to_owned(),
            state: folders.state_dir().unwrap_or_else(|| folders.data_local_dir()).to_owned(),
            cache: folders.cache_dir().to_owned(),
        };
        // They would lie below whatever folder this was started in.
        if ![&paths.config, &paths.state, &paths.cache].iter().all(|path| path.is_absolute()) {
            return Err(missing("HOME is not an absolute path"));
        }
        Ok(paths)
    }

    /// The user's settings.
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The user's own themes.
    #[must_use]
    pub fn themes_folder(&self) -> PathBuf {
        self.config.join("themes")
    }

    /// Where the agents are remembered that were made for a workspace's calls; not made here.
    #[must_use]
    pub fn agents_path(&self, root: &Path) -> PathBuf {
        self.state.join("agents").join(self.workspace_name("agents", root))
    }

    /// The name of a workspace's folder among those of a kind; the folder is not made here. One
    /// that an earlier version named differently gets its name now.
    pub(crate) fn workspace_name(&self, kind: &str, root: &Path) -> String {
        let (kind, name) = (self.state.join(kind), path_name(root));
        if !kind.join(&name).exists() {
            // Where there is none, there is nothing to rename.
            let _ = fs::rename(kind.join(former_name(root)), kind.join(&name));
        }
        name
    }

    /// A folder within the state folder, made where it is missing; both are the user's alone.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn private_folder(&self, name: &str) -> Result<PathBuf, Problem> {
        let folder = self.state.join(name);
        make_private(&self.state).and_then(|()| make_private(&folder)).map_err(|error| {
            Problem::new(
                ProblemKind::File,
                format!("creating the folder {}", folder.display()),
                error.to_string(),
            )
            .with_remedy("make it writable, or set XDG_STATE_HOME to another folder")
        })?;
        Ok(folder)
    }
}

/// Makes a folder that only the user can enter, and takes others' rights from one that is there.
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if fs::metadata(folder)?.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_state_folder_is_the_users_alone() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("state");
        fs::create_dir(&state).unwrap();
        fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).unwrap();
        let paths = Paths {
            config: home.path().join("config"),
            state: state.clone(),
            cache: home.path().join("cache"),
        };
        let folder = paths.private_folder("journal").unwrap();
        for folder in [&state, &folder] {
            assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
        }
        assert!(!paths.config.exists() && !paths.cache.exists());
    }

    #[test]
    fn a_launcher_starts_it_in_a_folder_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        assert_eq!(launcher_folder(home, home), Some(home.join("toolcrib")));
        assert_eq!(launcher_folder(Path::new("/"), home), Some(home.join("toolcrib")));
        assert_eq!(launcher_folder(&home.join("work"), home), None);
        fs::write(home.join(SETTINGS), "").unwrap();
        assert_eq!(launcher_folder(home, home), None, "it is a workspace");
    }

    #[test]
    fn a_folder_that_an_earlier_version_named_is_found_once_it_is_renamed() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let paths = Paths { config: at("config"), state: at("state"), cache: at("cache") };
        let (kind, root) = (at("state").join("history"), Path::new("/w"));
        assert_eq!(paths.workspace_name("history", root), path_name(root));
        assert!(!paths.state.exists(), "nothing is made before it is needed");
        fs::create_dir_all(kind.join(former_name(root))).unwrap();
        fs::write(kind.join(former_name(root)).join("kept"), "").unwrap();
        assert!(kind.join(paths.workspace_name("history", root)).join("kept").exists());
        assert!(!kind.join(former_name(root)).exists());
    }

    #[test]
    fn a_state_folder_that_cannot_be_made_is_told() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("state");
        fs::write(&state, "").unwrap();
        let paths = Paths { config: home.path().into(), state, cache: home.path().into() };
        let problem = paths.private_folder("journal").unwrap_err();
        assert!(
            problem.doing.contains("state/journal") && problem.remedy.contains("XDG_STATE_HOME"),
            "{problem}"
        );
    }
}
