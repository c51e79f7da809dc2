//! A parsed text that remembers every byte: values, places, and edits.

use std::{path::Path, sync::Arc};

use serde_json::Value;

use super::edit::{Edit, EditError, Patch};
use crate::schema::pointer::Pointer;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    Json,
    Yaml,
    Toml,
}

impl Format {
    /// Told by the file's ending; `None` for endings that are not ours.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Yaml => "YAML",
            Self::Toml => "TOML",
        }
    }
}

/// Byte offsets into the text, end exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// Where a value stands. Lines and columns count from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub key: Option<Span>,
    pub value: Span,
    pub line: usize,
    pub column: usize,
}

/// The text is not well-formed. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not {format}: {message} (line {line}, column {column})", format = format.name())]
pub struct SyntaxError {
    pub format: Format,
    pub message: String,
    pub line: usize,
    pub column: usize,
}

/// Something odd in a well-formed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub kind: NoteKind,
    pub document: usize,
    pub at: Pointer,
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// The key stands twice in one object; the last one counts.
    DuplicateKey,
    /// A plain YAML scalar that YAML 1.1 readers (PyYAML) take for something else: `yes`, `on`, `012`, `1:30`, …
    ReadsDifferently,
}

/// A text with what it means. Immutable: an edit gives another one.
#[derive(Clone, Debug)]
pub struct Source {
    format: Format,
    text: Arc<str>,
}

impl Source {
    pub fn parse(_format: Format, _text: impl Into<Arc<str>>) -> Result<Self, SyntaxError> {
        todo!()
    }

    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// How many documents the text holds: one, but for YAML with `---`. An empty text has none.
    #[must_use]
    pub fn documents(&self) -> usize {
        todo!()
    }

    /// The value of a document.
    #[must_use]
    pub fn value(&self, _document: usize) -> Option<&Arc<Value>> {
        todo!()
    }

    /// Where the value at `at` stands; values that come from an alias have the alias's place.
    #[must_use]
    pub fn place(&self, _document: usize, _at: &Pointer) -> Option<Place> {
        todo!()
    }

    /// The value's own text, exactly as written.
    #[must_use]
    pub fn written(&self, _document: usize, _at: &Pointer) -> Option<&str> {
        todo!()
    }

    /// The innermost value at a byte offset, for jumping from text to field.
    #[must_use]
    pub fn pointer_at(&self, _offset: usize) -> Option<(usize, Pointer)> {
        todo!()
    }

    #[must_use]
    pub fn notes(&self) -> &[Note] {
        todo!()
    }

    /// The text after an edit, and the patch that leads there. Only the lines of what is edited change.
    pub fn apply(&self, _document: usize, _edit: &Edit) -> Result<(Source, Patch), EditError> {
        todo!()
    }

    /// The text after a patch (an edit taken back or made again).
    pub fn patched(&self, patch: &Patch) -> Result<Self, EditError> {
        let text = patch.apply(&self.text).ok_or_else(|| EditError::Broken("the text has changed since".into()))?;
        Self::parse(self.format, text).map_err(|error| EditError::Broken(error.to_string()))
    }
}
