//! The words for texts and places in them: formats, spans, what is wrong and what is odd.

use std::path::Path;

use crate::schema::pointer::Pointer;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
    Json5,
    Yaml,
    Toml,
}

impl Format {
    /// Recognized by the file's ending; `None` for endings that are not ours.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "jsonc" => Some(Self::Jsonc),
            "json5" => Some(Self::Json5),
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }

    /// Strict JSON, or one of its wider dialects.
    #[must_use]
    pub fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Jsonc | Self::Json5)
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Jsonc => "JSON with comments",
            Self::Json5 => "JSON5",
            Self::Yaml => "YAML",
            Self::Toml => "TOML",
        }
    }
}

/// Byte offsets into the text, end exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// Where a value is: line and column are those of its key, if it has one. They count from 1;
/// columns count characters.
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
    /// The key is twice in one object; the last one counts.
    DuplicateKey,
    /// A plain YAML scalar that YAML 1.1 readers (PyYAML) take for something else: `yes`, `on`,
    /// `012`, `1:30`, …
    ReadsDifferently,
    /// What Python's JSON has and JSON has not: `NaN`, an infinity, half of a surrogate pair.
    NotJson,
}
