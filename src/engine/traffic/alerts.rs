//! Alerts: filters that ring when a conversation holds for them.

use super::filter::Filter;

/// So many alerts there can be.
pub(crate) const MOST: usize = 16;

/// A filter that rings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    pub filter: Filter,
    /// How many conversations it rang for.
    pub rang: u64,
}

impl Alert {
    #[must_use]
    pub fn new(filter: Filter) -> Self {
        Self { filter, rang: 0 }
    }
}
