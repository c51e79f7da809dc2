//! A text that is edited in the user's editor.

/// The text, and how what comes back is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutsideText {
    /// As it is.
    Plain(String),
    /// As the JSON of a value of any kind.
    Json(String),
}

impl OutsideText {
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Json(text) => text,
        }
    }

    /// Another text that is read in the same way.
    #[must_use]
    pub fn with_text(&self, text: String) -> Self {
        match self {
            Self::Plain(_) => Self::Plain(text),
            Self::Json(_) => Self::Json(text),
        }
    }
}
