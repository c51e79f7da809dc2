//! What is known about a thing in the world: not looked up, not there, or found.

/// Checks say nothing about what is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Known<T> {
    #[default]
    Unknown,
    Absent,
    Found(T),
}

impl<T> Known<T> {
    /// What a look-up gave.
    pub fn looked_up(found: Option<T>) -> Self {
        found.map_or(Self::Absent, Self::Found)
    }

    pub fn as_ref(&self) -> Known<&T> {
        match self {
            Self::Unknown => Known::Unknown,
            Self::Absent => Known::Absent,
            Self::Found(found) => Known::Found(found),
        }
    }

    #[must_use]
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Found(found) => Some(found),
            Self::Unknown | Self::Absent => None,
        }
    }

    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}
