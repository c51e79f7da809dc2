//! An entry: one tool, service or server in one of the user's files.

use std::{fmt, path::Path, sync::Arc};

use crate::{schema::pointer::Pointer, syntax::lazy_value::LazyValue};

/// The short name of a system, as in `systems::table`: `trustgraph`.
pub type SystemId = &'static str;

/// A file of the workspace, by its path relative to the workspace folder, with `/` between folders.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(Arc<str>);

impl FileId {
    pub fn new(path: impl Into<Arc<str>>) -> Self {
        Self(path.into())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(&*self.0)
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where an entry is: the file, the document in it, the place in that.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryPlace {
    pub file: FileId,
    pub document: usize,
    pub at: Pointer,
    pub form: EntryForm,
}

impl EntryPlace {
    /// That of a value of the file's own format.
    #[must_use]
    pub fn plain(file: FileId, document: usize, at: Pointer) -> Self {
        Self { file, document, at, form: EntryForm::Plain }
    }
}

/// How an entry is written at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryForm {
    /// As a value of the file's own format.
    Plain,
    /// As text that holds JSON, as a configuration export has it.
    JsonText,
}

/// An entry's identity, stable while its file and key stay.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId(Arc<EntryPlace>);

impl EntryId {
    #[must_use]
    pub fn new(place: EntryPlace) -> Self {
        Self(Arc::new(place))
    }

    #[must_use]
    pub fn place(&self) -> &EntryPlace {
        &self.0
    }

    #[must_use]
    pub fn file(&self) -> &FileId {
        &self.0.file
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.0.file, self.0.at)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryKind {
    Tool,
    Service,
    /// An MCP server that tools point to.
    Server,
    /// What tools may be configured with.
    Schema,
}

impl EntryKind {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Service => "service",
            Self::Server => "server",
            Self::Schema => "schema",
        }
    }
}

/// An entry as read.
#[derive(Clone, Debug)]
pub struct Entry {
    pub id: EntryId,
    pub system: SystemId,
    pub kind: EntryKind,
    /// The key that others refer to it by.
    pub key: String,
    /// What it says (from the inner text for [`EntryForm::JsonText`]). Clones read it themselves: go
    /// over the values of many entries on clones, or with [`LazyValue::parsed`].
    pub value: LazyValue,
    /// Line and column of its place, from 1.
    pub line: usize,
    pub column: usize,
}
