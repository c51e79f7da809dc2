//! Changes that a user makes to the files, and where typing goes on after one.

use std::sync::Arc;

use crate::{
    model::{
        entry::{EntryId, FileId},
        finding::EntryEdit,
    },
    schema::pointer::Pointer,
    syntax::edit::Edit,
};

/// A place of a document of a file.
pub(super) type DocumentPlace = (FileId, usize, Pointer);

/// A change that a user makes to the workspace.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Within an entry.
    Entry(EntryEdit),
    /// Within a file, outside any entry.
    File { file: FileId, document: usize, edit: Edit },
    /// The whole text again (from an editor).
    Text { file: FileId, text: Arc<str> },
    /// A new file.
    Create { file: FileId, text: Arc<str> },
    /// The file goes.
    Remove { file: FileId },
}

impl Change {
    /// The file that it changes.
    #[must_use]
    pub fn file(&self) -> &FileId {
        match self {
            Self::Entry(EntryEdit { entry, .. }) => entry.file(),
            Self::File { file, .. }
            | Self::Text { file, .. }
            | Self::Create { file, .. }
            | Self::Remove { file } => file,
        }
    }

    /// Whether it only gives an item or a member another place.
    pub(super) fn is_move(&self) -> bool {
        match self {
            Self::Entry(EntryEdit { edit, .. }) | Self::File { edit, .. } => {
                matches!(edit, Edit::Move { .. })
            }
            Self::Text { .. } | Self::Create { .. } | Self::Remove { .. } => false,
        }
    }
}

/// The place within an entry that changes are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EditedField {
    pub entry: EntryId,
    /// Where it was.
    pub before: Pointer,
    /// Where it is then.
    pub after: Pointer,
}

/// The place that the first change within an entry is about.
pub(super) fn edited_field(changes: &[Change]) -> Option<EditedField> {
    changes.iter().find_map(|change| {
        let Change::Entry(EntryEdit { entry, edit }) = change else { return None };
        let before = edit.pointer().clone();
        let after = match edit {
            Edit::Rename { at, key } => at.parent()?.child(key.as_str()),
            Edit::Move { at, to } if at.last_index().is_some() => at.parent()?.item(*to),
            _ => before.clone(),
        };
        Some(EditedField { entry: entry.clone(), before, after })
    })
}

/// The place of a single setting of a value, where typing goes on.
pub(super) fn typed_place(changes: &[Change]) -> Option<DocumentPlace> {
    match changes {
        [Change::Entry(EntryEdit { entry, edit: Edit::Set { at, .. } })] => {
            let place = entry.place();
            Some((place.file.clone(), place.document, place.at.join(at)))
        }
        // The text after it is the same document laid out.
        [Change::File { file, document, edit: Edit::Set { at, .. } }]
        | [Change::File { file, document, edit: Edit::Set { at, .. } }, Change::Text { .. }] => {
            Some((file.clone(), *document, at.clone()))
        }
        _ => None,
    }
}

/// The place of an item that is one letter so far: the rest of it is typed there.
pub(super) fn begun_item(changes: &[Change]) -> Option<DocumentPlace> {
    let [Change::Entry(EntryEdit { entry, edit })] = changes else { return None };
    let (at, item) = match edit {
        Edit::Insert { at, item } => (at.clone(), item.value()),
        Edit::Set { at, to } => match to.value().as_array()?.as_slice() {
            [item] => (at.item(0), item),
            _ => return None,
        },
        _ => return None,
    };
    let place = entry.place();
    let is_letter = item.as_str()?.chars().count() == 1;
    is_letter.then(|| (place.file.clone(), place.document, place.at.join(&at)))
}
