//! What is wrong with something that a server said, at its place.

use std::borrow::Cow;

use crate::schema::pointer::Pointer;

/// The id of a line that is no message, where only messages may be.
pub(super) const NOISE: &str = "frame.not-json";

/// One thing that is wrong. The id is stable: `tool.no-description`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub id: &'static str,
    /// Within what was looked at.
    pub at: Pointer,
    /// For people; it quotes nothing that the server said.
    pub words: Cow<'static, str>,
}

impl Fault {
    pub(super) fn new(id: &'static str, at: Pointer, words: impl Into<Cow<'static, str>>) -> Self {
        Self { id, at, words: words.into() }
    }
}

/// The ids of faults, sorted and each once.
#[must_use]
pub fn fault_ids(faults: &[Fault]) -> Vec<&'static str> {
    let mut ids: Vec<&'static str> = faults.iter().map(|fault| fault.id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
