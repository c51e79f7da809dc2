//! When the pieces of an answer came.

/// The first and the last piece, and the longest time between two of them; in milliseconds since the
/// call began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PieceTimes {
    pub first_ms: Option<u64>,
    pub last_ms: Option<u64>,
    pub longest_wait_ms: Option<u64>,
}

impl PieceTimes {
    /// A piece came. One without a text only marks an end.
    pub fn note_piece(&mut self, text: &str, at_ms: u64) {
        if text.is_empty() {
            return;
        }
        self.first_ms.get_or_insert(at_ms);
        let wait = self.last_ms.replace(at_ms).map(|last| at_ms.saturating_sub(last));
        self.longest_wait_ms = self.longest_wait_ms.max(wait);
    }
}
