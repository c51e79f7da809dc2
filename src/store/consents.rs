//! What the user agreed to, each permission by what distinguishes it from every other. They are
//! kept outside of workspaces, so that no workspace can bring its own along.

use std::{fs, path::PathBuf};

use super::{files, paths::Paths};
use crate::{
    model::problem::{Problem, ProblemKind},
    systems::permission::Permission,
};

/// What the user agreed to.
#[derive(Clone, Debug)]
pub(crate) struct Consents {
    folder: PathBuf,
}

impl Consents {
    /// Those of this user.
    ///
    /// # Errors
    /// When the system names no home folder, or it cannot be used.
    pub fn of_user() -> Result<Self, Problem> {
        Ok(Self { folder: Paths::of_user()?.private_folder("consents")? })
    }

    /// Whether exactly this was agreed to.
    #[must_use]
    pub fn has(&self, permission: &Permission) -> bool {
        self.file(permission).is_file()
    }

    /// The user agrees to this.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub fn give(&self, permission: &Permission) -> Result<(), Problem> {
        files::save_private(&self.file(permission), &format!("{}\n", permission.lines().join("\n")))
    }

    /// The user no longer agrees to it; whether there was anything to take back.
    ///
    /// # Errors
    /// When it cannot be taken back.
    pub fn take_back(&self, permission: &Permission) -> Result<bool, Problem> {
        let file = self.file(permission);
        if !file.is_file() {
            return Ok(false);
        }
        fs::remove_file(&file).map(|()| true).map_err(|error| {
            let doing = format!("removing {}", file.display());
            Problem::new(ProblemKind::File, doing, error.to_string())
        })
    }

    fn file(&self, permission: &Permission) -> PathBuf {
        self.folder.join(permission.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::connection::ServerCommand, systems::start::Start};

    #[test]
    fn a_command_that_changed_was_not_agreed_to() {
        let folder = tempfile::tempdir().unwrap();
        let consents = Consents { folder: folder.path().to_owned() };
        let start = |arg: &str| {
            let command = ServerCommand {
                command: "npx".into(),
                args: vec![arg.into()],
                ..ServerCommand::default()
            };
            Permission::Start(Start::of(&command, "/usr/bin/npx".into(), "/work".into()))
        };
        consents.give(&start("server")).unwrap();
        assert!(consents.has(&start("server")) && !consents.has(&start("server-2")));
        assert!(consents.take_back(&start("server")).unwrap());
        assert!(!consents.has(&start("server")) && !consents.take_back(&start("server")).unwrap());
    }
}
