//! What the application asks of its user.

use std::sync::Arc;

use super::{
    form_file::FormGoal,
    message::{AfterSave, Purpose},
};
use crate::{
    engine::eras::EraComparison,
    model::{
        entry::{EntryId, FileId, SystemId},
        unsaved::LeftTexts,
    },
    systems::{
        deployed::{item::Item, push::Push},
        discovery::compared::Compared,
        facets::configured::FoundConfig,
        permission::Permission,
    },
};

/// What the user is asked, each with its own answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// There is nothing here yet: how to begin?
    Begin,
    /// Add the tools of this text, which is that of a file?
    AddTools(Arc<str>),
    /// Leave although these files have unsaved changes?
    Leave {
        files: Vec<FileId>,
        /// Tools with a mock that somebody has said something of, and that no stub keeps.
        mocks: Vec<EntryId>,
        /// How many messages of Watch are in no file.
        messages: u64,
        /// What is typed in forms and is no value.
        unread: Vec<String>,
        /// What runs, by name.
        running: Vec<String>,
    },
    /// Leave the form program although its document was changed?
    LeaveForm(FormGoal),
    /// Take the document of the form program although it has issues?
    Draft { then: AfterSave, issues: Vec<String> },
    /// The file changed on disk since it was read.
    Conflict { file: FileId, disk: Option<Arc<str>>, then: AfterSave },
    /// Take these entries of a running system into the files?
    Import(Vec<Item>),
    /// Make what a running system has like the workspace? Both what leaves there what only that
    /// system has, and what takes it away.
    Push { keep: Box<Push>, delete: Box<Push> },
    /// An earlier session left unsaved work.
    Recover(LeftTexts),
    /// Which server is to be connected to?
    Server,
    /// Where is the running system whose tools are to be imported?
    System(SystemId),
    /// Which of the servers are to be taken in that other programs have configured?
    ImportServers(Vec<FoundConfig>),
    /// Which of these are to be taken in?
    Discovered(Vec<Compared>),
    /// Read how a server differs between the eras of its protocol?
    Eras { connection: String, comparison: Box<EraComparison> },
    /// May this connection do what is needed to read what it has?
    Allow { connection: String, permission: Box<Permission>, purpose: Purpose },
}
