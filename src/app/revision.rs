//! A step of undo: what it did to the files, and what else goes with it.

use std::sync::Arc;

use super::{
    change::{DocumentPlace, EditedField},
    undo::UndoStep,
};
use crate::{
    engine::{mentions::NameKind, simulate::run::Simulation},
    model::{
        context::Name,
        entry::{EntryId, FileId},
    },
    schema::pointer::Pointer,
    syntax::edit::Patch,
};

/// What a revision did to one file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operation {
    Patched(FileId, Patch),
    Created(FileId, Arc<str>),
    /// With the text that it had.
    Removed(FileId, Arc<str>),
}

/// A name that changes give another one everywhere, so that what is in no file can follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    pub what: NameKind,
    pub from: Name,
    pub to: Name,
}

/// The groups that a run requests, before a step and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupsChange {
    pub before: Option<Vec<Name>>,
    pub after: Option<Vec<Name>>,
}

/// A step that was taken back, or made again.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryStep {
    pub label: String,
    /// The files that are different now.
    pub files: Vec<FileId>,
    /// What has another name by it.
    pub renamed: Option<Renamed>,
    /// The entry that was selected when it was made; of one made again, the one selected after it.
    pub at: Option<EntryId>,
    /// The place of that entry that is as it was, or changed again.
    pub field: Option<(EntryId, Pointer)>,
    /// What a run requests now; `None`: as before.
    pub groups: Option<Option<Vec<Name>>>,
}

/// One step of undo.
#[derive(Clone, Debug)]
pub(super) struct Revision {
    pub label: String,
    pub renamed: Option<Renamed>,
    /// The entries that were selected before it and after.
    pub at: [Option<EntryId>; 2],
    /// The place in an entry that it changed.
    pub field: Option<EditedField>,
    pub groups: Option<GroupsChange>,
    /// The run that isn't shown: the one before it or, once it is taken back, the one after it.
    pub run: Option<Box<Simulation>>,
    /// What the disk was known to hold, before and after.
    pub disk: Option<(FileId, DiskText, DiskText)>,
    pub deeds: Vec<Operation>,
}

/// The text of a file on disk; `None`: there is no such file.
pub(super) type DiskText = Option<Arc<str>>;

impl Revision {
    pub fn new(label: &str, deeds: Vec<Operation>) -> Self {
        Self {
            label: label.to_owned(),
            renamed: None,
            at: [None, None],
            field: None,
            groups: None,
            run: None,
            disk: None,
            deeds,
        }
    }
}

impl UndoStep for Revision {
    type Place = DocumentPlace;

    fn join(&mut self, later: Self) {
        self.deeds.extend(later.deeds);
    }
}

/// The files that these changed.
pub(super) fn files_of(deeds: &[Operation]) -> Vec<FileId> {
    let mut files: Vec<FileId> = deeds
        .iter()
        .map(|deed| match deed {
            Operation::Patched(file, _)
            | Operation::Created(file, _)
            | Operation::Removed(file, _) => file.clone(),
        })
        .collect();
    files.sort();
    files.dedup();
    files
}
