//! Edits of a document at a pointer, and the patches of text that they come to.

use crate::schema::{literal::Literal, pointer::Pointer};

/// A change of one document. Pointers are within that document.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Replaces the value, or adds the member after its siblings; objects missing on the way are
    /// made. A list or an object in the place of another of its kind changes only where they
    /// differ.
    Set { at: Pointer, to: Literal },
    /// Takes out a member or an item, with the comment on its line and those within it. Comments
    /// above it stay: whether they are about it cannot be known for sure.
    Remove { at: Pointer },
    /// Puts an item before the one at `at` (its index may be the length: at the end). A missing
    /// list is made.
    Insert { at: Pointer, item: Literal },
    /// Moves the item at `at` to another index of the same list, or the member to another place of
    /// the same object, with its comments where they can be known: the one on its line, and where
    /// each has lines of its own those right above it.
    Move { at: Pointer, to: usize },
    /// Gives a member another key; its place among its siblings stays.
    Rename { at: Pointer, key: String },
}

impl Edit {
    /// The same edit where its pointers start at `base`.
    #[must_use]
    pub fn with_prefix(&self, base: &Pointer) -> Self {
        match self {
            Self::Set { at, to } => Self::Set { at: base.join(at), to: to.clone() },
            Self::Remove { at } => Self::Remove { at: base.join(at) },
            Self::Insert { at, item } => Self::Insert { at: base.join(at), item: item.clone() },
            Self::Move { at, to } => Self::Move { at: base.join(at), to: *to },
            Self::Rename { at, key } => Self::Rename { at: base.join(at), key: key.clone() },
        }
    }

    /// The same edit for what is at `base`; `None` where it is about something else.
    #[must_use]
    pub fn strip_prefix(&self, base: &Pointer) -> Option<Self> {
        let at = self.pointer().strip_prefix(base)?;
        Some(match self {
            Self::Set { to, .. } => Self::Set { at, to: to.clone() },
            Self::Remove { .. } => Self::Remove { at },
            Self::Insert { item, .. } => Self::Insert { at, item: item.clone() },
            Self::Move { to, .. } => Self::Move { at, to: *to },
            Self::Rename { key, .. } => Self::Rename { at, key: key.clone() },
        })
    }

    /// The place that the edit is about.
    #[must_use]
    pub fn pointer(&self) -> &Pointer {
        match self {
            Self::Set { at, .. }
            | Self::Remove { at }
            | Self::Insert { at, .. }
            | Self::Move { at, .. }
            | Self::Rename { at, .. } => at,
        }
    }
}

/// A replaced piece of text: byte offset, what stood there, what is there now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    pub at: usize,
    pub old: String,
    pub new: String,
}

impl Patch {
    /// The smallest patch of one piece between two texts.
    #[must_use]
    pub fn between(old: &str, new: &str) -> Self {
        let head = old
            .char_indices()
            .zip(new.chars())
            .find(|((_, a), b)| a != b)
            .map_or(old.len().min(new.len()), |((at, _), _)| at);
        let (old_rest, new_rest) = (&old[head..], &new[head..]);
        let tail: usize = old_rest
            .chars()
            .rev()
            .zip(new_rest.chars().rev())
            .take_while(|(a, b)| a == b)
            .map(|(a, _)| a.len_utf8())
            .sum();
        let cut = |rest: &str| rest[..rest.len() - tail].to_owned();
        Self { at: head, old: cut(old_rest), new: cut(new_rest) }
    }

    /// The patch that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self { at: self.at, old: self.new.clone(), new: self.old.clone() }
    }

    /// The text after the patch; `None` when the text at its place is not the one it replaces.
    #[must_use]
    pub fn apply(&self, text: &str) -> Option<String> {
        let end = self.at.checked_add(self.old.len())?;
        (text.get(self.at..end)? == self.old)
            .then(|| [&text[..self.at], &self.new, &text[end..]].concat())
    }
}

/// Why an edit could not be made. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("there is no document {0} in this file")]
    NoDocument(usize),
    #[error("there is nothing at {0}")]
    NoSuchPlace(Pointer),
    #[error("{0} is not a list")]
    NotAList(Pointer),
    #[error("{0} is not an object")]
    NotAnObject(Pointer),
    #[error("{key:?} is already there at {at}")]
    KeyTaken { at: Pointer, key: String },
    #[error("{format} cannot hold {what} at {at}")]
    Unsayable { format: &'static str, what: String, at: Pointer },
    #[error(
        "{0} comes by a YAML merge key (<<): it can be given another value, but not be removed, renamed or moved"
    )]
    Merged(Pointer),
    #[error("the edit would leave a text that cannot be read: {0}")]
    Broken(String),
}
