//! Texts that are not saved yet.

use std::{collections::BTreeMap, sync::Arc};

use super::entry::FileId;
use crate::syntax::shared_text::SharedText;

/// A file's text that is not saved yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaved {
    pub text: SharedText,
    /// What the file held when it was last read or saved; `None`: there was no file.
    pub before: Option<Arc<str>>,
}

pub(crate) type UnsavedTexts = BTreeMap<FileId, Unsaved>;

/// What an earlier session left unsaved of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftText {
    pub text: Arc<str>,
    /// Whether the file holds something else now than it was typed over: saving it would overwrite
    /// that.
    pub is_behind: bool,
}

pub(crate) type LeftTexts = BTreeMap<FileId, LeftText>;
