//! What is read of files and names of files beside the workspace's own.

use super::split_first_line;
use crate::store::{globs, journal};

/// What a journal holds is written as it is read.
pub(super) fn read_journal(text: &str) {
    journal::try_slot(text);
}

/// A pattern in the first line, a name in the second: a name without signs matches itself.
pub(super) fn read_patterns(text: &str) {
    let (pattern, name) = split_first_line(text);
    let (patterns, _) = globs::try_pattern(pattern, name);
    assert!(patterns > 0, "{pattern:?}");
    if !globs::is_pattern(name) {
        assert_eq!(globs::try_pattern(name, name), (1, true), "{name:?}");
    }
    assert!(globs::try_pattern("*", name).1, "{name:?}");
}
