//! Revisions of the protocol and the two eras that they fall into.

/// How a client and a server speak with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// Up to 2025-11-25: a session that `initialize` opens.
    Legacy,
    /// From 2026-07-28 on: each request says its version and what the client can do.
    Modern,
}

/// The first revision of the modern era.
pub const FIRST_MODERN: &str = "2026-07-28";
/// The revision that is meant where none is named: the newest of the legacy era.
pub const DEFAULT: &str = "2025-11-25";
/// The revision whose HTTP transport is a stream of events beside a place to post to.
pub const OLD_SSE: &str = "2024-11-05";

impl Era {
    /// The era of a revision, which is a date.
    #[must_use]
    pub fn from_version(version: &str) -> Self {
        if version >= FIRST_MODERN { Self::Modern } else { Self::Legacy }
    }

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}

/// The revisions that a client speaks, the one that it likes best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versions {
    pub modern: Vec<String>,
    pub legacy: Vec<String>,
}

impl Default for Versions {
    fn default() -> Self {
        let all =
            |versions: &[&str]| versions.iter().map(|version| (*version).to_owned()).collect();
        Self {
            modern: all(&[FIRST_MODERN]),
            legacy: all(&[DEFAULT, "2025-06-18", "2025-03-26", OLD_SSE]),
        }
    }
}

impl Versions {
    /// The newest revision of the legacy era, to offer first.
    #[must_use]
    pub fn newest_legacy(&self) -> Option<&str> {
        self.legacy.iter().map(String::as_str).max()
    }
}
