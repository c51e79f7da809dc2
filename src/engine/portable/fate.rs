//! What became of each field of a tool that was carried elsewhere.

/// What became of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FateKind {
    /// It is there with the same meaning.
    Carried,
    /// It is there, and says something else.
    Changed,
    /// It is not there.
    Lost,
    /// It is there, and was not said before.
    Assumed,
}

impl FateKind {
    pub const ALL: [Self; 4] = [Self::Carried, Self::Changed, Self::Lost, Self::Assumed];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Carried => "carried",
            Self::Changed => "changed",
            Self::Lost => "lost",
            Self::Assumed => "assumed",
        }
    }

    /// A sign for a list.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Carried => "✓",
            Self::Changed => "~",
            Self::Lost => "−",
            Self::Assumed => "+",
        }
    }
}

/// One field, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fate {
    pub kind: FateKind,
    /// The field's name or place: `description`, `/target_subject`.
    pub field: String,
    /// Why, or what to do; empty where there is nothing to say.
    pub words: String,
}

impl Fate {
    #[must_use]
    pub fn new(kind: FateKind, field: impl Into<String>, words: impl Into<String>) -> Self {
        Self { kind, field: field.into(), words: words.into() }
    }

    #[must_use]
    pub fn assumed(field: impl Into<String>, words: impl Into<String>) -> Self {
        Self::new(FateKind::Assumed, field, words)
    }

    #[must_use]
    pub fn lost(field: impl Into<String>, words: impl Into<String>) -> Self {
        Self::new(FateKind::Lost, field, words)
    }
}
